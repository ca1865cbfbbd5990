package door

import (
	"fmt"
	"html"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	g "maragu.dev/gomponents"
)

// hostile would end the text, attribute, option or textarea it stands in, were it
// not escaped.
const hostile = `"'><script>alert(1)</script></textarea></option></select><option selected>&amp;`

// filled sets every text in a value, lists and structs inside it included, to what
// text returns; lists get one element.
func filled(v reflect.Value, text func(field string) string, field string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text(field))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0), text, field)
	case reflect.Struct:
		for i := range v.NumField() {
			filled(v.Field(i), text, field+"."+v.Type().Field(i).Name)
		}
	default:
	}
}

func rendered(t *testing.T, page g.Node) string {
	t.Helper()
	var b strings.Builder
	if err := page.Render(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestEscaping fills every field of every page with text that would break out. The
// page must be the one that plain text gives, but for the text itself, escaped.
func TestEscaping(t *testing.T) {
	ask := func(change func(*inputField)) func(func(string) string) g.Node {
		return func(text func(string) string) g.Node {
			var f askForm
			filled(reflect.ValueOf(&f).Elem(), text, "")
			change(&f.Inputs[0])
			return askPage(f)
		}
	}
	pages := map[string]struct {
		page func(text func(field string) string) g.Node
		has  []string // what must be where, for the plain page
	}{
		"ask, a line": {ask(func(i *inputField) { i.Choices = nil }), []string{
			`<h1>{.Pipeline}: {.Step}</h1>`, `Nothing was recorded: {.Problem}.`, `<p class="message">{.Message}</p>`, `<dd>{.Groups}</dd>`,
			`<label for="{.Inputs.Field}">{.Inputs.Name}<small>{.Inputs.Help}</small></label>`,
			`<input id="{.Inputs.Field}" name="{.Inputs.Field}" value="{.Inputs.Value}">`, `rows="3">{.Comments}</textarea>`}},
		"ask, a list": {ask(func(i *inputField) { i.Choices[0].Chosen = true }), []string{
			`<select id="{.Inputs.Field}" name="{.Inputs.Field}"><option value=""></option><option selected>{.Inputs.Choices.Value}</option></select>`}},
		"ask, several": {ask(func(i *inputField) { i.Many = true; i.Required = true }), []string{
			`{.Inputs.Name} *<small>`, `<input type="hidden" name="{.Inputs.Field}" value=""><select id="{.Inputs.Field}" name="{.Inputs.Field}" multiple><option>{.Inputs.Choices.Value}</option></select>`}},
		"done": {func(text func(string) string) g.Node {
			var d donePageData
			filled(reflect.ValueOf(&d).Elem(), text, "")
			return donePage(d)
		}, []string{`<p>{.User} {.Action} run <code>{.Run}</code> of {.Pipeline}.`}},
		"failed": {func(text func(string) string) g.Node {
			var p problemData
			filled(reflect.ValueOf(&p).Elem(), text, "")
			return failedPage(p)
		}, []string{`role="alert">{.Message}</p>`, `<small>{.Correlation}</small>`}},
	}
	for name, tc := range pages {
		t.Run(name, func(t *testing.T) {
			plain := rendered(t, tc.page(func(field string) string { return "{" + field + "}" }))
			for _, part := range tc.has {
				if !strings.Contains(plain, part) {
					t.Errorf("the page lacks %s:\n%s", part, plain)
				}
			}
			got := rendered(t, tc.page(func(field string) string { return "{" + hostile + field + "}" }))
			if diff := cmp.Diff(plain, strings.ReplaceAll(got, html.EscapeString(hostile), "")); diff != "" {
				t.Errorf("text got out (-plain +hostile):\n%s", diff)
			}
		})
	}
}

// TestChosen shows again what was answered before.
func TestChosen(t *testing.T) {
	for action, checked := range map[string]int{"APPROVE": 1, "REJECT": 1, "": 0, `APPROVE" checked`: 0} {
		page := rendered(t, askPage(askForm{Action: action}))
		if n := strings.Count(page, " checked"); n != checked {
			t.Errorf("%d answers are checked after %q", n, action)
		}
		if want := fmt.Sprintf(`value="%s" required checked>`, action); checked == 1 && !strings.Contains(page, want) {
			t.Errorf("after %q another is checked: %s", action, page)
		}
	}
}
