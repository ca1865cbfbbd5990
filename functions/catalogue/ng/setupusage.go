package ng

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-cd/slipway/functions/request"
	"github.com/slipway-cd/slipway/shared/core"
	"github.com/slipway-cd/slipway/shared/document"
	"github.com/slipway-cd/slipway/shared/fault"
	"github.com/slipway-cd/slipway/shared/govern"
	"github.com/slipway-cd/slipway/shared/httpio"
)

// usageRoutes tell who refers to whom.
func (d *door) usageRoutes() httpio.Routes {
	const path = "/ng/api/entitySetupUsage"
	return httpio.Routes{
		"GET " + path:         request.Scoped(d.usage(byIdentifier)),
		"GET " + path + "/v2": request.Scoped(d.usage(byFQN("referredEntity"))),
		"GET " + path + "/internal/listAllReferredUsages":   request.Scoped(d.uses),
		"GET /template/api/templates/entitySetupUsage/{id}": request.Scoped(d.usage(byTemplate)),
	}
}

// entityTypes are what Harness calls kinds of entities where it tells who uses what.
var entityTypes = map[core.EntityKind]string{core.EntityOrganization: "Organizations", core.EntityProject: "Projects", core.EntityPipeline: "Pipelines",
	core.EntityTemplate: "Template", core.EntityInputSet: "InputSets", core.EntityTrigger: "Triggers", core.EntityConnector: "Connectors",
	core.EntitySecret: "Secrets", core.EntityService: "Service", core.EntityEnvironment: "Environment", core.EntityEnvironmentGroup: "EnvironmentGroup",
	core.EntityInfrastructure: "Infrastructure", core.EntityOverrides: "Overrides", core.EntityVariable: "Variables", core.EntityFile: "Files",
	core.EntityFreeze: "Freeze", core.EntityUserGroup: "UserGroups"}

// kindOfType finds a kind by Harness's name for it.
func kindOfType(name string) (core.EntityKind, error) {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	var names []string
	for kind, typ := range entityTypes {
		if plain(typ) == plain(name) {
			return kind, nil
		}
		names = append(names, typ)
	}
	slices.Sort(names)
	return "", fault.New(fault.Invalid, "the type of the entity is %q: expected one of %s", name, strings.Join(names, ", "))
}

// byIdentifier names an entity by the query's scope and identifier.
func byIdentifier(c *request.Call) (core.EntityRef, error) {
	kind, err := kindOfType(cmp.Or(c.Q.Get("referredEntityType"), "Connectors"))
	if err == nil && c.Q.Get("identifier") == "" {
		err = fault.New(fault.Invalid, "query parameter identifier is needed: what is used")
	}
	return core.EntityRef{Kind: kind, Scope: c.At, Identifier: c.Q.Get("identifier")}, err
}

// byFQN names an entity by its type and the path of its scope, parent, identifier and
// version: account/org/project/identifier.
func byFQN(param string) func(*request.Call) (core.EntityRef, error) {
	return func(c *request.Call) (core.EntityRef, error) {
		ref := core.EntityRef{}
		kind, err := kindOfType(c.Q.Get(param + "Type"))
		if err != nil {
			return ref, err
		}
		text := c.Q.Get(param + "FQN")
		parts := strings.Split(strings.TrimSuffix(text, "/"), "/")
		ref.Kind, ref.Scope.Account = kind, c.Who.Account
		var last []*string // from the end
		switch {
		case kind == core.EntityTemplate:
			last = []*string{&ref.Label, &ref.Identifier}
		case document.ParentOf(kind) != "":
			last = []*string{&ref.Identifier, &ref.Parent}
		default:
			last = []*string{&ref.Identifier}
		}
		n := len(parts) - len(last)
		if n < 1 || n > 3 || parts[0] != c.Who.Account {
			return ref, fault.New(fault.Invalid, "query parameter %sFQN is %q: expected account/org/project/identifier of this account, as far as the entity has them", param, text)
		}
		for i, p := range last {
			*p = parts[len(parts)-1-i]
		}
		if ref.Label == stableVersion {
			ref.Label = ""
		}
		home := append(parts[1:n:n], "", "")
		err = c.Within(home[0], home[1])
		ref.Scope = c.At
		return ref, err
	}
}

// stableVersion stands for a template's stable version in such paths.
const stableVersion = "__STABLE__"

