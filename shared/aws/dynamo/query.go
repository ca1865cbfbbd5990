package dynamo

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/slipway-cd/slipway/shared/aws/call"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// Query implements core.Store.
func (s *Store) Query(ctx context.Context, q core.Query) (core.Page, error) {
	r, err := rangeOf(q)
	if err != nil || r.empty {
		return core.Page{}, err
	}
	in := &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: &q.Strong, ScanIndexForward: aws.Bool(!q.Reverse),
		KeyConditionExpression: &r.condition, ExpressionAttributeValues: r.values, ExclusiveStartKey: r.start,
		ReturnConsumedCapacity: capacity,
	}
	if q.Index {
		in.IndexName, in.ConsistentRead = aws.String(Index), nil
	}
	if q.Limit > 0 {
		in.Limit = aws.Int32(int32(min(q.Limit, 1<<20))) // a page holds fewer
	}
	out, err := s.client().Query(ctx, in)
	if err != nil {
		return core.Page{}, call.Fault(ctx, "querying items", err, kinds)
	}
	countRead(ctx, out.ConsumedCapacity)
	var page core.Page
	for _, m := range out.Items {
		it, err := decode(plain(m))
		if err != nil {
			return core.Page{}, err
		}
		if !strings.HasPrefix(sortKey(q, it), q.SKPrefix) {
			return page, nil // behind the prefix there is no more
		}
		page.Items = append(page.Items, it)
	}
	page.Cursor, err = cursorOf(q, out.LastEvaluatedKey)
	return page, err
}

// sortKey is the key by which a query orders an item.
func sortKey(q core.Query, it core.Item) string {
	if q.Index {
		return it.Index.SK
	}
	return it.SK
}

// keyRange is what a query asks of DynamoDB.
type keyRange struct {
	empty     bool // nothing can match
	condition string
	values    map[string]types.AttributeValue
	start     map[string]types.AttributeValue
}

func rangeOf(q core.Query) (keyRange, error) {
	if err := q.Check(); err != nil {
		return keyRange{}, err
	}
	pk, sk := attrPK, attrSK
	if q.Index {
		pk, sk = attrIndexPK, attrIndexSK
	}
	r := keyRange{condition: pk + " = :p", values: map[string]types.AttributeValue{":p": str(q.PK)}}
	prefixed := func() keyRange {
		if q.SKPrefix != "" {
			r.condition += " AND begins_with(" + sk + ", :s)"
			r.values[":s"] = str(q.SKPrefix)
		}
		return r
	}
	if cursor, ok := strings.CutPrefix(q.After, indexCursor); q.Index && ok {
		var err error
		if r.start, err = startOf(q, cursor); err != nil {
			return keyRange{}, err
		}
		return prefixed(), nil
	}
	// DynamoDB refuses to start outside the prefix.
	inside := strings.HasPrefix(q.After, q.SKPrefix)
	switch passed := (q.After > q.SKPrefix) != q.Reverse; {
	case q.After == "" || !inside && !passed:
		return prefixed(), nil
	case !inside:
		return keyRange{empty: true}, nil
	case !q.Index:
		r.start = keyOf(core.Key{PK: q.PK, SK: q.After})
		return prefixed(), nil
	}
	// Several items may have the SK in the index: a range passes them all. There
	// can be no prefix besides; Query stops at its end.
	op := " > :a"
	if q.Reverse {
		op = " < :a"
	}
	r.condition += " AND " + sk + op
	r.values[":a"] = str(q.After)
	return r, nil
}

// indexCursor marks an After that is a page's cursor of an index query and not an
// SK: several items may share an SK there, so the cursor holds the whole key.
const indexCursor = "\x00cursor:"

func cursorOf(q core.Query, last map[string]types.AttributeValue) (string, error) {
	if len(last) == 0 {
		return "", nil
	}
	m := plain(last)
	if !q.Index {
		return m[attrSK].text, nil
	}
	if !strings.HasPrefix(m[attrIndexSK].text, q.SKPrefix) {
		return "", nil
	}
	text, err := json.Marshal([]string{m[attrIndexSK].text, m[attrPK].text, m[attrSK].text})
	if err != nil {
		return "", fault.New(fault.Internal, "a cursor: %w", err)
	}
	return indexCursor + base64.RawURLEncoding.EncodeToString(text), nil
}

func startOf(q core.Query, cursor string) (map[string]types.AttributeValue, error) {
	var parts []string
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(text, &parts)
	}
	if err != nil || len(parts) != 3 || !strings.HasPrefix(parts[0], q.SKPrefix) {
		return nil, fault.New(fault.Invalid, "the cursor is not one of this query")
	}
	start := keyOf(core.Key{PK: parts[1], SK: parts[2]})
	start[attrIndexPK], start[attrIndexSK] = str(q.PK), str(parts[0])
	return start, nil
}
