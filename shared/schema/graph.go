package schema

import "sync"

// shape is what a value looks like.
type shape int

const (
	shapeAny     shape = iota
	shapeText          // any scalar; format and pattern narrow it
	shapeBool          // true or false, quoted or not
	shapeInt           // a whole number, quoted or not
	shapeNumber        // a number, quoted or not
	shapeEnum          // one of values
	shapeList          // of elem
	shapeDict          // a map of elem by free keys
	shapeObject        // a map with known fields
	shapeUnion         // one of alts
	shapeNamed         // the type called name
	shapeBy            // decided by a field beside it
	shapePartial       // elem of which nothing is required: runtime inputs
)

// typ is a type of value. What an expression may stand for is not said: it may
// stand for all but identifiers and types.
type typ struct {
	shape    shape
	format   string   // of text: "id", "duration", …; "" for any
	pattern  *pattern // of text, nil for any
	values   []string // of an enum
	min, max *float64 // of numbers, nil for none
	atLeast  int      // items of a list
	unnamed  bool     // a partial of which only the name and identifier are not required
	inner    bool     // a list whose items share the identifiers of the list around it
	elem     *typ
	object   *object
	alts     []*typ
	name     string // of a named type
	choice   *choice

	once sync.Once
	got  *typ // what name stands for
}

// object is a map with known fields.
type object struct {
	name      string // as declared, "" for one written in place
	doc       string
	fields    []*field
	byName    map[string]*field
	rules     []rule
	closed    bool   // unknown fields are errors, not warnings
	templated bool   // a `template` field may stand for everything but the name
	scoped    bool   // identifiers are unique in the list of the outermost such items
	keyed     string // items of one list differ in this field
}

type field struct {
	name       string
	required   bool
	deprecated bool
	t          *typ
	doc        string
}

// rule is a condition over fields of an object.
type rule struct {
	kind   string   // "one", "any", "most", "need"
	fields []string // that must be there: exactly one, at least one, at most one, all
	disc   string   // of need: when this field …
	values []string // … is one of these
}

// choice is the type of a value that a field beside it decides.
type choice struct {
	disc  string // that field's name
	union string // cases are declared elsewhere under this name; "" for own ones
	own   *cases
}

// cases are the variants of a choice.
type cases struct {
	names []string // in order
	by    map[string]*variant
}

// variant is one case. required says whether the value must be there: as the
// field says, always, or never.
type variant struct {
	t        *typ
	required need
	doc      string
}

type need int

const (
	needAsField need = iota
	needAlways
	needNever
)

func (o *object) field(name string) *field { return o.byName[name] }

func (c *cases) add(name string, v *variant) {
	if c.by == nil {
		c.by = map[string]*variant{}
	}
	if _, dup := c.by[name]; !dup {
		c.names = append(c.names, name)
	}
	c.by[name] = v
}

// real follows names to the type they stand for.
func (t *typ) real() *typ {
	for t.shape == shapeNamed {
		t.once.Do(func() { t.got = named(t.name) })
		t = t.got
	}
	return t
}

// cases of a choice.
func (c *choice) cases() *cases {
	if c.union != "" {
		return union(c.union)
	}
	return c.own
}
