"""Rounds that are bound to a public value, verified from the history of the ladder and the matches."""

from collections.abc import Callable
from copy import deepcopy
from typing import TypeAlias

import pytest

from domain.audit.envelopes import hash_of
from domain.audit.report import Check
from domain.ladder.derivation import seat_seed
from domain.ladder.events import STAND_IN
from domain.ladder.history import NothingToVerify
from domain.ladder.verification import NAMES, RoundReport, matches_of_round, verify_round
from tests.audited import chained, outcome
from tests.domain.ladder.bound import (
    FINISHED,
    LAST_PLAYED,
    LATER,
    OPENED,
    PINNED,
    PLAYED,
    RECORDED,
    REVEALED,
    ROUND,
    VALUE,
    VOIDED,
    Json,
    told,
)

Change: TypeAlias = Callable[[list[Json], dict[str, list[Json]]], None]


def verified(change: Change = lambda history, matches: None) -> RoundReport:
    """The report on the round after a change that an operator may make, with all hashes of the ladder made
    anew."""
    history, matches = told()
    change(history, matches)
    report = verify_round(chained(history), ROUND, matches)
    assert all(check.detail for check in report.checks if check.status in ("failed", "pending"))
    return report


def data(history: list[Json], sequence: int) -> Json:
    found: Json = history[sequence - 1]["data"]
    return found


def moved(history: list[Json], sequence: int, before: int) -> None:
    history.insert(before - 1, history.pop(sequence - 1))


def first(matches: dict[str, list[Json]]) -> list[Json]:
    """The events of the first match, of two strategies."""
    return next(iter(matches.values()))


def test_a_round_that_is_whole_is_verified_with_all_that_a_stranger_compares() -> None:
    history, matches = told()

    assert verify_round(history, ROUND, matches) == RoundReport(
        "verified",
        tuple([Check(name, "passed") for name in NAMES]),
        PINNED,
        OPENED,
        history[OPENED - 1]["hash"],
        VALUE,
        tuple(matches),
        1,
    )


def test_the_matches_of_a_round_are_those_that_count() -> None:
    history, matches = told()
    assert matches_of_round(history, ROUND) == tuple(matches)
    assert matches_of_round(history, LATER) == ("mat_d",)


def test_a_round_without_a_value_and_a_round_that_is_not_there_have_nothing_to_verify() -> None:
    history, matches = told()
    for number in (1, 4):
        report = verify_round(history, number, matches)
        assert (report.verdict, report.checks[1].detail) == (
            "failed",
            f"there is no round {number} with a public value",
        )
        assert outcome(report) == {
            **dict.fromkeys(NAMES, ("skipped", None)),
            "opening": ("failed", None),
        }
    assert (report.public_value, report.opened, report.head, report.matches) == (None, 0, "", ())


@pytest.mark.parametrize("number", [1, 4])
def test_a_round_without_a_value_is_refused_before_its_matches_are_wanted(number: int) -> None:
    history, _ = told()
    with pytest.raises(NothingToVerify, match=f"there is no round {number} with a public value"):
        matches_of_round(history, number)

    history[-1]["hash"] = ""
    assert matches_of_round(history, number) == {1: ("mat_a",), 4: ()}[number], "it may be behind the damage"


def test_a_round_that_is_opened_again_is_as_it_was_opened_first() -> None:
    def again(history: list[Json], matches: dict[str, list[Json]]) -> None:
        history.append(deepcopy(history[OPENED - 1]))
        history[-1]["data"]["opened_at_ms"] += 1

    assert verified(again).verdict == "verified"


@pytest.mark.parametrize("number", [3, STAND_IN - 1])
def test_a_round_that_seats_who_has_not_entered_is_none(number: int) -> None:
    report = verified(lambda history, matches: data(history, OPENED).update(tables=[[0, 1], [number, 0]]))

    assert outcome(report)["opening"] == ("failed", None)


def test_an_entry_is_seated_after_it_was_added() -> None:
    assert outcome(verified(lambda history, matches: moved(history, 4, OPENED)))["opening"] == (
        "failed",
        None,
    )


