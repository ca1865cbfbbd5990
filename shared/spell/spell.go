// Package spell tells how much two words differ, for saying what somebody may have
// meant.
package spell

// maxWord is how long, in bytes, a word may be that is compared.
const maxWord = 100

// Distance is the number of edits between two words (Levenshtein), in bytes; maxWord
// when one of them is longer than that.
func Distance(a, b string) int {
	if len(a) > maxWord || len(b) > maxWord {
		return maxWord
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before, row[j+1] = row[j+1], min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
