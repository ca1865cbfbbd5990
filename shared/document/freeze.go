package document

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// GlobalFreeze is the identifier of the freeze of everything in a scope (BEHAVIOUR §23.3).
const GlobalFreeze = "_GLOBAL_"

// FreezeTime is how the times of freezes are written.
const FreezeTime = "2006-01-02 03:04 PM"

// Bounds of a freeze's window (BEHAVIOUR §23).
const (
	minFreeze = 30 * time.Minute
	maxFreeze = 365 * 24 * time.Hour
)

func readFreeze(r *reader, e *core.Entity) {
	e.Type = "MANUAL"
	if e.Identifier == GlobalFreeze {
		e.Type = "GLOBAL"
	}
	r.fact(e, "status", r.text("status"))
	for _, w := range items(r.body.Get("windows")) {
		r.window(w)
	}
	for _, c := range items(r.body.Get("entityConfigs")) {
		for _, it := range items(c.Get("entities")) {
			r.frozen(e, it)
		}
	}
}

// window holds a window to beginning before it ends, and to lasting neither too short nor
// too long.
func (r *reader) window(w *yamldoc.Node) {
	from, ok := r.when(w.Get("startTime"))
	if !ok {
		return
	}
	to, ok := r.when(w.Get("endTime"))
	if d := w.Get("duration"); !ok && d.Scalar() {
		length, err := FreezeLength(d.Text)
		if err != nil {
			return // said by the schema
		}
		to, ok = from.Add(length), true
	}
	if !ok {
		return
	}
	switch length := to.Sub(from); {
	case length <= 0:
		r.errorf(w, CodeValue, "let it end after it begins", "the window ends before it begins")
	case length < minFreeze:
		r.errorf(w, CodeValue, "", "the window lasts %s: at least 30m are needed", length)
	case length > maxFreeze:
		r.errorf(w, CodeValue, "", "the window lasts more than a year: at most 365d are allowed")
	}
}

// when reads a time of a window.
func (r *reader) when(n *yamldoc.Node) (time.Time, bool) {
	if !plain(n) {
		return time.Time{}, false
	}
	t, err := time.Parse(FreezeTime, n.Text)
	if err != nil {
		r.errorf(n, CodeValue, "such as 2026-11-20 06:30 PM", "%q is no time of a freeze", n.Text)
	}
	return t, err == nil
}

// FreezeLength is how long a duration of a freeze is: numbers with w, d, h and m.
func FreezeLength(text string) (time.Duration, error) {
	units := map[string]time.Duration{"w": 7 * 24 * time.Hour, "d": 24 * time.Hour, "h": time.Hour, "m": time.Minute}
	var all time.Duration
	for _, part := range strings.FieldsFunc(strings.NewReplacer("w", "w ", "d", "d ", "h", "h ", "m", "m ").Replace(text), func(r rune) bool { return r == ' ' }) {
		n, err := strconv.Atoi(part[:len(part)-1])
		unit, ok := units[part[len(part)-1:]]
		if err != nil || !ok || n > 10_000 {
			return 0, strconv.ErrSyntax
		}
		all += time.Duration(n) * unit
	}
	return all, nil
}

// frozen holds what a freeze is of to the scope that it lives in: below it.
func (r *reader) frozen(e *core.Entity, n *yamldoc.Node) {
	only := map[string]level{"Org": inAccount, "Project": inAccount | inOrg, "Pipeline": inProject}
	t := n.Get("type")
	if !t.Scalar() {
		return
	}
	if all := n.Get("filterType"); all.Scalar() && all.Text == "All" && t.Text != "Pipeline" {
		return // of the one organization or project that there is around it
	}
	if in, ok := only[t.Text]; ok && of(e.Scope)&in == 0 {
		names := []string{}
		for l, name := range map[level]string{inAccount: "an account", inOrg: "an organization", inProject: "a project"} {
			if in&l != 0 {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		r.errorf(t, CodeValue, "", "a freeze names %ss only in %s, and this one lives in %s", strings.ToLower(t.Text), strings.Join(names, " or "), inWords(e.Scope))
	}
}
