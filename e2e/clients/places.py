"""Where things live, and what is deployed where."""

import json

from life import ACCOUNT as A, HERE, NG, ORG, PROJECT, V1, WHERE, api, at, call, fail, life, refused, same

def places():
    o, v1 = api("Organization"), V1
    org = {"identifier": "sdk_short", "name": "Short", "description": "for a while", "tags": {"team": "blue"}}
    life("organization", org, {**org, "name": "Shorter", "tags": {}},
         lambda b: o.post_organization({"organization": b}, A), lambda: o.get_organization_0("sdk_short", A),
         lambda b: o.put_organization({"organization": b}, A, "sdk_short"), lambda: o.delete_organization_0("sdk_short", A),
         lambda: o.get_organization_list(A, search_term="short"), key=["organization"], gone=NG)
    life("organization v1", org, {**org, "name": "Shorter"},
         lambda b: o.create_organization({"org": b}, **v1), lambda: o.get_organization("sdk_short", **v1),
         lambda b: o.update_organization({"org": b}, "sdk_short", **v1), lambda: o.delete_organization("sdk_short", **v1),
         lambda: o.get_organizations(**v1), key=["org"])
    call("organization", o.post_organization, {"organization": {"identifier": ORG, "name": "SDK"}}, A)
    refused("organization twice", 400, "DUPLICATE_FIELD", o.post_organization, {"organization": {"identifier": ORG, "name": "SDK"}}, A)

    p, p1 = api("Project"), api("OrgProject")
    project = {"identifier": "sdk_short", "name": "Short", "orgIdentifier": ORG, "color": "#0063f7", "modules": ["CD"], "description": "for a while", "tags": {"a": ""}}
    life("project", project, {**project, "name": "Shorter", "color": "#ff0000"},
         lambda b: p.post_project({"project": b}, A, org_identifier=ORG), lambda: p.get_project("sdk_short", A, org_identifier=ORG),
         lambda b: p.put_project({"project": b}, A, "sdk_short", org_identifier=ORG), lambda: p.delete_project("sdk_short", A, org_identifier=ORG),
         lambda: p.get_project_list(A, org_identifier=ORG), key=["project"], gone=NG)
    body = {"identifier": "sdk_short", "name": "Short", "org": ORG, "color": "#0063f7", "modules": ["CD"], "description": "d", "tags": {"a": "b"}}
    life("project v1", body, {**body, "name": "Shorter"},
         lambda b: p1.create_org_scoped_project({"project": b}, ORG, **v1), lambda: p1.get_org_scoped_project(ORG, "sdk_short", **v1),
         lambda b: p1.update_org_scoped_project({"project": b}, ORG, "sdk_short", **v1), lambda: p1.delete_org_scoped_project(ORG, "sdk_short", **v1),
         lambda: p1.get_org_scoped_projects(ORG, **v1), key=["project"])
    call("project", p.post_project, {"project": {"identifier": PROJECT, "name": "SDK", "orgIdentifier": ORG, "modules": ["CD"]}}, A, org_identifier=ORG)
    call("projects of several organizations", p.get_project_list_with_multi_org_filter, A, org_identifiers=[ORG])


SERVICE = """service:
  name: Web   # kept
  identifier: web
  orgIdentifier: sdk_org
  projectIdentifier: sdk_project
  serviceDefinition:
    type: Kubernetes
    spec:
      variables:
        - {name: greeting, type: String, value: hello}
"""
ENVIRONMENT = """environment:
  name: Staging
  identifier: staging
  orgIdentifier: sdk_org
  projectIdentifier: sdk_project
  type: PreProduction
  variables:
    - {name: v, type: String, value: x}
"""
INFRASTRUCTURE = """infrastructureDefinition:
  name: Cluster
  identifier: cluster
  orgIdentifier: sdk_org
  projectIdentifier: sdk_project
  environmentRef: staging
  deploymentType: Kubernetes
  type: KubernetesDirect
  spec: {connectorRef: account.k8s, namespace: web, releaseName: r-<+INFRA_KEY>}
  allowSimultaneousDeployments: false
"""


