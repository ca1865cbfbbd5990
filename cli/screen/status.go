package screen

// mark is how a status looks.
type mark struct {
	symbol string
	ink    Ink
}

var marks = map[string]mark{
	"NotStarted":                        {"·", Dim},
	"Queued":                            {"●", Busy},
	"QueuedExecutionConcurrencyReached": {"…", Busy},
	"Running":                           {"●", Busy},
	"AsyncWaiting":                      {"●", Busy},
	"TaskWaiting":                       {"●", Busy},
	"TimedWaiting":                      {"●", Busy},
	"Discontinuing":                     {"●", Busy},
	"Pausing":                           {"●", Busy},
	"Paused":                            {"=", Busy},
	"ApprovalWaiting":                   {"?", Busy},
	"InterventionWaiting":               {"?", Busy},
	"InputWaiting":                      {"?", Busy},
	"ResourceWaiting":                   {"…", Busy},
	"WaitStepRunning":                   {"…", Busy},
	"Success":                           {"✓", Good},
	"IgnoreFailed":                      {"!", Busy},
	"Skipped":                           {"-", Dim},
	"Suspended":                         {"-", Dim},
	"Expired":                           {"✗", Bad},
	"Aborted":                           {"✗", Bad},
	"AbortedByFreeze":                   {"✗", Bad},
	"ApprovalRejected":                  {"✗", Bad},
	"Errored":                           {"✗", Bad},
	"Failed":                            {"✗", Bad},
}

// Symbol is one column that stands for a status (spelled as REST does). A status
// of a newer server shows as a blank.
func (t Theme) Symbol(status string) string {
	m, ok := marks[status]
	if !ok {
		return " "
	}
	return t.Paint(m.ink, m.symbol)
}

// Status is a status in its colour.
func (t Theme) Status(status string) string { return t.Paint(marks[status].ink, status) }

// Passed reports whether a run that ended in this status counts as successful.
func Passed(status string) bool { return status == "Success" || status == "IgnoreFailed" }
