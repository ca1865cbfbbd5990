"""Who there is, and what speaks for them."""

import json

import life as stage
from life import ACCOUNT as A, HERE, NG, ORG, V1, WHERE, api, at, call, fail, found, life, same


def people():
    u, g = api("User"), api("UserGroup")
    me = call("current user", u.get_current_user_info, A)
    call("user add", u.add_users, {"emails": ["dora@example.com"], "userGroups": [], "roleBindings": []}, A)
    for name, answer in {"users": call("users", u.get_users, A), "users aggregated": call("users aggregated", u.get_aggregated_users, A)}.items():
        if answer is not None and "dora@example.com" not in json.dumps(answer):
            fail(name, str(answer)[:300])
    group = {"identifier": "sdk_group", "name": "SDK", "description": "d", **WHERE, "users": [], "notificationConfigs": [], "externallyManaged": False, "ssoLinked": False, "tags": {"a": "b"}}
    life("user group", group, {**group, "name": "SDK too"}, lambda b: g.post_user_group(b, A, **HERE), lambda: g.get_user_group(A, "sdk_group", **HERE),
         lambda b: g.put_user_group(b, A, **HERE), lambda: g.delete_user_group(A, "sdk_group", **HERE), lambda: g.get_user_group_list(A, **HERE), absent=True)
    if me is None:
        return

    s, k, t = api("ServiceAccount"), api("ApiKey"), api("Token")
    account = {"identifier": "sdk_robot", "name": "Robot", "email": "robot@service.harness.io", "description": "d", "tags": {"a": "b"}, "accountIdentifier": A, **WHERE}
    call("service account create", s.create_service_account, account, A, **HERE)
    answer = call("service account list", s.list_service_account, A, identifiers=["sdk_robot"], **HERE)
    same("service account list", [account], at(answer, "data"))
    call("service account update", s.update_service_account, {**account, "name": "Robby"}, A, "sdk_robot", **HERE)
    answer = call("service account read", s.get_aggregated_service_account, A, "sdk_robot", **HERE)
    same("service account read", {"identifier": "sdk_robot", "name": "Robby"}, at(answer, "data", "serviceAccount"))
    key = {"identifier": "sdk_key", "name": "Key", "description": "d", "tags": {}, "apiKeyType": "SERVICE_ACCOUNT", "parentIdentifier": "sdk_robot", "defaultTimeToExpireToken": 86400000, "accountIdentifier": A, **WHERE}
    call("API key create", k.create_api_key, A, body=key)
    same("API key list", [key], at(call("API key list", k.list_api_keys1, A, "SERVICE_ACCOUNT", "sdk_robot", **HERE), "data"))
    call("API key update", k.update_api_key, "sdk_key", body={**key, "name": "Keys"})
    call("API key read", k.get_aggregated_api_key, A, "SERVICE_ACCOUNT", "sdk_robot", "sdk_key", **HERE)
    token = {"identifier": "sdk_token", "name": "Token", "description": "d", "tags": {}, "apiKeyType": "SERVICE_ACCOUNT", "parentIdentifier": "sdk_robot", "apiKeyIdentifier": "sdk_key", "accountIdentifier": A, **WHERE,
             "validFrom": 1700000000000, "validTo": 4000000000000}
    text = at(call("token create", t.create_token, A, body=token), "data")
    if not isinstance(text, str) or len(text) < 40:
        fail("token create", str(text))
    answer = call("token list", t.list_aggregated_tokens, A, "SERVICE_ACCOUNT", parent_identifier="sdk_robot", api_key_identifier="sdk_key", **HERE)
    if answer is not None and not found(answer, token):
        fail("token list", str(answer)[:300])
    answer = call("token rotate", t.rotate_token, "sdk_token", A, "SERVICE_ACCOUNT", "sdk_robot", "sdk_key", rotate_timestamp=4000000000000, **HERE)
    new = at(answer, "data")
    if isinstance(new, str):  # both are good until then
        for one in (text, new):
            stage.configuration.api_key["x-api-key"] = one
            call("with the robot's token", api("Services").get_service_list, A, **HERE)
        stage.configuration.api_key["x-api-key"] = stage.TOKEN
    call("token delete", t.delete_token, "sdk_token", A, "SERVICE_ACCOUNT", "sdk_robot", "sdk_key", **HERE)
    call("API key delete", k.delete_api_key, A, "SERVICE_ACCOUNT", "sdk_robot", "sdk_key", **HERE)
    call("service account delete", s.delete_service_account, A, "sdk_robot", **HERE)

    d = api("DelegateTokenResource")
    for q in ({}, {"org_identifier": ORG}, HERE):
        answer = call("delegate token create", d.create_delegate_token, A, "sdk_pool", **q)
        same("delegate token create", {"name": "sdk_pool", "status": "ACTIVE", "accountId": A}, at(answer, "resource"))
        answer = call("delegate token list", d.get_delegate_tokens, A, status="ACTIVE", **q)
        if answer is not None and not found(answer, {"name": "sdk_pool"}):
            fail("delegate token list", str(answer)[:300])
        call("delegate token revoke", d.revoke_delegate_token, A, "sdk_pool", **q)
