"""Rounds that are bound to a public value: played on real servers, checked from what they leave behind."""

import copy
from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec
import pytest

from domain.audit.envelopes import hash_of
from domain.ladder.derivation import round_of, seat_seed
from domain.ladder.history import NothingToVerify
from domain.ladder.verification import RoundReport, matches_of_round, verify_round
from domain.match.branches import branch_command
from domain.match.commands import SeatPlan
from domain.match.events import MatchCreated, Origin, SeatTaken
from events.checkpoints.audit import Auditor
from events.ladders.ladders import envelopes
from runtime.strategies import STRATEGIES
from tests.workers import kit
from tests.workers.ladder_kit import Ladder
from workers.queue.client import LADDER_JOB, TABLES_JOB
from workers.turns import decisions

Json: TypeAlias = dict[str, Any]


@pytest.fixture
def ladder(place: kit.Place) -> Ladder:
    made = Ladder(place)
    made.enter("greedy", "random")
    return made


def plain(events: Any) -> list[Json]:
    """As the API shows them."""
    found: list[Json] = msgspec.json.decode(msgspec.json.encode(events))
    return found


def told(ladder: Ladder) -> tuple[list[Json], dict[str, list[Json]]]:
    """The history of the ladder, and the events of the matches of its first round."""
    history = plain(envelopes(ladder.ladders.load(ladder.id)))
    ids = matches_of_round(history, 1)
    return history, {one: plain(ladder.place.matches.history.events(one, limit=100_000)) for one in ids}


def statuses(report: RoundReport) -> dict[str, str]:
    return {check.name: check.status for check in report.checks}


def sealed(history: list[Json], ladder_id: str) -> list[Json]:
    """The same with hashes that hold, as an operator can write them."""
    previous = "sha-256:" + "0" * 64
    for sequence, event in enumerate(history, 1):
        event.update(sequence=sequence, previous_hash=previous, ladder_id=ladder_id)
        previous = event["hash"] = hash_of(event)
    return history


def test_nothing_of_a_round_is_begun_before_its_value_is_recorded(ladder: Ladder) -> None:
    ladder.open_bound((0, 1))

    assert ladder.play().matches == 0
    assert ladder.matches() == set()
    assert ladder.round().awaits_value

    ladder.record_value("5f3c9a")
    assert ladder.play_to_the_end().finished_blocks == 1


def test_a_round_that_waits_for_its_value_needs_no_job(ladder: Ladder) -> None:
    ladder.open_bound((0, 1), (1, 0))
    assert ladder.handed_out() == []

    ladder.record_value("5f3c9a")
    assert ladder.handed_out() == [(LADDER_JOB, 1), (TABLES_JOB, 1)]


def test_tables_of_bots_are_not_made_before_the_value_is_recorded(place: kit.Place) -> None:
    ladder = Ladder(place)
    ladder.enter_bots("bob")
    ladder.enter("random")
    ladder.open_bound((0, 1))
    ladder.play()
    assert ladder.matches() == set()

    ladder.record_value("5f3c9a")
    ladder.play()

    made = [place.latest(match_id).state for match_id in sorted(ladder.matches())]
    assert len(made) == 2
    for state in made:
        assert [held and held.seed for held in state.controllers] == [seat_seed("5f3c9a")] * 2


def test_a_round_that_is_over_verifies_and_so_do_its_matches(ladder: Ladder) -> None:
    ladder.open_bound((0, 1), (1, 0), value="5f3c9a")
    ladder.play_to_the_end()

    history, matches = told(ladder)
    report = verify_round(history, 1, matches)

    assert report.verdict == "verified", report
    assert (report.value, len(report.matches), report.voided) == ("5f3c9a", 4, 0)
    assert history[report.opened - 1]["hash"] == report.head
    ladder.assert_whole()
    assert [event["type"] for event in history[-2:]] == ["round_finished", "round_seed_revealed"]
    assert sum([event["type"] == "round_seed_revealed" for event in history]) == 1


def test_the_matches_name_the_round_and_every_seat_adds_the_value(ladder: Ladder) -> None:
    ladder.open_bound((0, 1), value="5f3c9a")
    ladder.play_to_the_end()
    bound = ladder.round().public_value
    assert bound is not None

    for match_id in ladder.match_ids(ladder.round().blocks[0]):
        state = ladder.place.latest(match_id).state
        assert isinstance(state.created, MatchCreated)
        assert state.created.dice.round_of == round_of(ladder.id, 1, bound.at_ms)
        assert [held.seed for held in state.controllers if isinstance(held, SeatTaken)] == [
            seat_seed("5f3c9a")
        ] * 2


def test_a_branch_with_the_same_dice_has_the_seed_of_its_origin(ladder: Ladder) -> None:
    ladder.open_bound((0, 1), value="5f3c9a")
    ladder.play_to_the_end()
    (match_id, _) = ladder.match_ids(ladder.round().blocks[0])
    matches = ladder.place.matches
    point = matches.history.command_at(match_id, 30)
    origin = Origin(match_id, point.last, f"sha-256:{point.head_hash.hex()}", "same")
    seats = [SeatPlan("strategy", "random", "random", STRATEGIES["random"].version)] * 2

    branch = matches.create(branch_command(point.state, origin, seats, "acc_owner"))

    decisions.play(matches, [(branch.match_id, branch.last)], decisions.TurnLimits(seconds=60))
    ended = [matches.history.events(one, limit=100_000)[-1].data for one in (match_id, branch.match_id)]
    assert ended[0] == ended[1]
    assert Auditor(matches.store, ladder.place.notary).audit(branch.match_id).verdict == "verified"


