package document

import (
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

func readTrigger(r *reader, e *core.Entity) {
	e.Type, e.Parent = r.text("source", "type"), r.text("pipelineIdentifier")
	r.fact(e, "enabled", r.text("enabled"))
	r.fact(e, "provider", r.text("source", "spec", "type"))
	r.belongs(e)
	r.inputSets(e, "inputSetRefs")
	r.inputYAML(e)
	r.cron()
}

// inputYAML holds the values of a trigger to being a document of their own, for the
// trigger's pipeline (BEHAVIOUR §16.1).
func (r *reader) inputYAML(e *core.Entity) {
	n := r.body.Get("inputYaml")
	if !n.Scalar() || strings.TrimSpace(n.Text) == "" {
		return
	}
	docs, diags := yamldoc.Parse("", []byte(n.Text))
	if diags.Blocks() || len(docs) != 1 || docs[0].Root.Get("pipeline") == nil {
		r.errorf(n, CodeValue, "begin it with pipeline:", "inputYaml is no document of inputs")
		return
	}
	if id := docs[0].Root.At("pipeline", "identifier"); id.Scalar() && id.Text != e.Parent {
		r.errorf(n, CodeValue, "make them agree", "inputYaml is for pipeline %q and the trigger for %q", id.Text, e.Parent)
	}
}

// cron counts the fields of a schedule's expression (BEHAVIOUR §16.11).
func (r *reader) cron() {
	at := []string{"source", "spec", "spec", "expression"}
	text := r.text(at...)
	if r.text("source", "type") != "Scheduled" || text == "" || strings.Contains(text, "<+") {
		return
	}
	switch fields := len(strings.Fields(text)); {
	case r.text("source", "spec", "spec", "type") == "QUARTZ":
		if fields != 6 && fields != 7 {
			r.errorf(r.node(at...), CodeValue, "seconds, minutes, hours, day of month, month, day of week, and a year if you like", "%q has %d fields: QUARTZ has 6 or 7", text, fields)
		}
	case fields != 5:
		r.errorf(r.node(at...), CodeValue, "minutes, hours, day of month, month, day of week", "%q has %d fields: UNIX has 5", text, fields)
	}
}
