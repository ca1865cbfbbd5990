package bus

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/fault"
)

// TestPublish publishes events of one letter each, named in their order, to an
// EventBridge that answers each call with codes for its entries.
func TestPublish(t *testing.T) {
	large := strings.Repeat("x", core.MaxBusEventBytes/2)
	for name, tc := range map[string]struct {
		details []string            // "" for a small one
		codes   []map[string]string // by call, then by event
		calls   []string            // the events in each
		kind    fault.Kind
		fails   bool
	}{
		"nothing":                 {},
		"one":                     {details: make([]string, 1), calls: []string{"a"}},
		"ten at once":             {details: make([]string, 12), calls: []string{"abcdefghij", "kl"}},
		"as many bytes as go":     {details: []string{"", large, large, ""}, calls: []string{"ab", "cd"}},
		"two are refused once":    {details: make([]string, 4), codes: []map[string]string{{"b": "ThrottlingException", "d": "InternalFailure"}}, calls: []string{"abcd", "bd"}},
		"one is refused for good": {details: make([]string, 2), codes: []map[string]string{{"b": "NotAuthorizedForSource"}}, calls: []string{"ab"}, kind: fault.Internal, fails: true},
		"throttled for good": {details: make([]string, 2), calls: []string{"ab", "b", "b", "b", "b"}, kind: fault.Throttled, fails: true,
			codes: []map[string]string{{"b": "ThrottlingException"}, {"b": "ThrottlingException"}, {"b": "ThrottlingException"}, {"b": "ThrottlingException"}, {"b": "ThrottlingException"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ids, answer := take(t, r, len(calls), tc.codes)
				calls = append(calls, ids)
				_, _ = w.Write(answer)
			}))
			defer server.Close()
			cfg := aws.Config{Region: "r", BaseEndpoint: &server.URL, Credentials: aws.AnonymousCredentials{}}
			var events []core.BusEvent
			for i, d := range tc.details {
				events = append(events, core.BusEvent{ID: string(rune('a' + i)), Type: "t", Detail: json.RawMessage(fmt.Sprintf("%q", d))})
			}
			err := New(cfg, "bus", clock.Fast(1000, time.Unix(0, 0))).Publish(t.Context(), events...)
			if tc.fails != (err != nil) || tc.fails && !fault.Is(err, tc.kind) {
				t.Errorf("%v of kind %d", err, fault.KindOf(err))
			}
			if diff := cmp.Diff(tc.calls, calls); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// take reads a PutEvents and returns its events' ids and what is answered.
func take(t *testing.T, r *http.Request, call int, codes []map[string]string) (ids string, answer []byte) {
	var in struct {
		Entries []struct{ Detail, Source, DetailType, EventBusName string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		t.Error(err)
	}
	type result struct{ ErrorCode, EventId string }
	var out struct{ Entries []result }
	for _, e := range in.Entries {
		var d Detail
		if err := json.Unmarshal([]byte(e.Detail), &d); err != nil || e.Source != Source || e.DetailType != "t" || e.EventBusName != "bus" {
			t.Errorf("%v in %.200v", err, e)
		}
		ids += d.ID
		refused := result{EventId: d.ID}
		if call < len(codes) {
			refused.ErrorCode = codes[call][d.ID]
		}
		out.Entries = append(out.Entries, refused)
	}
	answer, err := json.Marshal(out)
	if err != nil {
		t.Error(err)
	}
	return ids, answer
}
