package entity

import (
	"context"
	"strings"

	"github.com/slipway-cd/slipway/shared/core"
)

// maxInline is the longest YAML that is kept with its entity and its history, at twice a
// transaction's price; what is longer has items of its own. In JSON a byte may become six.
const (
	maxInline = 8 << 10
	maxPiece  = 380 << 10
)

// split cuts a long YAML off an entity. id is the change's.
func split(e core.Entity, id string) (core.Entity, []core.Put) {
	e.Pieces, e.Text = 0, ""
	if len(e.YAML) <= maxInline {
		return e, nil
	}
	var puts []core.Put
	for text := e.YAML; text != ""; e.Pieces++ {
		n := min(len(text), maxPiece)
		puts = append(puts, core.Put{Item: core.Item{Key: core.EntityPieceKey(e.EntityRef, e.Version, id, e.Pieces), Version: 1, Body: []byte(text[:n])}})
		text = text[n:]
	}
	e.YAML, e.Text = "", id
	return e, puts
}

// whole puts a long YAML back.
func (c *Catalogue) whole(ctx context.Context, e core.Entity) (core.Entity, error) {
	if e.Pieces == 0 {
		return e, nil
	}
	var text strings.Builder
	for n := range e.Pieces {
		item, err := c.store.Get(ctx, core.EntityPieceKey(e.EntityRef, e.Version, e.Text, n), true)
		if err != nil {
			return e, err
		}
		text.Write(item.Body)
	}
	e.YAML = text.String()
	return e, nil
}

// Row is what a directory says of an entity.
func Row(e core.Entity) core.EntityRow {
	r := core.EntityRow{Parent: e.Parent, Identifier: e.Identifier, Label: e.Label, Name: e.Name, Description: e.Description, Tags: e.Tags,
		Type: e.Type, Stable: e.Stable, Draft: e.Draft != "", Facts: e.Facts, Version: e.Version, Created: e.Created, Updated: e.Updated, By: e.UpdatedBy}
	if len(r.Description) > maxRowText {
		r.Description = strings.ToValidUTF8(r.Description[:maxRowText], "")
	}
	return r
}
