"""How every match ended, signed: over the API, for anybody."""

import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import pytest
import redis
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from flask import Flask
from flask.testing import FlaskClient

from events.store import keys
from service.context import EXTENSION
from tests.e2e.audit import assert_log_whole, sha256
from tests.samples import samples_in
from tests.service.contract import Account
from tests.service.served import SIGNING_KEYS

FOREVER = "max-age=31536000, immutable"


def aborted(account: Account, **wishes: Any) -> dict[str, Any]:
    """A match of the account that was called off."""
    match_id = account.create(**wishes)["match_id"]
    return dict(account.post(f"/v1/matches/{match_id}/abort").json)


def public_keys(client: FlaskClient) -> dict[str, str]:
    items = client.get("/v1/signing-keys").json["items"]
    return {item["key_id"]: item["public_key"] for item in items}


def log(client: FlaskClient, after: int = 0) -> list[dict[str, Any]]:
    """All lines behind a number; the document tells of them in words."""
    path = f"/v1/checkpoints?after={after}"
    answer = FlaskClient(client.application).get(path, headers={"Accept": "application/x-ndjson"})
    assert answer.headers["Content-Type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines()]


def test_the_checkpoint_is_there_when_the_answer_to_the_last_command_is(
    client: FlaskClient, ada: Account
) -> None:
    match_id = ada.create()["match_id"]
    path = f"/v1/matches/{match_id}"
    before = client.get(f"{path}/checkpoint")
    assert (before.status_code, before.json["code"]) == (404, "checkpoint_not_found")
    assert before.json["detail"] == "the match is not over"
    assert before.headers["Match-Head"] == client.get(path).headers["Match-Head"]
    ada.command(match_id, {"type": "resign"})
    answer = client.get(f"{path}/checkpoint")
    head = client.get(path).headers["Match-Head"]
    events = client.get(f"{path}/events").json["items"]
    assert answer.headers["Match-Head"] == head
    assert head == f'v={answer.json["version"]}; h="{answer.json["head_hash"]}"'
    assert (answer.json["match_id"], answer.json["status"]) == (match_id, "finished")
    assert answer.json["time"] == events[-1]["time"]
    assert answer.json["rules_version"] == "base@1"
    assert answer.json == client.get("/v1/checkpoints/1").json
    assert_log_whole([answer.json], public_keys(client))


def test_pages_lead_from_the_first_checkpoint_to_the_last(client: FlaskClient, ada: Account) -> None:
    ids = [aborted(ada)["match_id"] for _ in range(5)]
    found: list[dict[str, Any]] = []
    path = "/v1/checkpoints?limit=2"
    while path:
        page = client.get(path)
        found += page.json["items"]
        path = page.headers["Link"].split(">")[0][1:] if "Link" in page.headers else ""
        assert bool(path) == (page.json["next"] is not None)
    assert [line["match_id"] for line in found] == ids
    assert_log_whole(found, public_keys(client))
    assert log(client) == found
    assert client.get("/v1/checkpoints").json == {"items": found, "next": None}
    assert client.get("/v1/checkpoints?after=3").json["items"] == found[3:]


def test_lines_are_all_that_there_are_behind_a_number(
    client: FlaskClient, ada: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.audit.checkpoint_views._READ_AT_ONCE", 2)
    assert log(client) == []
    for _ in range(5):
        aborted(ada)
    whole = log(client)
    assert [line["number"] for line in whole] == [1, 2, 3, 4, 5]
    for after in range(6):
        assert log(client, after) == whole[after:]


def test_lines_are_read_a_few_at_a_time(app: Flask, ada: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has not been sent yet is not in memory, and what is signed meanwhile is not waited for."""
    monkeypatch.setattr("service.audit.checkpoint_views._READ_AT_ONCE", 2)
    for _ in range(5):
        aborted(ada)
    answer = FlaskClient(app).get("/v1/checkpoints", headers={"Accept": "application/x-ndjson"})
    parts = answer.iter_encoded()
    sizes = [len(next(parts).splitlines())]
    aborted(ada)
    sizes += [len(part.splitlines()) for part in parts]
    answer.close()
    assert sizes == [2, 2, 1]


def test_lines_have_no_limit_and_pages_no_other_parameters(client: FlaskClient) -> None:
    refused = client.get("/v1/checkpoints?limit=1", headers={"Accept": "application/x-ndjson"})
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (400, "/limit")
    for query in ("limit=0", "limit=501", "after=-1", "after=x", "wait=1", "after=1&after=2"):
        assert client.get(f"/v1/checkpoints?{query}").json["code"] == "invalid_parameter"
    assert client.get("/v1/checkpoints", headers={"Accept": "text/html"}).status_code == 406


def test_a_number_ahead_of_the_log_is_refused(client: FlaskClient, ada: Account) -> None:
    """Lines are never removed, so whoever knows a later one has been shown another log."""
    aborted(ada)
    assert client.get("/v1/checkpoints?after=1").json == {"items": [], "next": None}
    for accept in ("application/json", "application/x-ndjson"):
        ahead = client.get("/v1/checkpoints?after=2", headers={"Accept": accept})
        assert (ahead.status_code, ahead.json["code"]) == (400, "cursor_ahead")
        assert ahead.json["max_number"] == 1


def test_one_checkpoint_can_be_kept_for_ever(client: FlaskClient, ada: Account) -> None:
    match_id = aborted(ada)["match_id"]
    for path in ("/v1/checkpoints/1", f"/v1/matches/{match_id}/checkpoint"):
        one = client.get(path)
        assert one.headers["Cache-Control"] == f"public, {FOREVER}"
        assert one.headers["ETag"].strip('"') == one.json["hash"].removeprefix("sha-256:")
        held = client.get(path, headers={"If-None-Match": one.headers["ETag"]})
        assert (held.status_code, held.data) == (304, b"")
        head = FlaskClient(client.application).head(path)
        assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", one.headers["ETag"])


@pytest.mark.parametrize("number", [0, 3, 2**53, 10**30])
def test_a_checkpoint_that_is_not_there_is_not_found(client: FlaskClient, ada: Account, number: int) -> None:
    for last in (0, 1):
        answer = client.get(f"/v1/checkpoints/{number}")
        assert (answer.status_code, answer.json["code"]) == (404, "checkpoint_not_found")
        assert answer.json["max_number"] == last
        aborted(ada)


@pytest.mark.parametrize("address", ["01", "+1", "1.0", "-1", "\u0661", "x"])
def test_a_checkpoint_has_one_address(client: FlaskClient, ada: Account, address: str) -> None:
    aborted(ada)
    assert client.get(f"/v1/checkpoints/{address}").json["code"] == "not_found"


@pytest.mark.parametrize("visibility", ["public", "unlisted", "private"])
def test_the_log_names_public_matches_alone(
    client: FlaskClient, ada: Account, bob: Account, visibility: str
) -> None:
    match_id = aborted(ada, visibility=visibility)["match_id"]
    (line,) = log(client)
    assert line["match_id"] == (match_id if visibility == "public" else None)
    assert line["match_digest"] == sha256(match_id.encode())
    path = f"/v1/matches/{match_id}/checkpoint"
    mine = ada.get(path)
    assert mine.json == line
    whose = "private" if visibility == "private" else "public"
    assert mine.headers["Cache-Control"] == f"{whose}, {FOREVER}"
    for others in (client.get(path), bob.get(path)):
        if visibility == "private":
            assert (others.status_code, others.json["code"]) == (404, "match_not_found")
        else:
            assert others.json == line


def test_the_checkpoint_of_no_match_is_not_found(client: FlaskClient) -> None:
    for match_id in ("mat_00000000000000000000000000", "nonsense"):
        assert client.get(f"/v1/matches/{match_id}/checkpoint").json["code"] == "match_not_found"


def test_a_match_that_could_not_be_signed_says_so_until_it_is(
    client: FlaskClient, ada: Account, app: Flask, events_redis: redis.Redis
) -> None:
    aborted(ada)
    events_redis.delete(keys.LINES)
    match = aborted(ada)
    assert match["status"] == "aborted"
    answer = client.get(f"/v1/matches/{match['match_id']}/checkpoint")
    assert answer.json["code"] == "checkpoint_not_found"
    assert answer.json["detail"] == "the match is over, but not signed yet: try again"


def test_matches_that_are_not_signed_are_counted(
    client: FlaskClient, ada: Account, events_redis: redis.Redis
) -> None:
    def unsigned() -> float:
        return samples_in(client.get("/metrics").text).value("machi_matches_without_checkpoint")

    aborted(ada)
    ada.create()
    assert unsigned() == 0
    events_redis.delete(keys.LINES)
    aborted(ada)
    assert unsigned() == 1


def test_keys_are_published_before_and_after_they_sign(
    client: FlaskClient, ada: Account, restarted: Callable[..., FlaskClient]
) -> None:
    expected = Ed25519PrivateKey.from_private_bytes(b"\x51" * 32).public_key().public_bytes_raw()
    answer = client.get("/v1/signing-keys")
    (item,) = answer.json["items"]
    assert (item["key_id"], item["algorithm"], item["is_current"]) == ("s1", "Ed25519", True)
    assert b64decode(item["public_key"]) == expected
    held = client.get("/v1/signing-keys", headers={"If-None-Match": answer.headers["ETag"]})
    assert held.status_code == 304
    aborted(ada)
    rotated = restarted(signing_keys=f"s2:{'52' * 32},{SIGNING_KEYS}")
    aborted(Account(rotated, "grace"))
    dropped = restarted(signing_keys=f"s2:{'52' * 32}")
    items = dropped.get("/v1/signing-keys").json["items"]
    assert [(one["key_id"], one["is_current"]) for one in items] == [("s2", True), ("s1", False)]
    assert items[1]["public_key"] == item["public_key"]
    assert dropped.get("/v1/signing-keys").headers["ETag"] != answer.headers["ETag"]
    lines = log(dropped)
    assert [line["key_id"] for line in lines] == ["s1", "s2"]
    assert_log_whole(lines, public_keys(dropped))


def test_a_match_ends_though_its_signing_key_is_refused(
    client: FlaskClient, ada: Account, restarted: Callable[..., FlaskClient]
) -> None:
    aborted(ada)
    impostor = restarted(signing_keys=f"s1:{'53' * 32}")
    assert aborted(Account(impostor, "grace"))["status"] == "aborted"
    assert len(log(client)) == 1
    assert "53" * 32 not in impostor.get("/v1/signing-keys").text


def test_without_the_store_nothing_is_told(restarted: Callable[..., FlaskClient]) -> None:
    away = restarted(events_redis_url="redis://127.0.0.1:1")
    for path in ("/v1/checkpoints", "/v1/checkpoints/1", "/v1/signing-keys"):
        for accept in ("application/json", "application/x-ndjson, application/json;q=0.5"):
            assert away.get(path, headers={"Accept": accept}).json["code"] == "store_unavailable"


def test_a_damaged_log_is_not_told(client: FlaskClient, ada: Account, events_redis: redis.Redis) -> None:
    aborted(ada)
    events_redis.xadd(keys.CHECKPOINT_LOG, {"x": "y"}, id="7-0")
    for path in ("/v1/checkpoints", "/v1/checkpoints/2"):
        assert client.get(path).status_code == 500


def test_the_services_notary_is_there_for_others(app: Flask, ada: Account) -> None:
    match_id = aborted(ada)["match_id"]
    notary = app.extensions[EXTENSION].notary
    assert notary.of_match(match_id) == notary.line(1)
