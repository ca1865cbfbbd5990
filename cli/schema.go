package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/schema"
)

func (a *app) schema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a kind of document, or list the kinds",
		Long: `Print the JSON Schema (draft 7) of a kind of document, for editors that check YAML
while it is written; without a kind, list the kinds.`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, k := range schema.Kinds() {
				names = append(names, k.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listKinds()
			}
			return a.printSchema(args[0])
		},
	}
}

func (a *app) listKinds() error {
	if a.json() {
		type kind struct {
			Kind        string `json:"kind"`
			Description string `json:"description"`
		}
		for _, k := range schema.Kinds() {
			if err := a.print(kind{k.Name, k.Doc}); err != nil {
				return err
			}
		}
		return nil
	}
	var rows [][]string
	for _, k := range schema.Kinds() {
		rows = append(rows, []string{k.Name, k.Doc})
	}
	return a.theme.Table(a.out, []string{"KIND", "WHAT IT IS"}, rows)
}

func (a *app) printSchema(name string) error {
	k, ok := schema.Lookup(name)
	if !ok {
		return fault.New(fault.Invalid, "no kind of document is called %s: slipway schema lists them", name)
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	if !a.json() {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(schema.JSONSchema(k)); err != nil {
		return fmt.Errorf("print the schema: %w", err)
	}
	return nil
}