def test_a_history_may_be_no_more_than_the_opening() -> None:
    def alone(history: list[Json], matches: dict[str, list[Json]]) -> None:
        history[:] = [history[OPENED - 1]]
        data(history, 1)["tables"] = []

    assert (verified(alone).verdict, verified(alone).opened) == ("incomplete", 1)


# The times of the opening


@pytest.mark.parametrize(
    ("wait_ms", "is_good"),
    [(59_999, False), (60_000, True), (30 * 86_400_000, True), (30 * 86_400_000 + 1, False)],
)
def test_the_value_is_to_come_60_seconds_to_30_days_after_the_opening(wait_ms: int, is_good: bool) -> None:
    report = verified(
        lambda history, matches: data(history, OPENED).update(opened_at_ms=PINNED.at_ms - wait_ms)
    )

    assert outcome(report).get("opening") == (None if is_good else ("failed", OPENED))


@pytest.mark.parametrize("at_ms", [-1, 2**48])
def test_a_round_at_a_time_that_no_id_can_hold_is_not_looked_at_further(at_ms: int) -> None:
    report = verified(lambda history, matches: data(history, OPENED).update(opened_at_ms=at_ms))

    assert outcome(report) == {**dict.fromkeys(NAMES, ("skipped", None)), "opening": ("failed", OPENED)}
    assert report.opened == OPENED


@pytest.mark.parametrize("at_ms", [0, 2**48 - 1])
def test_the_first_and_the_last_time_that_an_id_can_hold_are_looked_at(at_ms: int) -> None:
    def at(history: list[Json], matches: dict[str, list[Json]]) -> None:
        data(history, OPENED)["opened_at_ms"] = at_ms
        data(history, OPENED)["public_value"]["at_ms"] = at_ms + 60_000

    assert "opening" not in outcome(verified(at))
    assert outcome(verified(at))["matches"][0] == "failed"


# The value


def _recorded_twice(history: list[Json], matches: dict[str, list[Json]]) -> None:
    history.insert(RECORDED, deepcopy(history[RECORDED - 1]))


def _void_before_the_value(history: list[Json], matches: dict[str, list[Json]]) -> None:
    moved(history, VOIDED, RECORDED)


def _unbegun_void_before_the_value(history: list[Json], matches: dict[str, list[Json]]) -> None:
    data(history, VOIDED)["matches"] = []
    moved(history, VOIDED, RECORDED)


@pytest.mark.parametrize(
    ("change", "sequence"),
    [
        (lambda history, matches: None, None),
        (_recorded_twice, RECORDED + 1),
        (lambda history, matches: moved(history, RECORDED, OPENED), OPENED),
        (lambda history, matches: data(history, RECORDED).update(at_ms=PINNED.at_ms - 1), RECORDED),
        (lambda history, matches: data(history, RECORDED).update(at_ms=PINNED.at_ms + 1), None),
        (lambda history, matches: data(history, RECORDED).update(value=""), RECORDED),
        (lambda history, matches: moved(history, RECORDED, LAST_PLAYED), RECORDED),
        (_void_before_the_value, RECORDED),
        (_unbegun_void_before_the_value, None),
        (lambda history, matches: history.pop(RECORDED - 1), RECORDED),
    ],
)
def test_one_value_is_recorded_after_its_time_and_before_the_play(
    change: Change, sequence: int | None
) -> None:
    assert outcome(verified(change)).get("value") == (sequence and ("failed", sequence))


def test_a_round_that_waits_for_its_value_is_incomplete() -> None:
    report = verified(lambda history, matches: history.__delitem__(slice(RECORDED - 1, None)))

    assert outcome(report) == {"value": ("pending", None), "seed": ("pending", None)}
    assert (report.verdict, report.value, report.matches, report.voided) == ("incomplete", "", (), 0)
    assert all(check.detail for check in report.checks if check.status == "pending")


# The seed


@pytest.mark.parametrize(
    ("change", "sequence"),
    [
        (lambda history, matches: history.pop(REVEALED - 1), FINISHED),
        (lambda history, matches: moved(history, REVEALED, FINISHED), FINISHED),
        (lambda history, matches: history.pop(FINISHED - 1), FINISHED),
        (lambda history, matches: data(history, REVEALED).update(seed="00" * 32), REVEALED),
        (lambda history, matches: data(history, REVEALED).update(seed="no hex"), REVEALED),
    ],
)
def test_the_seed_that_was_committed_to_is_revealed_after_the_end(change: Change, sequence: int) -> None:
    assert outcome(verified(change))["seed"] == ("failed", sequence)


