"""The strength of weights: matches in the arena with rotated seats against the opponents of training.

The network plays as in training; `training.strength` measures the real players.
"""

import random

from bench.figures import wilson
from kernel.engine import engine
from players.network import Weights
from training.arena import LEARNER, PREDECESSOR, Arena, MatchPlan


def wins_against(
    ruleset: str,
    seats: int,
    weights: Weights,
    opponent: str,
    matches: int,
    seed: int,
    other: Weights | None = None,
) -> int:
    """How many of the matches the network on one seat wins against the opponent on all others.

    The opponent is the name of a fixed one, or `predecessor` for the weights `other`.
    """
    networks = {LEARNER: weights}
    if other is not None:
        networks[PREDECESSOR] = other
    arena, rng, won = Arena(engine(), ruleset, seats, networks), random.Random(f"measure|{seed}"), 0
    for match in range(matches):
        own = match % seats
        plan = MatchPlan(tuple([LEARNER if seat == own else opponent for seat in range(seats)]))
        won += arena.play(plan, rng, 0.0).winner == own
    return won


def share_text(won: int, played: int) -> str:
    """A share with its 95 % interval as text."""
    part, low, high = wilson(won, played)
    return f"{part:.1%} [{low:.1%}, {high:.1%}] of {played:,}"
