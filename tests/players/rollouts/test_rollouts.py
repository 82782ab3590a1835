"""Rollouts estimate chances of winning and compare commands."""

from itertools import product
from math import fsum

import pytest

from domain import create, legal_commands
from domain.match.commands import Build, Pass, RollDice
from domain.match.decide import advance_turn
from domain.match.state import MatchState
from kernel.compare import CASES, Case, creation_of
from kernel.convert import TwinChance
from kernel.engine import PLAIN, compiled, engine_at_once
from players.exact_race.races import Races
from players.rollouts import Rollouts
from players.rollouts.comparing import LOOKS
from players.rollouts.intervals import half_width, student
from tests.kernel.choosing import random_steps

KERNEL = engine_at_once()


def a_state(phase: str, case: Case = CASES[0], number: int = 1) -> MatchState:
    """A position of a random match, after some turns, in which that phase offers a choice."""
    chance = TwinChance(number)
    state, _ = create(creation_of(case), chance)
    random_steps(state, chance, 20)
    while state.phase != phase or len(legal_commands(state)) < 2:
        random_steps(state, chance, 1)
    return state


def a_race() -> MatchState:
    """Two seats that lack the Radio Tower, before a throw."""
    state = a_state("roll")
    rules = state.rules
    tower = rules.index["radio_tower"]
    for seat, coins in enumerate((15, 12)):
        for card in range(rules.establishments, rules.size):
            state.cities[seat][card] = int(card != tower)
        state.landmarks[seat] = rules.goal - 1
        state.coins[seat] = coins
    return state


def test_the_chances_after_each_kind_of_throw_have_the_chances_of_the_command_as_their_mean() -> None:
    state = a_race()
    legal = legal_commands(state)
    one, two = Rollouts(KERNEL, state.rules, (2,), turns=1).by_rollouts(state, legal, 1).estimates

    for estimate, kinds in ((one, 6), (two, 15)):
        assert len(estimate.by_throw) == kinds
        assert fsum([share for share, _ in estimate.by_throw.values()]) == pytest.approx(1)
        for seat, chance in enumerate(estimate.chances):
            parts = [share * chances[seat] for share, chances in estimate.by_throw.values()]
            assert fsum(parts) == pytest.approx(chance)
        assert fsum(estimate.chances) == pytest.approx(1)
    assert one.by_throw[1, 4, False][0] == pytest.approx(1 / 6)
    assert two.by_throw[2, 8, True][0] == pytest.approx(1 / 36)
    assert two.by_throw[2, 8, False][0] == pytest.approx(4 / 36)


def test_the_same_position_and_seed_give_the_same_digits() -> None:
    state = a_race()
    legal = legal_commands(state)[:1]
    rollouts = Rollouts(KERNEL, state.rules, (2,), turns=2)
    found = rollouts.by_rollouts(state, legal, 5)

    assert rollouts.by_rollouts(state, legal, 6) != found
    assert rollouts.by_rollouts(state, legal, 5) == found


@pytest.mark.parametrize("case", CASES[:3])
def test_what_was_rolled_out_before_does_not_change_the_digits(case: Case) -> None:
    states = [a_state("build", case, number) for number in range(1, 4)]
    used = Rollouts(KERNEL, states[0].rules, (2,), turns=3)

    for number, state in enumerate([*states, *states]):
        legal = legal_commands(state)[:2]
        fresh = Rollouts(KERNEL, state.rules, (2,), turns=3)
        assert used.by_rollouts(state, legal, number % 3) == fresh.by_rollouts(state, legal, number % 3)


def test_a_build_that_wins_is_better_than_to_pass_and_that_is_known_at_the_first_look() -> None:
    state = a_race()
    state.coins = [30, 30]
    rolled = TwinChance(1)
    advance_turn(state, RollDice(state.active, 1), rolled)
    while state.phase != "build":
        advance_turn(state, legal_commands(state)[0], rolled)
    seat = state.active
    commands = [Pass(seat), Build(seat, "radio_tower"), Build(seat, "bakery")]
    found = Rollouts(KERNEL, state.rules, turns=2).compare(state, commands, 1)

    assert found.best == 1
    assert found.estimates[1].chances[seat] == 1
    assert found.losses[1] == (0, 0, 0)
    assert all(found.losses[place][1] > 0.5 for place in (0, 2))
    assert [estimate.rollouts for estimate in found.estimates] == [36 * LOOKS[0]] * 3


