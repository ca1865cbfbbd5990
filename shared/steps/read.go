package steps

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/slipway-cd/slipway/shared/fault"
)

// Readers of rendered specs. What an expression has rendered may be of another
// type than the author would have written, so each takes what reads as the type.

func invalid(key string, v any, want string) error {
	return fault.New(fault.Invalid, "%s is %v: expected %s", key, v, want)
}

// text reads a scalar as text; "" when absent.
func text(spec map[string]any, key string) (string, error) {
	switch v := spec[key].(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case int:
		return strconv.Itoa(v), nil
	case json.Number:
		return v.String(), nil
	default:
		return "", invalid(key, v, "text")
	}
}

// boolean reads true or false; false when absent.
func boolean(spec map[string]any, key string) (bool, error) {
	s, err := text(spec, key)
	if err != nil {
		return false, err
	}
	switch strings.ToLower(s) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, invalid(key, strconv.Quote(s), "true or false")
	}
}

// integer reads a whole number; fallback when absent.
func integer(spec map[string]any, key string, fallback int) (int, error) {
	s, err := text(spec, key)
	if err != nil || s == "" {
		return fallback, err
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, invalid(key, strconv.Quote(s), "a whole number")
	}
	return int(f), nil
}

// texts reads a list of strings, or one string: a JSON list or words split by
// commas.
func texts(spec map[string]any, key string) ([]string, error) {
	var items []any
	switch v := spec[key].(type) {
	case nil:
		return nil, nil
	case []any:
		items = v
	case []string:
		return v, nil
	case string:
		if strings.HasPrefix(strings.TrimSpace(v), "[") && json.Unmarshal([]byte(v), &items) == nil {
			break
		}
		for w := range strings.SplitSeq(strings.Trim(strings.TrimSpace(v), "[]"), ",") {
			items = append(items, strings.TrimSpace(w))
		}
	default:
		return nil, invalid(key, v, "a list")
	}
	var out []string
	for _, it := range items {
		s, err := text(map[string]any{key: it}, key)
		if err != nil {
			return nil, err
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return out, nil
}

// object reads a map; nil when absent.
func object(spec map[string]any, key string) (map[string]any, error) {
	switch v := spec[key].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return v, nil
	case string:
		if v == "" {
			return nil, nil
		}
	}
	return nil, invalid(key, spec[key], "a map")
}
