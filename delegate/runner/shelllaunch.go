package runner

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

var errNoBash = fault.New(fault.Unsupported, "bash was not found on the delegate's PATH; install bash where the delegate runs")

func errSaving(err error) error { return fault.New(fault.Internal, "saving the script: %w", err) }

func unsupported(format string, args ...any) error {
	return fault.New(fault.Unsupported, "not supported yet: "+format, args...)
}

// launcher is what bash is told to run: it waits until the delegate has recorded
// the process, reads the script into the same shell, writes the output variables
// and ends with the script's status. Reading the script instead of adding lines to
// it leaves here-documents, comments at the end, line numbers and a missing last
// line end as they are. Nothing secret is in it, for others can see it.
//
// Each output is "v" and the value, or "u" when unset, ended by a NUL.
func launcher(files *scriptFiles, outputs []variable) (string, error) {
	var b strings.Builder
	b.WriteString("IFS= read -r __slipway <&3 || exit 97\nexec 3<&-\nunset __slipway\n")
	b.WriteString(". " + quote(files.script) + "\n")
	// First of all, the status; then whatever the script set must not show or stop
	// what follows.
	b.WriteString("{ __slipway=$?; trap - DEBUG RETURN ERR; set +eux; } 2>/dev/null\n")
	if len(outputs) > 0 {
		b.WriteString("{\n")
		for _, v := range outputs {
			name := shellVariable(v)
			if err := checkShellName("the output variable's value", name); err != nil {
				return "", err
			}
			b.WriteString("case ${" + name + "+x} in x) builtin printf 'v%s\\0' \"${" + name + "}\";; *) builtin printf 'u\\0';; esac\n")
		}
		b.WriteString("} " + files.outputs + "\n")
	}
	b.WriteString("exit \"$__slipway\"\n")
	return b.String(), nil
}

// shellVariable is the shell variable an output is read from: its value, by
// default its name.
func shellVariable(v variable) string {
	if name := strings.TrimSpace(string(v.Value)); name != "" {
		return name
	}
	return string(v.Name)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// readOutputs reads what the launcher wrote. There is nothing to read when the
// script ended itself before.
func readOutputs(files *scriptFiles, outputs []variable) (vars map[string]any, secret map[string]string, err error) {
	vars = map[string]any{}
	f, err := files.open()
	if errors.Is(err, os.ErrNotExist) {
		return vars, nil, nil
	}
	if err != nil {
		return vars, nil, fault.New(fault.Internal, "reading the output variables: %w", err)
	}
	defer func() { _ = f.Close() }()
	limit := MaxScriptOutputBytes + 2*len(outputs)
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return vars, nil, fault.New(fault.Internal, "reading the output variables: %w", err)
	}
	if len(b) > limit {
		return vars, nil, fault.New(fault.TooLarge, "the output variables are larger than %d KB together; write large results to a file or an artifact", MaxScriptOutputBytes>>10)
	}
	values := bytes.Split(b, []byte{0})
	if len(values) != len(outputs)+1 {
		return vars, nil, fault.New(fault.Internal, "the output variables were not written whole")
	}
	for i, v := range outputs {
		raw, set := bytes.CutPrefix(values[i], []byte("v"))
		value := ""
		if set {
			value = strings.ToValidUTF8(string(raw), "\uFFFD")
		}
		switch {
		case strings.EqualFold(string(v.Type), "Secret"):
			if secret == nil {
				secret = map[string]string{}
			}
			secret[string(v.Name)] = value
		case set:
			vars[string(v.Name)] = value
		default:
			vars[string(v.Name)] = nil
		}
	}
	return vars, secret, nil
}