// byTemplate names a template by the path, and a version of it by the query.
func byTemplate(c *request.Call) (core.EntityRef, error) {
	ref := core.EntityRef{Kind: core.EntityTemplate, Scope: c.At, Identifier: c.PathValue("id"), Label: c.Q.Get("versionLabel")}
	if c.Q.Get("allVersions") == "true" {
		ref.Label = ""
	}
	return ref, nil
}

// usage shows a page of who refers to an entity: Harness's EntitySetupUsage.
func (d *door) usage(used func(*request.Call) (core.EntityRef, error)) request.Handler {
	return func(c *request.Call) (httpio.Answer, error) {
		ref, err := used(c)
		if err == nil {
			err = c.Allow(govern.View, ref)
		}
		if err != nil {
			return httpio.Answer{}, err
		}
		p, err := readPaging(c.Q, listing{page: "pageIndex", size: "pageSize", fallback: 100})
		if err != nil {
			return httpio.Answer{}, err
		}
		users, err := d.usersOf(c, ref)
		if err != nil {
			return httpio.Answer{}, err
		}
		name := ref.Identifier
		if e, err := d.Catalogue.Get(c.Ctx, ref); err == nil {
			name = e.Name
		}
		term := strings.ToLower(c.Q.Get("searchTerm"))
		users = slices.DeleteFunc(users, func(u core.Entity) bool {
			return c.Allow(govern.View, u.EntityRef) != nil || !strings.Contains(strings.ToLower(u.Name+" "+u.Identifier+" "+name), term) || !naming(u, ref, c)
		})
		items := []any{}
		for _, u := range httpio.Cut(users, p) {
			items = append(items, usageOf(ref, name, u.EntityRef, u.Name, u.Updated))
		}
		return httpio.OK(c.Request, httpio.NGPageOf(items, len(users), p)), nil
	}
}

// naming holds users of a template's version to naming it, unless those of the stable
// one are wanted too.
func naming(u core.Entity, ref core.EntityRef, c *request.Call) bool {
	return ref.Label == "" || c.Q.Get("isStableTemplate") == "true" || slices.Contains(u.Uses, ref)
}

// usersOf are the entities that refer to one, a file by its path.
func (d *door) usersOf(c *request.Call, ref core.EntityRef) ([]core.Entity, error) {
	refs, err := d.Catalogue.Users(c.Ctx, ref)
	if ref.Kind == core.EntityFile && err == nil {
		var t tree
		if t, err = d.tree(c.Ctx, ref.Scope); err == nil {
			refs, err = d.users(c.Ctx, t, []core.EntityRow{t.rows[ref.Identifier]})
		}
	}
	var out []core.Entity
	for _, u := range refs {
		if err != nil {
			return nil, err
		}
		e, gone := d.Catalogue.Get(c.Ctx, u)
		if fault.Is(gone, fault.NotFound) {
			continue
		}
		out, err = append(out, e), gone
	}
	return out, err
}

// uses lists what an entity refers to.
func (d *door) uses(c *request.Call) (httpio.Answer, error) {
	ref, err := byFQN("referredByEntity")(c)
	if err != nil {
		return httpio.Answer{}, err
	}
	e, err := d.viewed(c, ref)
	if err != nil {
		return httpio.Answer{}, httpio.Missing(err)
	}
	items := []any{}
	for _, u := range e.Uses {
		items = append(items, usageOf(u, u.Identifier, e.EntityRef, e.Name, e.Updated))
	}
	return httpio.OK(c.Request, items), nil
}

func usageOf(used core.EntityRef, name string, by core.EntityRef, byName string, at int64) map[string]any {
	return map[string]any{"accountIdentifier": used.Scope.Account, "referredEntity": detailOf(used, name), "referredByEntity": detailOf(by, byName),
		"detail": nil, "createdAt": at}
}

// detailOf is Harness's EntityDetail.
func detailOf(r core.EntityRef, name string) map[string]any {
	ref := map[string]any{"scope": level(r.Scope), "accountIdentifier": r.Scope.Account, "orgIdentifier": orNil(r.Scope.Org),
		"projectIdentifier": orNil(r.Scope.Project), "identifier": r.Identifier, "metadata": map[string]any{}}
	if r.Kind == core.EntityTemplate {
		ref["versionLabel"] = cmp.Or(r.Label, stableVersion)
	}
	if r.Parent != "" {
		key := "pipelineIdentifier"
		if r.Kind == core.EntityInfrastructure {
			key = "envIdentifier"
		}
		ref[key] = r.Parent
	}
	return map[string]any{"type": cmp.Or(entityTypes[r.Kind], string(r.Kind)), "name": name, "entityRef": ref}
}
