"""Connectors, secrets, and the documents that pipelines are made of."""

import json
import tempfile

from life import ACCOUNT as A, GONE, HERE, NG, ORG, PROJECT, V1, WHERE, api, at, call, fail, found, life, refused, same


def connectors():
    c = api("Connectors")
    docker = {"name": "Registry", "identifier": "registry", "description": "d", **WHERE, "tags": {"a": "b"}, "type": "DockerRegistry",
              "spec": {"dockerRegistryUrl": "https://registry.example.com", "providerType": "Other", "auth": {"type": "Anonymous"}, "delegateSelectors": ["blue"], "executeOnDelegate": True}}
    for kind, spec in {
        "DockerRegistry": docker["spec"],
        "K8sCluster": {"credential": {"type": "InheritFromDelegate"}, "delegateSelectors": ["blue"]},
        "Github": {"url": "https://github.com/acme/web", "type": "Repo", "authentication": {"type": "Http", "spec": {"type": "Anonymous"}}, "executeOnDelegate": False},
        "HttpHelmRepo": {"helmRepoUrl": "https://charts.example.com", "auth": {"type": "Anonymous"}, "helmRepoType": "Http"},
        "Aws": {"credential": {"type": "InheritFromDelegate", "region": "eu-central-1"}, "executeOnDelegate": True, "delegateSelectors": ["blue"]},
    }.items():
        body = {**docker, "identifier": "sdk_" + kind.lower(), "type": kind, "spec": spec}
        shown = body
        answer = call(f"connector {kind} create", c.create_connector, {"connector": body}, A)
        same(f"connector {kind} create", shown, at(answer, "data", "connector"))
        answer = call(f"connector {kind} read", c.get_connector, A, body["identifier"], **HERE)
        same(f"connector {kind} read", shown, at(answer, "data", "connector"))
        answer = call(f"connector {kind} update", c.update_connector, {"connector": {**body, "name": "Other"}}, A)
        same(f"connector {kind} update", {**shown, "name": "Other"}, at(answer, "data", "connector"))
        call(f"connector {kind} delete", c.delete_connector, A, body["identifier"], **HERE)
        refused(f"connector {kind} read what is gone", *NG, c.get_connector, A, body["identifier"], **HERE)
    call("connector", c.create_connector, {"connector": docker}, A)
    for what, answer in {
        "list": call("connector list", c.get_connector_list, A, **HERE),
        "list by filter": call("connector list by filter", c.get_connector_list_v2, {"filterType": "Connector", "types": ["DockerRegistry"]}, A, **HERE),
        "list by name": call("connector list by name", c.list_connector_by_fqn, [f"{A}/{ORG}/{PROJECT}/registry"], A),
    }.items():
        if answer is not None and not found(answer, {"identifier": "registry"}):
            fail("connector " + what, str(answer)[:300])
    call("connector catalogue", c.get_connector_catalogue, A)
    call("connector statistics", c.get_connector_statistics, A, **HERE)
    call("connector identifier unique", c.validate_the_identifier_is_unique, A, identifier="registry", **HERE)
    call("connector test", c.get_test_connection_result, A, "registry", **HERE)