def test_what_is_not_there_yet_leaves_the_report_incomplete(ladder: Ladder) -> None:
    ladder.open_bound((0, 1))
    waiting = verify_round(told(ladder)[0], 1, {})
    assert (waiting.verdict, waiting.value) == ("incomplete", "")

    ladder.record_value("5f3c9a")
    ladder.play_to_the_end()
    history, matches = told(ladder)
    matches.popitem()

    assert statuses(verify_round(history, 1, matches)) == {
        "chain": "passed",
        "opening": "passed",
        "value": "passed",
        "seed": "passed",
        "matches": "pending",
    }


def test_a_round_without_a_value_has_nothing_to_verify(ladder: Ladder) -> None:
    ladder.open((0, 1))
    history = plain(envelopes(ladder.ladders.load(ladder.id)))

    with pytest.raises(NothingToVerify, match="no round 1 with a public value"):
        matches_of_round(history, 1)
    assert verify_round(history, 1, {}).verdict == "failed"


def _of(kind: str, history: list[Json]) -> Json:
    return next(event for event in history if event["type"] == kind)


def _other_value(history: list[Json], matches: dict[str, list[Json]]) -> None:
    _of("public_value_recorded", history)["data"]["value"] = "5f3c9b"


def _early(history: list[Json], matches: dict[str, list[Json]]) -> None:
    _of("public_value_recorded", history)["data"]["at_ms"] -= 10 * 60_000


def _late(history: list[Json], matches: dict[str, list[Json]]) -> None:
    history.append(history.pop(history.index(_of("public_value_recorded", history))))


def _before_the_round(history: list[Json], matches: dict[str, list[Json]]) -> None:
    at = history.index(_of("round_opened", history))
    history.insert(at, history.pop(history.index(_of("public_value_recorded", history))))


def _other_seed(history: list[Json], matches: dict[str, list[Json]]) -> None:
    _of("round_seed_revealed", history)["data"]["seed"] = "00" * 32


def _no_seed(history: list[Json], matches: dict[str, list[Json]]) -> None:
    history.remove(_of("round_seed_revealed", history))


def _early_seed(history: list[Json], matches: dict[str, list[Json]]) -> None:
    at = history.index(_of("block_finished", history))
    history.insert(at, history.pop(history.index(_of("round_seed_revealed", history))))


def _other_time(history: list[Json], matches: dict[str, list[Json]]) -> None:
    _of("round_opened", history)["data"]["opened_at_ms"] -= 1


def _other_attempt(history: list[Json], matches: dict[str, list[Json]]) -> None:
    _of("block_finished", history)["data"]["attempt"] = 2


def _other_table(history: list[Json], matches: dict[str, list[Json]]) -> None:
    _of("round_opened", history)["data"]["tables"] = [[1, 0]]


def _other_winner(history: list[Json], matches: dict[str, list[Json]]) -> None:
    result = _of("block_finished", history)["data"]["results"][0]
    result["winner"] = 1 - result["winner"]


def _swapped(history: list[Json], matches: dict[str, list[Json]]) -> None:
    results = _of("block_finished", history)["data"]["results"]
    results.reverse()


def _no_seat_seed(history: list[Json], matches: dict[str, list[Json]]) -> None:
    _of("seat_taken", next(iter(matches.values())))["data"]["seed"] = ""


def _own_seed(history: list[Json], matches: dict[str, list[Json]]) -> None:
    _of("match_created", next(iter(matches.values())))["data"]["dice"]["commitment"] = "sha-256:" + "0" * 64


def _other_end(history: list[Json], matches: dict[str, list[Json]]) -> None:
    next(iter(matches.values())).pop()


FORGERIES: dict[str, tuple[Callable[[list[Json], dict[str, list[Json]]], None], str]] = {
    "another value": (_other_value, "matches"),
    "a value before its time": (_early, "value"),
    "a value behind the play": (_late, "value"),
    "a value before the round": (_before_the_round, "value"),
    "another seed": (_other_seed, "seed"),
    "a seed that is kept back": (_no_seed, "seed"),
    "a seed before the end": (_early_seed, "seed"),
    "another time of the round": (_other_time, "matches"),
    "another attempt": (_other_attempt, "matches"),
    "another table": (_other_table, "matches"),
    "another winner": (_other_winner, "matches"),
    "matches in another order": (_swapped, "matches"),
    "a seat without the value": (_no_seat_seed, "matches"),
    "a match of another seed": (_own_seed, "matches"),
    "a match with another end": (_other_end, "matches"),
}


def test_every_forgery_fails_though_all_hashes_of_the_ladder_hold(ladder: Ladder) -> None:
    ladder.open_bound((0, 1), value="5f3c9a")
    ladder.play_to_the_end()
    history, matches = told(ladder)

    for name, (forge, check) in FORGERIES.items():
        forged, played = copy.deepcopy(history), copy.deepcopy(matches)
        forge(forged, played)
        report = verify_round(sealed(forged, ladder.id), 1, played)
        assert (report.verdict, statuses(report)[check]) == ("failed", "failed"), name


def test_a_history_whose_hashes_do_not_hold_fails(ladder: Ladder) -> None:
    ladder.open_bound((0, 1), value="5f3c9a")
    ladder.play_to_the_end()
    history, matches = told(ladder)
    history[2]["actor"] = "somebody"

    assert statuses(verify_round(history, 1, matches))["chain"] == "failed"
