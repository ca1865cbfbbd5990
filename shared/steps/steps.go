// Package steps is the catalogue of step types: what each one's spec may hold,
// how it is executed and how a rendered spec is read. One file is one type; All
// is the list of them. Field tables are in our own words (see BEHAVIOUR §15).
package steps

import "time"

// Mode says who does a step's work.
type Mode int

// Modes.
const (
	Task Mode = iota // a delegate runs it
	Wait             // the engine lets time pass
	Ask              // people decide: see Approval
	Lock             // others hold what it waits for: see ReadLock
	Meet             // it waits for other steps of the run: see BarrierRef
)

// Step is one type of step.
type Step struct {
	Type string
	Mode Mode
	// DefaultTimeout is in force when a step names none (BEHAVIOUR §28); 0 for a
	// type that ends by itself: Wait lasts its duration, and a timeout of its own
	// only matters when it is shorter.
	DefaultTimeout time.Duration
	// Defer names what only the delegate can know; expressions that use one of them
	// are left in place, in the spec's fields named by DeferIn.
	Defer   []string
	DeferIn []string
	Fields  []Field // of the spec
	// Internal types stand in plans alone: nobody may write them.
	Internal bool
}

// FieldType is the shape of a field's value. Every type also takes an expression.
type FieldType int

// Field types.
const (
	String    FieldType = iota // any scalar, as the author wrote it
	Int                        // a whole number, quoted or not
	Bool                       // true or false, quoted or not
	Duration                   // see ParseDuration
	List                       // of strings, or of maps with Fields
	Map                        // with Fields; without, any map
	Variables                  // a list of {name, type, value}: Fields of variables
)

// Field is one field of a map.
type Field struct {
	Name     string
	Type     FieldType
	Required bool
	Enum     []string // the values a String may have; empty for any
	Fields   []Field  // of a Map, or of a List's or Variables' items

	// Unsupported says in a few words what is not executed yet when the field is
	// set to anything but Harmless or an empty value.
	Unsupported string
	Harmless    string
	// UnsupportedValues are values of Enum that are not executed yet, and what to
	// call them.
	UnsupportedValues map[string]string
	Identifier        bool // a String that must be a variable's name
	Positive          bool // an Int that must be at least 1
	Literal           bool // takes no expression
}

// All returns every step type there is.
func All() []Step {
	return []Step{shellScript, http, wait, harnessApproval, queue, barrier}
}

// Lookup finds a step type by its name.
func Lookup(typ string) (Step, bool) {
	for _, s := range append(All(), resourceConstraint) {
		if s.Type == typ {
			return s, true
		}
	}
	return Step{}, false
}
