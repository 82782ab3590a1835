"""What is not begun: matches of who has too many, and anything new when there is no room for it."""

from collections.abc import Callable
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.store import keys
from events.store.keys import now_ms
from runtime.queue import publish_backlog
from service.context import EXTENSION
from service.matches.match_permits import CREATED_MS, HELD_MS, permits
from tests.service.contract import Account
from tests.service.served import wait_until

MATCH = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "strategy", "strategy": "random"}]}
ALONE = {"ruleset": "base", "seats": [{"kind": "strategy", "strategy": "random"}] * 2}
REFUSED = {
    "ruleset": "base",
    "seats": [{"kind": "me"}, {"kind": "me"}],
    "position": {
        "active_seat": 0,
        "phase": "build",
        "players": [{"coins": 0, "establishments": {"stadium": 2}}, {"coins": 0, "establishments": {}}],
    },
}
KEY = {"Idempotency-Key": "once"}
ELSEWHERE = {"REMOTE_ADDR": "192.0.2.7"}

Restarted = Callable[..., FlaskClient]


def _at(client: FlaskClient, account: Account) -> Account:
    """The same account at another app."""
    found = object.__new__(Account)
    found.__dict__ = {**account.__dict__, "client": client}
    return found


def _make(account: Account, body: dict[str, Any] = MATCH, **options: Any) -> TestResponse:
    return account.post("/v1/matches", body, **options)


def _assert_too_many(answer: TestResponse, whose: str) -> None:
    assert (answer.status_code, answer.json["code"]) == (429, "too_many_matches")
    assert answer.json["detail"].startswith(f"the {whose} has")
    assert int(answer.headers["Retry-After"]) >= 1


def _assert_overloaded(answer: TestResponse) -> None:
    assert (answer.status_code, answer.json["code"]) == (503, "overloaded")
    assert int(answer.headers["Retry-After"]) >= 1


def test_an_account_makes_no_further_match_until_one_is_over(restarted: Restarted, ada: Account) -> None:
    ada = _at(restarted(account_matches=2), ada)
    first = _make(ada).json
    _make(ada)
    _assert_too_many(_make(ada), "account")
    ada.command(first["match_id"], {"type": "resign"})
    wait_until(lambda: _make(ada).status_code == 201)
    _assert_too_many(_make(ada), "account")


def test_matches_of_built_in_players_take_no_permit_of_those_with_people(
    restarted: Restarted, ada: Account, bob: Account
) -> None:
    client = restarted(account_matches=2, address_matches=3)
    ada, bob = _at(client, ada), _at(client, bob)
    assert [_make(ada, ALONE).status_code for _ in range(3)] == [201, 201, 429]
    assert [_make(bob, ALONE).status_code for _ in range(2)] == [201, 429]
    open_seat = {"ruleset": "base", "seats": [{"kind": "open"}, {"kind": "strategy", "strategy": "random"}]}
    assert [_make(bob, body).status_code for body in (MATCH, open_seat, MATCH)] == [201, 201, 429]


def test_branches_count_as_matches_do(restarted: Restarted, ada: Account) -> None:
    ada = _at(restarted(account_matches=2), ada)
    made = _make(ada).json
    branch, wish = (
        f"/v1/matches/{made['match_id']}/branches",
        {"from_version": made["version"], "dice": "fresh"},
    )
    assert ada.post(branch, wish).status_code == 201
    _assert_too_many(ada.post(branch, wish), "account")
    _assert_too_many(_make(ada), "account")


def test_all_accounts_at_one_address_have_so_many_together(
    restarted: Restarted, ada: Account, bob: Account
) -> None:
    client = restarted(address_matches=2)
    ada, bob = _at(client, ada), _at(client, bob)
    assert [_make(one).status_code for one in (ada, bob)] == [201, 201]
    _assert_too_many(_make(bob), "address")
    assert _make(bob, environ_base=ELSEWHERE).status_code == 201


def test_addresses_of_one_ipv6_network_are_one(restarted: Restarted, ada: Account) -> None:
    ada = _at(restarted(address_matches=1), ada)
    assert _make(ada, environ_base={"REMOTE_ADDR": "2001:db8::1"}).status_code == 201
    _assert_too_many(_make(ada, environ_base={"REMOTE_ADDR": "2001:db8::2"}), "address")
    assert _make(ada, environ_base={"REMOTE_ADDR": "2001:db8:0:1::1"}).status_code == 201


def test_behind_a_proxy_the_address_is_the_one_that_it_saw(restarted: Restarted, ada: Account) -> None:
    ada = _at(restarted(address_matches=1, trusted_proxies=1), ada)
    answers = [_make(ada, headers={"X-Forwarded-For": f"192.0.2.{last}"}) for last in (1, 2, 1)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]


