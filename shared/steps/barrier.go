package steps

import "time"

// barrier waits until every other step that refers to the same barrier has come to
// its own (BEHAVIOUR §11.1). The reference is literal: the compiler looks at it.
var barrier = Step{
	Type: "Barrier", Mode: Meet, DefaultTimeout: 10 * time.Minute,
	Fields: append(ignored(), Field{Name: "barrierRef", Required: true, Literal: true}, selectors()),
}

// BarrierRef is the barrier that a step of a plan waits at, "" for other steps.
func BarrierRef(typ string, spec map[string]any) string {
	if typ != barrier.Type {
		return ""
	}
	ref, _ := spec["barrierRef"].(string)
	return ref
}
