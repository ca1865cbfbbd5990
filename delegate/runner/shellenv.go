package runner

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// inherited are the delegate's variables that scripts see: where things are and
// how to reach the network, nothing a credential would be kept in.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "KUBECONFIG", "KUBERNETES_SERVICE_*",
	"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_*",
}

// environment is what a script sees: the inherited part, who it is, and the
// step's own variables, which win but for the marks.
func (s *ShellScript) environment(job *Job, vars []variable) ([]string, error) {
	keep := slices.Concat(inherited, s.Env)
	env := map[string]string{}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if slices.ContainsFunc(keep, func(p string) bool { return nameMatches(p, name) }) {
			env[name] = value
		}
	}
	t := job.Task
	env["SLIPWAY_RUN"], env["HARNESS_EXECUTION_ID"] = t.Run, t.Run
	env["SLIPWAY_NODE"] = t.Node
	env["SLIPWAY_ATTEMPT"] = strconv.Itoa(t.Attempt)
	for _, v := range vars {
		if err := checkShellName("the environment variable", string(v.Name)); err != nil {
			return nil, err
		}
		value, err := job.reveal(v.Value)
		if err != nil {
			return nil, err
		}
		env[string(v.Name)] = value
	}
	for _, m := range marks(job) {
		name, value, _ := strings.Cut(m, "=")
		env[name] = value
	}
	out := make([]string, 0, len(env))
	for name, value := range env {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out, nil
}

// marks are the variables by which a script passes the idempotency key and the
// fence on to its target (DESIGN §5), and by which its processes are recognised.
func marks(job *Job) []string {
	return []string{
		"SLIPWAY_IDEMPOTENCY_KEY=" + job.Task.ID,
		"SLIPWAY_FENCE=" + strconv.FormatInt(job.Task.Fence, 10),
	}
}

func nameMatches(pattern, name string) bool {
	prefix, open := strings.CutSuffix(pattern, "*")
	return name == pattern || open && strings.HasPrefix(name, prefix)
}