def deployments():
    s = api("Services")
    service = {"identifier": "web", "name": "Web", "description": "a shop", "tags": {"t": "1"}, **WHERE, "yaml": SERVICE}
    life("service", service, {**service, "description": "the shop"},
         lambda b: s.create_service_v2(b, A), lambda: s.get_service_v2("web", A, **HERE), lambda b: s.update_service_v2(b, A),
         lambda: s.delete_service_v2("web", A, **HERE), lambda: s.get_service_list(A, **HERE), key=["service"], gone=NG)
    life("service without yaml", {"identifier": "bare", "name": "Bare", **WHERE}, {"identifier": "bare", "name": "Barer", **WHERE},
         lambda b: s.create_service_v2(b, A), lambda: s.get_service_v2("bare", A, **HERE), lambda b: s.upsert_service_v2(b, A),
         lambda: s.delete_service_v2("bare", A, **HERE), lambda: s.get_service_access_list(A, **HERE), key=["service"], gone=NG)
    call("service", s.create_service_v2, service, A)
    call("services at once", s.create_services_v2, A, body=[{"identifier": "two", "name": "Two", **WHERE}, {"identifier": "three", "name": "Three", **WHERE}])

    e = api("Environments")
    environment = {"identifier": "staging", "name": "Staging", "type": "PreProduction", "color": "#0063f7", "description": "d", "tags": {"t": "1"}, **WHERE, "yaml": ENVIRONMENT}
    life("environment", environment, {**environment, "description": "e"},
         lambda b: e.create_environment_v2(A, body=b), lambda: e.get_environment_v2("staging", A, **HERE), lambda b: e.update_environment_v2(A, body=b),
         lambda: e.delete_environment_v2("staging", A, **HERE), lambda: e.get_environment_list(A, **HERE), key=["environment"], gone=NG)
    life("environment without yaml", {"identifier": "prod", "name": "Prod", "type": "Production", **WHERE}, None,
         lambda b: e.upsert_environment_v2(A, body=b), lambda: e.get_environment_v2("prod", A, **HERE), None,
         lambda: e.delete_environment_v2("prod", A, **HERE), lambda: e.get_environment_access_list(A, **HERE), key=["environment"], gone=NG)
    call("environment", e.create_environment_v2, A, body=environment)
    call("environment prod", e.create_environment_v2, A, body={"identifier": "prod", "name": "Prod", "type": "Production", **WHERE})

    i = api("Infrastructures")
    infra = {"identifier": "cluster", "name": "Cluster", "environmentRef": "staging", "type": "KubernetesDirect", **WHERE, "yaml": INFRASTRUCTURE}
    changed = {**infra, "yaml": INFRASTRUCTURE.replace("namespace: web", "namespace: other")}
    life("infrastructure", infra, changed,
         lambda b: i.create_infrastructure(b, A), lambda: i.get_infrastructure("cluster", A, "staging", **HERE), lambda b: i.update_infrastructure(b, A),
         lambda: i.delete_infrastructure("cluster", A, "staging", **HERE), lambda: i.get_infrastructure_list(A, "staging", **HERE), key=["infrastructure"], gone=NG)
    call("infrastructure", i.create_infrastructure, infra, A)

    g = api("EnvironmentGroup")
    text = "environmentGroup:\n  name: All\n  identifier: all\n  orgIdentifier: sdk_org\n  projectIdentifier: sdk_project\n  description: d\n  tags: {}\n  envIdentifiers: [staging, prod]\n"
    group = {"identifier": "all", "color": "#0063f7", **WHERE, "yaml": text}
    life("environment group", group, {**group, "yaml": text.replace("[staging, prod]", "[staging]")},
         lambda b: g.post_environment_group(b, A), lambda: g.get_environment_group("all", A, **HERE), lambda b: g.update_environment_group(b, A, "all"),
         lambda: g.delete_environment_group("all", A, **HERE), lambda: g.get_environment_group_list(A, **HERE), key=["envGroup"], absent=True)

    override = "serviceOverrides:\n  environmentRef: staging\n  serviceRef: web\n  variables:\n    - {name: greeting, type: String, value: hi}\n"
    body = {"environmentIdentifier": "staging", "serviceIdentifier": "web", **WHERE, "yaml": override}
    call("override upsert", e.upsert_service_override, A, body=body)
    got = call("override list", e.get_service_overrides_list, A, "staging", **HERE)
    if got is not None and "greeting" not in json.dumps(got):
        fail("override list", str(got))
    call("override delete", e.delete_service_override, A, environment_identifier="staging", service_identifier="web", **HERE)

    o = api("ServiceOverrides")
    body = {"environmentRef": "staging", "serviceRef": "web", "type": "ENV_SERVICE_OVERRIDE", **WHERE, "yaml": "variables:\n  - name: greeting\n    type: String\n    value: hi\n"}
    answer = call("overrides v2 create", o.create_service_override, body, A)
    name = at(answer, "data", "identifier") or "staging_web"
    shown = {**{k: v for k, v in body.items() if k != "yaml"}, "spec": {"variables": [{"name": "greeting", "type": "String", "value": "hi"}]}}
    same("overrides v2 create", shown, at(answer, "data"))
    changed = {**shown, "spec": {"variables": [{"name": "greeting", "type": "String", "value": "ho"}]}}
    same("overrides v2 read", shown, at(call("overrides v2 read", o.get_service_overrides, name, A, **HERE), "data"))
    same("overrides v2 update", changed, at(call("overrides v2 update", o.update_service_override, {**body, "yaml": body["yaml"].replace("hi", "ho")}, A), "data"))
    same("overrides v2 read again", changed, at(call("overrides v2 read again", o.get_service_overrides, name, A, **HERE), "data"))
    call("overrides v2 delete", o.delete_service_override1, name, A, **HERE)
    answer = call("overrides v2 read what is gone", o.get_service_overrides, name, A, **HERE)
    if at(answer, "data"):
        fail("overrides v2 read what is gone", str(answer))


def variables():
    v = api("Variables")
    for where, q in (({}, {}), ({"orgIdentifier": ORG}, {"org_identifier": ORG}), (WHERE, HERE)):
        body = {"identifier": "sdk_var", "name": "SDK var", "description": "d", **where, "type": "String", "spec": {"valueType": "FIXED", "fixedValue": "one"}}
        life("variable", body, {**body, "spec": {"valueType": "FIXED", "fixedValue": "two"}},
             lambda b: v.create_variable({"variable": b}, A), lambda: v.get_variable("sdk_var", A, **q), lambda b: v.update_variable({"variable": b}, A),
             lambda: v.delete_variable(A, "sdk_var", **q), lambda: v.get_variable_list(A, **q), key=["variable"], absent=True)
