"""The game of OpenSpiel passes its consistency test; its chance nodes are the dice and draws of the rules."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyspiel
import pytest
from open_spiel.python.algorithms import generate_playthrough
from open_spiel.python.observation import make_observation

import machi_koro_rules.environments.openspiel
from domain import advance, create, legal_commands
from domain.match.chance import SeededChance
from domain.match.state import RUNNING, MatchState
from machi_koro_rules.environments.chance_nodes import outcome_names
from machi_koro_rules.environments.encoding import encoding_of
from machi_koro_rules.environments.games import Setup
from tests.machi_koro_rules.environments.played import RULESETS

NAME = "python_machi_koro"
GOLDEN = Path(__file__).parents[2] / "golden" / "openspiel" / "machi_koro_2.txt"
SOME = [
    {"ruleset": "base"},
    pytest.param({"ruleset": "harbor", "players": 3, "market": "limited"}, marks=pytest.mark.long),
    {"ruleset": "machi_koro_2"},
    pytest.param({"ruleset": "millionaires_row", "max_copies": 2}, marks=pytest.mark.long),
    pytest.param(
        {"ruleset": "harbor_millionaires_row", "players": 3, "market": "limited"}, marks=pytest.mark.long
    ),
]
assert machi_koro_rules.environments.openspiel.MachiKoroGame


def recorded() -> str:
    """The playthrough of a match of three players of Machi Koro 2."""
    return str(generate_playthrough.playthrough(f"{NAME}(ruleset=machi_koro_2,players=3)", [], seed=3))


class Noted(SeededChance):
    """Notes the name of each outcome."""

    names: list[str]

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        values = super().throw(state, purpose, dice)
        self.names.append(f"throw {' + '.join(map(str, values))}")
        return values

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        index = super().draw(state, row, number, weights)
        self.names.append(f"draw {state.rules.rows[row].cards[index]}")
        return index

    def first_seat(self, state: MatchState) -> int:
        seat = super().first_seat(state)
        self.names.append(f"seat {seat} begins")
        return seat


def follow(state: Any, names: list[str], every: tuple[str, ...]) -> None:
    """Apply these outcomes, all of which must be possible, and no others."""
    for name in names:
        assert state.is_chance_node()
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        assert sum(chances) == pytest.approx(1)
        assert every.index(name) in outcomes
        state.apply_action(every.index(name))
    names.clear()
    assert not state.is_chance_node()


@pytest.mark.parametrize("members", SOME, ids=lambda members: members["ruleset"])
def test_the_game_passes_the_consistency_test_of_openspiel(members: dict[str, Any]) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(NAME, members), num_sims=1, serialize=True, verbose=False)


@pytest.mark.long
@pytest.mark.parametrize("market", ["", "limited"])
@pytest.mark.parametrize("players", range(2, 6))
@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_game_passes_the_consistency_test_with_all_rules_and_players(
    ruleset: str, players: int, market: str
) -> None:
    members = {"ruleset": ruleset, "players": players}
    if ruleset != "machi_koro_2":
        members |= {"market": market, "max_copies": 2 if market else 0}
    pyspiel.random_sim_test(pyspiel.load_game(NAME, members), num_sims=5, serialize=True, verbose=False)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_states_are_those_of_the_rules_with_the_same_dice_and_draws(ruleset: str) -> None:
    options: dict[str, Any] = {} if ruleset == "machi_koro_2" else {"market": "limited"}
    chance, rng = Noted(b"1" * 32, ""), random.Random(1)
    chance.names = []
    match, _ = create(Setup(ruleset, 3, **options).creation, chance)
    every, encoding = outcome_names(match.rules), encoding_of(match.rules)
    state = pyspiel.load_game(NAME, {"ruleset": ruleset, "players": 3, **options}).new_initial_state()
    follow(state, chance.names, every)
    while match.status == RUNNING:
        assert (state.current_player(), state.match) == (match.active, match)
        legal = legal_commands(match)
        assert state.legal_actions() == sorted(encoding.action(command) for command in legal)
        command = rng.choice(legal[1:] or legal)
        advance(match, command, chance)
        state.apply_action(encoding.action(command))
        follow(state, chance.names, every)
    assert state.is_terminal()
    assert state.returns()[match.winner] == 1


def test_a_throw_of_two_dice_has_36_outcomes_of_equal_chance() -> None:
    state = pyspiel.load_game(NAME, {"ruleset": "machi_koro_2", "first_seat": 0}).new_initial_state()
    while "roll_dice" not in state.action_to_string(state.legal_actions()[0]):
        state.apply_action(state.legal_actions()[0])
    one, two = state.legal_actions()
    assert [state.action_to_string(action) for action in (one, two)] == ["roll_dice 1", "roll_dice 2"]
    assert state.child(one).chance_outcomes() == [(value, 1 / 6) for value in range(6)]
    thrown = state.child(two)
    assert [chance for _, chance in thrown.chance_outcomes()] == [1 / 36] * 36
    assert thrown.action_to_string(thrown.legal_actions()[0]) == "throw 1 + 1"


def test_a_card_is_drawn_as_often_as_its_copies_are_in_the_deck() -> None:
    state = pyspiel.load_game(NAME, {"ruleset": "machi_koro_2", "first_seat": 0}).new_initial_state()
    chances = {state.action_to_string(outcome): chance for outcome, chance in state.chance_outcomes()}
    rules = Setup("machi_koro_2").rules
    low = {id: rules.copies[rules.index[id]] for id in rules.rows[0].cards}
    assert chances == {f"draw {id}": pytest.approx(count / sum(low.values())) for id, count in low.items()}


def test_chance_chooses_the_first_seat_unless_one_is_given() -> None:
    state = pyspiel.load_game(NAME, {"players": 4}).new_initial_state()
    assert [state.action_to_string(one) for one in state.legal_actions()][-1] == "seat 3 begins"
    assert [chance for _, chance in state.chance_outcomes()] == [0.25] * 4
    state = pyspiel.load_game(f"{NAME}(players=4,first_seat=2)").new_initial_state()
    assert state.current_player() == 2


def test_the_observer_shows_the_members_of_the_encoding() -> None:
    game = pyspiel.load_game(NAME, {"first_seat": 0})
    observer = make_observation(game)
    observer.set_from(game.new_initial_state(), 1)
    assert observer.dict["coins"].tolist() == [3, 3]
    assert observer.dict["active_seat"].tolist() == [1]
    assert observer.tensor.tolist() == [number for part in observer.dict.values() for number in part.tolist()]
    assert "player_0 is to act" in observer.string_from(game.new_initial_state(), 1)


@pytest.mark.long
def test_a_match_goes_on_as_it_was_recorded() -> None:
    """A change to the file is a change of the rules, or of what agents see: `make golden` writes it."""
    assert recorded() == GOLDEN.read_text()


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"ruleset": "chess"}, "the ruleset must be one of"),
        ({"players": 5, "box": "four_player"}, "box 'four_player' is too small for 5 players"),
        ({"first_seat": 2}, "the match has no seat 2"),
    ],
)
def test_wrong_parameters_are_refused_and_named(members: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        pyspiel.load_game(NAME, members)
