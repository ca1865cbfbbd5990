package runner

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Placeholder matches what the control plane puts where a secret's value belongs
// (BEHAVIOUR §13.9). The first group is the reference; what follows it up to the
// parenthesis is ignored. \ and " are escaped in it.
var Placeholder = regexp.MustCompile(`\$\{ngSecretManager\.obtain\("((?:[^"\\]|\\.)*)"[^)}]*\)\}`)

var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// variable is an environment, input or output variable of a spec.
type variable struct {
	Name  text `json:"name"`
	Type  text `json:"type"`
	Value text `json:"value"`
}

// text is a string that may be written as any JSON scalar: "a", 1.10, true; null
// is empty. Lists and maps keep their JSON.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	switch {
	case bytes.Equal(b, []byte("null")):
		*t = ""
	case len(b) > 0 && b[0] == '"':
		return json.Unmarshal(b, (*string)(t))
	default:
		*t = text(b)
	}
	return nil
}

// decode reads the task's spec into v.
func (j *Job) decode(v any) error {
	if err := json.Unmarshal(j.Task.Spec, v); err != nil {
		return fault.New(fault.Invalid, "the step's spec cannot be read: %w", err)
	}
	return nil
}

// reveal puts the values of secrets where their placeholders stand. An error names
// the reference, never a value.
func (j *Job) reveal(s text) (string, error) {
	return Reveal(string(s), j.Task.Secrets)
}

// Reveal replaces every Placeholder in s by the secret's value.
func Reveal(s string, secrets map[string]string) (string, error) {
	if !strings.Contains(s, "${ngSecretManager") {
		return s, nil
	}
	var missing error
	out := Placeholder.ReplaceAllStringFunc(s, func(p string) string {
		ref := unescape.Replace(Placeholder.FindStringSubmatch(p)[1])
		value, ok := secrets[ref]
		if !ok && missing == nil {
			missing = fault.New(fault.Invalid, "the secret %q was not given to the delegate; check that it exists in the scope of the pipeline", ref)
		}
		return value
	})
	if missing != nil {
		return "", missing
	}
	return out, nil
}

var shellName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checkShellName refuses what cannot be the name of a shell variable.
func checkShellName(kind, name string) error {
	if !shellName.MatchString(name) {
		return fault.New(fault.Invalid, "%s %q is not a name a shell can hold: letters, digits and _, not beginning with a digit", kind, name)
	}
	return nil
}
