"""Branches: a match goes on from where another one stood, with its dice or with others."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain import MatchState, RuleViolation, advance, decide, fold, view
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.branches import branch_command, branch_started
from domain.match.chance import Chance, SeededChance, TapeChance
from domain.match.commands import Command, CreateMatch, SeatPlan
from domain.match.events import Event
from domain.match.state import facts
from tests.domain.golden_matches import FOLDER, RECIPES, chance_of, commands_of
from tests.domain.invariants import problems
from tests.domain.kit import A, B, ScriptedChance, city, creation, new_match, row, seat_plan
from tests.domain.kit import given as table
from tests.domain.matches import Played, bounded, choice_of, played_matches
from tests.domain.matches import chance_of as chance_of_case

ORIGIN = "mat_origin"

OF_THE_MATCH_ITSELF = ("version", "created", "controllers", "accounts", "throws")
"""What a branch does not share with its origin."""

PHASES = {"setup", "roll", "reroll", "add_two", "take_coins", "swap", "give", "build"}
PHASES |= {"demolish", "move", "renovate", "invest"}


class Point(NamedTuple):
    """A decision of a recorded match: where it stands, and all that was done and happened from there on."""

    state: MatchState
    commands: Sequence[Command]
    events: Sequence[tuple[Event, ...]]
    """By command."""


def points_of(commands: Sequence[Command], chance: Chance) -> Iterator[Point]:
    """Every decision of the match that the commands make."""
    state: MatchState | None = None
    states, caused = [], []
    for command in commands:
        caused.append(decide(state, command, chance))
        state = fold(state, caused[-1])
        states.append(state.copy())
    for i, state in enumerate(states, 1):
        if state.status == "running":
            yield Point(state, commands[i:], caused[i:])


@lru_cache(maxsize=1)
def golden_points(name: str) -> tuple[Point, ...]:
    text = (FOLDER / f"{name}.jsonl").read_bytes()
    return tuple(points_of([*commands_of(text)], chance_of(name)))


def some(points: Sequence[Point]) -> list[Point]:
    """Those of rare phases, and a few of the others."""
    rare = [point for point in points if point.state.phase not in ("roll", "build", "setup")]
    return [*points[::17], *rare[:: len(rare) // 12 + 1]]


def branch_of(state: MatchState, dice: str = "same", **members: Any) -> CreateMatch:
    origin = ev.Origin(ORIGIN, state.version, "sha-256:" + "0" * 64, dice)
    seats = members.pop("seats", [SeatPlan("account", "acc_9", "nine")] * len(state.coins))
    return branch_command(state, origin, seats, "acc_9", **members)


def made(command: CreateMatch) -> MatchState:
    """The branch, for which nothing is thrown or drawn."""
    state = fold(None, decide(None, command, ScriptedChance()))
    assert problems(state) == []
    return state


def standing(state: MatchState) -> dict[str, object]:
    """All that the course of a match depends on, its dice apart."""
    return {name: value for name, value in facts(state).items() if name not in OF_THE_MATCH_ITSELF}


def same_chance(dice: ev.Dice, of_origin: Chance) -> Chance:
    """The dice of a branch, from those of its origin."""
    seed = bytes.fromhex(of_origin.reveal()[1])
    seeded = SeededChance(seed, of_origin.reveal()[0])
    return TapeChance(dice.throws, seeded) if dice.mode == "scripted" else seeded


# Standing where the origin stood


@pytest.mark.parametrize("name", RECIPES)
def test_a_branch_stands_where_its_origin_stood(name: str) -> None:
    for point in golden_points(name):
        branch = made(branch_of(point.state))
        assert standing(branch) == standing(point.state), f"version {point.state.version}"
        assert branch.rules is point.state.rules


@pytest.mark.parametrize("name", RECIPES)
def test_with_other_dice_it_stands_there_without_the_order_of_given_decks(name: str) -> None:
    for dice in ("fresh", "scripted"):
        for point in some(golden_points(name)):
            branch = made(branch_of(point.state, dice))
            assert standing(branch) == standing(point.state) | {"deck_orders": {}}


def test_the_recorded_matches_have_decisions_of_every_phase_and_several_copies_to_trade_with() -> None:
    states = [point.state for name in RECIPES for point in golden_points(name)]
    assert {state.phase for state in states} == PHASES
    assert {state.pending_copies for state in states if state.phase == "swap"} >= {1, 2}
    assert any(state.deck_orders for state in states)
    assert any(state.extra_turn_due for state in states)
    assert any(state.extra_turn for state in states)


@bounded
@given(played_matches(), st.sampled_from(["same", "fresh"]))
def test_a_branch_of_any_match_stands_where_that_stood(played: Played, dice: str) -> None:
    """Seats that resigned or changed hands, rich tables, clocks that ran out."""
    for step in played.steps:
        if step.after.status == "running":
            branch = made(branch_of(step.after, dice))
            assert standing(branch) == standing(step.after), f"{played}, version {step.after.version}"


# Going on


@pytest.mark.parametrize("name", RECIPES)
def test_with_the_same_dice_and_commands_a_branch_goes_on_as_its_origin_to_the_same_end(name: str) -> None:
    chance = chance_of(name)
    for point in some(golden_points(name)):
        command = branch_of(point.state)
        branch, luck = made(command), same_chance(command.dice, chance)
        found = [tuple(advance(branch, command, luck)) for command in point.commands]
        assert found == list(point.events), f"version {point.state.version}"
        assert branch.status in ("finished", "aborted")


@bounded
@given(played_matches(), st.integers(min_value=0))
def test_seats_that_resign_and_clocks_that_run_out_change_nothing_in_that(played: Played, where: int) -> None:
    steps = played.steps
    first = where % len(steps)
    if steps[first].after.status != "running":
        return
    state = steps[first].after
    clock = state.created.clock
    branch = made(branch_of(state, clock=clock))
    chance = chance_of_case(played.case, played.seed)
    for step in steps[first + 1 :]:
        assert tuple(advance(branch, step.command, chance)) == step.events, played


def test_with_the_same_dice_a_seat_throws_in_each_turn_what_it_threw_there_whatever_else_was_done() -> None:
    chance = SeededChance(b"1" * 32, "k1")
    state = fold(None, decide(None, creation("base", 3), chance))
    first = thrown(state.copy(), Random(1), chance)
    branch = made(branch_of(state))
    second = thrown(branch, Random(2), chance)

    common = first.keys() & second.keys()
    assert len(common) > 40
    assert {turn: first[turn] for turn in common} == {turn: second[turn] for turn in common}


def thrown(state: MatchState, choices: Random, chance: Chance) -> dict[tuple[int, int], int]:
    """The first die of each turn's first throw, by seat and the number of its turn."""
    found = {}
    while state.status == "running":
        turn = state.active, state.seat_turns[state.active]
        for event in advance(state, choice_of(state, choices), chance):
            if isinstance(event, ev.DiceRolled) and event.purpose == "roll":
                found[turn] = event.values[0]
    return found


