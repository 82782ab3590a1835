"""Ladders over the API: made, entered, shown, listed, and by whom."""

from collections.abc import Callable
from typing import Any

import pytest
import rfc8785
from flask import Flask
from flask.testing import FlaskClient

from domain.canonical import sha256
from domain.match.rulesets import CURRENT, digest
from runtime.strategies import LUCK_VERSIONS
from service.ladders.new_ladder import MOST_LADDERS
from tests.service.contract import Account
from tests.service.ladder_kit import LADDERS, Operated

PLAIN = {"name": "Base for two", "ruleset": "base", "seats": 2}


def with_scopes(account: Account, *scopes: str) -> Account:
    """The same account with another token."""
    made = account.post("/v1/me/tokens", {"name": "other", "scopes": [*scopes]})
    twin = object.__new__(Account)
    twin.client, twin.handle, twin.id, twin.token = (
        account.client,
        account.handle,
        account.id,
        made.json["token"],
    )
    return twin


def test_a_ladder_is_made_with_every_default_filled_in(ada: Account) -> None:
    made = ada.post(LADDERS, PLAIN)
    assert (made.status_code, made.headers["Location"]) == (201, f"{LADDERS}/{made.json['ladder_id']}")
    shown = made.json
    assert (shown["owner"], shown["season"], shown["entries"], shown["rounds"]) == (ada.id, 0, [], [])
    config = shown["config"]
    assert config["options"] == {"box": "four_player", "market": "open", "max_copies": None, "card_costs": {}}
    assert (config["rules_version"], config["rules_digest"]) == ("base@1", digest(CURRENT["base"]))
    assert (config["luck"], config["luck_version"], config["meetings"]) == (
        "wins",
        LUCK_VERSIONS["base"],
        20,
    )
    assert len(config["seed"]) == 64


def test_the_digest_is_that_of_the_configuration_as_it_is_shown(ada: Account) -> None:
    shown = Operated(ada).shown()
    assert shown["digest"] == sha256(rfc8785.dumps(shown["config"]))


def test_two_ladders_draw_from_two_seeds_and_a_given_seed_is_taken(ada: Account) -> None:
    first, second, given = Operated(ada), Operated(ada), Operated(ada, seed="ab" * 32)
    assert first.shown()["config"]["seed"] != second.shown()["config"]["seed"]
    assert given.shown()["config"]["seed"] == "ab" * 32


def test_what_is_wished_for_is_in_the_configuration(ada: Account) -> None:
    wishes: dict[str, Any] = {
        "ruleset": "machi_koro_2",
        "seats": 4,
        "luck": "off",
        "rating": {"anchor": "random", "anchor_rating": 1000},
        "meetings": 3,
        "random_percent": 50,
        "clock_ms": 2000,
        "suspension": {"window": 5, "most_faults": 0, "probes": 1},
    }
    config = Operated(ada, **wishes).shown()["config"]
    for name in ("seats", "luck", "meetings", "random_percent", "clock_ms", "suspension"):
        assert config[name] == wishes[name]
    assert config["rating"] == {
        "method": "winner_plackett_luce@1",
        "anchor": "random",
        "anchor_rating": 1000,
        "prior_half_wins": 1,
        "replicates": 1000,
        "provisional_above": 75,
    }


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 65}, "/name"),
        ({"seats": 6}, "/seats"),
        ({"seats": 1}, "/seats"),
        ({"options": {"market": "rows"}}, "/options/market"),
        ({"luck": "dice"}, "/luck"),
        ({"seed": "AB" * 32}, "/seed"),
        ({"rating": {"method": "elo@1"}}, "/rating/method"),
        ({"rating": {"replicates": 9}}, "/rating/replicates"),
        ({"rating": {"anchor": "nobody"}}, "/rating/anchor"),
        ({"suspension": {"window": 5, "most_faults": 5}}, "/suspension/most_faults"),
        ({"suspension": {"window": 2}}, "/suspension/most_faults"),
        ({"clock_ms": 10}, "/clock_ms"),
        ({"colour": "red"}, "/colour"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused_with_a_pointer(
    ada: Account, wrong: dict[str, Any], pointer: str
) -> None:
    refused = ada.post(LADDERS, {**PLAIN, "options": {"box": "four_player"}, **wrong})
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, pointer)


def test_a_ladder_is_made_with_a_token_that_may_operate_one(ada: Account, client: FlaskClient) -> None:
    assert client.post(LADDERS, json=PLAIN).json["code"] == "token_missing"
    assert with_scopes(ada, "play", "match:create").post(LADDERS, PLAIN).json["code"] == "scope_missing"
    assert with_scopes(ada, "ladder:operate").post(LADDERS, PLAIN).status_code == 201


