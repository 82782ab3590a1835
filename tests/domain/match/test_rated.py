"""Rated matches: what they require of their creation and of who takes a seat, and when the result counts."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.branches import branch_command
from domain.match.chance import SeededChance
from domain.match.decide import advance, create
from domain.match.rated import counts_for_ratings, has_rated_result
from domain.match.rulesets import CURRENT, resolve_options
from domain.match.state import MatchState

ME = cmd.SeatPlan("account", "acc_0", "ada")
OPEN = cmd.SeatPlan("open")
CLOCK = ev.Clock(30_000, "default_command")
CHANCE = SeededChance(bytes(32), "key")


def rated(
    *seats: cmd.SeatPlan, ruleset: str = "base", options: dict[str, Any] | None = None, **changed: Any
) -> cmd.CreateMatch:
    """The creation of a rated match that is as it should be, but for what is changed."""
    plans, book = seats or (ME, OPEN), CURRENT[ruleset]
    usual = cmd.CreateMatch(
        book.version,
        resolve_options(book, len(plans), **{"rated": True, **(options or {})}),
        plans,
        ev.Dice("committed"),
        "acc_0",
        clock=CLOCK,
    )
    return replace(usual, **changed)


def created(command: cmd.CreateMatch) -> MatchState:
    return create(command, CHANCE)[0]


def taken(state: MatchState, seat: int, id: str, **more: Any) -> MatchState:
    """The state after somebody has taken a seat."""
    after = state.copy()
    advance(after, cmd.TakeSeat(seat, **{"kind": "account", "id": id, "name": id, **more}), CHANCE)
    return after


def refusal(act: Any, *given: Any, **more: Any) -> tuple[str, str]:
    with pytest.raises(RuleViolation) as found:
        act(*given, **more)
    return found.value.code, found.value.pointer


def test_the_first_event_of_a_rated_match_says_that_it_is_rated() -> None:
    state = created(rated())

    assert state.created.options.rated is True
    assert counts_for_ratings(state)
    assert not has_rated_result(state)


def test_a_match_that_is_not_rated_is_recorded_as_it_always_was() -> None:
    options = resolve_options(CURRENT["base"], 2)

    assert msgspec.json.encode(options) == (
        b'{"box":"four_player","market":"open","max_copies":null,"card_costs":{}}'
    )
    assert not counts_for_ratings(created(rated(options={"rated": False})))


POSITION = ev.Position(0, "roll", (ev.PositionPlayer(3, {"wheat_field": 1}, ()),) * 2)


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"dice": ev.Dice("scripted", throws=((1,),))}, "/dice/mode"),
        ({"position": POSITION}, "/position"),
        ({"visibility": "unlisted"}, "/visibility"),
        ({"visibility": "private"}, "/visibility"),
        ({"clock": None}, "/clock"),
        ({"clock": ev.Clock(30_000, "strategy")}, "/clock/on_timeout"),
        ({"options": {"commentary": True}}, "/options/commentary"),
        ({"options": {"market": "limited"}}, "/options/market"),
        ({"options": {"box": "five_player"}}, "/options/box"),
        ({"ruleset": "harbor", "options": {"max_copies": 2}}, "/options/max_copies"),
        ({"options": {"card_costs": {"cafe": 1}}}, "/options/card_costs"),
    ],
)
def test_a_rated_match_refuses_what_would_make_its_result_unfair(
    changed: dict[str, Any], pointer: str
) -> None:
    assert refusal(create, rated(**changed), CHANCE) == ("not_ratable", pointer)


@pytest.mark.parametrize(
    ("second", "pointer"),
    [
        (cmd.SeatPlan("strategy", "greedy", "greedy", "1"), "/seats/1"),
        (cmd.SeatPlan("account", "acc_0", "ada"), "/seats/1"),
        (cmd.SeatPlan("reserved", "acc_0", "ada"), "/seats/1"),
        (cmd.SeatPlan("account", "acc_1", "bob"), "/seats/1"),
    ],
)
def test_each_seat_of_a_rated_match_has_an_account_of_its_own_that_agrees(
    second: cmd.SeatPlan, pointer: str
) -> None:
    assert refusal(create, rated(ME, second), CHANCE) == ("not_ratable", pointer)


def test_no_player_of_a_rated_match_adds_a_seed_that_only_that_player_knows() -> None:
    seeded = replace(ME, seed="mine")
    assert refusal(create, rated(seeded, OPEN), CHANCE) == ("not_ratable", "/seats/0/seed")
    assert refusal(taken, created(rated()), 1, "acc_1", seed="mine") == ("not_ratable", "/seed")


def test_no_account_takes_two_seats_of_a_rated_match() -> None:
    state = created(rated(ME, OPEN, OPEN))

    assert refusal(taken, state, 1, "acc_0") == ("already_seated", "/seat")
    assert refusal(taken, taken(state, 1, "acc_1"), 2, "acc_1") == ("already_seated", "/seat")
    assert taken(taken(state, 1, "acc_1"), 2, "acc_2").status == "running"


def test_no_built_in_player_takes_a_seat_of_a_rated_match() -> None:
    assert refusal(taken, created(rated()), 1, "greedy", kind="strategy") == ("not_ratable", "/seat")


def test_resigning_loses_a_rated_match_and_the_result_counts() -> None:
    state = taken(created(rated()), 1, "acc_1")

    advance(state, cmd.Resign(0), CHANCE)

    assert (state.winner, has_rated_result(state)) == (1, True)


def test_a_rated_match_that_is_aborted_has_no_result() -> None:
    state = taken(created(rated()), 1, "acc_1")

    advance(state, cmd.AbortMatch(), CHANCE)

    assert not has_rated_result(state)


def test_a_match_in_which_a_built_in_player_replaced_an_account_does_not_count() -> None:
    state = taken(created(rated(ME, OPEN, OPEN)), 1, "acc_1")
    advance(state, cmd.ChangeController(1, "strategy", "greedy", "greedy", "1"), CHANCE)

    state = taken(state, 2, "acc_2")
    advance(state, cmd.Resign(0), CHANCE)
    advance(state, cmd.Resign(1), CHANCE)

    assert (state.winner, has_rated_result(state)) == (2, False)


def test_a_branch_of_a_rated_match_is_not_rated() -> None:
    state = taken(created(rated()), 1, "acc_1")
    origin = ev.Origin("mat_1", state.version, "sha-256:0", "fresh")

    command = branch_command(state, origin, (ME, ME), "acc_0")

    assert command.options == resolve_options(CURRENT["base"], 2)
    assert created(command).status == "running"
    demanded = replace(command, options=state.created.options)
    assert refusal(create, demanded, CHANCE) == ("not_ratable", "/options/rated")