def test_a_tape_is_used_from_its_beginning_and_what_is_left_of_an_old_one_is_the_same_dice() -> None:
    scene = new_match("base", throws=[(1,), (2,), (3,)]).when(cmd.RollDice(A, 1), dice=[(1,)])
    scripted = branch_of(scene.state, "scripted", throws=((6,),))

    assert scripted.dice == ev.Dice("scripted", throws=((6,),))
    assert branch_of(scene.state).dice == ev.Dice("scripted", throws=((2,), (3,)), seed_of=ORIGIN)
    branch = made(scripted)
    assert branch.throws == 0
    tape = TapeChance(scripted.dice.throws, ScriptedChance())
    advance(branch, cmd.Pass(A), tape)
    assert ev.DiceRolled("roll", (6,), 6) in advance(branch, cmd.RollDice(B, 1), tape)


def test_fresh_dice_say_nothing_of_those_of_the_origin() -> None:
    dice = ev.Dice("committed", "k1", "sha-256:…")
    state = made(branch_of(new_match("base").state, "fresh"))
    assert state.created.dice == ev.Dice("committed")
    assert "…" not in str(branch_of(_with_dice(state, dice), "fresh"))


def _with_dice(state: MatchState, dice: ev.Dice) -> MatchState:
    twin = state.copy()
    twin.created = replace(state.created, dice=dice)
    return twin


