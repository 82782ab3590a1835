"""The luck of a match over the API: exact sums, pages, and how long an answer may be kept."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from events.store.records import Entry
from events.store.redis_store import RedisStore
from ops.servers import Server
from service.context import EXTENSION
from service.matches.luck import LuckCache
from tests.service.contract import Account
from tests.service.stored_streams import replace_stream, stream_of

ROLL = {"type": "roll_dice", "dice": 1}
PASS = {"type": "pass"}
TV = {"coins": 0, "establishments": {"tv_station": 1}}


def luck(account: Account, match_id: str, query: str = "") -> dict[str, Any]:
    answer = account.get(f"/v1/matches/{match_id}/luck{query}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json)


def adds_up(part: dict[str, Any]) -> bool:
    expected, luck, error, realised = [
        Fraction(part[name]) for name in ("expected", "luck", "error", "realised")
    ]
    return realised == expected + luck - error


@pytest.fixture
def finished(ada: Account) -> str:
    """A match of a dozen throws that ends with a resignation."""
    match_id = ada.board([[1], [3], [5], [2], [6], [1]] * 2, {}, {"establishments": {"cafe": 1}})
    ada.play_on(match_id, 24)
    assert ada.command(match_id, {"type": "resign", "seat": 0}).status_code == 201
    return match_id


def test_every_throw_adds_up_for_every_seat_and_to_zero_over_all(ada: Account, finished: str) -> None:
    shown = luck(ada, finished)
    assert (len(shown["throws"]), shown["turns"], shown["next"]) == (12, 12, None)
    for throw in [*shown["throws"], {"seats": shown["totals"]}]:
        assert all(adds_up(seat) for seat in throw["seats"])
        for name in ("expected", "luck", "error", "realised"):
            assert sum(Fraction(seat[name]) for seat in throw["seats"]) == 0


def test_totals_come_as_fractions_and_as_decimals_of_four_places(ada: Account, finished: str) -> None:
    for total in luck(ada, finished)["totals"]:
        for name, decimal in total["decimals"].items():
            assert decimal == float(round(Fraction(total[name]), 4))


def test_the_luck_of_a_match_that_is_over_may_be_kept_for_ever(ada: Account, finished: str) -> None:
    answer = ada.get(f"/v1/matches/{finished}/luck")
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    held = {"If-None-Match": answer.headers["ETag"]}
    assert ada.get(f"/v1/matches/{finished}/luck", held).status_code == 304


def test_pages_hold_every_throw_once_and_always_the_totals_of_the_whole_match(
    ada: Account, finished: str
) -> None:
    whole = luck(ada, finished)
    path: str | None = f"/v1/matches/{finished}/luck?limit=5"
    throws: list[Any] = []
    while path is not None:
        answer = ada.get(path)
        assert (answer.json["totals"], answer.json["turns"]) == (whole["totals"], whole["turns"])
        throws += answer.json["throws"]
        following = answer.headers.get("Link")
        path = following and following[1 : following.index(">")]
        assert (path is None) == (answer.json["next"] is None)
    assert throws == whole["throws"]


def test_an_open_choice_leaves_its_throw_open_and_out_of_the_totals(ada: Account) -> None:
    match_id = ada.board([[6]], TV, {"coins": 2, "establishments": {}}, {"coins": 5, "establishments": {}})
    assert ada.command(match_id, ROLL).status_code == 201
    shown = luck(ada, match_id)
    [throw] = shown["throws"]
    assert [seat["luck"] for seat in throw["seats"]] == ["25/4", "0", "-25/4"]
    assert {seat[name] for seat in throw["seats"] for name in ("error", "realised", "coins")} == {None}
    assert (shown["turns"], {total["luck"] for total in shown["totals"]}) == (0, {"0"})

    ada.command(match_id, {"type": "take_coins", "from_seat": 1})
    [settled] = luck(ada, match_id)["throws"]
    assert [seat["error"] for seat in settled["seats"]] == ["9/2", "3", "-15/2"]
    assert [seat["coins"] for seat in settled["seats"]] == [2, -2, 0]


def test_a_running_match_has_luck_that_is_not_kept(ada: Account) -> None:
    match_id = ada.board([[1], [1]], {}, {})
    path = f"/v1/matches/{match_id}/luck"
    before = ada.get(path)
    assert (before.json["throws"], before.json["turns"]) == ([], 0)
    assert before.headers["Cache-Control"] == "private, no-cache"
    assert ada.get(path, {"If-None-Match": before.headers["ETag"]}).status_code == 304
    ada.play_on(match_id, 2)
    after = ada.get(path, {"If-None-Match": before.headers["ETag"]})
    assert (after.status_code, len(after.json["throws"])) == (200, 1)
    assert after.headers["ETag"] == f'"{after.json["version"]}"'


def test_a_match_that_waits_for_players_has_no_luck_yet(ada: Account) -> None:
    match_id = ada.create(seats=[{"kind": "me"}, {"kind": "open"}])["match_id"]
    shown = luck(ada, match_id)
    assert (shown["status"], shown["throws"], shown["turns"]) == ("open", [], 0)
    assert [total["luck"] for total in shown["totals"]] == ["0", "0"]


def test_scripted_dice_have_luck_against_fair_dice(ada: Account) -> None:
    match_id = ada.board([[1]], {}, {"establishments": {}})
    ada.command(match_id, ROLL)
    [throw] = luck(ada, match_id)["throws"]
    assert [seat["luck"] for seat in throw["seats"]] == ["5/6", "-5/6"]


def test_luck_followed_as_it_happens_is_that_of_a_process_that_has_just_begun(
    ada: Account, restarted: Callable[..., FlaskClient]
) -> None:
    match_id = ada.board([[6], [2], [6], [1]], {**TV, "coins": 3}, {"coins": 9})
    shown: dict[str, Any] = {}
    take = {"type": "take_coins", "from_seat": 1}
    for command in (ROLL, take, PASS, ROLL, PASS, ROLL, take):
        assert ada.command(match_id, command).status_code == 201
        shown = luck(ada, match_id)
    fresh = restarted().get(f"/v1/matches/{match_id}/luck", headers=ada.authorization)
    assert fresh.json == shown
    assert len(shown["throws"]) == 3


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("?after=100", 400, "cursor_ahead"),
        ("?limit=0", 400, "invalid_parameter"),
        ("?limit=501", 400, "invalid_parameter"),
        ("?seat=0", 400, "invalid_parameter"),
    ],
)
def test_what_cannot_be_shown_is_refused(ada: Account, query: str, status: int, code: str) -> None:
    answer = ada.get(f"/v1/matches/{ada.create()['match_id']}/luck{query}")
    assert (answer.status_code, answer.json["code"]) == (status, code)


def test_the_luck_of_a_private_match_is_for_its_players_and_their_caches(ada: Account, bob: Account) -> None:
    match_id = ada.board([[1]], {}, {}, visibility="private")
    path = f"/v1/matches/{match_id}/luck"
    assert bob.get(path).json["code"] == "match_not_found"
    ada.command(match_id, {"type": "resign"})
    assert ada.get(path).headers["Cache-Control"] == "private, max-age=31536000, immutable"


def test_payments_that_the_rules_do_not_make_are_a_damaged_record(
    ada: Account, restarted: Callable[..., FlaskClient], events_server: Server
) -> None:
    match_id = ada.board([[1]], {}, {})
    ada.play_on(match_id, 2)
    _rewrite(
        events_server,
        match_id,
        b'["income_received",0,"wheat_field",1,1]',
        b'["income_received",0,"wheat_field",1,2]',
    )
    answer = restarted().get(f"/v1/matches/{match_id}/luck", headers=ada.authorization)
    assert (answer.status_code, answer.json["code"]) == (500, "stream_corrupt")


def _rewrite(server: Server, match_id: str, old: bytes, new: bytes) -> None:
    """Write the match's stream anew with something else in it."""
    with redis.Redis.from_url(server.admin_url) as admin:
        stream = stream_of(admin, match_id)
        assert any(old in fields[b"e"] for _, fields in stream)
        changed = [(id, {**fields, b"e": fields[b"e"].replace(old, new)}) for id, fields in stream]
        replace_stream(admin, match_id, changed)


