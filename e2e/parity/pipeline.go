// Package parity makes pipelines from seeds, reads the event log that a run has
// left on a runtime, and compares two such logs: whatever runs the same engine has
// to record the same events.
package parity

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// Features a generated pipeline has at least two of.
const (
	Parallel = "parallel"
	Group    = "group"
	Approval = "approval"
	Wait     = "wait"
	Failure  = "failure"
	Timeout  = "timeout"
)

// Features that it may have besides.
const (
	Condition = "condition"
	Trouble   = "trouble" // a step fails, and a strategy or a person goes on
)

// Answer is what one person says to an approval, about a step that has failed, to one
// that needs values (Give), or (core.InterruptMarkFailed) about one that runs.
type Answer struct {
	User, Action string
	Inputs       map[string]string
}

// Case is a pipeline with what people answer to it.
type Case struct {
	Name string
	YAML string
	Has  []string // features, sorted
	// Library are documents that it refers to.
	Library []core.File
	// Answers are given in order, by the identifier of the step that asks. A step
	// without any is left to expire.
	Answers map[string][]Answer
	// Want is how the run and its nodes end ("Failed a=Failed x=Success …"), Through
	// the states that machines are sent to on the way; only named cases have them.
	Want    string
	Through []string
	// Loose says that what happens first is open: only how it ends is the same everywhere.
	Loose bool
	// Slow says that time has to pass: a wait, a timeout, an interval.
	Slow bool
}

// object is a mapping of a document: JSON is YAML.
type object = map[string]any

// maker makes one case. Whatever it draws comes from its seed.
type maker struct {
	*rand.Rand
	c       *Case
	steps   int
	stage   string   // identifier of the stage under way
	path    string   // of the steps under way, as expressions spell it
	outputs []string // expressions that have a value here
	ending  string   // the feature that ends the run early, until it is placed
	beside  bool     // something else runs at the same time
	muted   bool     // nobody reads what is put out here
	slow    int      // how many more steps may take 10 s
	undo    []any    // rollback steps of the stage under way
}

// Generate makes the pipeline of a seed: the same on every machine.
func Generate(seed uint64) Case {
	c := Case{Name: fmt.Sprintf("seed%d", seed), Answers: map[string][]Answer{}}
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 14)), c: &c, slow: 2}
	features := []string{Parallel, Group, Approval, Wait}
	m.Shuffle(len(features), func(i, j int) { features[i], features[j] = features[j], features[i] })
	features = features[:1+m.IntN(3)]
	switch ending := m.IntN(5); {
	case ending < 2:
		m.ending = Failure
	case ending == 2 || len(features) == 1:
		m.ending = Timeout
	}
	if m.ending != "" {
		features = append(features, m.ending)
	}
	for _, more := range []string{Condition, Trouble, Loop} {
		if m.IntN(2) == 0 {
			features = append(features, more)
		}
	}
	c.Has = slices.Sorted(slices.Values(features))
	var body strings.Builder
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(object{"pipeline": m.pipeline()}); err != nil {
		panic(err) // plain data
	}
	c.YAML = body.String()
	c.Slow = slow(c.YAML)
	return c
}

// slow reports whether a document makes a run wait, or run into a timeout, for ten seconds.
func slow(yaml string) bool { return strings.Contains(yaml, `"10s"`) }

func (m *maker) has(feature string) bool { return slices.Contains(m.c.Has, feature) }

// parallel makes two or three branches. One of them may end the run early: of two
// that do, the one that is first decides what the run fails with.
func (m *maker) parallel(last bool, depth int) object {
	n := 2 + m.IntN(2)
	ends := -1
	if last && m.ending != "" && m.IntN(2) == 0 {
		ends = m.IntN(n)
	}
	before, alone := m.outputs, !m.beside
	m.beside = true
	after := slices.Clone(before)
	var branches []any
	for i := range n {
		m.outputs = slices.Clone(before)
		switch {
		case i == ends:
			branches = append(branches, m.end())
		case i == 0 && depth > 0 && m.IntN(3) == 0:
			branches = append(branches, m.group(true))
		case m.IntN(2) == 0:
			branches = append(branches, m.group(false))
		default:
			branches = append(branches, m.leaf())
		}
		after = append(after, m.outputs[len(before):]...)
	}
	m.outputs, m.beside = after, !alone
	return object{"parallel": branches}
}

