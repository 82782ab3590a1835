"""The built-in players: each chooses one of the legal commands from what is on the table.

A player is a function `choose(view, legal, rng)`. It gets every amount from the rules, does not change its
arguments, keeps no state between decisions and uses no random numbers but those of `rng`, so equal arguments
give the same choice. Only `uct_100ms` depends on a clock, and `strong` in a decision that takes longer than
`strong.LONGEST_S`.
"""

import os

# Players multiply small matrices, and there is a worker for each core: threads of the linear algebra library
# would only compete for it. The library reads this variable when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Sequence
from typing import Final, Protocol

from domain.match.chance import RandomNumbers
from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from players import choices, expected_value, learned, plans, uct, weight_files
from players.fixed_plan import FixedPlan

__all__ = ["PLAYERS", "Policy"]


class Policy(Protocol):
    """The policy of a built-in player."""

    def __call__(self, view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
        """Choose one of the legal commands; there is at least one."""


def _choose_strong(view: MatchState, legal: Sequence[PlayCommand], rng: RandomNumbers) -> PlayCommand:
    # Imported late: web processes use the value function of `players`, and never load the kernel.
    from players import strong

    return strong.choose(view, legal, rng)


def prepare() -> None:
    """Load the weights, and the kernel as soon as it is compiled, so that no decision and no fork of this
    process has to. Call this again and again: only the first call after compiling takes time, about a second.

    `expected_value` and `learned` then decide with the kernel, many times faster and with the same choices.
    """
    from kernel.engine import engine_at_once
    from kernel.layout import EXPECTED_VALUE, LEARNED
    from players.kernel_choices import KernelChoices

    weight_files.load()
    if isinstance(PLAYERS.get("learned"), KernelChoices):
        return
    kernel = engine_at_once()
    if kernel.is_compiled:
        PLAYERS["expected_value"] = KernelChoices(kernel, EXPECTED_VALUE)
        PLAYERS["learned"] = KernelChoices(kernel, LEARNED)


PLAYERS: Final[dict[str, Policy]] = {
    "random": choices.choose_any,
    "landmark_first": choices.choose_landmark_first,
    "furniture": FixedPlan(plans.FURNITURE),
    "fruit_market": FixedPlan(plans.FRUIT_MARKET),
    "bakery": FixedPlan(plans.BAKERY),
    "cheese": FixedPlan(plans.CHEESE),
    "convenience_rush": FixedPlan(plans.CONVENIENCE_RUSH),
    "uct_100ms": uct.choose_100ms,
    "greedy": choices.choose_greedily,
    "uct": uct.choose,
    "uct_1600": uct.choose_1600,
    "expected_value": expected_value.choose,
    "learned": learned.choose,
    "strong": _choose_strong,
}
"""The built-in players by name of their strategy in `runtime.strategies`."""
