package cli

import (
	"bytes"
	"os"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// readSecrets reads --secret arguments: id=@FILE or id=env:NAME. Values are not
// taken from the command line itself: other users of a machine can see that.
func readSecrets(args []string) (map[string][]byte, error) {
	pairs, err := pairs("--secret", args)
	if err != nil {
		return nil, err
	}
	values := make(map[string][]byte, len(pairs))
	for id, source := range pairs {
		value, err := readSecret(id, source)
		if err != nil {
			return nil, err
		}
		if len(value) == 0 {
			return nil, fault.New(fault.Invalid, "--secret %s: %s is empty", id, source)
		}
		values[id] = value
	}
	return values, nil
}

func readSecret(id, source string) ([]byte, error) {
	if file, ok := strings.CutPrefix(source, "@"); ok {
		value, err := os.ReadFile(file)
		if err != nil {
			return nil, unreadable(file, err)
		}
		return withoutLineEnd(value), nil
	}
	if name, ok := strings.CutPrefix(source, "env:"); ok {
		value, found := os.LookupEnv(name)
		if !found {
			return nil, fault.New(fault.Invalid, "--secret %s: the environment has no %s", id, name)
		}
		return []byte(value), nil
	}
	return nil, fault.New(fault.Invalid, "--secret %s: its value comes from a file or the environment: %s=@FILE or %s=env:NAME", id, id, id)
}

// withoutLineEnd drops what an editor puts behind a single line. Text of several
// lines, as a key is, stays as it is.
func withoutLineEnd(value []byte) []byte {
	line := bytes.TrimSuffix(bytes.TrimSuffix(value, []byte("\n")), []byte("\r"))
	if bytes.ContainsRune(line, '\n') {
		return value
	}
	return line
}
