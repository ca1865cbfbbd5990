package meter

import (
	"context"
	"encoding/json"

	"github.com/slipway-cd/slipway/shared/core"
)

// short names units in records, which are to stay below 1 KB: one write unit.
var short = [core.Units]string{
	core.ReadHalves: "rh", core.WriteHalves: "wh", core.Reads: "r", core.Writes: "w", core.Workflows: "f",
	core.Invocations: "i", core.MemoryTime: "m", core.Requests: "q", core.Events: "e", core.BlobReads: "br",
	core.BlobWrites: "bw", core.SecretCalls: "s", core.Timers: "t", core.LogBytes: "l", core.OutBytes: "o",
}

func encode(by map[string]core.Use) []byte {
	out := make(map[string]map[string]int64, len(by))
	for cause, u := range by {
		units := map[string]int64{}
		for k, n := range u {
			if n != 0 {
				units[short[k]] = n
			}
		}
		out[cause] = units
	}
	body, _ := json.Marshal(out) // maps of strings and numbers
	return body
}

// decode reads a record; units of a newer version are left out.
func decode(body []byte) (map[string]core.Use, error) {
	var in map[string]map[string]int64
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	by := make(map[string]core.Use, len(in))
	for cause, units := range in {
		var u core.Use
		for k, s := range short {
			u[k] = units[s]
		}
		by[cause] = u
	}
	return by, nil
}

// Read adds up by cause what all processes have written of a run: at least that
// was used. records is how many they have written.
func Read(ctx context.Context, store core.Store, account, run string) (sum map[string]core.Use, records int, err error) {
	sum = map[string]core.Use{}
	q := core.Query{PK: core.UseKey(account, run, "").PK, SKPrefix: core.UsePrefix, Strong: true}
	for {
		page, err := store.Query(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		for _, it := range page.Items {
			by, err := decode(it.Body)
			if err != nil {
				return nil, 0, err
			}
			merge(sum, by)
			records++
		}
		if q.After = page.Cursor; q.After == "" {
			return sum, records, nil
		}
	}
}
