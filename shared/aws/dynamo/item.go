package dynamo

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// The table's attributes.
const (
	attrPK      = "PK"
	attrSK      = "SK"
	attrBody    = "b"   // binary
	attrVersion = "v"   // number
	attrIndexPK = "x1p" // absent for an item that is not in the index
	attrIndexSK = "x1s"
	attrPending = "p"   // "1" or absent; the stream's filter looks at it
	attrExpires = "ttl" // Unix seconds or absent
)

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func keyOf(k core.Key) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{attrPK: str(k.PK), attrSK: str(k.SK)}
}

func encode(it core.Item) map[string]types.AttributeValue {
	m := keyOf(it.Key)
	m[attrVersion] = number(it.Version)
	if len(it.Body) > 0 {
		m[attrBody] = &types.AttributeValueMemberB{Value: it.Body}
	}
	if !it.Index.IsZero() {
		m[attrIndexPK], m[attrIndexSK] = str(it.Index.PK), str(it.Index.SK)
	}
	if it.Pending {
		m[attrPending] = str("1")
	}
	if it.Expires > 0 {
		m[attrExpires] = number(it.Expires)
	}
	return m
}

// attribute is a value as all of the SDK's forms have it: of text, numbers too, or bytes.
type attribute struct {
	text  string
	bytes []byte
}

func plain(m map[string]types.AttributeValue) map[string]attribute {
	out := make(map[string]attribute, len(m))
	for name, v := range m {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			out[name] = attribute{text: v.Value}
		case *types.AttributeValueMemberN:
			out[name] = attribute{text: v.Value}
		case *types.AttributeValueMemberB:
			out[name] = attribute{bytes: v.Value}
		}
	}
	return out
}

func decode(m map[string]attribute) (core.Item, error) {
	it := core.Item{
		Key:     core.Key{PK: m[attrPK].text, SK: m[attrSK].text},
		Body:    m[attrBody].bytes,
		Index:   core.Key{PK: m[attrIndexPK].text, SK: m[attrIndexSK].text},
		Pending: m[attrPending].text != "",
	}
	for name, field := range map[string]*int64{attrVersion: &it.Version, attrExpires: &it.Expires} {
		text := m[name].text
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return core.Item{}, fault.New(fault.Internal, "item %q %q: %s is %q: %w", it.PK, it.SK, name, text, err)
		}
		*field = n
	}
	return it, nil
}
