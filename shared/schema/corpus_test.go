package schema_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/schema"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

const corpus = "../../../shared/corpus"

// entry is a row of the corpus's index.
type entry struct {
	file, kind, valid string
}

func entries(t *testing.T) []entry {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, "index.tsv"))
	if err != nil {
		t.Skip("no corpus beside the checkout")
	}
	var out []entry
	for line := range strings.Lines(string(data)) {
		if cols := strings.Split(strings.TrimRight(line, "\n"), "\t"); len(cols) > 7 && cols[0] != "path" {
			out = append(out, entry{cols[0], cols[3], cols[7]})
		}
	}
	return out
}

// TestCorpus walks real documents and prints a table by kind.
func TestCorpus(t *testing.T) {
	type row struct{ documents, recognised, valid, partly, wrong int }
	rows, codes := map[string]*row{}, map[string]int{}
	for _, e := range entries(t) {
		data, err := os.ReadFile(filepath.Join(corpus, e.file))
		if err != nil {
			t.Fatal(err)
		}
		docs, diags := yamldoc.Parse(e.file, data)
		for i, doc := range docs {
			f := schema.Check(doc)
			kind := e.kind
			r := rows[kind]
			if r == nil {
				r = &row{}
				rows[kind] = r
			}
			r.documents++
			if f.Kind != "" {
				r.recognised++
			}
			if i == 0 && f.Kind != e.kind {
				t.Logf("%s is taken for %q, not %s", e.file, f.Kind, e.kind)
			}
			switch {
			case !f.OK():
				r.wrong++
			case f.Diagnostics.Blocks():
				r.partly++
			default:
				r.valid++
			}
			diags = append(diags, f.Diagnostics...)
		}
		for _, d := range diags {
			codes[string(d.Severity)+" "+d.Code]++
			if d.Line < 1 || d.Column < 1 || d.Message == "" || d.File != e.file {
				t.Errorf("diagnostic without a place: %+v", d)
			}
			switch {
			case d.Severity == core.SeverityError && e.valid == "yes":
				t.Errorf("officially valid: %s [%s]", d, d.Code)
			case d.Severity != core.SeverityUnsupported && testing.Verbose():
				t.Logf("%s %s [%s]", e.valid, d, d.Code)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(rows)) {
		r := rows[kind]
		t.Logf("%-25s %4d documents: %4d recognised, %4d valid, %4d valid but partly unsupported, %4d wrong", kind, r.documents, r.recognised, r.valid, r.partly, r.wrong)
	}
	for _, k := range slices.Sorted(maps.Keys(codes)) {
		t.Logf("%5d %s", codes[k], k)
	}
}