def test_the_seed_of_a_round_that_is_not_finished_is_waited_for_and_so_are_its_matches() -> None:
    report = verified(lambda history, matches: history.__delitem__(slice(FINISHED - 1, None)))

    assert outcome(report) == {"seed": ("pending", None), "matches": ("pending", None)}
    assert report.checks[-1].detail.startswith("4 matches ")


# The matches


def test_matches_that_are_not_at_hand_leave_the_report_incomplete() -> None:
    def two_away(history: list[Json], matches: dict[str, list[Json]]) -> None:
        matches.popitem()
        matches.popitem()

    report = verified(two_away)
    assert (report.verdict, outcome(report)) == ("incomplete", {"matches": ("pending", None)})
    assert report.checks[-1].detail.startswith("2 matches ")


def _result(history: list[Json]) -> Json:
    found: Json = data(history, PLAYED)["results"][0]
    return found


def _without_finish(history: list[Json], matches: dict[str, list[Json]]) -> None:
    first(matches)[-1]["type"] = "match_aborted"
    _result(history)["head"] = hash_of(first(matches)[-1])


def _of_another_id(history: list[Json], matches: dict[str, list[Json]]) -> None:
    _result(history)["match_id"] = "mat_x"
    matches["mat_x"] = first(matches)


def _voided_later(history: list[Json], matches: dict[str, list[Json]]) -> None:
    moved(history, VOIDED, LAST_PLAYED)


FORGERIES: dict[str, tuple[Change, int]] = {
    "an attempt that is not the next": (
        lambda history, matches: data(history, LAST_PLAYED).update(attempt=2),
        LAST_PLAYED,
    ),
    "an attempt that was voided after it": (_voided_later, PLAYED - 1),
    "another id": (_of_another_id, PLAYED),
    "another id of a match that is away": (
        lambda history, matches: _result(history).update(match_id="mat_x"),
        PLAYED,
    ),
    "no match": (lambda history, matches: first(matches)[0].update(type="seat_taken"), PLAYED),
    "a match of another id": (lambda history, matches: first(matches)[0].update(match_id="mat_x"), PLAYED),
    "another last event": (lambda history, matches: _result(history).update(head="sha-256:00"), PLAYED),
    "other dice": (lambda history, matches: _dice(matches).update(mode="scripted"), PLAYED),
    "dice of another seed": (lambda history, matches: _dice(matches).update(commitment="sha-256:0"), PLAYED),
    "dice of another round": (lambda history, matches: _dice(matches).update(round_of="lad_1|1|0"), PLAYED),
    "dice of no round": (lambda history, matches: _dice(matches).pop("round_of"), PLAYED),
    "a seat without the value": (lambda history, matches: _seat(matches, 1).update(seed=""), PLAYED),
    "seats in another order": (lambda history, matches: _seat(matches, 0).update(seat=1), PLAYED),
    "a seat too few": (lambda history, matches: first(matches).pop(2), PLAYED),
    "an account for a strategy": (lambda history, matches: _seat(matches, 0).update(kind="account"), PLAYED),
    "another strategy": (lambda history, matches: _seat(matches, 1).update(id="greedy"), PLAYED),
    "another version": (lambda history, matches: _seat(matches, 0).update(version="2"), PLAYED),
    "a strategy for a bot": (
        lambda history, matches: _seat(matches, 0, match=2).update(kind="strategy"),
        LAST_PLAYED,
    ),
    "another bot": (lambda history, matches: _seat(matches, 1, match=3).update(id="acc_bob"), LAST_PLAYED),
    "another winner": (lambda history, matches: _result(history).update(winner=1), PLAYED),
    "a match that was not finished": (_without_finish, PLAYED),
    "a match without events": (lambda history, matches: first(matches).clear(), PLAYED),
    "a match without dice": (lambda history, matches: first(matches)[0]["data"].clear(), PLAYED),
    "a match of nothing": (lambda history, matches: first(matches)[0].update(data=None), PLAYED),
}


