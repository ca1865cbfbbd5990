package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/cli/screen"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// identified are the flags that tell one entity from others of its identifier.
type identified struct {
	placed
	parent, label string
}

func (n *identified) register(cmd *cobra.Command) {
	n.placed.register(cmd)
	cmd.Flags().StringVar(&n.parent, "of", "", "`identifier` of what it belongs to: an infrastructure's environment, an input set's or trigger's pipeline")
	cmd.Flags().StringVar(&n.label, "label", "", "`version` of a template, else the stable one")
}

func (n *identified) ref(f flags, kind, id string) (client.EntityRef, error) {
	k, err := kindOf(kind)
	return client.EntityRef{Place: n.at(f), Kind: k, ID: id, Parent: n.parent, Label: n.label}, err
}

// shortKinds are other words for kinds.
var shortKinds = map[string]string{
	"org": "organization", "svc": "service", "env": "environment", "envgroup": "environmentGroup", "environment_group": "environmentGroup",
	"infra": "infrastructureDefinition", "infrastructure": "infrastructureDefinition", "override": "overrides", "input_set": "inputSet",
}

// kindOf is the kind that a word means: singular or plural, in any case.
func kindOf(word string) (string, error) {
	var names []string
	for _, k := range document.Kinds() {
		name := string(k)
		names = append(names, name)
		for _, w := range []string{word, strings.TrimSuffix(word, "s")} {
			if strings.EqualFold(w, name) || shortKinds[strings.ToLower(w)] == name || strings.EqualFold(strings.ReplaceAll(w, "-", ""), name) {
				return name, nil
			}
		}
	}
	return "", fault.New(fault.Invalid, "%q is no kind: %s", word, strings.Join(names, ", "))
}

func (a *app) get() *cobra.Command {
	var n identified
	var output, search string
	cmd := &cobra.Command{
		Use:   "get KIND [ID]",
		Short: "List what the platform keeps of a kind, or show one document",
		Long: `List what the platform keeps of a kind, or show one document.

KIND is pipeline, template, inputSet, trigger, service, environment, environmentGroup, infrastructureDefinition (infra),
overrides, connector, secret, variable, freeze, organization (org) or project. -o yaml writes documents as they were written.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := ""
			if len(args) == 2 {
				id = args[1]
			}
			r, err := n.ref(a.flags, args[0], id)
			if err != nil {
				return err
			}
			if a.json() {
				output = "json"
			}
			return a.getEntities(cmd.Context(), r, output, search)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table, yaml or json")
	cmd.Flags().StringVar(&search, "search", "", "only those with this `text` in name, identifier or tags")
	n.register(cmd)
	return cmd
}

func (a *app) getEntities(ctx context.Context, r client.EntityRef, output, search string) error {
	if output != "table" && output != "yaml" && output != "json" {
		return fault.New(fault.Invalid, "-o %s is not known: it is table, yaml or json", output)
	}
	c, t, err := a.connect()
	if err != nil {
		return err
	}
	var all []client.Entity
	if r.ID != "" {
		e, err := c.Entity(ctx, r)
		if err != nil {
			return t.reached(err)
		}
		all = []client.Entity{e}
	} else {
		if all, err = c.Entities(ctx, r.Kind, r.Place, search); err != nil {
			return t.reached(err)
		}
		if output == "yaml" {
			for i, e := range all {
				one := client.EntityRef{Place: r.Place, Kind: e.Kind, ID: e.Identifier, Parent: e.Parent, Label: e.Label}
				if all[i], err = c.Entity(ctx, one); err != nil {
					return t.reached(err)
				}
			}
		}
	}
	switch output {
	case "yaml":
		return a.writeYAML(all)
	case "json":
		if r.ID != "" {
			return a.print(all[0])
		}
		return a.print(map[string]any{"entities": append([]client.Entity{}, all...)})
	}
	return a.entityTable(r, all)
}

// writeYAML writes documents as they were written, parted as a stream has them.
func (a *app) writeYAML(all []client.Entity) error {
	for i, e := range all {
		if i > 0 {
			if _, err := fmt.Fprintln(a.out, "---"); err != nil {
				return err
			}
		}
		text := e.YAML
		if len(all) > 1 && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if _, err := fmt.Fprint(a.out, text); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) entityTable(r client.EntityRef, all []client.Entity) error {
	if len(all) == 0 {
		_, err := fmt.Fprintf(a.out, "no %s in %s\n", r.Kind, inWords(r.Place))
		return err
	}
	rows := make([][]string, len(all))
	for i, e := range all {
		id := e.Identifier
		if e.Label != "" {
			id += " " + e.Label
			if e.Stable {
				id += " (stable)"
			}
		}
		if e.Draft != "" {
			id += " (draft)"
		}
		rows[i] = []string{a.theme.Clean(id), a.theme.Clean(e.Name), cmp.Or(a.theme.Clean(e.Type), "-"), cmp.Or(a.theme.Clean(e.Parent), "-"),
			strconv.FormatInt(e.Version, 10), screen.Clock(e.Updated), a.theme.Clean(e.By)}
	}
	return a.theme.Table(a.out, []string{"IDENTIFIER", "NAME", "TYPE", "OF", "VERSION", "CHANGED", "BY"}, rows)
}

func inWords(p client.Place) string {
	switch {
	case p.Org == "":
		return "the account"
	case p.Project == "":
		return "organization " + p.Org
	}
	return p.Org + "/" + p.Project
}
