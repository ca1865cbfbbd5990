package expr

// env holds the variables of one expression, or of one call of a function in it.
type env struct {
	cells  map[string]*cell
	parent *env // of the function's place; variables there can be read and assigned
}

// cell is a variable. Lists and maps are values: whoever reads one sees it as it
// was. owned says that nobody has read it since it was copied, so that it can be
// changed in place.
type cell struct {
	v     any
	owned bool
}

func (e *env) find(name string) *cell {
	for ; e != nil; e = e.parent {
		if c := e.cells[name]; c != nil {
			return c
		}
	}
	return nil
}

func (e *env) read(name string) (any, bool) {
	c := e.find(name)
	if c == nil {
		return nil, false
	}
	c.owned = false
	return c.v, true
}

// declare makes a variable of this expression or function.
func (e *env) declare(name string, v any) {
	if e.cells == nil {
		e.cells = map[string]*cell{}
	}
	e.cells[name] = &cell{v: v}
}

// assign changes a variable, or makes one when there is none of that name.
func (e *env) assign(name string, v any) {
	if c := e.find(name); c != nil {
		c.v, c.owned = v, false
		return
	}
	e.declare(name, v)
}

// ownNames lists the variables an expression makes: they are no names of the scope.
func ownNames(n *node) []string {
	var names []string
	var walk func(*node)
	walk = func(n *node) {
		switch n.kind {
		case kVar, kFor:
			names = append(names, n.name)
		case kFunc:
			params, _ := n.val.([]string)
			names = append(names, params...)
		case kAssign:
			if n.x.kind == kName {
				names = append(names, n.x.name)
			}
		}
		n.each(walk)
	}
	walk(n)
	return names
}
