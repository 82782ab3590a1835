"""Every built-in player plays every ruleset, option and number of seats."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from bench.matches import committed, new_match, play_out
from domain import fold, legal_commands, view
from domain.match.commands import (
    Build,
    CreateMatch,
    DeclineSwap,
    GiveEstablishment,
    PlayCommand,
    RollDice,
    SwapEstablishments,
)
from domain.match.decide import advance, decide
from domain.match.events import Dice, Position, PositionPlayer, PositionRow
from domain.match.state import FINISHED, RUNNING, MatchState, facts
from players import PLAYERS
from runtime.strategies import STRATEGIES
from tests.domain.invariants import problems
from tests.marks import long_unless
from tests.workers.boards import board, choice
from tests.workers.kit import QUICK_PLAYERS

TABLES: list[tuple[str, int, dict[str, Any]]] = [
    *[(ruleset, seats, {}) for ruleset in ("base", "harbor", "machi_koro_2") for seats in (2, 5)],
    ("base", 2, {"box": "five_player", "card_costs": {"radio_tower": 0, "wheat_field": 9}}),
    ("harbor", 5, {"market": "limited", "max_copies": 2}),
    ("millionaires_row", 2, {"max_copies": 2}),
    ("harbor_millionaires_row", 5, {"market": "limited"}),
]
MORE_TABLES = [
    pytest.param(ruleset, seats, options, marks=pytest.mark.long)
    for ruleset, seats, options in [
        *[(ruleset, seats, {}) for ruleset in ("base", "harbor", "machi_koro_2") for seats in (3, 4)],
        *[("base", seats, {"market": "limited", "max_copies": 2}) for seats in (2, 5)],
        ("harbor", 2, {"market": "limited", "max_copies": 2}),
    ]
]


def test_the_players_are_the_strategies_on_offer() -> None:
    assert list(PLAYERS) == list(STRATEGIES)
    assert all(strategy.name == name for name, strategy in STRATEGIES.items())


@pytest.mark.parametrize("name", QUICK_PLAYERS)
@pytest.mark.parametrize(("ruleset", "seats", "options"), [*TABLES, *MORE_TABLES])
def test_every_player_plays_every_table_to_the_end(
    name: str, ruleset: str, seats: int, options: dict[str, Any]
) -> None:
    chance, dice = committed(seats)
    state = fold(None, decide(None, new_match(ruleset, (name,) * seats, dice, **options), chance))
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


@pytest.mark.parametrize("name", QUICK_PLAYERS)
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
    state = fold(None, decide(None, _with_position(create, position), chance))
    seen = view(state)
    assert state.deck_orders
    assert (seen.deck_orders, seen.created.dice.throws, seen.created.position) == ({}, (), None)
    assert (seen.decks, seen.supply, seen.coins) == (state.decks, state.supply, state.coins)


def _with_position(create: CreateMatch, position: Position) -> CreateMatch:
    return replace(create, position=position)


def _board(ruleset: str, cities: tuple[PositionPlayer, ...], phase: str = "build") -> MatchState:
    chance, dice = committed(1)
    create = new_match(ruleset, ("greedy",) * len(cities), dice)
    return fold(None, decide(None, _with_position(create, Position(0, phase, cities)), chance))


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


def test_greedy_takes_any_of_the_cards_that_bring_as_much() -> None:
    """Each brings a coin on one number of both seats, or on two of its own."""
    state = board("base", (1, {"wheat_field": 1, "bakery": 1}))
    assert {_built(choice("greedy", state, seed)) for seed in range(40)} == {"wheat_field", "ranch", "bakery"}


def test_greedy_takes_a_useless_card_or_none_where_nothing_brings_anything() -> None:
    """Without the Train Station nobody throws the numbers of these cards."""
    shown = {"apple_orchard": 1, "furniture_factory": 1}
    state = board("base", (3, {"wheat_field": 1}), shown=shown)
    found = {_built(choice("greedy", state, seed)) for seed in range(40)}
    assert found == {"apple_orchard", "furniture_factory", ""}


def _built(command: PlayCommand) -> str:
    """The card that the command builds; empty if it builds none."""
    return command.card if isinstance(command, Build) else ""


@pytest.mark.parametrize("name", ["landmark_first", "greedy", "expected_value"])
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


# The second game: building rounds, one of each landmark in the market, gifts and trades of any card

SENSIBLE = ["landmark_first", "greedy", "expected_value"]
PLANS = ["furniture", "fruit_market", "bakery", "cheese", "convenience_rush"]
ALL = ["random", *SENSIBLE, *PLANS]


@pytest.mark.parametrize("name", long_unless(SENSIBLE, ALL))
@pytest.mark.parametrize("seats", long_unless([2], range(2, 6)))
def test_nobody_lets_a_building_round_pass_where_it_can_build(name: str, seats: int) -> None:
    for number in range(12):
        chance, dice = committed(number)
        state = fold(None, decide(None, new_match("machi_koro_2", (name,) * seats, dice), chance))
        rng = random.Random(number)
        while state.phase == "setup":
            legal = legal_commands(state)
            command = _checked_choice(name, state, rng)
            assert isinstance(command, Build) or legal == [command]
            advance(state, command, chance)
        assert all(any(city) for city in state.cities)


def _second_game(
    *cities: PositionPlayer, phase: str = "build", landmarks: Sequence[str] = (), **options: Any
) -> MatchState:
    """A table of the second game with these landmarks for sale."""
    chance, dice = committed(1)
    create = new_match("machi_koro_2", ("greedy",) * len(cities), dice, **options)
    rows = (PositionRow("landmarks", dict.fromkeys(landmarks, 1), ()),)
    return fold(None, decide(None, _with_position(create, Position(0, phase, cities, rows)), chance))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("own", "coins", "options"),
    [
        ((), 45, {}),
        (("forge",), 38, {}),
        (("loan_office",), 36, {}),
        ((), 40, {"card_costs": {"launch_pad": 5}}),
        ((), 60, {"card_costs": {"launch_pad": 40, "park": 50}}),
    ],
    ids=["first", "second", "second with Loan Office", "the cheapest", "neither cheapest nor dearest"],
)
def test_a_launch_pad_that_can_be_paid_for_is_built(
    name: str, own: tuple[str, ...], coins: int, options: dict[str, Any]
) -> None:
    rich = PositionPlayer(coins, {"bakery": 1}, own)
    state = _second_game(rich, POOR, landmarks=("museum", "park", "launch_pad", "temple"), **options)
    assert _choice(name, state) == Build(0, "launch_pad")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("card", ["museum", "park", "radio_tower", "temple", "observatory"])
def test_a_third_landmark_that_can_be_paid_for_is_built(name: str, card: str) -> None:
    rich = PositionPlayer(22, {"bakery": 1}, ("forge", "airport"))
    state = _second_game(rich, POOR, landmarks=(card,))
    assert _choice(name, state) == Build(0, card)


@pytest.mark.parametrize("name", SENSIBLE)
@pytest.mark.parametrize(
    ("city", "dice"),
    [({"bakery": 2, "wheat_field": 1}, 1), ({"corn_field": 1}, 2), ({"mine": 2, "vineyard": 1}, 2)],
    ids=["low cards", "a card on 7", "cards on 11 and 12"],
)
def test_the_free_choice_of_dice_follows_the_cards_of_the_city(
    name: str, city: dict[str, int], dice: int
) -> None:
    state = _second_game(PositionPlayer(5, city, ()), POOR, phase="roll")
    assert _choice(name, state) == RollDice(0, dice)


@pytest.mark.parametrize("name", SENSIBLE)
@pytest.mark.parametrize(("landmark", "dice"), [("charterhouse", 2), ("temple", 2), ("airport", 1)], ids=str)
def test_two_dice_are_thrown_for_the_landmarks_that_pay_for_them(name: str, landmark: str, dice: int) -> None:
    state = _second_game(
        PositionPlayer(5, {"winery": 1}, ()), PositionPlayer(9, {}, (landmark,)), phase="roll"
    )
    assert _choice(name, state) == RollDice(0, dice)


@pytest.mark.parametrize("name", SENSIBLE)
@pytest.mark.parametrize(
    ("city", "least"),
    [
        ({"bakery": 1, "flower_shop": 1, "forest": 1}, "flower_shop"),
        ({"convenience_store": 2, "winery": 1}, "winery"),
        ({"wheat_field": 1, "forest": 1, "mine": 2, "furniture_factory": 1}, "wheat_field"),
    ],
    ids=["a shop without a garden", "a winery without fruit", "the card that brings least"],
)
def test_the_establishment_that_brings_least_is_given_away(
    name: str, city: dict[str, int], least: str
) -> None:
    state = _second_game(PositionPlayer(5, city, ("moving_company",)), POOR, phase="roll")
    state.dice, state.total, state.phase, state.pending_card = (4, 4), 8, "give", "moving_company"
    assert _choice(name, state) == GiveEstablishment(0, least)


def _trading(own: dict[str, int], other: dict[str, int]) -> MatchState:
    """A table on which the first seat has thrown 6 and its Business Center asks for a trade."""
    state = _second_game(PositionPlayer(5, own, ()), PositionPlayer(5, other, ()), phase="roll")
    state.dice, state.total = (6,), 6
    state.phase, state.pending_card, state.pending_copies = "swap", "business_center", 1
    return state


@pytest.mark.parametrize("name", SENSIBLE)
def test_a_useless_card_is_traded_for_the_one_that_brings_most(name: str) -> None:
    state = _trading(
        {"business_center": 1, "convenience_store": 1, "bakery": 2}, {"vineyard": 1, "cafe": 1, "winery": 1}
    )
    assert _choice(name, state) == SwapEstablishments(0, "business_center", 1, "vineyard")


@pytest.mark.parametrize("name", SENSIBLE)
def test_a_trade_that_brings_nothing_is_declined(name: str) -> None:
    state = _trading({"business_center": 1, "forest": 2}, {"winery": 1, "flower_shop": 2})
    assert _choice(name, state) == DeclineSwap(0)


@pytest.mark.parametrize(
    ("name", "matches"),
    [pytest.param("landmark_first", 8, marks=pytest.mark.long), *[(name, 2) for name in ALL[2:]]],
)
@pytest.mark.parametrize("seats", [2, 5])
def test_no_match_of_the_second_game_stalls(name: str, matches: int, seats: int) -> None:
    for number in range(matches):
        chance, dice = committed(number)
        create = new_match("machi_koro_2", (name,) * seats, dice)
        state, _ = play_out(create, chance, random.Random(number))
        assert state.turn < 250
