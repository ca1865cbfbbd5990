"""What all scenes are played with: calls of the client, and what is said of them."""

import json
import sys
import traceback

import harness_python_sdk as harness
from harness_python_sdk.rest import ApiException

URL, TOKEN, ACCOUNT = sys.argv[1:4]
ORG, PROJECT = "sdk_org", "sdk_project"
failures = []
calls = 0

# What the generator has made of these it cannot read itself: fields that no answer has, or
# keys for values. They are taken as they come.
harness.ConnectorInfo.swagger_types["spec"] = "object"
harness.ConnectorCatalogueResponse.swagger_types["catalogue"] = "object"  # newer categories
harness.Secret1.swagger_types["spec"] = "object"
harness.Filter.swagger_types["filter_properties"] = "object"
harness.ResponseDTOAddUsersResponse.swagger_types["data"] = "object"
harness.ServiceOverrideResponseV2.swagger_types["spec"] = "object"

# What is answered of what is not there: by the NG manager's routes, and by all others.
NG = (400, "RESOURCE_NOT_FOUND_EXCEPTION")
GONE = (404, "RESOURCE_NOT_FOUND_EXCEPTION")

configuration = harness.Configuration()
configuration.host = URL
configuration.api_key["x-api-key"] = TOKEN
client = harness.ApiClient(configuration)


def api(name):
    return getattr(harness, name + "Api")(client)


def plain(value):
    return client.sanitize_for_serialization(value)


def fail(what, why):
    failures.append(f"{what}: {why}")


def call(what, method, *args, **kwargs):
    """Calls a method of the client; None when it fails, which is noted."""
    global calls
    calls += 1
    try:
        return plain(method(*args, **kwargs))
    except ApiException as e:
        fail(what, f"{e.status} {(e.body or b'')[:300]}")
    except Exception as e:  # the client's own: it cannot read the answer
        fail(what, f"{type(e).__name__}: {e} {traceback.format_exc().splitlines()[-3]}")
    return None


def refused(what, status, code, method, *args, **kwargs):
    """Calls a method that must fail so."""
    global calls
    calls += 1
    try:
        got = plain(method(*args, **kwargs))
        fail(what, f"it was answered: {str(got)[:200]}")
    except ApiException as e:
        try:
            body = json.loads(e.body)
        except ValueError:
            body = {}
        if e.status != status or (code and body.get("code") != code):
            fail(what, f"{e.status} {body.get('code')}, want {status} {code}: {body.get('message')}")
    except Exception as e:
        fail(what, f"{type(e).__name__}: {e}")


def same(what, want, got, path=""):
    """Everything that was sent has come back."""
    if isinstance(want, dict):
        for k, v in want.items():
            if v is not None:
                same(what, v, (got or {}).get(k), f"{path}.{k}")
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for i, v in enumerate(want):
            same(what, v, got[i], f"{path}[{i}]")
    elif want != got:
        fail(what, f"{path[1:]} is {got!r}, not {want!r}")


def at(answer, *keys):
    for k in keys:
        answer = answer.get(k) if isinstance(answer, dict) else None
    return answer


def life(kind, sent, changed, create, read, update, remove, listed=None, key=None, gone=GONE, absent=False):
    """The life of one thing. The functions take what is sent where they send something,
    and return the answer; key leads from an answer's data to what was sent."""

    def data(answer):
        d = at(answer, "data") if isinstance(answer, dict) and "status" in answer else answer
        return at(d, *key) if key else d

    for step, fn, body in (("create", create, sent), ("read", read, None), ("update", update, changed), ("read again", read, None)):
        if fn is None:
            continue
        want = changed if step in ("update", "read again") and update else sent
        answer = call(f"{kind} {step}", fn, body) if body is not None else call(f"{kind} {step}", fn)
        if answer is not None:
            same(f"{kind} {step}", want, data(answer))
    if listed:
        answer = call(f"{kind} list", listed)
        if answer is not None and not found(answer, sent):
            fail(f"{kind} list", f"it is not there: {str(answer)[:300]}")
    call(f"{kind} delete", remove)
    if absent:
        answer = call(f"{kind} read what is gone", read)
        if answer is not None and data(answer):
            fail(f"{kind} read what is gone", f"it is there: {data(answer)}")
    else:
        refused(f"{kind} read what is gone", *gone, read)


def found(answer, sent):
    text = json.dumps(answer)
    return any(isinstance(v, str) and json.dumps(v) in text for k, v in sent.items() if k in ("identifier", "name"))


# How the client names a project in parameters, and in bodies.
HERE = {"org_identifier": ORG, "project_identifier": PROJECT}
WHERE = {"orgIdentifier": ORG, "projectIdentifier": PROJECT}
V1 = {"harness_account": ACCOUNT}