def test_a_command_that_is_clearly_worse_gets_no_further_rollouts() -> None:
    state = a_state("build", number=3)
    legal = [legal_commands(state)[place] for place in (0, 1, 3)]
    found = Rollouts(KERNEL, state.rules, (2, 3), turns=3, negligible=0).compare(state, legal, 3)

    assert [estimate.rollouts for estimate in found.estimates] == [72, 108, 108]
    assert [low > 0 for _, low, _ in found.losses] == [True, False, False]


@pytest.mark.parametrize(("batches", "looks"), [(0, ()), (5, ()), (6, (2,)), (100, (2, 3))])
def test_a_late_comparison_ends_with_what_the_last_look_saw(batches: int, looks: tuple[int, ...]) -> None:
    """It looks as often as with the plain kernel."""
    state = a_state("build", number=3)
    legal = [legal_commands(state)[place] for place in (0, 1, 3)]
    left = [False] * batches
    rollouts = Rollouts(KERNEL, state.rules, (2, 3), turns=3, negligible=0)
    rollouts._is_quick = False
    found = rollouts.compare(state, legal, 3, is_late=lambda: not left or left.pop())
    on_time = Rollouts(KERNEL, state.rules, looks or (2,), turns=3, negligible=0).compare(state, legal, 3)
    assert found.best == (on_time.best if looks else 0)
    assert [bool(one) for one in found.estimates] == [True] * 3 * (batches == 100)


def test_a_small_race_is_exact() -> None:
    state = a_race()
    legal = legal_commands(state)
    found = Rollouts(KERNEL, state.rules).compare(state, legal, 1)

    best = found.estimates[found.best]
    assert best.is_exact
    assert best.rollouts == 0
    exact = Races(PLAIN, state.rules).before_turn(state)
    assert best.chances == pytest.approx(exact, abs=1e-6)
    for estimate, command in zip(found.estimates, legal, strict=True):
        assert isinstance(command, RollDice)
        assert len(estimate.by_throw) == (6 if command.dice == 1 else 15)
        parts = [share * chances[0] for share, chances in estimate.by_throw.values()]
        assert fsum(parts) == pytest.approx(estimate.chances[0], abs=1e-5)


def test_an_estimate_alone_is_made_of_the_rollouts_of_the_first_look() -> None:
    state = a_state("build")
    rollouts = Rollouts(KERNEL, state.rules, (2, 3), turns=2)
    found = rollouts.compare(state, [Pass(state.active)], 1)

    assert found.estimates[0].rollouts == 72
    assert found.losses == ((0, 0, 0),)


@pytest.mark.long
def test_the_compiled_kernel_gives_the_same_digits_as_the_plain_one() -> None:
    for ruleset, seats, phase in product(("base", "harbor", "machi_koro_2"), (2, 4), ("roll", "build")):
        state = a_state(phase, Case(ruleset, seats, {}), seats)
        legal = legal_commands(state)[-3:]
        found = [
            Rollouts(kernel, state.rules, LOOKS[:2]).compare(state, legal, 7)
            for kernel in (compiled(), PLAIN)
        ]
        assert found[0] == found[1]


@pytest.mark.parametrize(
    ("share", "freedom", "wanted"),
    [(0.975, 1, 12.706), (0.975, 2.9, 4.303), (0.975, 5, 2.571), (0.975, 30, 2.042), (0.995, 10, 3.169)],
)
def test_quantiles_are_those_of_tables(share: float, freedom: float, wanted: float) -> None:
    assert student(share, freedom) == pytest.approx(wanted, abs=0.002)


def test_an_interval_of_few_batches_looks_at_the_differences_within_pairs_of_dice_alone() -> None:
    """What the pairs differ by is no uncertainty, since each batch has all pairs."""
    batch = [float(pair) for pair in range(36)]

    assert half_width(batch * 3, 0.05) == 0
    # Each pair: -1 and 1, so a variance of 2; the mean of 72 has 2 / 72, with 36 degrees of freedom.
    spread = [value - 1 for value in batch] + [value + 1 for value in batch]
    assert half_width(spread, 0.05) == pytest.approx(2.028 * (2 / 72) ** 0.5, rel=1e-3)


def test_an_interval_of_more_batches_looks_at_their_means() -> None:
    """Luck of later throws that a batch evens out is no uncertainty either."""
    evened = [1.0, -1.0] * 18

    assert half_width(evened * 2 + [-value for value in evened] * 2, 0.05) == 0
    means = [value + mean for mean in (1, 2, 3, 4, 5, 6) for value in evened]
    assert half_width(means, 0.05) == pytest.approx(2.571 * (3.5 / 6) ** 0.5, rel=1e-3)