def _dice(matches: dict[str, list[Json]]) -> Json:
    found: Json = first(matches)[0]["data"]["dice"]
    return found


def _seat(matches: dict[str, list[Json]], seat: int, match: int = 0) -> Json:
    found: Json = [*matches.values()][match][1 + seat]["data"]
    return found


@pytest.mark.parametrize(("forge", "sequence"), FORGERIES.values(), ids=FORGERIES)
def test_a_match_that_does_not_follow_from_its_round_is_found(forge: Change, sequence: int) -> None:
    report = verified(forge)

    assert (report.verdict, outcome(report)) == ("failed", {"matches": ("failed", sequence)})


@pytest.mark.parametrize(
    ("forge", "words"),
    [
        (lambda history, matches: data(history, PLAYED).update(attempt=3), "block 2 was begun 2 times"),
        (
            lambda history, matches: _seat(matches, 0).update(kind="account"),
            "seat 0 has another player than the round laid down",
        ),
    ],
)
def test_what_a_match_has_other_than_its_round_is_told(forge: Change, words: str) -> None:
    check = next(check for check in verified(forge).checks if check.name == "matches")

    assert check.first_failed_sequence == PLAYED
    assert check.detail.removeprefix(f"{_result(told()[0])['match_id']}: ") == words


def test_a_stand_in_may_be_anybody_and_a_bot_may_have_any_version() -> None:
    def others(history: list[Json], matches: dict[str, list[Json]]) -> None:
        _seat(matches, 1, match=2).update(id="acc_y", version="7")
        _seat(matches, 0, match=2).update(version="9")

    assert verified(others).verdict == "verified"


def test_without_a_value_the_seats_add_the_hash_of_nothing() -> None:
    def unrecorded(history: list[Json], matches: dict[str, list[Json]]) -> None:
        history.pop(RECORDED - 1)
        for match in range(4):
            for seat in range(2):
                _seat(matches, seat, match).update(seed=seat_seed(""))

    assert "matches" not in outcome(verified(unrecorded))


# The chain


def test_events_that_were_recorded_before_a_member_was_added_are_read() -> None:
    def older(history: list[Json], matches: dict[str, list[Json]]) -> None:
        del data(history, VOIDED)["matches"]

    assert verified(older).verdict == "verified"


@pytest.mark.parametrize(
    "change",
    [
        {"ladder_id": "lad_2"},
        {"sequence": 8},
        {"previous_hash": "sha-256:" + "0" * 64},
        {"hash": "sha-256:" + "0" * 64},
        {"actor": "somebody"},
    ],
)
def test_what_does_not_follow_on_the_event_before_fails_and_nothing_after_it_is_read(change: Json) -> None:
    history, matches = told()
    history[RECORDED - 1] |= change

    report = verify_round(history, ROUND, matches)
    assert report.checks[0].detail
    assert outcome(report) == {
        "chain": ("failed", RECORDED),
        "value": ("pending", None),
        "seed": ("pending", None),
    }
    assert matches_of_round(history, ROUND) == ()


def test_the_first_event_follows_on_nothing() -> None:
    history, matches = told()

    assert outcome(verify_round(history[1:], ROUND, matches))["chain"] == ("failed", 1)


@pytest.mark.parametrize(
    "change",
    [
        lambda event: event.update(type="round_moved"),
        lambda event: event.pop("type"),
        lambda event: event.update(data=7),
        lambda event: event["data"].update(more=1),
        lambda event: event["data"].pop("round"),
        lambda event: event["data"].update(round="2"),
    ],
)
def test_what_is_no_event_of_a_ladder_fails_though_its_hash_holds(change: Callable[[Json], object]) -> None:
    report = verified(lambda history, matches: (change(history[RECORDED - 1]), None)[1])

    assert outcome(report)["chain"] == ("failed", RECORDED)
    assert report.value == ""


def test_an_event_with_other_members_is_told() -> None:
    report = verified(lambda history, matches: data(history, RECORDED).update(more=1))

    assert report.checks[0].detail == "it is no event of a ladder: public_value_recorded has other members"