def secrets():
    s = api("Secrets")
    for where, q in (({}, {}), ({"orgIdentifier": ORG}, {"org_identifier": ORG}), (WHERE, HERE)):
        text = {"type": "SecretText", "name": "SDK", "identifier": "sdk_secret", "description": "d", **where, "tags": {"a": "b"},
                "spec": {"type": "SecretText", "secretManagerIdentifier": "harnessSecretManager", "valueType": "Inline", "value": "planted-value"}}
        shown = {**text, "spec": {k: v for k, v in text["spec"].items() if k != "value"}}
        for step, fn in (("create", lambda: s.post_secret({"secret": text}, A, **q)), ("read", lambda: s.get_secret_v2("sdk_secret", A, **q)),
                         ("update", lambda: s.put_secret(A, "sdk_secret", body={"secret": text}, **q)), ("list", lambda: s.list_secrets_v2(A, **q)),
                         ("list by filter", lambda: s.list_secrets_v3(A, body={"filterType": "Secret", "identifiers": ["sdk_secret"]}, **q))):
            answer = call(f"secret {step}", fn)
            if answer is None:
                continue
            if "planted-value" in json.dumps(answer):
                fail(f"secret {step}", "it tells the value")
            if step.startswith("list"):
                if not found(answer, text):
                    fail(f"secret {step}", str(answer)[:300])
            else:
                same(f"secret {step}", shown, at(answer, "data", "secret"))
        call("secret identifier unique", s.validate_secret_identifier_is_unique, "sdk_secret", A, **q)
        call("secret delete", s.delete_secret_v2, "sdk_secret", A, **q)
        refused("secret read what is gone", *NG, s.get_secret_v2, "sdk_secret", A, **q)
    ssh = {"type": "SSHKey", "name": "Key", "identifier": "sdk_key", **WHERE, "spec": {"port": 22, "auth": {"type": "SSH", "spec": {"credentialType": "KeyReference", "spec": {"userName": "deploy", "key": "account.none"}}}}}
    call("secret text", s.post_secret, {"secret": {"type": "SecretText", "name": "Pem", "identifier": "pem", **WHERE, "spec": {"secretManagerIdentifier": "harnessSecretManager", "valueType": "Inline", "value": "x"}}}, A, **HERE)
    ssh["spec"]["auth"]["spec"]["spec"]["key"] = "pem"
    answer = call("secret SSH create", s.post_secret, {"secret": ssh}, A, **HERE)
    same("secret SSH create", ssh, at(answer, "data", "secret"))
    call("secret SSH delete", s.delete_secret_v2, "sdk_key", A, **HERE)
    with tempfile.NamedTemporaryFile() as f:
        f.write(b"planted-value")
        f.flush()
        spec = {"secret": {"type": "SecretFile", "name": "File", "identifier": "sdk_file", **WHERE, "spec": {"type": "SecretFile", "secretManagerIdentifier": "harnessSecretManager"}}}
        call("secret file create", s.post_secret_file_v2, A, file=f.name, spec=json.dumps(spec), **HERE)
        call("secret file update", s.put_secret_file_v2, A, "sdk_file", file=f.name, spec=json.dumps(spec), **HERE)
        call("secret file delete", s.delete_secret_v2, "sdk_file", A, **HERE)


PIPELINE = """pipeline:
  name: Deploy   # kept as it is
  identifier: deploy
  projectIdentifier: sdk_project
  orgIdentifier: sdk_org
  tags: {team: blue}
  variables:
    - {name: whom, type: String, value: <+input>}

  stages:
    - stage:
        name: Say
        identifier: say
        type: Custom
        spec:
          execution:
            steps:
              - step: {name: Wait, identifier: wait, type: Wait, timeout: 1m, spec: {duration: 10s}}
"""
INPUTS = """inputSet:
  name: Friday
  identifier: friday
  orgIdentifier: sdk_org
  projectIdentifier: sdk_project
  pipeline:
    identifier: deploy
    variables:
      - {name: whom, type: String, value: everybody}
"""
OVERLAY = """overlayInputSet:
  name: Over
  identifier: over
  orgIdentifier: sdk_org
  projectIdentifier: sdk_project
  pipelineIdentifier: deploy
  inputSetReferences: [friday]
  tags: {}
"""
TRIGGER = """trigger:
  name: Nightly
  identifier: nightly
  enabled: true
  orgIdentifier: sdk_org
  projectIdentifier: sdk_project
  pipelineIdentifier: deploy
  inputSetRefs: [friday]
  source:
    type: Scheduled
    spec: {type: Cron, spec: {type: UNIX, expression: 0 3 * * *}}
"""
TEMPLATE = """template:
  name: Pause
  identifier: pause
  versionLabel: "1"
  type: Step
  projectIdentifier: sdk_project
  orgIdentifier: sdk_org
  spec: {type: Wait, timeout: 1m, spec: {duration: <+input>}}
"""
P = (A, ORG, PROJECT)


