"""`expected_value` decides with the kernel as it does without it."""

import random

import pytest

from bench.matches import committed, new_match
from domain import create, legal_commands, view
from domain.match.decide import advance
from domain.match.state import RUNNING
from kernel.engine import PLAIN
from players import expected_value
from players.kernel_choices import KernelChoices

LONGEST = 150


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
    by_kernel, rng = KernelChoices(PLAIN), random.Random(0)
    chance, dice = committed(seats)
    state, _ = create(new_match(ruleset, ("expected_value",) * seats, dice, **options), chance)
    commands = 0
    while state.status == RUNNING and commands < LONGEST:
        legal = legal_commands(state)
        command = expected_value.choose(view(state), legal, rng)
        assert by_kernel(view(state), legal, rng) == command
        advance(state, command, chance)
        commands += 1
