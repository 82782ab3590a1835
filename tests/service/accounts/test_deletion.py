"""A deleted account is refused everywhere, leaves its matches and ladders, and holds nobody up."""

from collections.abc import Callable
from http.client import IncompleteRead
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from domain.match.commands import ExpireSeatSeeds
from events.ladders.ladders import Ladders
from events.store import keys
from events.store.redis_store import RedisStore
from service.accounts.accounts import Accounts
from service.accounts.tokens import digest_of
from service.context import EXTENSION, Services
from service.edge.problems import Problem
from tests.service.contract import Account
from tests.service.ladder_kit import Operated
from tests.service.open_streams import SSE, Stream
from tests.service.served import Served
from workers.operations import deletions
from workers.operations.deletions import Deletions

ME = {"kind": "me"}
OPEN = {"kind": "open"}


@pytest.fixture
def eve(sign_up: Callable[[str], Account]) -> Account:
    return sign_up("eve")


@pytest.fixture
def services(app: Flask) -> Services:
    found: Services = app.extensions[EXTENSION]
    return found


def deleted(account: Account) -> None:
    answer = account.delete(f"/v1/me?handle={account.handle}")
    assert answer.status_code == 204, answer.text


def relay(services: Services, **times: int) -> Deletions:
    """What a relay that has just started knows."""
    ladders = Ladders(RedisStore(services.events_redis))
    return Deletions(services.matches, ladders, services.events_redis, **times)


def left(services: Services, settled_ms: int = 0) -> None:
    """Let a relay finish a pass for every account on the list."""
    found = relay(services, settled_ms=settled_ms)
    while found.run():
        pass


def listed(services: Services) -> list[str]:
    members: Any = services.events_redis.zrange(keys.DELETED_ACCOUNTS, 0, -1)
    return [one.decode() for one in members]


def seat(account: Account) -> dict[str, str]:
    return {"kind": "account", "handle": account.handle}


def told(account: Account, match_id: str, types: str) -> list[dict[str, Any]]:
    return list(account.get(f"/v1/matches/{match_id}/events?types={types}").json["items"])


# The request


def test_every_token_of_a_deleted_account_is_refused_by_every_process(
    ada: Account, restarted: Callable[..., FlaskClient]
) -> None:
    """Here two apps on the same servers stand for two processes."""
    other = restarted()
    spare = ada.post("/v1/me/tokens", {"name": "spare", "scopes": ["play"]}).json["token"]
    headers = [{"Authorization": f"Bearer {token}"} for token in (ada.token, spare)]
    assert [other.get("/v1/me", headers=one).status_code for one in headers] == [200, 200]
    deleted(ada)
    for client in (other, ada.client):
        refused = [client.get("/v1/me", headers=one) for one in headers]
        assert [(one.status_code, one.json["code"]) for one in refused] == [(401, "token_invalid")] * 2


def test_a_repeated_deletion_is_refused_like_any_request_with_a_deleted_token(ada: Account) -> None:
    deleted(ada)
    again = ada.delete("/v1/me?handle=ada")
    assert (again.status_code, again.json["code"]) == (401, "token_invalid")


