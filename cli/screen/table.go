package screen

import (
	"io"
	"strings"
)

// Table writes rows below a header, each column as wide as its widest cell. No line ends
// in blanks.
func (t Theme) Table(w io.Writer, header []string, rows [][]string) error {
	widths := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	var out strings.Builder
	line := func(row []string) {
		var text strings.Builder
		for i, cell := range row {
			if text.WriteString(cell); i < len(row)-1 {
				text.WriteString(strings.Repeat(" ", widths[i]-width(cell)+2))
			}
		}
		out.WriteString(strings.TrimRight(text.String(), " ") + "\n")
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
