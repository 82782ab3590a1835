"""The strength of weights: matches in the arena with rotated seats against the opponents of training.

Decisions about dice are those of training; `training.strength` measures the real players.
"""

import random
from pathlib import Path

from bench.figures import wilson
from players.network import Weights
from training.arena import LEARNER, Arena, MatchPlan
from training.checkpoints import load_weights
from training.course import FIXED_NAMES, FROZEN, fixed
from training.judges import FIXED, ByNetwork, Judge

AT_ONCE = 512


def share(
    ruleset: str,
    seats: int,
    weights: Weights,
    opponent: str,
    matches: int,
    seed: int,
    other: Path | None = None,
) -> tuple[int, int]:
    """How many matches the network on one seat won and played against the opponent on all others.

    The opponent is the name of a fixed one, or `weights` for those in the file `other`.
    """
    judges: list[Judge] = [ByNetwork(weights), *FIXED.values()]
    if other is not None:
        judges.append(ByNetwork(load_weights(other)))
    judge = FROZEN if opponent == "weights" else fixed(opponent)
    won = played = 0
    for first in range(0, matches, AT_ONCE):
        seated = [
            MatchPlan(tuple(LEARNER if seat == match % seats else judge for seat in range(seats)))
            for match in range(first, min(first + AT_ONCE, matches))
        ]
        arena = Arena(ruleset, seats, seated, judges, weights, 0.0, random.Random(f"measure|{seed}|{first}"))
        winners = arena.play().winners
        won += sum(
            [
                plan.judges[winner] == LEARNER
                for plan, winner in zip(seated, winners, strict=True)
                if winner >= 0
            ]
        )
        played += len(seated)
    return won, played


def share_text(won: int, played: int) -> str:
    """A share with its 95 % interval as text."""
    part, low, high = wilson(won, played)
    return f"{part:.1%} [{low:.1%}, {high:.1%}] of {played:,}"


__all__ = ["FIXED_NAMES", "share", "share_text"]
