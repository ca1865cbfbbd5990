package screen

import (
	"io"
	"strings"
)

// Table writes rows below a header, each column as wide as its widest cell.
func (t Theme) Table(w io.Writer, header []string, rows [][]string) error {
	widths := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	var out strings.Builder
	line := func(row []string) {
		for i, cell := range row {
			if out.WriteString(cell); i < len(row)-1 {
				out.WriteString(strings.Repeat(" ", widths[i]-width(cell)+2))
			}
		}
		out.WriteByte('\n')
	}
	head := make([]string, len(header))
	for i, h := range header {
		head[i] = t.Paint(Dim, h)
	}
	line(head)
	for _, row := range rows {
		line(row)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
