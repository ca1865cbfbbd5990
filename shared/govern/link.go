package govern

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Link is what an approval link says: who may decide what, until when. It is good
// for one recorded decision (DESIGN §7).
type Link struct {
	Account  string `json:"account"`
	Approval string `json:"approval"`
	User     string `json:"user"`
	Digest   string `json:"digest"` // of what is asked, see LinkDigest
	Expires  int64  `json:"exp"`    // ms
	Nonce    string `json:"nonce"`
}

// maxLink bounds the text of a link that is looked at, in bytes.
const maxLink = 2 << 10

// LinkDigest stands for what is asked for: an approval's id, its node and its
// spec. A link does not outlive a change of them.
func LinkDigest(approval, node string, spec any) string {
	body, err := json.Marshal([]any{approval, node, spec})
	if err != nil { // specs are plain data
		return ""
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// sealLink writes a link as text: the account, the payload, and a MAC over both,
// each base64url. The account stands apart only to find the key.
func sealLink(key []byte, l Link) (string, error) {
	body, err := json.Marshal(l)
	if err != nil {
		return "", err
	}
	text := encode([]byte(l.Account)) + "." + encode(body)
	return text + "." + mac(key, text), nil
}

// openLink parses a link only after its MAC was found right, in constant time.
func openLink(key []byte, token string) (Link, error) {
	var l Link
	i := strings.LastIndexByte(token, '.')
	if i < 0 || len(token) > maxLink || !hmac.Equal([]byte(token[i+1:]), []byte(mac(key, token[:i]))) {
		return l, errLink()
	}
	account, payload, _ := strings.Cut(token[:i], ".")
	body, err := decode(payload)
	if err != nil || json.Unmarshal(body, &l) != nil || encode([]byte(l.Account)) != account {
		return l, errLink()
	}
	return l, nil
}

func errLink() error {
	return fault.New(fault.Forbidden, "this link is not valid: it was changed, cut short, or made by another Slipway")
}

func mac(key []byte, text string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return encode(h.Sum(nil))
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func decode(s string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(s) }
