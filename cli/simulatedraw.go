package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/simulate"
)

// simulation shows a simulated run to people: what happened, then who would be asked.
func (a *app) simulation(r simulate.Result) error {
	rows := make([][]string, len(r.Nodes))
	for i, n := range r.Nodes {
		tries := strconv.Itoa(n.Attempts)
		if n.Attempts < 2 {
			tries = ""
		}
		rows[i] = []string{seconds(n.Start), seconds(n.End), a.theme.Symbol(n.Status) + " " + a.theme.Clean(n.Path),
			a.theme.Clean(n.Type), a.theme.Status(n.Status), tries, a.theme.Clean(n.Why)}
	}
	if err := a.theme.Table(a.out, []string{"FROM", "TO", "  NODE", "TYPE", "STATUS", "TRIES", "WHY"}, rows); err != nil {
		return err
	}
	for _, q := range r.Asked {
		fmt.Fprintln(a.out, a.theme.Clean(asking(q)))
	}
	_, err := fmt.Fprintf(a.out, "%s %s after %s\n", a.theme.Symbol(r.Status), a.theme.Status(r.Status), seconds(&r.Duration))
	return err
}

// asking tells in a line who is asked what, and the answer.
func asking(q *simulate.Asked) string {
	who := strings.Join(q.Who, ", ")
	if who == "" {
		who = "whoever may execute the pipeline"
	}
	if q.Count > 1 {
		who = fmt.Sprintf("%d people of %s", q.Count, who)
	}
	s := fmt.Sprintf("? %s: at %s %s asks %s", q.Kind, seconds(&q.At), q.Path, who)
	if q.Message != "" {
		s += fmt.Sprintf(" %q", q.Message)
	}
	if len(q.Choices) > 0 {
		s += ", one of " + strings.Join(q.Choices, ", ")
	}
	if q.Answer == "" {
		return s + ", until " + seconds(&q.Until) + ": no answer"
	}
	return s + ": " + q.Answer
}

func seconds(s *float64) string {
	if s == nil {
		return "–"
	}
	return simulate.Duration(int64(*s * 1000))
}
