package core

// MaxSent bounds what a function answers, in bytes of the JSON string that Lambda puts it
// into: 6 MB with what is around it.
const MaxSent = 6<<20 - 64<<10

// Written is how many bytes a text has as a JSON string that leaves <, > and & alone, as
// Lambda writes an answer's body.
func Written[T string | []byte](text T) int {
	n := len(text)
	for i := range len(text) {
		n += longer(text[i], 1, 5)
	}
	return n
}

// Sent is how many bytes a text has as a value in the JSON of an answer, which is written
// as a string again.
func Sent(text string) int {
	n := len(text)
	for i := range len(text) {
		switch b := text[i]; b {
		case '"', '\\':
			n += 3 // \\\"
		case '<', '>', '&':
			n += 6 // \\u003c
		default:
			n += longer(b, 2, 6)
		}
	}
	return n
}

// longer is how much a byte grows: by little when it has a short form, by more when it is
// written as \u00XX. Of U+2028 and U+2029, written so too, it is the first byte's share.
func longer(b byte, short, long int) int {
	switch {
	case b == '"', b == '\\', b == '\b', b == '\f', b == '\n', b == '\r', b == '\t':
		return short
	case b < ' ':
		return long
	case b == 0xe2:
		return long - 2
	}
	return 0
}
