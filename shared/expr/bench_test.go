package expr_test

import (
	"testing"

	"github.com/slipway-cd/slipway/shared/expr"
)

func BenchmarkRender(b *testing.B) {
	s := demo()
	for name, text := range map[string]string{
		"plain":     "kubectl get pods -n default",
		"path":      "<+pipeline.variables.count>",
		"splice":    "deploy <+pipeline.name> tag <+artifact.tag> to <+pipeline.stages.build.status>",
		"nested":    `<+<+pipeline.name>.replace("demo","<+pipeline.variables.stage>")>`,
		"condition": `<+<+pipeline.name> == "demo" && <+pipeline.sequenceId> > 5 ? "a" : "b">`,
		"json":      `<+json.select("a.b[0]", body)>`,
		"regex":     `<+"release/1.2" =~ "release/.*">`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := expr.Render(text, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