def test_the_dice_of_a_branch_of_a_branch_are_those_of_the_first_match() -> None:
    first = _with_dice(new_match("base").state, ev.Dice("committed", "k1", "sha-256:…"))
    branch = made(branch_of(first))
    assert branch.created.dice == ev.Dice("committed", "k1", "sha-256:…", (), ORIGIN)
    origin = ev.Origin("mat_branch", branch.version, "sha-256:" + "1" * 64, "same")
    second = branch_command(branch, origin, [seat_plan(A), seat_plan(B)], "acc_0")
    assert second.dice == branch.created.dice
    assert standing(made(second)) == standing(first)


# Who sits there


def test_with_the_same_dice_each_seat_keeps_the_seed_that_the_dice_depend_on() -> None:
    plans = [SeatPlan("account", "acc_0", "ada", seed="s0"), SeatPlan("account", "acc_1", "bob", seed="s1")]
    state = new_match("base", plans=plans).state
    seats = [SeatPlan("strategy", "greedy", "greedy", "1"), SeatPlan("account", "acc_2", "eve", seed="s2")]

    assert [plan.seed for plan in branch_of(state, seats=seats).seats] == ["s0", "s1"]
    assert [plan.seed for plan in branch_of(state, "fresh", seats=seats).seats] == ["", "s2"]
    assert [plan.id for plan in branch_of(state, seats=seats).seats] == ["greedy", "acc_2"]


def test_a_seat_that_has_resigned_plays_no_more_in_a_branch() -> None:
    scene = new_match("base", 3).when(cmd.Resign(B))
    branch = made(branch_of(scene.state))

    assert branch.resigned == [False, True, False]
    with pytest.raises(RuleViolation, match="wrong_phase"):
        decide(branch, cmd.Resign(B), ScriptedChance())
    assert decide(branch, cmd.Resign(A), ScriptedChance())[-1] == ev.MatchFinished(2, "resignation")


def test_a_second_throw_of_the_turn_before_is_no_fact_of_a_branch() -> None:
    commands = (cmd.RollDice(A, 1), cmd.RerollDice(A), cmd.Pass(A))
    scene = table("base", city(0, "radio_tower"), city(0)).when(*commands, dice=[(6,), (4,)])
    assert not branch_started(scene.state, keeps_orders=True).rerolled


def test_the_creator_may_call_a_branch_off_before_its_first_throw() -> None:
    scene = new_match("base").when(cmd.RollDice(A, 1), dice=[(1,)])
    branch = made(branch_of(scene.state, "fresh"))

    assert decide(branch, cmd.AbortMatch(), ScriptedChance()) == (ev.MatchAborted("creator"),)


def test_players_do_not_see_the_order_of_a_deck_that_a_branch_has_kept() -> None:
    market = [row("market", ["mine", "ranch"], cafe=1, bakery=1)]
    scene = table("base", city(3), city(3), rows=market, market="limited", phase="build")
    branch = made(branch_of(scene.state))

    assert branch.deck_orders == scene.state.deck_orders != {}
    assert view(branch).deck_orders == {}
    assert view(branch).decks == scene.state.decks


# The command and its events


