package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/compile"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// thousand is a pipeline of about a thousand lines.
func thousand() []byte {
	var b strings.Builder
	b.WriteString("pipeline:\n  name: big\n  identifier: big\n  stages:\n")
	for s := range 8 {
		fmt.Fprintf(&b, "    - stage:\n        name: s%d\n        identifier: s%d\n        type: Custom\n        spec:\n          execution:\n            steps:\n", s, s)
		for i := range 7 {
			fmt.Fprintf(&b, `              - step:
                  name: step %d
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
                      - name: A
                        type: String
                        value: <+stage.name>
`, i, i)
		}
	}
	return []byte(b.String())
}

// BenchmarkValidate is all that `slipway validate` does with a document.
func BenchmarkValidate(b *testing.B) {
	data := thousand()
	for b.Loop() {
		docs, _ := yamldoc.Parse("p.yaml", data)
		if f := schema.Check(docs[0]); len(f.Diagnostics) > 0 {
			b.Fatal(f.Diagnostics)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	docs, _ := yamldoc.Parse("p.yaml", thousand())
	for b.Loop() {
		schema.Check(docs[0])
	}
}

func BenchmarkCompile(b *testing.B) {
	data := thousand()
	for b.Loop() {
		compile.Compile(compile.Source{File: "p.yaml", Data: data}, compile.Options{})
	}
}
