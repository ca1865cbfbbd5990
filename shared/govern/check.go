package govern

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Bounds of what is said of users and tokens, in characters.
const (
	maxID     = 128
	maxText   = 256 // names and addresses
	maxGroups = 100
	maxToken  = 64
)

// checkUser refuses a user that could not be kept or told apart.
func checkUser(u core.User) error {
	switch {
	case !word(u.ID, maxID, "_.@+-"):
		return fault.New(fault.Invalid, "%q cannot be a user's id: use letters, digits and _.@+-, at most %d, beginning with a letter, a digit or _", u.ID, maxID)
	case !line(u.Name) || !line(u.Email):
		return fault.New(fault.Invalid, "user %s: a name and an e-mail address are one line each, at most %d characters", u.ID, maxText)
	case u.Email != "" && !strings.Contains(u.Email, "@"):
		return fault.New(fault.Invalid, "user %s: %q is not an e-mail address", u.ID, u.Email)
	case len(u.Groups) > maxGroups:
		return fault.New(fault.TooLarge, "user %s: of %d groups, a user may be in %d", u.ID, len(u.Groups), maxGroups)
	}
	for _, g := range u.Groups {
		if !identifier(g) {
			return fault.New(fault.Invalid, "user %s: %q cannot be a group's identifier: use letters, digits and _, not beginning with a digit, at most 128", u.ID, g)
		}
	}
	return nil
}

func checkToken(e core.TokenEntry) error {
	if !word(e.Name, maxToken, "_.-") {
		return fault.New(fault.Invalid, "%q cannot be a token's name: use letters, digits and _.-, at most %d, beginning with a letter, a digit or _", e.Name, maxToken)
	}
	return nil
}

// identifier is Harness's form of identifiers (BEHAVIOUR §1.3).
func identifier(s string) bool {
	return word(s, 128, "_") && (s[0] < '0' || s[0] > '9')
}

// word reports whether s has 1 to most letters, digits and others, the first of
// them no sign but _.
func word(s string, most int, others string) bool {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return s != "" && len(s) <= most && plain(rune(s[0])) && !strings.ContainsFunc(s, func(r rune) bool {
		return !plain(r) && !strings.ContainsRune(others, r)
	})
}

// line reports whether s is short and without control characters.
func line(s string) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= maxText && !strings.ContainsFunc(s, unicode.IsControl)
}