// group makes a step group of one to three steps; a nested one has a parallel.
func (m *maker) group(nested bool) object {
	id := m.id("group")
	outer := m.path
	m.path += id + ".steps."
	steps := []any{m.shell()}
	for range m.IntN(3) {
		steps = append(steps, m.leaf())
	}
	if nested {
		steps = append(steps, m.parallel(false, 0))
	}
	m.path = outer
	return object{"stepGroup": object{"name": id, "identifier": id, "steps": steps}}
}

// leaf is any step that does not end the run.
func (m *maker) leaf() object {
	switch {
	case m.has(Approval) && m.IntN(4) == 0:
		return m.approval(Approve)
	case m.has(Wait) && m.slow > 0 && m.IntN(4) == 0:
		return m.wait()
	case m.has(Trouble) && m.IntN(4) == 0:
		return m.trouble()
	case m.has(Condition) && m.IntN(4) == 0:
		return m.conditional()
	case m.has(Loop) && !m.beside && m.IntN(4) == 0:
		return m.loop()
	default:
		return m.shell()
	}
}

func (m *maker) id(kind string) string {
	m.steps++
	return fmt.Sprintf("%s%d", kind, m.steps)
}

func step(id, typ, timeout string, spec object) object {
	return object{"step": object{"name": id, "identifier": id, "type": typ, "timeout": timeout, "spec": spec}}
}

func script(text string) object {
	return object{"shell": "Bash", "onDelegate": true, "source": object{"type": "Inline", "spec": object{"script": text}}}
}

// shell makes a script that reads what an earlier step said and says something.
func (m *maker) shell() object {
	id := m.id("shell")
	spec := script(fmt.Sprintf("echo \"%s of <+stage.identifier> got $GOT\"\nsaid=\"%s/${GOT%%%%/*}\"\n", id, id))
	spec["environmentVariables"] = []any{object{"name": "GOT", "type": "String", "value": m.outputs[m.IntN(len(m.outputs))]}}
	if m.IntN(4) > 0 {
		spec["outputVariables"] = []any{object{"name": "said", "type": "String", "value": "said"}}
		m.says(id + ".output.outputVariables.said")
	}
	return step(id, "ShellScript", "5m", spec)
}

// says remembers what has a value from here on.
func (m *maker) says(path string) {
	if !m.muted {
		m.outputs = append(m.outputs, "<+"+m.path+path+">")
	}
}

func (m *maker) wait() object {
	m.slow--
	return step(m.id("wait"), "Wait", "5m", object{"duration": "10s"})
}

// What approvals come to.
const (
	Approve = "APPROVE"
	Reject  = "REJECT"
)

// approval asks one or two people, and for an input now and then.
func (m *maker) approval(action string) object {
	id := m.id("ask")
	spec := object{
		"approvalMessage": "about " + m.outputs[m.IntN(len(m.outputs))], "includePipelineExecutionHistory": true,
		"approvers": object{"userGroups": []any{"approvers"}, "minimumCount": 1 + m.IntN(2), "disallowPipelineExecutor": m.IntN(2) == 0},
	}
	answers := []Answer{{User: "alice", Action: Approve}, {User: "bob", Action: Approve}}[:spec["approvers"].(object)["minimumCount"].(int)]
	if m.IntN(2) == 0 {
		spec["approverInputs"] = []any{object{"name": "ring", "defaultValue": "inner", "required": true, "selectOneFrom": "inner,outer"}}
		answers[0].Inputs = map[string]string{"ring": []string{"inner", "outer"}[m.IntN(2)]}
		m.says(id + ".output.approverInputs.ring")
	}
	answers[len(answers)-1].Action = action
	m.c.Answers[id] = answers
	return step(id, "HarnessApproval", "10m", spec)
}

// end makes the step that ends the run early.
func (m *maker) end() object {
	ending := m.ending
	m.ending = ""
	if ending == Failure {
		if m.has(Approval) && m.IntN(2) == 0 {
			return m.approval(Reject)
		}
		return m.fail()
	}
	switch m.IntN(3) {
	case 0: // nobody answers
		a := m.approval(Approve)
		s := a["step"].(object)
		s["timeout"] = "10s"
		delete(m.c.Answers, s["identifier"].(string))
		return a
	case 1:
		return step(m.id("wait"), "Wait", "10s", object{"duration": "1h"})
	default:
		return step(m.id("sleep"), "ShellScript", "10s", script("echo sleeping\nsleep 600\n"))
	}
}

// Kinds says in one line what the case has, for people.
func (c Case) Kinds() string {
	return fmt.Sprintf("%s: %s; asks %s", c.Name, strings.Join(c.Has, ", "), strings.Join(slices.Sorted(maps.Keys(c.Answers)), ", "))
}
