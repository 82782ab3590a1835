"""The player that searches: what it finds, its budgets, and every table that it may sit at."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from bench.matches import committed, new_match
from domain import decide, fold, legal_commands, view
from domain.match.commands import AddTwo, Build, KeepDice, PlayCommand, RollDice, TakeCoins
from domain.match.decide import advance
from domain.match.decide.turns import TURN_LIMIT
from domain.match.events import Position, PositionPlayer
from domain.match.state import RUNNING, MatchState, facts
from players import PLAYERS
from players.uct import Budget, Search, Uct
from players.uct_rollout import NOBODY, OwnChance, play_on, rollout_command, rollout_tables
from tests.domain.matches import CASES, Case, chance_of, creation_of, next_command

POOR = PositionPlayer(0, {"wheat_field": 1}, ())
ALL_BUT_RADIO = ("train_station", "shopping_mall", "amusement_park")
ABOUT_TO_WIN = PositionPlayer(52, {"wheat_field": 1}, ALL_BUT_RADIO)
"""Whatever is thrown, the seat builds its last landmark on its next turn."""
PHASES = {"setup", "roll", "reroll", "add_two", "take_coins", "swap", "give", "build"}
PHASES |= {"demolish", "move", "renovate", "invest"}


def _board(ruleset: str, *cities: PositionPlayer, phase: str = "build", **options: Any) -> MatchState:
    chance, dice = committed(1)
    create = new_match(ruleset, ("uct",) * len(cities), dice, **options)
    return fold(None, decide(None, replace(create, position=Position(0, phase, cities)), chance))


def _choice(name: str, state: MatchState) -> PlayCommand:
    return PLAYERS[name](view(state), legal_commands(state), random.Random(1))


@pytest.mark.parametrize("name", ["uct", "uct_1600", "uct_100ms"])
@pytest.mark.parametrize("seats", [2, 5])
def test_a_build_that_wins_is_taken(name: str, seats: int) -> None:
    almost = PositionPlayer(40, {"wheat_field": 1, "mine": 3}, ALL_BUT_RADIO)
    state = _board("base", almost, *[ABOUT_TO_WIN] * (seats - 1))
    assert _choice(name, state) == Build(0, "radio_tower")


def test_a_launch_pad_that_wins_is_taken() -> None:
    state = _board("machi_koro_2", PositionPlayer(60, {"bakery": 1}, ()), POOR)
    state.supply[state.rules.index["launch_pad"]] = 1
    assert _choice("uct", state) == Build(0, "launch_pad")


def test_the_dice_that_alone_can_win_are_thrown() -> None:
    """Five coins are missing, a mine pays them on 9, and there will be no other turn."""
    last_chance = PositionPlayer(17, {"mine": 1}, ("train_station", "shopping_mall", "amusement_park"))
    assert _choice("uct", _board("base", last_chance, ABOUT_TO_WIN, phase="roll")) == RollDice(0, 2)


def test_a_throw_that_wins_is_kept() -> None:
    last_chance = PositionPlayer(11, {"mine": 1}, ("train_station", "shopping_mall", "radio_tower"))
    state = _board("base", last_chance, ABOUT_TO_WIN, phase="roll")
    state.phase, state.pending_card = "reroll", "radio_tower"
    state.dice, state.total = (4, 5), 9
    assert _choice("uct", state) == KeepDice(0)


def test_two_are_added_where_that_wins() -> None:
    """A tuna boat fires on 12, nothing on 10, and two coins are missing."""
    landmarks = ("harbor", "train_station", "shopping_mall", "amusement_park", "radio_tower")
    last_chance = PositionPlayer(28, {"tuna_boat": 3}, landmarks)
    ahead = PositionPlayer(90, {"wheat_field": 1}, landmarks)
    state = _board("harbor", last_chance, ahead, phase="roll")
    state.phase, state.pending_card = "add_two", "harbor"
    state.dice, state.total = (4, 6), 10
    assert _choice("uct", state) == AddTwo(0)


def test_coins_are_taken_from_who_is_about_to_win() -> None:
    """The one needs all of its 22 coins; the other cannot win soon, whatever it has."""
    rich = PositionPlayer(22, {"forest": 1}, ALL_BUT_RADIO)
    state = _board("base", PositionPlayer(5, {"tv_station": 1, "ranch": 3}, ALL_BUT_RADIO[:2]), rich, POOR)
    state.coins[2] = 21
    state.phase, state.pending_card, state.pending_copies = "take_coins", "tv_station", 1
    state.dice, state.total = (6,), 6
    assert _choice("uct", state) == TakeCoins(0, 1)


# Budgets


def _opening(ruleset: str = "base", seats: int = 2) -> MatchState:
    return _board(ruleset, *[PositionPlayer(6, {"wheat_field": 1, "bakery": 1}, ())] * seats)


@pytest.mark.parametrize("simulations", [1, 7, 60])
def test_exactly_as_many_matches_are_simulated_as_the_budget_says(simulations: int) -> None:
    state = _opening()
    first, second = random.Random(3), random.Random(3)
    search = Search(state, legal_commands(state), first)
    search.run(simulations)
    assert sum([edge.visits for edge in search.root.values()]) == search.simulations == simulations
    command = Uct(Budget(simulations=simulations))(state, legal_commands(state), second)
    assert (command, second.getstate()) == (search.best(), first.getstate())


def test_the_players_have_the_budgets_of_their_names() -> None:
    budgets = {name: player._budget for name, player in PLAYERS.items() if isinstance(player, Uct)}
    assert budgets == {
        "uct_100ms": Budget(ms=100),
        "uct": Budget(simulations=400),
        "uct_1600": Budget(simulations=1600),
    }


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_the_same_luck_gives_the_same_choice(ruleset: str) -> None:
    state = _opening(ruleset, 3)
    trees = []
    for _ in range(2):
        search = Search(state, legal_commands(state), random.Random(11))
        search.run(80)
        trees.append([(command, edge.visits, edge.wins) for command, edge in search.root.items()])
    assert trees[0] == trees[1]


class Ticking:
    """A clock that goes on by so much whenever somebody looks at it, once for each simulation."""

    def __init__(self, step_s: float) -> None:
        self.now_s = 0.0
        self._step_s = step_s

    def __call__(self) -> float:
        now_s, self.now_s = self.now_s, self.now_s + self._step_s
        return now_s


@pytest.mark.parametrize(("step_s", "simulations"), [(0.001, 99), (0.01, 9), (0.04, 2), (0.06, 1), (7.0, 1)])
def test_a_budget_of_time_begins_no_simulation_that_would_end_late(step_s: float, simulations: int) -> None:
    state = _opening()
    search = Search(state, legal_commands(state), random.Random(1))
    search.run_for(0.1, Ticking(step_s))
    assert abs(search.simulations - simulations) <= (step_s == 0.001), "or one less, as fractions are rounded"


def test_a_player_with_a_budget_of_time_looks_at_its_clock() -> None:
    state = _opening()
    clock = Ticking(0.03)
    assert Uct(Budget(ms=100), clock)(state, legal_commands(state), random.Random(1)) in legal_commands(state)
    assert clock.now_s == pytest.approx(0.12), "it was looked at four times, the last at 90 ms"


# Every table


def _decisions(case: Case, seed: int) -> Iterator[MatchState]:
    """The decisions of a match of random players, some of whom resign, that leave a choice."""
    choices = random.Random(f"{case.name}|{seed}")
    chance = chance_of(case, seed)
    state = fold(None, decide(None, creation_of(case, choices), chance))
    while state.status == RUNNING and state.turn <= 60:
        if len(legal_commands(state)) > 1:
            yield state
        advance(state, next_command(state, choices), chance)


@pytest.mark.long
def test_the_search_plays_every_table_and_changes_nothing_that_it_is_given() -> None:
    player = Uct(Budget(simulations=4))
    phases, seats, resigned = set(), set(), 0
    for case in CASES:
        for i, state in enumerate(_decisions(case, 1)):
            if i % 4 and state.phase in phases:
                continue
            before = facts(state.copy())
            legal = legal_commands(state)
            assert player(view(state), legal, random.Random(i)) in legal
            assert facts(state) == before
            phases.add(state.phase)
            seats.add(len(state.coins))
            resigned += any(state.resigned)
    assert (phases, seats) == (PHASES, {2, 3, 4, 5})
    assert resigned


def test_habits_are_legal_at_every_table() -> None:
    rng = random.Random(1)
    for case in CASES:
        for state in _decisions(case, 2):
            assert rollout_command(state, rollout_tables(state.rules), rng) in legal_commands(state)


def test_habits_let_no_building_round_pass_where_anything_can_be_built() -> None:
    chance, dice = committed(1)
    for number in range(40):
        rng = random.Random(number)
        state = fold(None, decide(None, new_match("machi_koro_2", ("uct",) * 2, dice), chance))
        while state.phase == "setup":
            command = rollout_command(state, rollout_tables(state.rules), rng)
            assert isinstance(command, Build) or legal_commands(state) == [command]
            advance(state, command, chance)


def test_a_simulated_match_that_nobody_wins_is_cut_short() -> None:
    """Nothing to build, nothing to build with, and no income."""
    city = PositionPlayer(0, {}, ())
    state = _board("base", city, city)
    state.supply = [0] * state.rules.size
    rng = random.Random(1)
    played = state.copy()
    assert play_on(played, OwnChance(rng), rng, state.turn + 20) == NOBODY
    assert (played.status, played.turn) == (RUNNING, state.turn + 21)


def test_a_simulated_match_may_reach_the_turn_limit() -> None:
    state = _opening()
    state.turn = TURN_LIMIT - 1
    legal = legal_commands(state)
    search = Search(state, legal, random.Random(1))
    search.run(30)
    assert search.best() in legal
    assert sum([edge.wins for edge in search.root.values()]) == 0


def test_cards_are_drawn_as_often_as_they_lie_in_the_deck() -> None:
    state = _board("base", POOR, POOR, market="limited")
    chance = OwnChance(random.Random(1))
    drawn = [chance.draw(state, 0, 1, (0, 3, 1, 0)) for _ in range(4000)]
    assert {*drawn} == {1, 2}
    assert 2900 < drawn.count(1) < 3100
