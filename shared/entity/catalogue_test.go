package entity_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-cd/slipway/localstack/embedded/file"
	"github.com/slipway-cd/slipway/localstack/embedded/secret"
	"github.com/slipway-cd/slipway/localstack/embedded/weak"
	"github.com/slipway-cd/slipway/shared/clock"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/entity"
	"github.com/slipway-cd/slipway/shared/entity/entitytest"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/journal"
)

var (
	home = core.Scope{Account: "a", Org: "o", Project: "p"}
	by   = entity.Change{By: "ann"}
)

// open is a catalogue on a data file as bad as stores may be.
func open(t *testing.T) (*entity.Catalogue, core.Ports) {
	t.Helper()
	f, err := file.Open(filepath.Join(t.TempDir(), "db"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	dir := t.TempDir()
	s, err := secret.Open(t.Context(), f.Records("secret"), filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	ports := journal.New(core.Ports{Secrets: s, Store: weak.Store(f.Store(), weak.Usual(weak.Seed(t))), Clock: clock.System(), IDs: clock.NewIDs(clock.System())}).Ports()
	return entity.NewCatalogue(ports), ports
}

func service(id, text string) core.Entity {
	return core.Entity{EntityRef: core.EntityRef{Kind: core.EntityService, Scope: home, Identifier: id}, Name: "S " + id, YAML: text}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// listed is a page, and when it is the whole list, as many as its total.
func listed(t *testing.T, c *entity.Catalogue, q entity.Query) []entity.Listed {
	t.Helper()
	rows, total, err := c.List(t.Context(), q)
	if err != nil || q.Limit == 0 && q.Skip == 0 && total != len(rows) {
		t.Fatalf("%d of %d: %v", len(rows), total, err)
	}
	return rows
}

// past is the whole history of an entity, read in pages.
func past(t *testing.T, c *entity.Catalogue, r core.EntityRef) (all []core.Revision) {
	t.Helper()
	for before := int64(0); ; {
		page, next, err := c.History(t.Context(), r, entity.Past{Before: before, Limit: 2})
		if err != nil || len(page) > 2 || next > 0 && len(page) == 0 {
			t.Fatal(page, next, err)
		}
		if all, before = append(all, page...), next; next == 0 {
			return all
		}
	}
}

func TestDocumentsAreKeptByteForByte(t *testing.T) {
	c, _ := open(t)
	for name, text := range map[string]string{
		"comments": "# why\nservice:\n  name: x   \n\n\n  identifier: x\n",
		"crlf":     "a: 1\r\nb: 2\r\n\t\r\n",
		"long":     strings.Repeat("ü: \"<+x>\"\n", 250_000),
	} {
		t.Run(name, func(t *testing.T) {
			e := must[core.Entity](t)(c.Create(t.Context(), service(name, text), by))
			got := must[core.Entity](t)(c.Get(t.Context(), e.EntityRef))
			if got.YAML != text || got.Version != 1 || got.CreatedBy != "ann" {
				t.Errorf("version %d by %q, %d bytes of %d", got.Version, got.CreatedBy, len(got.YAML), len(text))
			}
			history := past(t, c, e.EntityRef)
			if len(history) != 1 || history[0].Action != "CREATE" || history[0].Entity.YAML != text {
				t.Errorf("a history of %d", len(history))
			}
		})
	}
}

func TestLifeOfAnEntity(t *testing.T) {
	c, _ := open(t)
	ctx := t.Context()
	ref := service("web", "").EntityRef
	if _, err := c.Update(ctx, service("web", "v0"), by); !fault.Is(err, fault.NotFound) {
		t.Error("update before there is one:", err)
	}
	must[core.Entity](t)(c.Create(ctx, service("web", "v1"), by))
	if _, err := c.Create(ctx, service("web", "again"), by); !fault.Is(err, fault.AlreadyExists) {
		t.Error("created twice:", err)
	}
	if e := must[core.Entity](t)(c.Put(ctx, service("web", "v1"), by)); e.Version != 1 {
		t.Errorf("nothing changed, and it is version %d", e.Version)
	}
	must[core.Entity](t)(c.Update(ctx, service("web", "v2"), entity.Change{By: "bob", Version: 1}))
	if _, err := c.Update(ctx, service("web", "v3"), entity.Change{By: "eve", Version: 1}); !fault.Is(err, fault.Conflict) {
		t.Error("a stale writer won:", err)
	}
	if err := c.Delete(ctx, ref, entity.Change{By: "eve", Version: 1}); !fault.Is(err, fault.Conflict) {
		t.Error("a stale deleter won:", err)
	}
	if err := c.Delete(ctx, ref, entity.Change{By: "ann", Version: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(ctx, ref); !fault.Is(err, fault.NotFound) {
		t.Error("there after it was deleted:", err)
	}
	if rows := listed(t, c, entity.Query{Kind: core.EntityService, Scope: home}); len(rows) != 0 {
		t.Error("listed after it was deleted:", rows)
	}
	if e := must[core.Entity](t)(c.Create(ctx, service("web", "v4"), by)); e.Version != 4 || e.CreatedBy != "ann" {
		t.Errorf("created again as version %d by %s", e.Version, e.CreatedBy)
	}
	var got []string
	for _, r := range past(t, c, ref) {
		got = append(got, fmt.Sprintf("%s %s %s", r.Action, r.By, r.Entity.YAML))
	}
	want := []string{"CREATE ann v4", "DELETE ann ", "UPDATE bob v2", "CREATE ann v1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, _, err := c.History(ctx, service("never", "").EntityRef, entity.Past{}); !fault.Is(err, fault.NotFound) {
		t.Error("the history of nothing:", err)
	}
}

func TestDirectoryKeepsUpWithWritersEverywhere(t *testing.T) {
	one, ports := open(t)
	other := entity.NewCatalogue(ports) // another process
	var all sync.WaitGroup
	for w, c := range []*entity.Catalogue{one, other} {
		all.Go(func() {
			for i := range 150 {
				id := fmt.Sprintf("s%d_%03d", w, i)
				if _, err := c.Create(t.Context(), service(id, id), by); err != nil {
					t.Error(id, err)
				}
				if i%3 == 0 {
					if err := c.Delete(t.Context(), service(id, "").EntityRef, by); err != nil {
						t.Error(id, err)
					}
				}
			}
		})
	}
	all.Wait()
	for name, c := range map[string]*entity.Catalogue{"one": one, "other": other, "a third": entity.NewCatalogue(ports)} {
		rows := listed(t, c, entity.Query{Kind: core.EntityService, Scope: home})
		if len(rows) != 200 || !slices.IsSortedFunc(rows, func(a, b entity.Listed) int { return strings.Compare(a.Path(), b.Path()) }) {
			t.Errorf("%s lists %d services, want 200 in order", name, len(rows))
		}
		for _, r := range rows {
			if e, err := c.Get(t.Context(), r.Ref(core.EntityService)); err != nil || e.YAML != r.Identifier {
				t.Errorf("%s: %v %v", r.Identifier, e, err)
			}
		}
	}
}

func TestTwoWritersOfOneEntity(t *testing.T) {
	one, ports := open(t)
	must[core.Entity](t)(one.Create(t.Context(), service("web", "v1"), by))
	won := make(chan string, 8)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := fmt.Sprintf("by %d", i)
			_, err := entity.NewCatalogue(ports).Update(t.Context(), service("web", text), entity.Change{By: "ann", Version: 1})
			switch {
			case err == nil:
				won <- text
			case !fault.Is(err, fault.Conflict):
				t.Error(err)
			}
		})
	}
	all.Wait()
	close(won)
	first := <-won
	if more, ok := <-won; ok {
		t.Errorf("%q and %q both replaced version 1", first, more)
	}
	if e := must[core.Entity](t)(one.Get(t.Context(), service("web", "").EntityRef)); e.YAML != first || e.Version != 2 {
		t.Errorf("version %d is %q, want %q", e.Version, e.YAML, first)
	}
}

func TestReferencesAreAnIndex(t *testing.T) {
	c, _ := open(t)
	ctx := t.Context()
	web := service("web", "").EntityRef
	pipeline := core.Entity{EntityRef: core.EntityRef{Kind: core.EntityPipeline, Scope: home, Identifier: "deploy"}, YAML: "a", Uses: []core.EntityRef{web}}
	for i := range 250 { // more than one write takes
		pipeline.Uses = append(pipeline.Uses, service(fmt.Sprintf("x%d", i), "").EntityRef)
	}
	must[core.Entity](t)(c.Create(ctx, pipeline, by))
	users := func(r core.EntityRef) int { return len(must[[]core.EntityRef](t)(c.Users(ctx, r))) }
	if users(web) != 1 || users(pipeline.Uses[200]) != 1 || users(service("other", "").EntityRef) != 0 {
		t.Error("users of web, x199, other:", users(web), users(pipeline.Uses[200]), users(service("other", "").EntityRef))
	}
	pipeline.Uses, pipeline.YAML = pipeline.Uses[1:], "b"
	must[core.Entity](t)(c.Update(ctx, pipeline, by))
	if users(web) != 0 {
		t.Error("web is used by who let it go")
	}
	if err := c.Delete(ctx, pipeline.EntityRef, by); err != nil || users(pipeline.Uses[0]) != 0 {
		t.Error("used by what was deleted", err)
	}
}

func TestOneVersionOfATemplateIsStable(t *testing.T) {
	c, _ := open(t)
	ctx := t.Context()
	ref := core.EntityRef{Kind: core.EntityTemplate, Scope: home, Identifier: "build"}
	put := func(label, text string, stable bool) {
		r := ref
		r.Label = label
		must[core.Entity](t)(c.Put(ctx, core.Entity{EntityRef: r, YAML: text, Stable: stable}, by))
	}
	stable := func() string { return must[core.Entity](t)(c.Get(ctx, ref)).Label }
	put("1", "a", false)
	put("2", "b", false)
	if stable() != "1" {
		t.Error("the first is not the stable one, but", stable())
	}
	put("2", "b", true) // nothing of it changes but this
	if stable() != "2" {
		t.Error("made stable: 2, stable:", stable())
	}
	put("1", "c", false)
	if stable() != "2" {
		t.Error("editing another version made it stable:", stable())
	}
	two := ref
	two.Label = "2"
	if err := c.Delete(ctx, two, by); !fault.Is(err, fault.Invalid) {
		t.Error("the stable version was deleted:", err)
	}
	put("1", "c", true)
	if err := c.Delete(ctx, two, by); err != nil || stable() != "1" {
		t.Error(err, stable())
	}
	one := ref
	one.Label = "1"
	if err := c.Delete(ctx, one, by); err != nil {
		t.Error("the last version stays for ever:", err)
	}
	if ok, err := c.Exists(ctx, ref); ok || err != nil {
		t.Error("a template without versions:", ok, err)
	}
}

// What a crash may leave behind misleads nobody.
func TestLeftovers(t *testing.T) {
	c, ports := open(t)
	ctx := t.Context()
	web, user := must[core.Entity](t)(c.Create(ctx, service("web", "v1"), by)), must[core.Entity](t)(c.Create(ctx, service("user", "v1"), by))
	note := core.Put{Item: core.Item{Key: core.EntityUseKey(user.EntityRef, web.EntityRef), Version: 1, Body: []byte("{}")}}
	if err := ports.Store.Write(ctx, note); err != nil {
		t.Fatal(err)
	}
	if users := must[[]core.EntityRef](t)(c.Users(ctx, web.EntityRef)); len(users) != 0 {
		t.Error("a reference that nobody makes:", users)
	}
	for n := range 60 { // in so many shards that they are read at once
		must[core.Entity](t)(c.Create(ctx, service(fmt.Sprintf("s%d", n), "v1"), by))
	}
	// A shard that a writer has replaced while its head was on the way to a reader.
	shard := core.Put{Item: core.Item{Key: core.ShardKey(home, core.EntityService, 0), Version: 99, Body: []byte(`[{"i":"ghost"}]`)}}
	if err := ports.Store.Write(ctx, shard); err != nil {
		t.Fatal(err)
	}
	rows, _, err := entity.NewCatalogue(ports).List(ctx, entity.Query{Kind: core.EntityService, Scope: home})
	ghost := slices.ContainsFunc(rows, func(l entity.Listed) bool { return l.Identifier == "ghost" })
	if err == nil && (ghost || len(rows) != 62) { // a late read may still find the old one
		t.Error("listed from two versions:", len(rows), ghost)
	}
}

// Of two who write long documents at once nothing is left but what was kept.
func TestLongTextsOfTwoWriters(t *testing.T) {
	store := &entitytest.Memory{}
	ports := core.Ports{Store: store, Clock: clock.System(), IDs: clock.NewIDs(clock.System())}
	var all sync.WaitGroup
	for w := range 2 {
		c := entity.NewCatalogue(ports)
		all.Go(func() {
			for n := range 50 {
				text := fmt.Sprintf("%d of %d\n", n, w) + strings.Repeat("#\n", 4_500)
				if _, err := c.Put(t.Context(), service("long", text), by); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	ref := service("long", "").EntityRef
	kept := map[string]bool{}
	for _, r := range past(t, entity.NewCatalogue(ports), ref) {
		first, rest, _ := strings.Cut(r.Entity.YAML, "\n")
		if kept[first] = true; len(rest) != 9_000 {
			t.Errorf("%d bytes of %s", len(rest), first)
		}
	}
	pieces := must[core.Page](t)(store.Query(t.Context(), core.Query{PK: core.EntityPieceKey(ref, 1, "", 0).PK}))
	if len(kept) != 100 || len(pieces.Items) != 100 {
		t.Errorf("%d versions, %d texts", len(kept), len(pieces.Items))
	}
}

// Texts that were written before changes had names can still be read.
func TestOldTexts(t *testing.T) {
	store := &entitytest.Memory{}
	ref := service("old", "").EntityRef
	body := must[[]byte](t)(json.Marshal(core.Entity{EntityRef: ref, Version: 1, Pieces: 1}))
	err := store.Write(t.Context(), core.Put{Item: core.Item{Key: core.EntityPieceKey(ref, 1, "", 0), Body: []byte("a: 1\n")}},
		core.Put{Item: core.Item{Key: core.EntityKey(ref), Version: 1, Body: body}})
	if err != nil {
		t.Fatal(err)
	}
	if e := must[core.Entity](t)(entity.NewCatalogue(core.Ports{Store: store}).Get(t.Context(), ref)); e.YAML != "a: 1\n" {
		t.Errorf("%q", e.YAML)
	}
}
