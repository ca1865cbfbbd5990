package steps

// Field tables that several types share.

func selectors() Field { return Field{Name: "delegateSelectors", Type: List} }

// ignored are fields every spec may have and nobody reads.
func ignored() []Field {
	return []Field{{Name: "description"}, {Name: "metadata"}}
}

// variables is a list of {name, type, value}. With identifiers, names must be fit
// for a shell and for expressions (BEHAVIOUR §1.4).
func variables(name string, identifiers bool) Field {
	return Field{Name: name, Type: Variables, Fields: []Field{
		{Name: "name", Required: true, Identifier: identifiers},
		{Name: "type", Enum: []string{"String", "Number", "Secret"}},
		{Name: "value"},
		{Name: "default"},
		{Name: "required", Type: Bool},
		{Name: "description"},
	}}
}
