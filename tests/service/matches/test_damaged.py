"""A match that was changed where it lies is refused at every address; its neighbours live on."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.store import keys
from events.store.fields import unpack_events
from ops.servers import Server
from tests.events.redis_streams import other_die, rewrite
from tests.service.addresses import addresses
from tests.service.contract import Account, Contract
from tests.service.posts import MATCH, ROLL

DEADLINE_S = 60
SHOW_WHAT_IS_STORED = ("/verification", "/export")


@pytest.fixture
def admin(events_redis: redis.Redis, events_server: Server) -> Any:
    with redis.Redis.from_url(events_server.admin_url) as admin:
        yield admin


def thrown(ada: Account) -> str:
    """A match with one throw."""
    match_id: str = ada.create()["match_id"]
    assert ada.command(match_id, ROLL).status_code == 201
    return match_id


def goes_on(ada: Account) -> str:
    """A match with a throw and a decision behind it."""
    match_id = thrown(ada)
    assert ada.command(match_id, {"type": "pass"}).status_code == 201
    return match_id


def damage(admin: Any, match_id: str) -> None:
    stream = admin.xrange(keys.match(match_id))
    places = [b'"dice_rolled","roll"' in unpack_events(fields[b"e"]) for _, fields in stream]
    rewrite(admin, match_id, other_die, places.index(True))


def is_refused(answer: TestResponse) -> bool:
    return (answer.status_code, answer.json.get("code")) == (500, "stream_corrupt")


def test_every_address_refuses_a_changed_match_alike(
    ada: Account, client: FlaskClient, restarted: Callable[..., FlaskClient], admin: Any
) -> None:
    match_id, sound = thrown(ada), thrown(ada)
    damage(admin, match_id)
    fresh = restarted()
    contract: Contract = client.application.extensions["contract"]
    for address in addresses(contract, match_id):
        if address.endswith((*SHOW_WHAT_IS_STORED, "/checkpoint")):
            continue
        answer = fresh.get(address, headers=ada.authorization)
        assert answer.status_code in (400, 500), address
        assert answer.status_code == 400 or is_refused(answer), address
    for media_type in ("text/event-stream", "application/x-ndjson"):
        headers = {**ada.authorization, "Accept": media_type}
        assert is_refused(fresh.get(f"/v1/matches/{match_id}/events", headers=headers))
    for name, body in (("commands", ROLL), ("branches", {"from_version": 2, "dice": "fresh"})):
        assert is_refused(fresh.post(f"/v1/matches/{match_id}/{name}", json=body, headers=ada.authorization))
    assert fresh.get(f"/v1/matches/{sound}/state").status_code == 200
    assert [
        one["match_id"] for one in fresh.get("/v1/me/turns", headers=ada.authorization).json["items"]
    ] == [sound]
    assert {one["match_id"] for one in fresh.get("/v1/matches").json["items"]} == {match_id, sound}


def test_an_auditor_is_shown_what_is_stored(
    ada: Account, restarted: Callable[..., FlaskClient], admin: Any
) -> None:
    match_id = thrown(ada)
    damage(admin, match_id)
    fresh = restarted()
    report = fresh.get(f"/v1/matches/{match_id}/verification").json
    assert report["verdict"] == "failed"
    answer = fresh.get(f"/v1/matches/{match_id}/export")
    assert answer.status_code == 200
    assert answer.text.count('"kind":"event"') == report["version"]


def test_a_damaged_private_match_is_shown_to_nobody_else(
    ada: Account, bob: Account, restarted: Callable[..., FlaskClient], admin: Any
) -> None:
    match_id = ada.post("/v1/matches", {**MATCH, "visibility": "private"}).json["match_id"]
    assert ada.command(match_id, ROLL).status_code == 201
    damage(admin, match_id)
    fresh = restarted()
    for has_summary in (True, False):
        for headers in ({}, bob.authorization):
            answer = fresh.get(f"/v1/matches/{match_id}/export", headers=headers)
            assert (answer.status_code, answer.json["code"]) == (404, "match_not_found")
        assert fresh.get(f"/v1/matches/{match_id}/export", headers=ada.authorization).status_code == 200
        if has_summary:
            admin.delete(keys.summary(match_id))


def test_what_one_process_finds_damaged_all_refuse(
    ada: Account, client: FlaskClient, restarted: Callable[..., FlaskClient], admin: Any
) -> None:
    match_id = goes_on(ada)
    damage(admin, match_id)
    assert client.get(f"/v1/matches/{match_id}/state").status_code == 200, "it was at hand"
    assert is_refused(restarted().get(f"/v1/matches/{match_id}/state"))
    deadline = time.monotonic() + DEADLINE_S
    while not is_refused(client.get(f"/v1/matches/{match_id}/legal-commands")):
        assert time.monotonic() < deadline
    assert is_refused(ada.command(match_id, {"type": "resign"}))
    assert "\nmachi_matches_damaged 1.0\n" in client.get("/metrics").text


def test_a_page_that_meets_damage_has_the_match_refused_from_then_on(
    ada: Account, client: FlaskClient, admin: Any
) -> None:
    match_id = goes_on(ada)
    damage(admin, match_id)
    assert client.get(f"/v1/matches/{match_id}/state").status_code == 200, "it was at hand"
    assert is_refused(client.get(f"/v1/matches/{match_id}/events"))
    assert is_refused(client.get(f"/v1/matches/{match_id}/state"))
    assert is_refused(ada.command(match_id, ROLL))
