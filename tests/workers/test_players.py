"""Every built-in player plays every ruleset, option and number of seats."""

import random
from typing import Any

import pytest
from msgspec.structs import replace

from bench.matches import committed, new_match, play_out
from domain import initial_state, legal_commands, view
from domain.commands import CreateMatch, PlayCommand
from domain.decide import advance, decide
from domain.events import Dice, Position, PositionPlayer, PositionRow
from domain.invariants import problems
from domain.state import FINISHED, RUNNING, MatchState, facts
from events.strategies import STRATEGIES
from workers.players import PLAYERS

TABLES: list[tuple[str, int, dict[str, Any]]] = [
    *[("base", seats, {}) for seats in (2, 3, 4, 5)],
    *[("base", seats, {"market": "limited", "max_copies": 2}) for seats in (2, 5)],
    ("base", 2, {"box": "five_player", "card_costs": {"radio_tower": 0, "wheat_field": 9}}),
    *[("harbor", seats, {}) for seats in (2, 3, 4, 5)],
    *[("harbor", seats, {"market": "limited", "max_copies": 2}) for seats in (2, 5)],
    *[("machi_koro_2", seats, {}) for seats in (2, 3, 4, 5)],
]


def test_the_players_are_the_strategies_on_offer() -> None:
    assert list(PLAYERS) == list(STRATEGIES)
    assert all(strategy.name == name for name, strategy in STRATEGIES.items())


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize(("ruleset", "seats", "options"), TABLES)
def test_every_player_plays_every_table_to_the_end(
    name: str, ruleset: str, seats: int, options: dict[str, Any]
) -> None:
    chance, dice = committed(seats)
    state = initial_state()
    advance(state, new_match(ruleset, (name,) * seats, dice, **options), chance)
    rng = random.Random(seats)
    while state.status == RUNNING and state.turn < 1000:
        advance(state, _checked_choice(name, state, rng), chance)
    assert state.status == FINISHED
    assert problems(state) == []


def _checked_choice(name: str, state: MatchState, rng: random.Random) -> PlayCommand:
    legal = legal_commands(state)
    before = facts(state.copy())
    command = PLAYERS[name](view(state), legal, rng)
    assert command in legal
    assert facts(state) == before, "a player changes nothing that it is given"
    return command


@pytest.mark.parametrize("name", PLAYERS)
def test_the_same_match_is_played_again_from_the_same_luck(name: str) -> None:
    chance, dice = committed(7)
    create = new_match("harbor", (name,) * 3, dice)
    first = play_out(create, chance, random.Random(1))
    again = play_out(create, chance, random.Random(1))
    assert again[1] == first[1]


def test_a_player_does_not_see_the_order_of_a_deck_nor_the_tape() -> None:
    """Given decks and scripted dice are known to whoever made the board, not to its players."""
    city = PositionPlayer(5, {"wheat_field": 1}, ())
    market = PositionRow("market", {"cafe": 1}, ("mine", "ranch", "forest"))
    position = Position(0, "build", (city, city), (market,))
    chance, _ = committed(1)
    create = new_match("base", ("random", "random"), Dice("scripted", throws=((1,), (2,))), market="limited")
    state = initial_state()
    advance(state, _with_position(create, position), chance)
    seen = view(state)
    assert state.deck_orders
    assert seen.created is not None
    assert (seen.deck_orders, seen.created.dice.throws, seen.created.position) == ({}, (), None)
    assert (seen.decks, seen.supply, seen.coins) == (state.decks, state.supply, state.coins)


def _with_position(create: CreateMatch, position: Position) -> CreateMatch:
    return replace(create, position=position)


def _board(ruleset: str, cities: tuple[PositionPlayer, ...], phase: str = "build") -> MatchState:
    chance, dice = committed(1)
    state = initial_state()
    create = new_match(ruleset, ("greedy",) * len(cities), dice)
    advance(state, _with_position(create, Position(0, phase, cities)), chance)
    return state


def _choice(name: str, state: MatchState) -> PlayCommand:
    return PLAYERS[name](view(state), legal_commands(state), random.Random(1))


POOR = PositionPlayer(0, {"wheat_field": 1}, ())


def test_landmark_first_builds_the_dearest_landmark() -> None:
    rich = PositionPlayer(16, {"wheat_field": 1}, ())
    assert _choice("landmark_first", _board("base", (rich, POOR))).card == "amusement_park"  # type: ignore[union-attr]


def test_greedy_builds_the_cheapest_landmark() -> None:
    rich = PositionPlayer(16, {"wheat_field": 1}, ())
    assert _choice("greedy", _board("base", (rich, POOR))).card == "train_station"  # type: ignore[union-attr]


def test_greedy_builds_a_landmark_that_wins_before_a_cheaper_one() -> None:
    rich = PositionPlayer(60, {"wheat_field": 1}, ())
    state = _board("machi_koro_2", (rich, POOR))
    launch_pad = state.rules.index["launch_pad"]
    state.supply[launch_pad] = 1
    assert _choice("greedy", state).card == "launch_pad"  # type: ignore[union-attr]


def test_greedy_takes_the_card_that_brings_most_in_a_round() -> None:
    """A ranch brings 1 coin on one number of every seat; a convenience store 3 on one number of its own."""
    city = PositionPlayer(2, {"wheat_field": 1, "bakery": 1}, ())
    assert _choice("greedy", _board("base", (city, POOR))).card == "convenience_store"  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["landmark_first", "greedy"])
@pytest.mark.parametrize(("city", "dice"), [({"wheat_field": 5}, 1), ({"mine": 3, "ranch": 1}, 2)])
def test_dice_are_thrown_as_they_pay_best(name: str, city: dict[str, int], dice: int) -> None:
    seat = PositionPlayer(0, city, ("train_station",))
    assert _choice(name, _board("base", (seat, POOR), "roll")).dice == dice  # type: ignore[union-attr]


def test_a_poor_throw_is_thrown_again() -> None:
    seat = PositionPlayer(0, {"mine": 2}, ("train_station", "radio_tower"))
    state = _board("base", (seat, POOR), "roll")
    chance, _ = committed(1)
    for values, kept in (((1, 1), False), ((4, 5), True)):
        thrown = state.copy()
        advance(thrown, _choice("greedy", thrown), chance)
        thrown.dice, thrown.total = values, sum(values)
        command = type(_choice("greedy", thrown)).__name__
        assert command == ("KeepDice" if kept else "RerollDice")
        decide(thrown, _choice("greedy", thrown), chance)
