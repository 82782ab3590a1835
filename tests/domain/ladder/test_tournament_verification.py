"""A tournament is verified from the exported history of its ladder, and what was forged in it is found."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from domain.ladder import decide
from domain.ladder.tournament.schedule import start
from domain.ladder.tournament.verification import (
    TournamentReport,
    last_tournament,
    matches_of_tournament,
    verify_tournament,
)
from tests.audited import chained
from tests.domain.ladder.bound import Json
from tests.domain.ladder.tournaments import Cup, better, by_chance

KINDS = ("round_robin", "swiss", "knock_out")
Change: TypeAlias = Callable[[list[Json]], None]


def told(kind: str, seats: int = 2) -> Cup:
    return Cup(kind, 7, seats).start().play_out(by_chance(3))


def failed(report: TournamentReport) -> set[str]:
    assert all(check.detail for check in report.checks if check.status in ("failed", "pending"))
    return {check.name for check in report.checks if check.status == "failed"}


def forged(cup: Cup, change: Change) -> TournamentReport:
    """The report after a change, with all hashes of the ladder made anew."""
    history = cup.history()
    change(history)
    return verify_tournament(chained(history), 1, cup.matches)


def of_type(history: list[Json], name: str, at: int = 0) -> Json:
    found: Json = [event for event in history if event["type"] == name][at]["data"]
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seats", [2, 3])
def test_a_whole_tournament_is_verified(kind: str, seats: int) -> None:
    cup = told(kind, seats)
    report = verify_tournament(cup.history(), 1, cup.matches)

    assert (report.verdict, failed(report)) == ("verified", set())
    assert report.places == cup.tournament.places
    assert set(report.matches) == set(cup.matches) == set(matches_of_tournament(cup.history(), 1))
    assert report.head == cup.history()[-1]["hash"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_tournament_in_which_entries_leave_is_verified(kind: str) -> None:
    cup = Cup(kind, 6, **({} if kind == "knock_out" else {"rounds": 3})).start()
    cup.leave(2)
    cup.play(by_chance(1))
    cup.leave(4)
    cup.play_out(by_chance(2))

    assert verify_tournament(cup.history(), 1, cup.matches).verdict == "verified"


def _swapped(data: Json) -> None:
    (a, b), (c, d), *others = data["tables"]
    data["tables"] = [(a, c), (b, d), *others]


@pytest.mark.parametrize(("kind", "round"), [("swiss", 0), ("swiss", 1), ("knock_out", 0)])
def test_another_pairing_is_found(kind: str, round: int) -> None:
    report = forged(told(kind), lambda history: _swapped(of_type(history, "round_opened", round)))

    assert failed(report) == {"pairing"}


@pytest.mark.parametrize("kind", KINDS)
def test_another_order_of_seats_is_found(kind: str) -> None:
    def turned(history: list[Json]) -> None:
        data = of_type(history, "round_opened")
        data["tables"] = [tuple(reversed(table)) for table in data["tables"]]

    assert failed(forged(told(kind), turned)) == {"pairing"}


def test_another_bye_is_found() -> None:
    report = forged(told("swiss"), lambda history: of_type(history, "round_opened").update(byes=(0,)))

    assert failed(report) == {"pairing"}


@pytest.mark.parametrize("kind", KINDS)
def test_other_places_are_found(kind: str) -> None:
    def exchanged(history: list[Json]) -> None:
        places = of_type(history, "tournament_finished")["places"]
        first, second = places[0]["entry"], places[1]["entry"]
        places[0]["entry"], places[1]["entry"] = second, first

    report = forged(told(kind), exchanged)

    assert failed(report) == {"places"}
    assert report.verdict == "failed"


@pytest.mark.parametrize(
    "change",
    [{"field": (1, 0, 2, 3, 4, 5, 6)}, {"field": (0, 1, 2, 3, 4, 5)}, {"rounds": 4}, {"seeded_by": 0}],
)
def test_another_field_or_number_of_rounds_is_found(change: Json) -> None:
    report = forged(told("swiss"), lambda history: of_type(history, "tournament_started").update(change))

    assert failed(report) == {"field"}


def test_an_end_before_the_last_round_is_found() -> None:
    def cut(history: list[Json]) -> None:
        last = max(at for at, event in enumerate(history) if event["type"] == "round_opened")
        del history[last:-1]

    assert failed(forged(told("swiss"), cut)) == {"places"}


def test_a_round_after_the_end_is_found() -> None:
    def more(history: list[Json]) -> None:
        again = {**history[-1], "type": "round_opened", "data": dict(of_type(history, "round_opened", -1))}
        again["data"].update(round=9, first_block=99)
        history.append(again)

    assert "pairing" in failed(forged(told("swiss"), more))


def test_another_winner_of_a_match_is_found_with_its_events() -> None:
    cup = told("knock_out")

    def other(history: list[Json]) -> None:
        (result, *_) = of_type(history, "block_finished", -1)["results"]
        result["winner"] = 1 - result["winner"]

    assert "results" in failed(forged(cup, other))


def test_a_match_that_is_not_of_its_block_is_found() -> None:
    def other(history: list[Json]) -> None:
        first, second = of_type(history, "block_finished")["results"]
        first["match_id"], second["match_id"] = second["match_id"], first["match_id"]

    assert failed(forged(told("round_robin"), other)) == {"results"}


def test_without_the_matches_nothing_is_wrong_and_the_report_is_incomplete() -> None:
    cup = told("knock_out")
    report = verify_tournament(cup.history(), 1, {})

    assert (report.verdict, failed(report)) == ("incomplete", set())
    assert [check.status for check in report.checks] == ["passed", "passed", "passed", "pending", "passed"]


def test_a_tournament_under_way_is_incomplete() -> None:
    cup = Cup("swiss", 7).start().play(better)

    assert verify_tournament(cup.history(), 1, cup.matches).verdict == "incomplete"


def test_a_changed_event_without_new_hashes_breaks_the_chain() -> None:
    history = told("swiss").history()
    of_type(history, "round_opened")["tables"] = ()

    assert failed(verify_tournament(history, 1, {})) >= {"chain"}


def test_an_event_that_cannot_follow_breaks_the_chain() -> None:
    def unknown(history: list[Json]) -> None:
        history.insert(
            -1,
            {**history[-1], "type": "block_finished", "data": {"block": 9999, "attempt": 1, "results": []}},
        )

    assert failed(forged(told("swiss"), unknown)) == {"chain"}


def test_a_season_without_a_tournament_has_nothing_to_verify() -> None:
    report = verify_tournament(told("swiss").history(), 2, {})

    assert (failed(report), report.places) == ({"field"}, ())


def test_seeds_by_ratings_follow_from_the_season_before() -> None:
    cup = (
        Cup("round_robin", 4, rounds=2, seeding="ratings")
        .start()
        .play_out(lambda seats: seats.index(max(seats)))
    )
    cup.add(*decide.open_season(cup.state, cup.state.config))
    version = cup.state.version
    cup.add(
        *start(cup.state, 2000, "job_9", {"e3": 1900.0, "e2": 1800.0, "e1": 1700.0, "e0": 1600.0}, version)
    )
    assert cup.tournament.field == (3, 2, 1, 0)
    assert last_tournament(cup.history()) == 2

    assert failed(verify_tournament(cup.history(), 2, {})) == set()
    history = cup.history()
    of_type(history, "tournament_started", 1)["field"] = (0, 1, 2, 3)
    assert failed(verify_tournament(chained(history), 2, {})) == {"field"}