def test_a_match_that_is_refused_takes_no_permit(restarted: Restarted, ada: Account) -> None:
    ada = _at(restarted(account_matches=1), ada)
    assert _make(ada, REFUSED).json["code"] == "major_already_owned"
    assert _make(ada, REFUSED, headers=KEY).json["code"] == "major_already_owned"
    assert _make(ada).status_code == 201


def test_a_repetition_gets_its_old_answer_whatever_is_refused(restarted: Restarted, ada: Account) -> None:
    first = _make(_at(restarted(account_matches=1), ada), headers=KEY)
    for client in (restarted(account_matches=1), restarted(high_water_memory=0.0)):
        again = _make(_at(client, ada), headers=KEY)
        assert (again.status_code, again.json) == (201, first.json)


def test_a_match_that_was_refused_under_a_key_can_be_made_under_it_later(
    restarted: Restarted, ada: Account
) -> None:
    at_limit = _at(restarted(account_matches=1), ada)
    _make(at_limit)
    _assert_too_many(_make(at_limit, headers=KEY), "account")
    assert _make(ada, headers=KEY).status_code == 201


def test_matches_of_another_day_do_not_count(
    restarted: Restarted, ada: Account, queue_redis: redis.Redis
) -> None:
    """What people left unfinished is in nobody's way for ever."""
    ada = _at(restarted(account_matches=1), ada)
    made = _make(ada).json["match_id"]
    queue_redis.zadd(permits("people", ada.id), {made: now_ms() - HELD_MS - 1})
    assert _make(ada).status_code == 201


def test_a_permit_whose_match_was_never_created_becomes_free(
    restarted: Restarted, ada: Account, queue_redis: redis.Redis
) -> None:
    ada = _at(restarted(account_matches=1), ada)
    queue_redis.zadd(permits("people", ada.id), {"mat_being_made": now_ms()})
    _assert_too_many(_make(ada), "account")
    queue_redis.zadd(permits("people", ada.id), {"mat_being_made": now_ms() - CREATED_MS - 1})
    wait_until(lambda: _make(ada).status_code == 201)


def test_without_the_queue_nobody_is_refused(restarted: Restarted, ada: Account) -> None:
    ada = _at(restarted(account_matches=1, queue_redis_url="redis://127.0.0.1:1"), ada)
    assert [_make(ada).status_code for _ in range(3)] == [201] * 3


def test_when_the_store_is_nearly_full_nothing_new_is_begun_and_matches_go_on(
    restarted: Restarted, ada: Account
) -> None:
    made = _make(ada, {**MATCH, "first_seat": 0}).json
    ladder = ada.post("/v1/ladders", {"name": "Full", "ruleset": "base", "seats": 2}).json["ladder_id"]
    client = restarted(high_water_memory=0.0)
    ada = _at(client, ada)
    branch = {"from_version": made["version"], "dice": "fresh"}
    _assert_overloaded(_make(ada))
    _assert_overloaded(ada.post(f"/v1/matches/{made['match_id']}/branches", branch))
    _assert_overloaded(client.post("/v1/accounts", json={"handle": "eve"}))
    _assert_overloaded(ada.post(f"/v1/ladders/{ladder}/rounds", {"blocks": 1}))
    assert ada.command(made["match_id"], {"type": "roll_dice", "dice": 1}).status_code == 201


def test_when_too_many_turns_wait_no_match_is_made(
    restarted: Restarted, ada: Account, queue_redis: redis.Redis
) -> None:
    client = restarted(high_water_turns=500)
    publish_backlog(queue_redis, 500, "{00}")
    _assert_overloaded(_make(_at(client, ada)))
    assert client.post("/v1/accounts", json={"handle": "eve"}).status_code == 201


def test_turns_that_nobody_looks_after_wait_too(
    restarted: Restarted, ada: Account, events_redis: redis.Redis
) -> None:
    events_redis.zadd(keys.DUE, {f"mat_{number}": 1 for number in range(5)})
    assert _make(_at(restarted(high_water_turns=6), ada)).status_code == 201
    _assert_overloaded(_make(_at(restarted(high_water_turns=5), ada)))


@pytest.mark.parametrize("path", ["/v1/matches", "/v1/matches/<match_id>/branches"])
def test_new_matches_count_against_a_quota_of_the_address_too(
    app: Flask, ada: Account, bob: Account, path: str
) -> None:
    quota = app.extensions[EXTENSION].quotas["creations"]
    before = quota.spend("127.0.0.1").left
    path = path.replace("<match_id>", "mat_nowhere")
    for account in (ada, bob):
        assert account.post(path, {}).headers["RateLimit-Policy"].startswith('"matches"')
    assert quota.spend("127.0.0.1").left == before - 3