def pipelines():
    p = api("Pipeline")
    same("pipeline create", "deploy", at(call("pipeline create", p.post_pipeline_v2, PIPELINE, *P), "data", "identifier"))
    answer = call("pipeline read", p.get_pipeline, *P, "deploy")
    same("pipeline read", PIPELINE, at(answer, "data", "yamlPipeline"))
    changed = PIPELINE.replace("team: blue", "team: red")
    call("pipeline update", p.update_pipeline_v2, changed, *P, "deploy")
    same("pipeline read again", changed, at(call("pipeline read again", p.get_pipeline, *P, "deploy"), "data", "yamlPipeline"))
    for what, answer in {"list": call("pipeline list", p.get_pipeline_list, *P, body={"filterType": "PipelineSetup"}, sort=["name,ASC"]),
                         "summary": call("pipeline summary", p.get_pipeline_summary, *P, "deploy")}.items():
        if answer is not None and not found(answer, {"identifier": "deploy"}):
            fail("pipeline " + what, str(answer)[:300])

    i = api("PipelineInputSet")
    answer = call("input template", i.runtime_input_template, *P, "deploy", body={})
    if answer is not None and "whom" not in json.dumps(answer):
        fail("input template", str(answer)[:300])
    for name, text, key, create, read, update in (("input set", INPUTS, "inputSetYaml", i.post_input_set, i.get_input_set, i.put_input_set),
                                                  ("overlay", OVERLAY, "overlayInputSetYaml", i.post_overlay_input_set, i.get_overlay_input_set, i.put_overlay_input_set)):
        ident = "friday" if name == "input set" else "over"
        same(f"{name} create", text, at(call(f"{name} create", create, text, *P, "deploy"), "data", key))
        same(f"{name} read", text, at(call(f"{name} read", read, ident, *P, "deploy"), "data", key))
        changed = text.replace("name: ", "name: Late ", 1)
        same(f"{name} update", changed, at(call(f"{name} update", update, changed, *P, "deploy", ident), "data", key))
    answer = call("input set list", i.list_input_set, *P, "deploy", input_set_type="ALL")
    if answer is not None and not (found(answer, {"identifier": "friday"}) and found(answer, {"identifier": "over"})):
        fail("input set list", str(answer)[:300])

    t = api("Triggers")
    call("trigger create", t.create_trigger, TRIGGER, *P, "deploy")
    same("trigger read", TRIGGER, at(call("trigger read", t.get_trigger, *P, "deploy", "nightly"), "data", "yaml"))
    call("trigger details", t.get_trigger_details, *P, "nightly", "deploy")
    call("trigger update", t.update_trigger, TRIGGER.replace("true", "false"), *P, "deploy", "nightly")
    answer = call("trigger list", t.get_list_for_target, *P, "deploy")
    if answer is not None and not found(answer, {"identifier": "nightly"}):
        fail("trigger list", str(answer)[:300])
    call("trigger delete", t.delete_trigger, *P, "deploy", "nightly")
    refused("trigger read what is gone", *GONE, t.get_trigger, *P, "deploy", "nightly")
    call("overlay delete", i.delete_input_set, "over", *P, "deploy")
    call("input set delete", i.delete_input_set, "friday", *P, "deploy")
    refused("input set read what is gone", *GONE, i.get_input_set, "friday", *P, "deploy")
    call("pipeline delete", p.delete_pipeline, *P, "deploy")
    refused("pipeline read what is gone", *GONE, p.get_pipeline, *P, "deploy")

    v, s = api("Pipelines"), api("InputSets")
    body = {"pipeline_yaml": PIPELINE, "identifier": "deploy", "name": "Deploy", "description": "", "tags": {"team": "blue"}, "git_details": {"store_type": "INLINE"}}
    call("pipeline v1 create", v.create_pipeline, body, ORG, PROJECT, **V1)
    same("pipeline v1 read", {"pipeline_yaml": PIPELINE, "identifier": "deploy", "org": ORG, "project": PROJECT}, call("pipeline v1 read", v.get_pipeline, ORG, PROJECT, "deploy", **V1))
    call("pipeline v1 update", v.update_pipeline, body, ORG, PROJECT, "deploy", **V1)
    call("pipeline v1 list", v.list_pipelines, ORG, PROJECT, sort="name", order="ASC", **V1)
    body = {"input_set_yaml": INPUTS, "identifier": "friday", "name": "Friday", "description": "", "tags": {}}
    life("input set v1", {k: x for k, x in body.items() if k != "git_details"}, None, lambda b: s.create_input_set(b, "deploy", ORG, PROJECT, **V1),
         lambda: s.get_input_set(ORG, PROJECT, "friday", "deploy", **V1), None, lambda: s.delete_input_set(ORG, PROJECT, "friday", "deploy", **V1),
         lambda: s.list_input_sets(ORG, PROJECT, "deploy", **V1))
    call("pipeline v1 delete", v.delete_pipeline, ORG, PROJECT, "deploy", **V1)
    refused("pipeline v1 read what is gone", *GONE, v.get_pipeline, ORG, PROJECT, "deploy", **V1)


