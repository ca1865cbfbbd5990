package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-cd/slipway/cli"
)

// validateRuns is how often the document is validated.
const validateRuns = 40

// validate measures `slipway validate` on a pipeline of a thousand lines, from its
// arguments to its last line of output.
func validate(dir string) error {
	file := filepath.Join(dir, "thousand.yaml")
	text := thousand()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	var each []time.Duration
	for i := range validateRuns + 3 {
		var out strings.Builder
		begin := time.Now()
		if status := cli.Main([]string{"validate", file}, nil, &out, io.Discard); status != 0 {
			return fmt.Errorf("validate ended with %d: %s", status, &out)
		}
		if i >= 3 { // warm
			each = append(each, time.Since(begin))
		}
	}
	slices.Sort(each)
	row(fmt.Sprintf("slipway validate, %d lines", strings.Count(text, "\n")), "p50", each[len(each)/2].Round(10*time.Microsecond).String(), "≤ 10ms")
	return nil
}

// thousand is a pipeline of about a thousand lines.
func thousand() string {
	var b strings.Builder
	b.WriteString("pipeline:\n  name: Large\n  identifier: large\n  stages:\n")
	for s := range 8 {
		fmt.Fprintf(&b, "    - stage:\n        name: Stage %d\n        identifier: stage%d\n        type: Custom\n        spec:\n          execution:\n            steps:\n", s, s)
		for i := range 7 {
			fmt.Fprintf(&b, `              - step:
                  name: Step %d
                  identifier: step%d
                  type: ShellScript
                  timeout: 10m
                  spec:
                    shell: Bash
                    source:
                      type: Inline
                      spec:
                        script: |
                          echo <+pipeline.name>
                          echo done
                    environmentVariables:
                      - name: STAGE
                        type: String
                        value: <+stage.name>
`, i, i)
		}
	}
	return b.String()
}
