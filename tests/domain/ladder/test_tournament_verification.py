"""A tournament is verified from the exported history of its ladder, and what was forged in it is found."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from domain.ladder import decide
from domain.ladder import events as ev
from domain.ladder.history import NothingToVerify, result_faults
from domain.ladder.tournament.schedule import start
from domain.ladder.tournament.verification import (
    NAMES,
    TournamentReport,
    matches_of_tournament,
    tournament_to_verify,
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
    assert (report.season, report.names) == (1, ("s0", "s1", "s2", "s3", "s4", "s5", "s6"))
    assert tuple([check.name for check in report.checks]) == NAMES
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


def _exchanged(history: list[Json]) -> None:
    places = of_type(history, "tournament_finished")["places"]
    places[0]["entry"], places[1]["entry"] = places[1]["entry"], places[0]["entry"]


@pytest.mark.parametrize("kind", KINDS)
def test_other_places_are_found(kind: str) -> None:
    report = forged(told(kind), _exchanged)

    assert failed(report) == {"places"}
    assert report.verdict == "failed"


@pytest.mark.parametrize(
    "change",
    [
        {"field": (1, 0, 2, 3, 4, 5, 6)},
        {"field": (0, 1, 2, 3, 4, 5)},
        {"rounds": 4},
        {"seeded_by": 0},
        {"seeded_by": 20},
    ],
)
def test_another_field_or_number_of_rounds_is_found(change: Json) -> None:
    report = forged(told("swiss"), lambda history: of_type(history, "tournament_started").update(change))

    assert failed(report) == {"field"}


def _without_last_round(history: list[Json]) -> None:
    last = max(at for at, event in enumerate(history) if event["type"] == "round_opened")
    del history[last:-1]


def test_an_end_before_the_last_round_is_found() -> None:
    assert failed(forged(told("swiss"), _without_last_round)) == {"places"}


def _with_another_round(history: list[Json]) -> None:
    again = {**history[-1], "type": "round_opened", "data": dict(of_type(history, "round_opened", -1))}
    again["data"].update(round=9, first_block=99)
    history.append(again)


def test_a_round_after_the_end_is_found() -> None:
    assert "pairing" in failed(forged(told("swiss"), _with_another_round))


def _with_another_winner(history: list[Json]) -> None:
    (result, *_) = of_type(history, "block_finished", -1)["results"]
    result["winner"] = 1 - result["winner"]


def test_another_winner_of_a_match_is_found_with_its_events() -> None:
    assert "results" in failed(forged(told("knock_out"), _with_another_winner))


def _started_again(history: list[Json]) -> None:
    history.append(next(event for event in history if event["type"] == "tournament_started"))


def test_another_start_is_found() -> None:
    assert failed(forged(told("swiss"), _started_again)) == {"field"}


def _without_schedule(history: list[Json]) -> None:
    del of_type(history, "season_opened")["config"]["schedule"]


def test_a_tournament_in_a_season_without_a_schedule_is_found() -> None:
    assert failed(forged(told("swiss"), _without_schedule)) == {"field"}


def _with_unknown_block(history: list[Json]) -> None:
    data = {"block": 9999, "attempt": 1, "results": []}
    history.insert(-1, {**history[-1], "type": "block_finished", "data": data})


def _recorded_twice(history: list[Json]) -> None:
    at = next(at for at, event in enumerate(history) if event["type"] == "block_finished")
    history.insert(at, history[at])


def test_a_block_that_is_recorded_twice_is_found() -> None:
    assert failed(forged(told("swiss"), _recorded_twice)) == {"results"}


def test_a_block_that_is_recorded_after_its_round_is_found() -> None:
    played, cup = Cup("swiss", 2).start().play_blocks(better), Cup("swiss", 2).start()
    cup.add(*decide.stop_round(cup.state, 1, "command"))
    cup.add(*decide.open_season(cup.state, cup.state.config))
    cup.add(*[event for event in played.events if isinstance(event, ev.BlockFinished)])

    assert failed(verify_tournament(cup.history(), 1, played.matches)) == {"results"}


@pytest.mark.parametrize(
    ("change", "check", "type"),
    [
        (_with_unknown_block, "chain", "block_finished"),
        (_started_again, "field", "tournament_started"),
        (_without_schedule, "field", "tournament_started"),
        (
            lambda history: of_type(history, "tournament_started").update(rounds=4),
            "field",
            "tournament_started",
        ),
        (lambda history: _swapped(of_type(history, "round_opened", 1)), "pairing", "round_opened"),
        (_with_another_round, "pairing", "round_opened"),
        (_exchanged, "places", "tournament_finished"),
        (_without_last_round, "places", "tournament_finished"),
        (_recorded_twice, "results", "block_finished"),
    ],
)
def test_a_finding_names_the_event_that_should_be_another(change: Change, check: str, type: str) -> None:
    cup = told("swiss")
    history = cup.history()
    change(history)
    report = verify_tournament(chained(history), 1, cup.matches)

    (at,) = [one.first_failed_sequence for one in report.checks if one.name == check]
    assert at is not None
    assert history[at - 1]["type"] == type


def test_a_finding_tells_the_places_as_they_should_be() -> None:
    cup = Cup("round_robin", 3).start().play_out(better)
    (places,) = [check for check in forged(cup, _exchanged).checks if check.name == "places"]

    assert places.detail == "the places should be 1: entry 0, 2: entry 1, 3: entry 2"


def test_a_match_that_is_not_of_its_block_is_found() -> None:
    def other(history: list[Json]) -> None:
        first, second = of_type(history, "block_finished")["results"]
        first["match_id"], second["match_id"] = second["match_id"], first["match_id"]

    assert failed(forged(told("round_robin"), other)) == {"results"}


def test_a_match_in_which_a_seat_was_not_taken_is_found() -> None:
    cup = Cup("swiss", 2).start().play_blocks(better)
    (block,) = cup.round.blocks
    created, taken, _, finished = cup.matches[block.results[0].match_id]
    players = [cup.state.entries[entry].player for entry in block.seats(0)]

    faults = [*result_faults([created, taken, finished], block.results[0], players)]

    assert faults == ["its seats were not taken in order"]


def test_without_the_matches_nothing_is_wrong_and_the_report_is_incomplete() -> None:
    cup = told("knock_out")
    report = verify_tournament(cup.history(), 1, {})

    assert (report.verdict, failed(report)) == ("incomplete", set())
    assert [check.status for check in report.checks] == ["passed", "passed", "passed", "pending", "passed"]
    assert tuple([check.name for check in report.checks]) == NAMES
    assert report.checks[3].detail == f"{len(cup.matches)} matches are not at hand"


def test_a_tournament_under_way_is_incomplete() -> None:
    cup = Cup("swiss", 7).start().play(better)

    report = verify_tournament(cup.history(), 1, cup.matches)

    assert report.verdict == "incomplete"
    assert [(check.name, check.status) for check in report.checks][-1] == ("places", "pending")


@pytest.mark.parametrize(
    ("check", "change"),
    [
        ("chain", _with_unknown_block),
        ("field", _without_schedule),
        ("pairing", _with_another_round),
    ],
)
def test_nothing_is_said_of_places_if_what_leads_to_them_is_wrong(check: str, change: Change) -> None:
    report = forged(told("swiss"), change)

    assert failed(report) == {check}
    assert [(check.name, check.status) for check in report.checks][-1] == ("places", "skipped")


def test_a_changed_event_without_new_hashes_breaks_the_chain() -> None:
    history = told("swiss").history()
    of_type(history, "round_opened")["tables"] = ()

    assert failed(verify_tournament(history, 1, {})) >= {"chain"}


def test_an_event_that_cannot_follow_breaks_the_chain() -> None:
    report = forged(told("swiss"), _with_unknown_block)

    assert failed(report) == {"chain"}
    assert report.places == (), "nothing after it is read"


def test_a_season_without_a_tournament_has_nothing_to_verify() -> None:
    report = verify_tournament(told("swiss").history(), 2, {})

    skipped = {check.name for check in report.checks if check.status == "skipped"}
    assert (failed(report), skipped) == ({"field"}, {*NAMES} - {"field"})
    assert (report.verdict, report.season, report.places) == ("failed", 2, ())


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
    cup.play_out(better)

    assert verify_tournament(cup.history(), 2, cup.matches).verdict == "verified"
    for change in ({"field": (0, 1, 2, 3)}, {"seeded_by": None}):
        history = cup.history()
        of_type(history, "tournament_started", 1).update(change)
        assert failed(verify_tournament(chained(history), 2, {})) == {"field"}


def test_seeds_by_ratings_follow_from_the_results_that_there_were_then() -> None:
    cup = Cup("round_robin", 4, rounds=3, seeding="ratings").start()
    cup.play(lambda seats: seats.index(max(seats)))
    version = cup.state.version
    cup.play_out(better)
    cup.add(*decide.open_season(cup.state, cup.state.config))
    ratings = {"e3": 1900.0, "e2": 1800.0, "e1": 1700.0, "e0": 1600.0}
    cup.add(*start(cup.state, 2000, "job_9", ratings, version))

    assert failed(verify_tournament(cup.history(), 2, {})) == set()


def test_without_a_season_before_entries_are_seeded_as_they_entered() -> None:
    cup = Cup("swiss", 4, seeding="ratings").start().play_out(better)

    assert cup.tournament.seeded_by == 0
    assert verify_tournament(cup.history(), 1, cup.matches).verdict == "verified"


def test_the_last_tournament_is_verified_if_none_is_named() -> None:
    cup = Cup("swiss", 2).start().play_out(better)
    cup.add(*decide.open_season(cup.state, cup.state.config))
    history = cup.start().history()
    assert tournament_to_verify(history, None) == 2
    assert tournament_to_verify(history, 1) == 1
    history[-1]["hash"] = "sha-256:00"
    assert tournament_to_verify(history, None) == 2


def test_without_a_tournament_there_is_nothing_to_verify_unless_it_may_be_behind_the_damage() -> None:
    history = Cup("swiss", 2).history()
    with pytest.raises(NothingToVerify, match=r"^no tournament has started$"):
        tournament_to_verify(history, None)
    with pytest.raises(NothingToVerify, match=r"^no tournament of season 3 has started$"):
        tournament_to_verify(history, 3)

    history[-1]["hash"] = "sha-256:00"
    assert tournament_to_verify(history, None) == 0
    assert tournament_to_verify(history, 3) == 3


def test_a_senseless_event_does_not_keep_the_last_tournament_from_being_found() -> None:
    history = told("swiss").history()
    _with_unknown_block(history)

    assert tournament_to_verify(chained(history), None) == 1
