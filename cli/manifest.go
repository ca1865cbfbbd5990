package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-cd/slipway/cli/client"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
)

// backupFormat is raised when a backup is written so that older programs would misread it.
const backupFormat = 1

// manifest is backup.json: what the documents of a backup do not say themselves.
type manifest struct {
	Format  int         `json:"format"`
	Stable  []entityRef `json:"stableTemplates,omitempty"`
	Colored []entityRef `json:"colors,omitempty"`
	Secrets []entityRef `json:"secretsWithoutValue,omitempty"`
}

// entityRef names an entity in a manifest.
type entityRef struct {
	Kind       string `json:"kind"`
	Org        string `json:"org,omitempty"`
	Project    string `json:"project,omitempty"`
	Identifier string `json:"identifier"`
	Label      string `json:"label,omitempty"`
	Color      string `json:"color,omitempty"`
}

// note keeps what is to be known of an entity beside its document.
func (m *manifest) note(e client.Entity) {
	r := entityRef{Kind: e.Kind, Org: e.Org, Project: e.Project, Identifier: e.Identifier, Label: e.Label}
	if e.Stable {
		m.Stable = append(m.Stable, r)
	}
	if e.Color != "" {
		r.Color = e.Color
		m.Colored = append(m.Colored, r)
	}
	read, _ := document.Read(e.YAML, document.Expected{Scope: core.Scope{Org: e.Org, Project: e.Project}})
	if read != nil && document.HasValue(*read) {
		m.Secrets = append(m.Secrets, r)
	}
}

func (m *manifest) stable(r core.EntityRef) bool {
	for _, s := range m.Stable {
		if r.Kind == core.EntityTemplate && s.is(r) && s.Label == r.Label {
			return true
		}
	}
	return false
}

func (m *manifest) color(r core.EntityRef) string {
	for _, s := range m.Colored {
		if s.is(r) {
			return s.Color
		}
	}
	return ""
}

func (s entityRef) is(r core.EntityRef) bool {
	return s.Kind == string(r.Kind) && s.Org == r.Scope.Org && s.Project == r.Scope.Project && s.Identifier == r.Identifier
}

// readManifest reads backup.json of a folder; what import writes has none.
func readManifest(dir string) (*manifest, error) {
	name := filepath.Join(dir, "backup.json")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &manifest{}, nil
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fault.New(fault.Invalid, "%s is damaged: %w", name, err)
	}
	if m.Format > backupFormat {
		return nil, fault.New(fault.Invalid, "%s is of format %d, and this program knows %d: restore with a newer slipway", name, m.Format, backupFormat)
	}
	return &m, nil
}
