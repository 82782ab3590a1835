"""Policies inside the kernel choose as the built-in players do, with the same random numbers."""

from itertools import product

import pytest

from domain import create, legal_commands
from domain.match.invariants import problems
from domain.match.rules import Rules, rules_for
from kernel import layout as at
from kernel.compare import CASES, Case, TwinChance, creation_of
from kernel.convert import row_of, state_of
from kernel.engine import PLAIN, compiled
from kernel.play import play
from tests.kernel.choosing import play_both
from workers.players import PLAYERS

NAMES = ("random", "landmark_first", "greedy")


def rules_of(ruleset: str, seats: int) -> Rules:
    creation = creation_of(Case(ruleset, seats, {}))
    return rules_for(creation.rules_version, creation.options, seats)


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
@pytest.mark.parametrize("name", NAMES)
def test_a_policy_chooses_as_the_player_of_that_name(ruleset: str, name: str) -> None:
    assert play_both(PLAIN, Case(ruleset, 2, {}), (name,) * 2, 1) > 20


@pytest.mark.long
def test_the_compiled_policies_choose_as_the_players_in_all_kinds_of_matches() -> None:
    for number, (case, first) in enumerate(product(CASES, range(len(NAMES)))):
        names = tuple(NAMES[(first + seat) % len(NAMES)] for seat in range(case.seats))
        assert play_both(compiled(), case, names, number) > 0


def test_every_policy_but_uniform_is_a_built_in_player() -> None:
    assert {*at.POLICIES} - {"uniform"} == {*NAMES}
    assert {*NAMES} <= PLAYERS.keys()


def test_the_matches_of_a_seed_are_the_same_however_many_are_played_at_once() -> None:
    rules, names = rules_of("base", 3), ("uniform", "landmark_first", "random")
    at_once = play(PLAIN, rules, names, 7, 3)

    assert [play(PLAIN, rules, names, 7 + i, 1)[0] for i in range(3)] == at_once
    assert all(result.winner in range(3) and result.reason == "landmarks" for result in at_once)


def test_a_match_of_the_rules_can_be_played_on_and_becomes_a_state_again() -> None:
    """As search does: a row of a state, some commands, and a state that the rules go on with."""
    state, _ = create(creation_of(Case("harbor", 3, {"market": "limited"})), TwinChance(3))
    tables, row = PLAIN.tables(state.rules), PLAIN.row(row_of(state))
    room = PLAIN.luck(4), PLAIN.forecast(), PLAIN.codes(), PLAIN.incomes()

    assert PLAIN.play_on(tables, row, *room, PLAIN.codes((at.UNIFORM,) * 3), 40) == 40
    later = state_of(row, state)
    assert later.turn > 10
    assert problems(later) == []
    assert legal_commands(later)
    assert row_of(later) == row


def test_every_seat_needs_a_policy() -> None:
    with pytest.raises(ValueError, match="3 seats need as many policies, not 2"):
        play(PLAIN, rules_of("base", 3), ("uniform", "greedy"), 0, 1)


@pytest.mark.long
def test_the_compiled_kernel_plays_the_same_matches_as_the_plain_one() -> None:
    for ruleset, policy in product(("base", "harbor", "machi_koro_2"), at.POLICIES):
        rules, names = rules_of(ruleset, 4), (policy,) * 4
        assert play(compiled(), rules, names, 5, 4) == play(PLAIN, rules, names, 5, 4)
