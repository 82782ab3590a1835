"""The built-in players: each chooses one of the legal commands from what lies on the table.

A player is a function `choose(view, legal, rng)`. It asks the domain for every amount, changes nothing that
it is given, keeps nothing between two decisions and draws luck from `rng` alone: the same three arguments
give the same choice. Only `uct_100ms` goes by a clock.
"""

import random
from collections.abc import Sequence
from typing import Final, Protocol

from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from workers.players import expected_value, learned, plans, simple, uct
from workers.players.fixed_plan import FixedPlan

__all__ = ["PLAYERS", "Policy"]


class Policy(Protocol):
    """How a built-in player is asked."""

    def __call__(self, view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
        """One of the legal commands; there is at least one."""


PLAYERS: Final[dict[str, Policy]] = {
    "random": simple.choose_any,
    "landmark_first": simple.choose_landmark_first,
    "furniture": FixedPlan(plans.FURNITURE),
    "fruit_market": FixedPlan(plans.FRUIT_MARKET),
    "bakery": FixedPlan(plans.BAKERY),
    "cheese": FixedPlan(plans.CHEESE),
    "convenience_rush": FixedPlan(plans.CONVENIENCE_RUSH),
    "uct_100ms": uct.choose_100ms,
    "greedy": simple.choose_greedily,
    "uct": uct.choose,
    "uct_1600": uct.choose_1600,
    "expected_value": expected_value.choose,
    "learned": learned.choose,
}
"""Every built-in player by the name of its strategy in `runtime.strategies`."""
