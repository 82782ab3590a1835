"""`expected_value` and `learned` decide with the kernel as they do without it."""

import random
from typing import Any

import pytest

from bench.matches import committed, new_match
from domain import create, legal_commands, view
from domain.match.commands import Resign
from domain.match.decide import advance
from domain.match.state import RUNNING, MatchState
from kernel.engine import PLAIN
from kernel.layout import EXPECTED_VALUE, LEARNED
from players import Policy, expected_value, learned, prepare, weight_files
from players.kernel_choices import KernelChoices
from players.weight_files import manifest, weights_for


def choices_agree(choose: Policy, policy: int, state: MatchState, chance: Any, most: int) -> None:
    """Advance the match by so many commands, and compare the choices of the player and of the kernel."""
    by_kernel, rng = KernelChoices(PLAIN, policy), random.Random(0)
    for _ in range(most):
        if state.status != RUNNING:
            return
        legal = legal_commands(state)
        command = choose(view(state), legal, rng)
        assert by_kernel(view(state), legal, rng) == command
        advance(state, command, chance)


@pytest.mark.parametrize(
    ("ruleset", "seats", "options"),
    [
        ("base", 2, {"market": "limited"}),
        ("base", 5, {"max_copies": 2}),
        ("harbor", 4, {}),
        ("machi_koro_2", 3, {}),
        pytest.param("millionaires_row", 3, {}, marks=pytest.mark.long),
        pytest.param(
            "harbor_millionaires_row", 2, {"market": "limited", "max_copies": 2}, marks=pytest.mark.long
        ),
    ],
)
def test_the_kernel_chooses_what_the_player_chooses(
    ruleset: str, seats: int, options: dict[str, object]
) -> None:
    chance, dice = committed(seats)
    state, _ = create(new_match(ruleset, ("expected_value",) * seats, dice, **options), chance)
    choices_agree(expected_value.choose, EXPECTED_VALUE, state, chance, 150)


def test_without_a_network_the_kernel_chooses_as_learned_for_millionaires_row() -> None:
    chance, dice = committed(2)
    state, _ = create(new_match("millionaires_row", ("learned",) * 2, dice), chance)
    choices_agree(learned.choose, LEARNED, state, chance, 12)


def test_after_a_resignation_the_kernel_chooses_by_the_weights_for_the_seats_that_are_left() -> None:
    """With two seats left of three, both also look one turn further."""
    chance, dice = committed(3)
    state, _ = create(new_match("base", ("learned",) * 3, dice), chance)
    advance(state, Resign(1), chance)
    choices_agree(learned.choose, LEARNED, state, chance, 12)


def test_players_that_were_prepared_read_no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every job of a worker is a fork of a process that has prepared them."""
    monkeypatch.setattr("players.PLAYERS", {})
    weight_files._read_once.cache_clear()
    prepare()
    monkeypatch.setattr("players.weight_files.read", lambda ruleset: pytest.fail(f"reads {ruleset}"))
    for ruleset in manifest():
        assert weights_for(ruleset, 2)
