"""Tables on which a built-in player is asked one thing."""

import random
from collections.abc import Sequence

from msgspec.structs import replace

from bench.matches import committed, new_match
from domain import decide, fold, legal_commands, view
from domain.match.commands import PlayCommand
from domain.match.events import Position, PositionPlayer, PositionRow
from domain.match.state import MatchState
from players import PLAYERS

Seat = tuple[int, dict[str, int]] | tuple[int, dict[str, int], tuple[str, ...]]
"""Coins, establishments, landmarks."""

POOR: Seat = (0, {"wheat_field": 1})


def board(
    ruleset: str,
    *seats: Seat,
    phase: str = "build",
    shown: dict[str, int] | None = None,
    deck: Sequence[str] = (),
) -> MatchState:
    """A table with the first seat to act; one poor opponent if there is no other.

    `shown` and `deck` make it a limited market of the first game.
    """
    cities = tuple(PositionPlayer(seat[0], seat[1], seat[2] if len(seat) > 2 else ()) for seat in seats)
    cities = cities if len(cities) > 1 else (*cities, PositionPlayer(*POOR, ()))
    rows = None if shown is None else (PositionRow("market", shown, tuple(deck)),)
    chance, dice = committed(1)
    market = None if shown is None else "limited"
    create = new_match(ruleset, ("greedy",) * len(cities), dice, market=market)
    return fold(None, decide(None, replace(create, position=Position(0, phase, cities, rows)), chance))


def choice(name: str, state: MatchState, seed: int = 1) -> PlayCommand:
    """What the player does on the table."""
    return PLAYERS[name](view(state), legal_commands(state), random.Random(seed))