@pytest.mark.parametrize("query", ["", "?handle=", "?handle=bob"])
def test_nothing_is_deleted_unless_the_handle_confirms_it(ada: Account, bob: Account, query: str) -> None:
    answer = ada.delete(f"/v1/me{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
    assert answer.json["errors"][0]["pointer"] == "/handle"
    assert [one.get("/v1/me").status_code for one in (ada, bob)] == [200, 200]


def test_the_handle_confirms_in_any_spelling(ada: Account) -> None:
    assert ada.delete("/v1/me?handle=ADA").status_code == 204


def test_a_token_that_may_not_change_the_account_may_not_delete_it(ada: Account) -> None:
    scopes = ["play", "match:create", "ladder:operate"]
    spare = ada.post("/v1/me/tokens", {"name": "spare", "scopes": scopes}).json["token"]
    answer = ada.client.delete("/v1/me?handle=ada", headers={"Authorization": f"Bearer {spare}"})
    assert (answer.status_code, answer.json["code"]) == (403, "scope_missing")
    assert ada.get("/v1/me").status_code == 200


@pytest.mark.parametrize("spelling", ["ada", "ADA"])
def test_nobody_gets_the_handle_of_a_deleted_account(ada: Account, services: Services, spelling: str) -> None:
    deleted(ada)
    left(services)
    answer = ada.client.post("/v1/accounts", json={"handle": spelling})
    assert (answer.status_code, answer.json["code"]) == (409, "handle_taken")


def test_nobody_can_name_a_deleted_account_any_more(ada: Account, bob: Account) -> None:
    bob.put("/v1/me/allowed/ada")
    deleted(ada)
    assert bob.get("/v1/me/allowed").json["items"] == []
    assert bob.put("/v1/me/blocked/ada").json["code"] == "account_not_found"
    answer = bob.post("/v1/matches", {"ruleset": "base", "seats": [ME, seat(ada)]})
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/seats/1/handle")


@pytest.mark.long
def test_an_open_stream_ends_when_its_account_is_deleted(ada: Account, web: Served) -> None:
    match_id = ada.create()["match_id"]
    with Stream(web, match_id, "?after=4", Accept=SSE, **ada.authorization) as stream:
        assert stream.status == 200
        deleted(ada)
        with pytest.raises(IncompleteRead):
            stream.response.read()


# What stays of it


def test_only_the_handle_and_the_place_on_the_list_stay_of_an_account(
    ada: Account, bob: Account, events_redis: redis.Redis, services: Services
) -> None:
    ada.put("/v1/me/allowed/bob")
    ada.put("/v1/me/blocked/bob")
    Operated(ada)
    deleted(ada)
    names = [str(one, "ascii") for one in events_redis.scan_iter("mk:{acc}:*") if bob.id.encode() not in one]
    bobs = keys.token(digest_of(bob.token))
    assert sorted({*names} - {bobs}) == sorted([keys.HANDLES, keys.DELETED_ACCOUNTS])
    left(services)
    assert listed(services) == []
    assert events_redis.hget(keys.HANDLES, "ada") == ada.id.encode()


def test_a_request_that_was_under_way_gives_a_deleted_account_nothing_back(
    ada: Account, bob: Account, services: Services, events_redis: redis.Redis
) -> None:
    """A process trusts a token for a second, so it may act on what it read before the deletion."""
    accounts, tokens = services.accounts, services.tokens
    account, token = accounts.get(ada.id), tokens.get(digest_of(ada.token))
    assert account is not None
    assert token is not None
    deleted(ada)
    with pytest.raises(Problem) as refused:
        tokens.create(token, "late", ["play"], token.expires_ms)
    assert refused.value.code == "token_invalid"
    accounts.change_seating(account, "anybody")
    accounts.guests.add(ada.id, "allowed", bob.id)
    assert accounts.get(ada.id) is None
    assert not events_redis.exists(keys.tokens(ada.id), keys.listed(ada.id, "allowed"))


# Matches


def test_a_deleted_account_resigns_and_the_others_play_on(
    ada: Account, bob: Account, eve: Account, services: Services
) -> None:
    match_id = ada.create(seats=[ME, seat(bob), seat(eve)], first_seat=0)["match_id"]
    deleted(ada)
    left(services)
    state = bob.state(match_id)
    assert (state["status"], state["active_seat"]) == ("running", 1)
    assert bob.command(match_id, {"type": "roll_dice", "dice": 1}).status_code == 201
    (resigned,) = told(bob, match_id, "seat_resigned")
    assert (resigned["actor"], resigned["data"]) == ("seat:0", {"seat": 0, "reason": "command"})


def test_the_last_player_wins_and_the_match_stays_verifiable_with_the_name(
    ada: Account, bob: Account, services: Services
) -> None:
    match_id = ada.create(seats=[ME, seat(bob)])["match_id"]
    before = bob.get(f"/v1/matches/{match_id}/events").json["items"]
    deleted(ada)
    left(services)
    shown = bob.get(f"/v1/matches/{match_id}").json
    assert (shown["status"], shown["winner"], shown["seats"][0]["name"]) == ("finished", 1, "ada")
    assert bob.get(f"/v1/matches/{match_id}/events").json["items"][: len(before)] == before
    assert bob.get(f"/v1/matches/{match_id}/verification").json["verdict"] == "verified"
    for player in (ada.id, "ada", "ADA"):
        items = bob.get(f"/v1/matches?player={player}").json["items"]
        assert [one["match_id"] for one in items] == [match_id]


def test_a_board_with_one_account_at_all_seats_ends(ada: Account, bob: Account, services: Services) -> None:
    match_id = ada.create(seats=[ME, ME, ME])["match_id"]
    deleted(ada)
    left(services)
    assert bob.get(f"/v1/matches/{match_id}").json["status"] == "finished"


def test_open_matches_of_a_deleted_account_are_aborted(
    ada: Account, bob: Account, eve: Account, services: Services
) -> None:
    eve.patch("/v1/me", {"seating": "allowed"})
    joined = ada.create(seats=[ME, OPEN, OPEN])["match_id"]
    assert bob.post(f"/v1/matches/{joined}/seats", {}).status_code == 201
    watched = ada.create(seats=[OPEN, OPEN])["match_id"]
    inviting = ada.create(seats=[ME, seat(eve)])["match_id"]
    deleted(ada)
    left(services)
    found = [bob.get(f"/v1/matches/{one}").json["status"] for one in (joined, watched, inviting)]
    assert found == ["aborted"] * 3
    assert eve.get("/v1/me/invitations").json["items"] == []


def test_a_built_in_player_takes_its_seat_in_an_open_match_of_others(
    ada: Account, bob: Account, eve: Account, services: Services
) -> None:
    match_id = bob.create(seats=[ME, OPEN, OPEN], first_seat=0)["match_id"]
    assert ada.post(f"/v1/matches/{match_id}/seats", {}).status_code == 201
    deleted(ada)
    left(services)
    shown = bob.get(f"/v1/matches/{match_id}").json
    assert (shown["status"], shown["seats"][1]["kind"]) == ("open", "strategy")
    assert eve.post(f"/v1/matches/{match_id}/seats", {}).json["status"] == "running"
    for account in (bob, eve):
        account.command(match_id, {"type": "resign"})
    assert bob.get(f"/v1/matches/{match_id}/verification").json["verdict"] == "verified"


def test_its_invitations_are_declined(ada: Account, bob: Account, services: Services) -> None:
    ada.patch("/v1/me", {"seating": "allowed"})
    match_id = bob.create(seats=[ME, seat(ada)])["match_id"]
    deleted(ada)
    left(services)
    shown = bob.get(f"/v1/matches/{match_id}").json["seats"][1]
    assert (shown["kind"], shown["invited"]) == ("open", None)
    (ended,) = told(bob, match_id, "reservation_ended")
    assert ended["data"]["reason"] == "declined"


def test_a_match_that_waits_for_seeds_is_left_when_it_has_started(
    ada: Account, bob: Account, services: Services
) -> None:
    dice = {"mode": "committed", "seat_seeds": {"within_ms": 1000}}
    match_id = bob.create(seats=[ME, seat(ada)], dice=dice)["match_id"]
    deleted(ada)
    left(services)
    assert (bob.get(f"/v1/matches/{match_id}").json["status"], listed(services)) == ("open", [ada.id])
    services.matches.execute(match_id, ExpireSeatSeeds(), "service")
    left(services)
    left(services)
    assert (bob.get(f"/v1/matches/{match_id}").json["status"], listed(services)) == ("finished", [])


def test_finished_matches_are_left_alone(ada: Account, bob: Account, services: Services) -> None:
    match_id = ada.create(seats=[ME, seat(bob)])["match_id"]
    ada.command(match_id, {"type": "resign"})
    version = bob.get(f"/v1/matches/{match_id}").json["version"]
    deleted(ada)
    left(services)
    assert bob.get(f"/v1/matches/{match_id}").json["version"] == version
    assert listed(services) == []


# Ladders


def test_the_bot_withdraws_from_its_ladders(ada: Account, bob: Account, services: Services) -> None:
    ladder = Operated(bob)
    entry = {"kind": "bot", "version": "1"}
    assert ada.post(f"{ladder.path}/entries", entry).status_code == 201
    deleted(ada)
    left(services)
    (shown,) = ladder.shown()["entries"]
    assert [shown["status"], shown["removed_for"]] == ["removed", "withdrawn"]
    assert shown["player"]["handle"] == "ada"
    assert bob.post(f"{ladder.path}/entries", {**entry, "bot": "ada"}).status_code == 422


def test_rounds_of_its_ladders_go_on_unless_they_wait_for_their_owner(
    ada: Account, bob: Account, services: Services
) -> None:
    waiting, playing = Operated(ada, name="one"), Operated(ada, name="two")
    for ladder in (waiting, playing):
        for strategy in ("greedy", "random"):
            ladder.enter(strategy)
    assert waiting.open_bound().status_code == 202
    assert playing.open_round().status_code == 202
    deleted(ada)
    left(services)
    found = [bob.get(ladder.path).json["rounds"][0] for ladder in (waiting, playing)]
    assert [(one["status"], one["stopped_for"]) for one in found] == [
        ("stopped", "owner_deleted"),
        ("running", None),
    ]


# Processes that are killed


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run of a relay takes one step."""
    monkeypatch.setattr(deletions, "SHARE_S", -1.0)


@pytest.mark.usefixtures("hurried")
def test_a_relay_that_is_killed_after_any_step_leaves_the_rest_to_the_next(
    ada: Account, bob: Account, eve: Account, services: Services
) -> None:
    running = [ada.create(seats=[ME, seat(bob), ME])["match_id"] for _ in range(2)]
    aborted = ada.create(seats=[ME, OPEN])["match_id"]
    others = bob.create(seats=[ME, OPEN, OPEN])["match_id"]
    ada.post(f"/v1/matches/{others}/seats", {})
    ladder = Operated(bob)
    ada.post(f"{ladder.path}/entries", {"kind": "bot", "version": "1"})
    deleted(ada)
    relays = 0
    while listed(services):
        relays += 1
        assert relays < 100, "every relay makes some progress"
        one = relay(services, settled_ms=0)
        one.run()
        for _ in range(relays):  # this one is killed a step later than the one before
            one.run()
    states = [bob.get(f"/v1/matches/{one}").json["status"] for one in (*running, aborted, others)]
    assert states == ["finished", "finished", "aborted", "open"]
    assert ladder.shown()["entries"][0]["status"] == "removed"
    assert [len(told(bob, one, "seat_resigned")) for one in running] == [2, 2]


def test_a_service_that_is_killed_right_after_the_deletion_has_deleted_all_of_the_account(
    ada: Account, bob: Account, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = ada.create(seats=[ME, seat(bob)])["match_id"]

    def killed(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(services.tokens, "end_trust", killed)
        with pytest.raises(SystemExit):
            services.accounts.delete(ada.id)
    assert services.tokens.get(digest_of(ada.token)) is None
    left(services)
    assert bob.get(f"/v1/matches/{match_id}").json["status"] == "finished"


def test_a_deletion_that_is_sent_twice_deletes_once(ada: Account, services: Services) -> None:
    accounts: Accounts = services.accounts
    accounts.delete(ada.id)
    left(services)
    accounts.delete(ada.id)
    assert listed(services) == []


def test_a_match_that_arrives_after_the_first_pass_is_left_by_a_late_one(
    ada: Account, bob: Account, services: Services
) -> None:
    """Here another account seats it, as a request that was under way could."""
    account = services.accounts.by_handle("ada")
    assert account is not None
    deleted(ada)
    patient = relay(services, settled_ms=0, pause_ms=0)
    left(services, settled_ms=60_000)
    assert listed(services) == [ada.id], "nothing was found, but it is too early to be sure"
    late = services.accounts
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(late, "by_handle", lambda handle: account)
        patched.setattr(late, "get", lambda account_id: account)
        match_id = bob.create(seats=[ME, seat(ada)])["match_id"]
    while listed(services):
        patient.run()
    assert bob.get(f"/v1/matches/{match_id}").json["status"] == "finished"


def test_a_damaged_match_does_not_keep_others_from_being_left(
    ada: Account, bob: Account, services: Services, admin: redis.Redis
) -> None:
    whole, damaged = [ada.create(seats=[ME, seat(bob)])["match_id"] for _ in range(2)]
    admin.delete(keys.match(damaged))
    services.matches.forget(damaged)
    deleted(ada)
    left(services)
    left(services)
    assert bob.get(f"/v1/matches/{whole}").json["status"] == "finished"
    assert listed(services) == []
