"""How strong weights are: quick matches in the arena, seats rotated, against the opponents of training.

Decisions about dice are those of training; `bench` measures the players as they are.
"""

import math
import random
from pathlib import Path

from training.arena import LEARNER, Arena, Plan
from training.checkpoints import load_weights
from training.course import FIXED_NAMES, FROZEN, fixed
from training.judges import FIXED, ByNetwork, Judge
from workers.players.network import Weights

AT_ONCE = 512


def interval(won: int, played: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z = 1.96
    share, weight = won / played, z * z / played
    middle = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / played + weight / (4 * played)) / (1 + weight)
    return middle - half, middle + half


def share(
    ruleset: str,
    seats: int,
    weights: Weights,
    opponent: str,
    matches: int,
    seed: int,
    other: Path | None = None,
) -> tuple[int, int]:
    """How many matches the network wins from one seat, the opponent on all others, and how many it played.

    The opponent is a fixed one by name, or `weights`: those of another file.
    """
    judges: list[Judge] = [ByNetwork(weights), *FIXED.values()]
    if other is not None:
        judges.append(ByNetwork(load_weights(other)))
    judge = FROZEN if opponent == "weights" else fixed(opponent)
    won = played = 0
    for first in range(0, matches, AT_ONCE):
        seated = [
            Plan(tuple(LEARNER if seat == match % seats else judge for seat in range(seats)))
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


def told(won: int, played: int) -> str:
    """A share with its interval."""
    low, high = interval(won, played)
    return f"{won / played:.1%} [{low:.1%}, {high:.1%}] of {played:,}"


__all__ = ["FIXED_NAMES", "interval", "share", "told"]