class _Counting(RedisStore):
    """Knows which matches were read from which version on."""

    reads: list[tuple[str, int]]

    def read(self, match_id: str, after: int = 0, count: int | None = None) -> list[Entry]:
        self.reads.append((match_id, after))
        return super().read(match_id, after, count)


def test_a_throw_is_worked_out_once_and_the_matches_of_long_ago_are_forgotten(
    app: Flask, ada: Account, events_redis: redis.Redis
) -> None:
    boards = [ada.board([[1]] * 4, {}, {}) for _ in range(3)]
    for match_id in boards:
        ada.play_on(match_id, 4)
    store = _Counting(events_redis)
    store.reads = []
    luck_cache = LuckCache(store, most_throws=25)

    def ask(*asked: str) -> Sequence[int]:
        store.reads.clear()
        for match_id in asked:
            luck_cache.luck_of(app.extensions[EXTENSION].matches.load(match_id))
        return [after for _, after in store.reads]

    first, second, third = boards
    assert ask(first, second, first) == [0, 0]
    ada.play_on(first, 1)
    [resumed] = ask(first)
    assert resumed > 0
    assert ask(third, first) == [0], "the second was dropped, the first was asked for later"
    assert ask(second) == [0]


def test_the_luck_of_a_version_is_that_of_its_own_events(app: Flask, ada: Account) -> None:
    """As when another process answers from an older state, or a backup was put back."""
    match_id = ada.board([[1], [1]], {}, {})
    matches, luck_cache = app.extensions[EXTENSION].matches, app.extensions[EXTENSION].luck
    ada.play_on(match_id, 2)
    old = matches.load(match_id)
    ada.play_on(match_id, 2)
    new = matches.load(match_id)
    assert [len(luck_cache.luck_of(loaded).throws) for loaded in (new, old, new)] == [2, 1, 2]
