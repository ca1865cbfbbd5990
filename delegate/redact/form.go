package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// MinLength is the shortest text, in bytes, that is masked. Masking one or two
// bytes would blank out most of a log and hide nothing, for their places give
// them away.
const MinLength = 3

// minShifted is the shortest base64 text masked when a secret sits at an unknown
// place inside what was encoded ("user:secret"); shorter ones match by chance.
const minShifted = 8

var lowerHex = regexp.MustCompile(`%[0-9A-F]{2}`)

// forms lists the shapes in which a secret is likely to be printed, each at least
// MinLength long and none twice: as it is, trimmed, its single lines, and the
// base64, JSON, URL and shell-quoted forms of those (BEHAVIOUR §13.9, §18.9).
func forms(secret string) []string {
	var out []string
	for _, text := range texts(secret) {
		out = append(out, text)
		out = append(out, encodings(text)...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(s string) bool { return len(s) < MinLength })
}

// texts is the secret, trimmed, with and without a line end, and line by line.
func texts(secret string) []string {
	trimmed := strings.TrimSpace(secret)
	if len(trimmed) < MinLength {
		return []string{secret}
	}
	out := []string{secret, trimmed}
	if strings.Contains(trimmed, "\n") {
		for line := range strings.Lines(trimmed) {
			if line = strings.TrimSpace(line); len(line) >= MinLength {
				out = append(out, line)
			}
		}
	}
	return out
}

func encodings(text string) []string {
	if len(text) < MinLength {
		return nil
	}
	query, path := url.QueryEscape(text), url.PathEscape(text)
	out := []string{
		query, path,
		lowerHex.ReplaceAllStringFunc(query, strings.ToLower),
		lowerHex.ReplaceAllStringFunc(path, strings.ToLower),
		strings.ReplaceAll(text, `'`, `'\''`),
		quoted(text, true), quoted(text, false),
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		raw := enc.WithPadding(base64.NoPadding)
		out = append(out,
			enc.EncodeToString([]byte(text)), raw.EncodeToString([]byte(text)),
			enc.EncodeToString([]byte(text+"\n")), raw.EncodeToString([]byte(text+"\n")))
		for shift := range 3 {
			if s := shifted(raw, text, shift); len(s) >= minShifted {
				out = append(out, s)
			}
		}
	}
	return out
}

// quoted is the text as it stands inside a JSON string.
func quoted(text string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(text); err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// shifted is the part of a base64 text that depends on the secret alone when
// shift bytes (modulo 3) stand before it and anything behind it.
func shifted(enc *base64.Encoding, text string, shift int) string {
	s := enc.EncodeToString(append(make([]byte, shift), text...))
	s = s[(shift*8+5)/6:]
	if (shift+len(text))%3 != 0 {
		s = s[:max(0, len(s)-1)]
	}
	return s
}