def test_an_account_has_so_many_ladders_at_most(
    ada: Account, bob: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_LADDERS == 100
    monkeypatch.setattr("service.ladders.new_ladder.MOST_LADDERS", 2)
    key = {"Idempotency-Key": "third"}
    Operated(ada), Operated(ada)
    for _ in range(2):
        refused = ada.post(LADDERS, PLAIN, key)
        assert (refused.status_code, refused.json["code"]) == (409, "too_many_ladders")
    assert bob.post(LADDERS, PLAIN).status_code == 201
    monkeypatch.setattr("service.ladders.new_ladder.MOST_LADDERS", 3)
    assert ada.post(LADDERS, {**PLAIN, "name": "other"}, key).status_code == 201


def test_a_place_of_a_ladder_that_was_never_made_is_given_to_another(
    ada: Account, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    from events.store import keys
    from tests.service.ladder_kit import services_of

    monkeypatch.setattr("service.ladders.new_ladder.MOST_LADDERS", 1)
    services_of(app).events_redis.sadd(keys.ladders(ada.id), "lad_01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert ada.post(LADDERS, PLAIN).status_code == 201
    assert ada.post(LADDERS, PLAIN).json["code"] == "too_many_ladders"


def test_ladders_are_listed_the_newest_first_page_by_page(ada: Account, client: FlaskClient) -> None:
    ids = [Operated(ada).id for _ in range(5)]
    found: list[str] = []
    path = f"{LADDERS}?limit=2"
    while path:
        page = client.get(path)
        found += [item["ladder_id"] for item in page.json["items"]]
        path = page.headers["Link"].split(">")[0][1:] if "Link" in page.headers else ""
    assert found == ids[::-1]
    assert client.get(LADDERS).json["items"][0]["entries"] == 0


def test_a_ladder_that_is_not_there_is_not_found(ada: Account, client: FlaskClient) -> None:
    for ladder_id in ("lad_01ARZ3NDEKTSV4RRFFQ69G5FAV", "lad_x", "mat_01ARZ3NDEKTSV4RRFFQ69G5FAV"):
        for below in ("", "/standings", "/crosstable", "/results", "/matches", "/events", "/tests/1"):
            assert client.get(f"{LADDERS}/{ladder_id}{below}").json["code"] == "ladder_not_found"
        assert ada.post(f"{LADDERS}/{ladder_id}/rounds", {"blocks": 1}).json["code"] == "ladder_not_found"


def test_who_has_a_version_of_a_ladder_is_not_sent_it_again(ada: Account, client: FlaskClient) -> None:
    ladder = Operated(ada)
    etag = client.get(ladder.path).headers["ETag"]
    assert client.get(ladder.path, headers={"If-None-Match": etag}).status_code == 304
    ladder.enter("greedy")
    assert client.get(ladder.path, headers={"If-None-Match": etag}).status_code == 200


# Entries


def test_the_owner_enters_a_built_in_player_in_the_version_there_is(ada: Account) -> None:
    ladder = Operated(ada)
    entry_id = ladder.enter("greedy")
    (entry,) = ladder.shown()["entries"]
    assert entry["entry_id"] == entry_id
    assert entry["player"] == {"kind": "strategy", "name": "greedy", "version": "2"}
    assert (entry["name"], entry["owner"], entry["status"]) == ("greedy", "service", "active")


def test_a_built_in_player_may_take_part_under_two_names_but_not_under_one(ada: Account) -> None:
    ladder = Operated(ada)
    ladder.enter("greedy", name="one")
    ladder.enter("greedy", name="two")
    refused = ada.post(f"{ladder.path}/entries", {"kind": "strategy", "strategy": "greedy", "name": "one"})
    assert (refused.status_code, refused.json["code"]) == (409, "already_entered")


def test_a_player_that_is_not_there_cannot_be_entered(ada: Account) -> None:
    ladder = Operated(ada)
    refused = ada.post(f"{ladder.path}/entries", {"kind": "strategy", "strategy": "wizard"})
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/strategy")
    refused = ada.post(f"{ladder.path}/entries", {"kind": "bot", "bot": "nobody", "version": "1"})
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/bot")
    assert refused.json["errors"][0]["code"] == "account_not_found"


def test_a_bot_enters_itself_with_a_token_that_can_only_play(ada: Account, bob: Account) -> None:
    ladder, bot = Operated(ada), with_scopes(bob, "play")
    made = bot.post(f"{ladder.path}/entries", {"kind": "bot", "version": "7"})
    assert made.status_code == 201
    assert made.json["player"] == {"kind": "bot", "handle": "bob", "account": bob.id, "version": "7"}
    assert (made.json["name"], made.json["owner"]) == ("bob 7", bob.id)
    again = bot.post(f"{ladder.path}/entries", {"kind": "bot", "version": "7"})
    assert again.json["code"] == "already_entered"


def test_a_new_version_of_a_bot_takes_the_place_of_the_one_before(ada: Account, bob: Account) -> None:
    ladder = Operated(ada)
    for version in ("7", "8"):
        assert bob.post(f"{ladder.path}/entries", {"kind": "bot", "version": version}).status_code == 201
    old, new = ladder.shown()["entries"]
    assert (old["status"], old["removed_for"], new["status"]) == ("removed", "new_version", "active")


def test_nobody_enters_a_player_but_the_owner_and_the_bot_itself(
    ada: Account, bob: Account, sign_up: Callable[[str], Account]
) -> None:
    ladder, eve = Operated(ada), sign_up("eve")
    path = f"{ladder.path}/entries"
    for body in ({"kind": "strategy", "strategy": "random"}, {"kind": "bot", "bot": "ada", "version": "1"}):
        assert eve.post(path, body).json["code"] == "not_ladder_owner"
    weak = with_scopes(ada, "play")
    assert weak.post(path, {"kind": "strategy", "strategy": "random"}).json["code"] == "scope_missing"
    assert with_scopes(bob, "match:create").post(path, {"kind": "bot", "version": "1"}).status_code == 403
    assert ada.post(path, {"kind": "bot", "bot": "bob", "version": "1"}).status_code == 201


def test_an_entry_is_taken_out_by_the_owner_or_the_bot_itself_once(ada: Account, bob: Account) -> None:
    ladder = Operated(ada)
    greedy = ladder.enter("greedy")
    bot = bob.post(f"{ladder.path}/entries", {"kind": "bot", "version": "1"}).json["entry_id"]
    assert bob.delete(f"{ladder.path}/entries/{greedy}").json["code"] == "not_ladder_owner"
    assert bob.delete(f"{ladder.path}/entries/{bot}").status_code == 204
    for _ in range(2):
        assert ada.delete(f"{ladder.path}/entries/{greedy}").status_code == 204
    assert [entry["status"] for entry in ladder.shown()["entries"]] == ["removed"] * 2
    assert ladder.shown()["version"] == 5
    unknown = ada.delete(f"{ladder.path}/entries/ent_01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert (unknown.status_code, unknown.json["code"]) == (404, "entry_not_found")


def test_a_bot_that_has_withdrawn_is_entered_again_by_nobody_but_itself(ada: Account, bob: Account) -> None:
    ladder, bot = Operated(ada), with_scopes(bob, "play")
    path = f"{ladder.path}/entries"
    entered = ada.post(path, {"kind": "bot", "bot": "bob", "version": "1"}).json["entry_id"]
    assert bot.delete(f"{path}/{entered}").status_code == 204
    assert ladder.shown()["entries"][0]["removed_for"] == "withdrawn"
    for version in ("1", "2"):
        refused = ada.post(path, {"kind": "bot", "bot": "bob", "version": version})
        assert (refused.status_code, refused.json["code"]) == (409, "entry_not_active")
        assert refused.json["errors"][0]["pointer"] == "/bot"
    assert bot.post(path, {"kind": "bot", "version": "2"}).status_code == 201
    assert ada.post(path, {"kind": "bot", "bot": "bob", "version": "3"}).status_code == 201


def test_a_bot_that_the_owner_took_out_may_be_entered_again_by_the_owner(ada: Account, bob: Account) -> None:
    ladder = Operated(ada)
    path = f"{ladder.path}/entries"
    entered = bob.post(path, {"kind": "bot", "version": "1"}).json["entry_id"]
    assert ada.delete(f"{path}/{entered}").status_code == 204
    assert ladder.shown()["entries"][0]["removed_for"] == "command"
    assert ada.post(path, {"kind": "bot", "bot": "bob", "version": "2"}).status_code == 201


def test_so_many_take_part_at_most(ada: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.ladder.decide.MOST_ENTRIES", 1)
    ladder = Operated(ada)
    ladder.enter("greedy")
    refused = ada.post(f"{ladder.path}/entries", {"kind": "strategy", "strategy": "random"})
    assert (refused.status_code, refused.json["code"]) == (409, "too_many_entries")


# Seasons


def test_a_season_opens_with_new_rules_and_a_new_seed(ada: Account) -> None:
    ladder = Operated(ada, luck="off")
    before = ladder.shown()
    opened = ada.post(f"{ladder.path}/seasons", {"rating": {"anchor": "random"}})
    assert (opened.status_code, opened.json["season"]) == (201, 1)
    after = opened.json
    assert after["config"]["rating"]["anchor"] == "random"
    assert after["config"]["luck"] == "off"
    assert after["config"]["seed"] != before["config"]["seed"]
    assert after["digest"] == sha256(rfc8785.dumps(after["config"]))
    assert ada.post(f"{ladder.path}/seasons").json["season"] == 2


def test_nobody_opens_a_season_but_the_owner(ada: Account, bob: Account) -> None:
    ladder = Operated(ada)
    assert bob.post(f"{ladder.path}/seasons", {}).json["code"] == "not_ladder_owner"
    assert ladder.shown()["season"] == 0


def test_no_season_opens_while_a_round_is_not_finished(ada: Account) -> None:
    ladder = Operated(ada)
    ladder.enter("greedy"), ladder.enter("random")
    ladder.open_round()
    refused = ada.post(f"{ladder.path}/seasons", {})
    assert (refused.status_code, refused.json["code"]) == (409, "round_running")


# History


def test_the_history_is_a_chain_that_anybody_can_check(ada: Account, client: FlaskClient) -> None:
    ladder = Operated(ada)
    for number in range(4):
        ladder.enter("greedy", name=f"greedy {number}")
    found: list[Any] = []
    path = f"{ladder.path}/events?limit=2"
    while path:
        page = client.get(path)
        found += page.json["items"]
        path = page.headers["Link"].split(">")[0][1:] if "Link" in page.headers else ""
    assert [event["sequence"] for event in found] == [1, 2, 3, 4, 5]
    previous = "sha-256:" + "0" * 64
    for event in found:
        covered = {name: value for name, value in event.items() if name != "hash"}
        assert (event["previous_hash"], event["hash"]) == (previous, sha256(rfc8785.dumps(covered)))
        previous = event["hash"]
    assert ladder.shown()["head"] == previous
    assert client.get(f"{ladder.path}/events?after=6").json["code"] == "cursor_ahead"


def test_a_damaged_history_is_told_as_such(ada: Account, app: Flask, events_server: Any) -> None:
    import redis

    from events.store import keys

    ladder = Operated(ada)
    ladder.enter("greedy")
    with redis.Redis.from_url(events_server.admin_url) as admin:
        stream: Any = admin.xrange(keys.ladder(ladder.id))
        admin.xdel(keys.ladder(ladder.id), stream[0][0])
    fresh = app.extensions["machi"].ladders
    fresh.forget(ladder.id)
    answer = ada.get(ladder.path)
    assert (answer.status_code, answer.json["code"]) == (500, "stream_corrupt")
    sound = Operated(ada).id
    assert [item["ladder_id"] for item in ada.get(LADDERS).json["items"]] == [sound]


def test_luck_in_wins_is_refused_and_coins_are_the_default_without_a_value_function(
    ada: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.ladders.new_ladder.LUCK_VERSIONS", {})
    refused = ada.post(LADDERS, {**PLAIN, "luck": "wins"})
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/luck")
    config = Operated(ada).shown()["config"]
    assert (config["luck"], config["luck_version"]) == ("coins", "")


UNSEEN = {
    "a blank": " ",
    "an ideographic blank": "\u3000",
    "a blank in front": " Cup",
    "a blank behind": "Cup ",
    "a new line": "Cup\n1",
    "an escape": "Cup\x1b[2J",
    "a null": "Cup\0",
    "text from right to left": "Cup\u202e1",
    "an isolate": "Cup\u20661",
    "a mark of direction": "Cup\u200f",
    "nothing that is seen": "\u200b",
    "a joiner alone": "\u200d",
    "a byte order mark": "\ufeffCup",
}


@pytest.mark.parametrize("name", UNSEEN.values(), ids=UNSEEN)
def test_a_name_that_is_not_what_it_looks_like_is_refused(ada: Account, name: str) -> None:
    ladder = Operated(ada)
    for path, body in (
        (LADDERS, PLAIN),
        (f"{ladder.path}/entries", {"kind": "strategy", "strategy": "greedy"}),
        (f"{ladder.path}/entries", {"kind": "bot", "version": "1"}),
    ):
        refused = ada.post(path, {**body, "name": name})
        assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/name")


@pytest.mark.parametrize(
    "name", ["x", "Карти й пекарні", "Máchi  Koro", "\u0645\u06cc\u200c\u062e", "\U0001f3b2 2"]
)
def test_names_of_any_script_are_taken(ada: Account, name: str) -> None:
    assert Operated(ada, name=name).shown()["name"] == name
