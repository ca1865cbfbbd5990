package compile

import (
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/yamldoc"
)

// sourceTemplate is the type of templates that artifact sources may link to.
const sourceTemplate = "ArtifactSource"

// sources puts templates in the place of the artifact sources that link to them
// (BEHAVIOUR §2.4). at is where the service lives, path how its inputs are named.
func (c *compiler) sources(definition *yamldoc.Node, at core.Scope, path string) {
	artifacts := definition.At("spec", "artifacts")
	path = join(path, "serviceDefinition.spec.artifacts")
	e := expansion{c: c, at: at}
	for i, it := range itemsOf(artifacts.At("primary", "sources")) {
		e.source(it, join(path, "primary.sources."+elementName(it, i)))
	}
	for i, it := range itemsOf(artifacts.Get("sidecars")) {
		e.source(it.Get("sidecar"), join(path, "sidecars."+elementName(it, i)))
	}
}

func (e expansion) source(n *yamldoc.Node, path string) {
	if link := n.Get("template"); link != nil && !e.c.empty(link) {
		e.use(n, link, sourceTemplate, path)
	}
}
