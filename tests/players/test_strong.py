"""The player `strong` rolls out close commands, and takes the exact best of a small race."""

import random

import pytest

from bench.matches import committed, new_match, play_out
from domain import create, legal_commands, view
from domain.match.commands import Build
from domain.match.decide import advance_turn
from domain.match.state import FINISHED, MatchState
from kernel.compare import Case, creation_of
from kernel.convert import TwinChance
from kernel.engine import PLAIN, compiled
from players.exact_race.deciding import RaceDecisions
from players.exact_race.races import Races
from players.lookahead import judged_builds
from players.rollouts import CLOSE, MOST
from players.strong import candidates, seed_of
from tests.workers.boards import board, choice

CITY = {"wheat_field": 1, "bakery": 1, "ranch": 2, "forest": 1}
THREE = ("train_station", "shopping_mall", "amusement_park")


def late(phase: str, coins: int = 12) -> MatchState:
    """Both seats lack the Radio Tower."""
    return board("base", (coins, CITY, THREE), (15, CITY, THREE), phase=phase)


def test_a_landmark_that_wins_is_built_at_once() -> None:
    assert choice("strong", late("build", coins=22)) == Build(0, "radio_tower")


def test_the_number_of_dice_in_a_race_is_the_exact_best() -> None:
    state = late("roll")

    best = RaceDecisions(Races(PLAIN, state.rules), view(state)).best(legal_commands(state))
    assert choice("strong", state) == best


def test_the_candidates_are_the_closest_commands_of_the_network() -> None:
    city = {"wheat_field": 1, "bakery": 2, "ranch": 1}
    state = view(board("base", (3, city), (3, city)))
    legal = legal_commands(state)
    _, judged = judged_builds([state], [legal])
    found = candidates(state, legal)

    assert 1 < len(found) <= MOST < len(legal)
    values = dict(zip(legal, judged.tolist(), strict=True))
    assert [values[one] for one in found] == sorted(values.values(), reverse=True)[: len(found)]
    assert values[found[-1]] > values[found[0]] - CLOSE


@pytest.mark.parametrize("number", [1, 2])
def test_the_choice_depends_on_the_table_alone(number: int) -> None:
    state = board("base", (3, {**CITY, "mine": number}, THREE), (8, CITY, THREE))
    assert choice("strong", state, seed=number) == choice("strong", state, seed=number + 7)


def test_a_decision_that_takes_too_long_is_that_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("players.strong.LONGEST_S", 0)
    city = {"wheat_field": 1, "bakery": 2, "ranch": 1}
    state = board("base", (3, city), (3, city))
    found = candidates(view(state), legal_commands(state))
    assert len(found) > 1
    assert choice("strong", state) == found[0]


@pytest.mark.parametrize(
    ("ruleset", "seats", "seed"),
    [("base", 2, 703714732212), ("harbor", 4, 2073295272726), ("machi_koro_2", 5, 4409880563792)],
)
def test_a_position_keeps_the_seed_of_its_rollouts(ruleset: str, seats: int, seed: int) -> None:
    """Whatever the kernel has room for: with another seed, the same table could give another choice."""
    chance = TwinChance(seats)
    state, _ = create(creation_of(Case(ruleset, seats, {})), chance)
    rng = random.Random(1)
    for _ in range(60):
        advance_turn(state, rng.choice(legal_commands(state)), chance)

    assert seed_of(state) == seed


@pytest.mark.long
@pytest.mark.parametrize(("ruleset", "seats"), [("base", 2), ("harbor", 3), ("machi_koro_2", 2)])
def test_it_plays_whole_matches(ruleset: str, seats: int) -> None:
    compiled()  # the plain kernel would take hours
    names = ("strong", *("greedy",) * (seats - 1))
    chance, dice = committed(seats)
    state, _ = play_out(new_match(ruleset, names, dice), chance, random.Random(1))
    assert state.status == FINISHED
