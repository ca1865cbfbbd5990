package expr

import "strings"

// reserved words cannot be used in a path of an expression (BEHAVIOUR §1.3).
var reserved = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`or and eq ne lt gt le ge div mod not null true false new var return
		shellScriptProvisioner class if else for while function`) {
		m[w] = true
	}
	return m
}()

// Reserved reports whether a word is one of the language's own, which nothing may be
// called.
func Reserved(word string) bool { return reserved[word] }