def test_a_branch_is_made_taken_and_begun_in_one_command() -> None:
    scene = new_match("harbor", 2).when(cmd.RollDice(A, 1), dice=[(2,)])
    command = branch_of(
        scene.state, "fresh", visibility="private", tags=("x",), clock=ev.Clock(1000, "forfeit")
    )
    events = decide(None, command, ScriptedChance())

    assert [type(event) for event in events] == [
        ev.MatchCreated,
        ev.SeatTaken,
        ev.SeatTaken,
        ev.BranchStarted,
    ]
    assert events[0].origin == ev.Origin(ORIGIN, scene.state.version, "sha-256:" + "0" * 64, "fresh")
    assert (events[0].visibility, events[0].tags, events[0].clock) == ("private", ("x",), command.clock)
    assert events[-1] == branch_started(scene.state, keeps_orders=False)


def test_a_branch_is_as_its_creator_asks_and_public_unless_another_is_asked_for() -> None:
    state = new_match("base", clock=ev.Clock(5000, "strategy")).state
    plain, timed = branch_of(state), branch_of(state, "fresh", clock=ev.Clock(1000, "forfeit"))

    assert (plain.creator, plain.visibility, plain.tags, plain.clock) == ("acc_9", "public", (), None)
    assert timed.clock == ev.Clock(1000, "forfeit")


@pytest.mark.parametrize("name", ["machi_koro_2_position", "harbor_scripted_dice"])
def test_the_command_can_be_found_again_in_its_events(name: str) -> None:
    for point in some(golden_points(name)):
        events = decide(None, branch_of(point.state), ScriptedChance())
        assert decide(None, inferred(events), ScriptedChance()) == events


def inferred(events: Sequence[Event]) -> CreateMatch:
    """The command that has caused the events of a new branch."""
    created, *taken, begun = events
    assert isinstance(created, ev.MatchCreated)
    assert isinstance(begun, ev.BranchStarted)
    seats = [SeatPlan(one.kind, one.id, one.name, one.version, one.seed) for one in taken]  # type: ignore[union-attr]
    return CreateMatch(
        created.rules_version,
        created.options,
        tuple(seats),
        created.dice,
        created.creator,
        created.first_seat,
        created.clock,
        created.position,
        created.visibility,
        created.tags,
        created.origin,
        begun,
    )


# Refusals


def refused(command: CreateMatch) -> tuple[str, str]:
    """The code and the pointer."""
    with pytest.raises(RuleViolation) as caught:
        decide(None, command, ScriptedChance())
    return caught.value.code, caught.value.pointer


def test_a_branch_needs_somebody_on_every_seat_of_its_origin() -> None:
    state = new_match("base", 3).state
    command = branch_of(state, "fresh")
    assert refused(replace(command, seats=command.seats[:2])) == ("validation_failed", "/seats")
    for nobody in (SeatPlan("open"), SeatPlan("reserved", "acc_2", "eve")):
        seats = (*command.seats[:2], nobody)
        assert refused(replace(command, seats=seats)) == ("validation_failed", "/seats")
    for dice in ("same", "fresh"):
        with pytest.raises(RuleViolation, match="must be 3 seats, as in the origin, not 2"):
            branch_of(state, dice, seats=[seat_plan(A), seat_plan(B)])


def test_a_match_is_a_branch_altogether_or_not_at_all() -> None:
    command = branch_of(new_match("base").state, "fresh")
    for half in ({"origin": None}, {"branch": None}, {"first_seat": 0}):
        assert refused(replace(command, **half)) == ("validation_failed", "")


def test_nothing_branches_off_from_before_the_start_or_behind_the_end() -> None:
    waiting = new_match("base", plans=[seat_plan(A), SeatPlan("open")])
    ended = new_match("base").when(cmd.Resign(A))
    for state, code in (
        (waiting.state, "match_not_started"),
        (waiting.when(cmd.AbortMatch()).state, "match_not_started"),
        (ended.state, "match_finished"),
    ):
        with pytest.raises(RuleViolation) as refusal:
            branch_of(state)
        assert refusal.value.code == code
