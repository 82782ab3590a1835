"""Events as they are read: their times, actors, members, hashes and groups."""

import hashlib
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import msgspec
import pytest
import rfc8785

from domain.audit.envelopes import batches, digest_of, hash_of, is_time, read, time_ms
from domain.match import events as ev
from tests.audited import EVENT, chained

# Times


@pytest.mark.parametrize(
    "day", ["2026-01-31", "2024-02-29", "2000-02-29", "2026-12-31", "2026-04-30", "0000-02-29", "9999-11-01"]
)
def test_a_day_that_exists_has_times(day: str) -> None:
    assert is_time(f"{day}T00:00:00.000Z")
    assert is_time(f"{day}T23:59:59.999Z")


@pytest.mark.parametrize(
    "day",
    [
        *("2026-00-10", "2026-13-10", "2026-20-10", "2026-01-00", "2026-01-32", "2026-04-31", "2026-06-31"),
        *("2026-09-31", "2026-11-31", "2026-02-29", "2024-02-30", "1900-02-29", "2100-02-29", "2026-12-32"),
    ],
)
def test_a_day_that_does_not_exist_has_no_times(day: str) -> None:
    assert not is_time(f"{day}T12:00:00.000Z")


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20T24:00:00.000Z",
        "2026-11-20T12:60:00.000Z",
        "2026-11-20T12:00:60.000Z",
        "2026-11-20T12:00:00Z",
        "2026-11-20T12:00:00.00Z",
        "2026-11-20T12:00:00.0000Z",
        "2026-11-20T12:00:00.000",
        "2026-11-20T12:00:00.000+00:00",
        "2026-11-20t12:00:00.000z",
        "2026-11-20 12:00:00.000Z",
        "2026-11-20T12:00:00.000Z\n",
        "٢٠٢٦-11-20T12:00:00.000Z",
        "",
    ],
)
def test_a_time_has_milliseconds_and_is_in_utc(text: str) -> None:
    assert not is_time(text)


@pytest.mark.parametrize("year", [1, 4, 100, 400, 1600, 1899, 1900, 1969, 1970, 2000, 2023, 2024, 2100, 9999])
def test_times_are_counted_in_milliseconds_by_the_gregorian_calendar(year: int) -> None:
    for month, day in ((1, 1), (1, 31), (2, 28), (3, 1), (4, 30), (7, 31), (10, 15), (12, 31)):
        for clock in ((0, 0, 0, 0), (23, 59, 59, 999), (10, 42, 17, 305)):
            hour, minute, second, ms = clock
            time = datetime(year, month, day, hour, minute, second, ms * 1000)
            text = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"
            assert time_ms(text) == (time - datetime(1970, 1, 1)) // timedelta(milliseconds=1)


def test_each_day_follows_the_one_before_it() -> None:
    days = [datetime(1999, 1, 1) + timedelta(days=i) for i in range(800)]
    found = [time_ms(f"{day:%Y-%m-%d}T00:00:00.000Z") for day in days]
    assert [later - earlier for earlier, later in pairwise(found)] == [86_400_000] * 799


# Members


def test_an_event_is_read_with_its_place_its_members_and_the_hash_that_it_should_have() -> None:
    found = read(9, EVENT)

    assert found.place == 9
    assert found.event == ev.TurnStarted(3, 1, "build", True, 2)
    assert msgspec.to_builtins(found.envelope) == EVENT
    assert found.true_hash == hash_of(EVENT) != EVENT["hash"]


def test_an_event_that_was_recorded_before_its_last_members_were_added_is_read() -> None:
    assert read(1, {**EVENT, "data": {"turn": 3, "seat": 1}}).event == ev.TurnStarted(3, 1)


@pytest.mark.parametrize("actor", ["seat:0", "seat:9", "account:acc_1", "account:ж", "service"])
def test_an_actor_is_a_seat_an_account_or_the_service(actor: str) -> None:
    assert read(1, {**EVENT, "actor": actor}).envelope.actor == actor


@pytest.mark.parametrize(
    "actor", ["", "seat:", "seat:10", "seat:x", "seat:٣", "account:", "account:a b", "Service", "services"]
)
def test_nobody_else_is_an_actor(actor: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="is no actor"):
        read(1, {**EVENT, "actor": actor})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": "2026-02-30T12:00:00.000Z"}, "'2026-02-30T12:00:00.000Z' is no time"),
        ({"type": "dice_stolen"}, "there is no event 'dice_stolen' of schema 1"),
        ({"schema": 2}, "there is no event 'turn_started' of schema 2"),
        ({"data": {"turn": 3, "round": 2}}, "turn_started is at fault in its member 'extra'"),
        ({"data": {"turn": 3, "seat": 1, "zeal": 1}}, "turn_started is at fault in its member 'extra'"),
        ({"data": {**EVENT["data"], "zeal": 1}}, "turn_started is at fault in its member 'zeal'"),
        ({"data": {**EVENT["data"], "turn": "3"}}, "Expected `int`, got `str`"),
        ({"surplus": 1}, "unknown field `surplus`"),
    ],
)
def test_what_is_no_event_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=message):
        read(1, {**EVENT, **change})


# Hashes and groups


def test_the_hash_of_an_event_covers_all_members_but_itself() -> None:
    covered = {name: value for name, value in EVENT.items() if name != "hash"}

    assert (
        hash_of(EVENT) == hash_of(covered) == "sha-256:" + hashlib.sha256(rfc8785.dumps(covered)).hexdigest()
    )
    for name in covered:
        assert hash_of({**EVENT, name: "another"}) != hash_of(EVENT)


@pytest.mark.parametrize("value", ["\ud800", {1: {2, 3}, (1,): object()}, {(1,): 1}])
def test_what_has_no_canonical_json_has_no_digest(value: object) -> None:
    assert digest_of(value) == ""


def test_a_value_that_contains_itself_has_no_digest() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert digest_of(endless) == ""


@pytest.mark.parametrize(
    ("ids", "sizes"),
    [("", []), ("a", [1]), ("aa", [2]), ("ab", [1, 1]), ("aabbbc", [2, 3, 1]), ("aba", [1, 1, 1])],
)
def test_events_are_grouped_by_runs_of_the_same_command(ids: str, sizes: list[int]) -> None:
    found = [
        read(place, event) for place, event in enumerate(chained([{**EVENT, "command_id": id} for id in ids]))
    ]
    groups = batches(found)

    assert [len(group) for group in groups] == sizes
    assert [one for group in groups for one in group] == found
