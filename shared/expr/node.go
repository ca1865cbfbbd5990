package expr

// kind says what a node is; the comments name the fields it uses.
type kind uint8

const (
	kLit    kind = iota // val
	kStr                // list: kText and kNested parts of a quoted string
	kText               // val: literal part of a quoted string or a name
	kName               // name, or list when parts are computed
	kProp               // x.name, or list when parts are computed
	kIndex              // x[y]
	kCall               // x.name(list); x is nil for a bare function
	kNested             // <+x>
	kParen              // (x)
	kUnary              // op x
	kBinary             // x op y
	kCond               // x ? y : z
	kElse               // x ?: y, x ?? y
	kList               // [list]
	kMap                // {list}: key, value, key, value …
	kSet                // {list}: values

	// Statements (script.go).
	kSeq      // list; its value is the last one's
	kVar      // var name = x; x may be nil
	kAssign   // x = y, or x op= y
	kIf       // if (x) y else z; z may be nil
	kFor      // for (name : x) y
	kWhile    // while (x) y
	kFunc     // (val as []string) -> y
	kReturn   // return x; x may be nil
	kBreak    // break
	kContinue // continue
)

// op is an operator of a kUnary, kBinary, kElse or kAssign node.
type op uint8

const (
	opNone op = iota
	opOr
	opAnd
	opEq
	opNe
	opLt
	opGt
	opLe
	opGe
	opMatch
	opNoMatch
	opStarts
	opNoStart
	opEnds
	opNoEnd
	opAdd
	opSub
	opMul
	opDiv
	opMod
	opRange
	opNot
	opNeg
	opPlus
	opEmpty
	opSize
	opElvis
	opCoalesce
)

// Binding powers, weakest first. Relations do not chain: a second `>` after one
// always ends the expression.
const (
	precOr = iota + 1
	precAnd
	precEqual
	precRelate
	precRange
	precAdd
	precMul
)

var precedence = [...]int{
	opOr: precOr, opAnd: precAnd, opEq: precEqual, opNe: precEqual,
	opLt: precRelate, opGt: precRelate, opLe: precRelate, opGe: precRelate,
	opMatch: precRelate, opNoMatch: precRelate, opStarts: precRelate,
	opNoStart: precRelate, opEnds: precRelate, opNoEnd: precRelate,
	opRange: precRange, opAdd: precAdd, opSub: precAdd, opMul: precMul, opDiv: precMul, opMod: precMul,
}

// words are the operators written as words (BEHAVIOUR §13.3).
func wordOp(word string) op {
	switch word {
	case "and":
		return opAnd
	case "or":
		return opOr
	case "eq":
		return opEq
	case "ne":
		return opNe
	case "lt":
		return opLt
	case "gt":
		return opGt
	case "le":
		return opLe
	case "ge":
		return opGe
	case "div":
		return opDiv
	case "mod":
		return opMod
	}
	return opNone
}

// node is one node of an expression's tree. One type for all kinds keeps the
// walks of Refs and Defer short.
type node struct {
	kind     kind
	op       op
	pos, end int // byte span in the text, delimiters and brackets included
	x, y, z  *node
	name     string
	val      any
	list     []*node
}

// each calls visit for the children in the order of the source.
func (n *node) each(visit func(*node)) {
	for _, c := range [...]*node{n.x, n.y, n.z} {
		if c != nil {
			visit(c)
		}
	}
	for _, c := range n.list {
		visit(c)
	}
}
