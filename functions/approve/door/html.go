package door

import (
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// The pages are built from elements and not from a template: what executes
// templates calls methods by name, for which the linker would keep every method
// of every AWS client.

// document is a whole page around its content.
func document(title string, content ...g.Node) g.Node {
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("robots"), h.Content("noindex")),
			h.TitleEl(g.Text(title+" – Slipway")),
			h.StyleEl(g.Raw(style)),
		),
		h.Body(h.Main(content...)),
	))
}

// askPage asks for an answer.
func askPage(f askForm) g.Node {
	return document("Approval",
		h.H1(g.Text(f.Pipeline+": "+f.Step)),
		given(f.Problem, func() g.Node { return trouble("Nothing was recorded: " + f.Problem + ".") }),
		given(f.Message, func() g.Node { return h.P(h.Class("message"), g.Text(f.Message)) }),
		h.Dl(
			term("Pipeline", g.Text(f.Pipeline+" ("), h.Code(g.Text(f.Confirm)), g.Text(")")),
			term("Run", h.Code(g.Text(f.Run)), g.Text(" no. "+f.Number+", started by "+f.By)),
			term("You are", g.Text(f.User)),
			term("Who may decide", g.Text(strings.Join(f.Groups, ", "))),
			term("Approvals", g.Text(strconv.Itoa(f.Given)+" of "+strconv.Itoa(f.Minimum))),
			term("Until", g.Text(f.Until)),
			term("Digest", h.Code(g.Text(f.Digest))),
		),
		h.Form(h.Method("post"), h.AutoComplete("off"),
			g.Map(f.Inputs, question),
			h.FieldSet(h.Legend(g.Text("Your answer")),
				answer("APPROVE", "Approve", f.Action),
				answer("REJECT", "Reject", f.Action),
			),
			label("comments", g.Text("Comments")),
			h.Textarea(h.ID("comments"), h.Name("comments"), h.Rows("3"), g.Text(f.Comments)),
			label("confirm", g.Text("Confirm"), h.Small(g.Text("Type "), h.Code(g.Text(f.Confirm)), g.Text(" to confirm."))),
			h.Input(h.ID("confirm"), h.Name("confirm"), h.Required(), g.Attr("autocapitalize", "none"), g.Attr("spellcheck", "false")),
			h.Button(g.Text("Record my answer")),
		),
	)
}

// donePage says what was recorded.
func donePage(d donePageData) g.Node {
	return document("Recorded",
		h.H1(g.Text("Recorded")),
		h.P(g.Text(d.User+" "+d.Action+" run "), h.Code(g.Text(d.Run)), g.Text(" of "+d.Pipeline+". This link cannot be used again.")),
	)
}

// failedPage says why nothing was.
func failedPage(p problemData) g.Node {
	return document("Approval",
		h.H1(g.Text("Nothing was recorded")),
		trouble(p.Message),
		given(p.Correlation, func() g.Node { return h.P(h.Small(g.Text(p.Correlation))) }),
	)
}

func trouble(text string) g.Node {
	return h.P(h.Class("problem"), h.Role("alert"), g.Text(text))
}

// given is a node for a text, nothing without one.
func given(text string, node func() g.Node) g.Node { return g.Iff(text != "", node) }

func term(name string, value ...g.Node) g.Node {
	return g.Group{h.Dt(g.Text(name)), h.Dd(value...)}
}

func label(of string, content ...g.Node) g.Node {
	return h.Label(append([]g.Node{h.For(of)}, content...)...)
}

// question is one approver input: a list where it has choices, else a line.
func question(f inputField) g.Node {
	name := f.Name
	if f.Required {
		name += " *"
	}
	title := label(f.Field, g.Text(name), given(f.Help, func() g.Node { return h.Small(g.Text(f.Help)) }))
	if len(f.Choices) == 0 {
		return g.Group{title, h.Input(h.ID(f.Field), h.Name(f.Field), h.Value(f.Value))}
	}
	return g.Group{title,
		g.If(f.Many, h.Input(h.Type("hidden"), h.Name(f.Field), h.Value(""))),
		h.Select(h.ID(f.Field), h.Name(f.Field), g.If(f.Many, h.Multiple()),
			g.If(!f.Many, h.Option(h.Value(""))),
			g.Map(f.Choices, func(c choice) g.Node { return h.Option(g.If(c.Chosen, h.Selected()), g.Text(c.Value)) }),
		),
	}
}

func answer(value, text, now string) g.Node {
	return h.Label(h.Class("choice"),
		h.Input(h.Type("radio"), h.Name("action"), h.Value(value), h.Required(), g.If(value == now, h.Checked())), g.Text(" "+text))
}