def catalogue():
    t = api("Templates")
    call("template create", t.create_template, TEMPLATE, A, **HERE)
    second = TEMPLATE.replace('"1"', '"2"')
    call("template second version", t.create_template, second, A, comments="second", **HERE)
    same("template read", TEMPLATE, at(call("template read", t.get_template, A, "pause", version_label="1", **HERE), "data", "yaml"))
    changed = second.replace("1m", "2m")
    call("template update", t.update_existing_template_version, changed, A, "pause", "2", **HERE)
    same("template read again", changed, at(call("template read again", t.get_template, A, "pause", version_label="2", **HERE), "data", "yaml"))
    call("template stable", t.update_stable_template, A, "pause", "2", **HERE)
    same("template stable read", changed, at(call("template stable read", t.get_template, A, "pause", **HERE), "data", "yaml"))
    call("template inputs", t.get_template_input_set_yaml, A, "pause", "2", **HERE)
    answer = call("template list", t.get_template_metadata_list, A, "All", body={"filterType": "Template"}, **HERE)
    if answer is not None and not found(answer, {"identifier": "pause"}):
        fail("template list", str(answer)[:300])
    call("template delete", t.delete_template_version, A, "pause", "1", **HERE)
    call("template delete the stable", t.delete_template_version, A, "pause", "2", **HERE)
    refused("template read what is gone", *NG, t.get_template, A, "pause", version_label="2", **HERE)
    v = api("ProjectTemplate")
    call("template v1 create", v.create_templates_project, ORG, PROJECT, body={"template_yaml": TEMPLATE, "is_stable": True, "comments": "c"}, **V1)
    answer = call("template v1 read", v.get_template_project, PROJECT, "pause", ORG, "1", **V1)
    same("template v1 read", {"identifier": "pause", "version_label": "1", "yaml": TEMPLATE}, at(answer, "template") or answer)
    call("template v1 read the stable", v.get_template_stable_project, ORG, PROJECT, "pause", **V1)
    call("template v1 update", v.update_template_project, PROJECT, "pause", ORG, "1", body={"template_yaml": TEMPLATE.replace("1m", "3m"), "comments": "c"}, **V1)
    call("template v1 list", v.get_templates_list_project, ORG, PROJECT, **V1)
    call("template v1 delete", v.delete_template_project, PROJECT, "pause", ORG, "1", **V1)

    f = api("FreezeCRUD")
    freeze = "freeze:\n  name: Holidays\n  identifier: holidays\n  entityConfigs:\n    - name: all\n      entities:\n        - {type: Service, filterType: All}\n        - {type: EnvType, filterType: All}\n  status: Disabled\n  orgIdentifier: sdk_org\n  projectIdentifier: sdk_project\n  windows:\n    - {timeZone: Europe/Berlin, startTime: 2030-12-24 00:00 AM, duration: 2d}\n"
    freeze = freeze.replace("00:00 AM", "01:00 AM")
    call("freeze create", f.create_freeze, freeze, A, **HERE)
    same("freeze read", freeze, at(call("freeze read", f.get_freeze, A, "holidays", **HERE), "data", "yaml"))
    call("freeze update", f.update_freeze, freeze.replace("2d", "3d"), A, "holidays", **HERE)
    call("freeze enable", f.update_freeze_status, A, "Enabled", body=["holidays"], **HERE)
    call("freeze list", f.get_freeze_list, A, **HERE)
    call("freeze global", f.get_global_freeze, A, **HERE)
    call("freeze delete", f.delete_freeze, A, "holidays", **HERE)

    f = api("Filter")
    for kind, prefix, props in (("PipelineSetup", "pipeline", {"name": "web"}), ("Template", "template", {"templateNames": ["x"]}), ("Connector", "", {"types": ["Github"]})):
        body = {"name": "Mine", "identifier": "mine", **WHERE, "filterProperties": {"filterType": kind, **props}, "filterVisibility": "OnlyCreator"}
        name = {"pipeline": "pipeline{}_filter", "template": "template{}_filter", "": "{}_filter"}[prefix]
        shown = {k: x for k, x in body.items() if k != "filterProperties"}
        life(f"filter {kind}", shown, {**shown, "name": "Ours"}, lambda b: getattr(f, name.format("post"))({**body, **b}, A),
             lambda: getattr(f, name.format("get"))(A, "mine", kind, **HERE), lambda b: getattr(f, name.format("update"))({**body, **b}, A),
             lambda: getattr(f, name.format("delete"))(A, "mine", kind, **HERE), absent=True)

    f = api("FileStore")
    call("folder create", f.create, A, name="config", identifier="config", type="FOLDER", parent_identifier="Root", **HERE)
    with tempfile.NamedTemporaryFile(suffix=".yaml") as b:
        b.write(b"replicas: 2\n")
        b.flush()
        call("file create", f.create, A, name="values.yaml", identifier="values", type="FILE", parent_identifier="config", file_usage="CONFIG", mime_type="text/yaml", content=b.name, **HERE)
    answer = call("file read", f.get_file, "values", A, **HERE)
    same("file read", {"identifier": "values", "name": "values.yaml", "type": "FILE", "parentIdentifier": "config", "fileUsage": "CONFIG"}, at(answer, "data"))
    call("file list", f.list_files_and_folders, A, **HERE)
    call("file nodes", f.get_folder_nodes, {"identifier": "Root", "name": "Root", "type": "FOLDER"}, A, **HERE)
    call("file delete", f.delete_file, A, "values", **HERE)
    call("folder delete", f.delete_file, A, "config", **HERE)
