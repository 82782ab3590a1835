"""Mirror matches and duels compared with published figures of the first game, to detect wrong rules.

The figures are from an independent simulator of the basic box (two to four players, open market, six copies
of every regular kind and as many of the purple ones as the box has).
"""

import random
from collections.abc import Iterator
from math import sqrt
from typing import Final

from msgspec import Struct

from bench.figures import Figure, wilson
from bench.matches import committed, new_match, play_out
from bench.published import TURNS, WINS_PERCENT
from domain.ladder.arithmetic import ROUNDED_Z


class Mirror(Struct, frozen=True):
    """One strategy on all seats: the length of matches, and how often the first seat wins."""

    strategy: str
    seats: int
    matches: int
    first_wins_percent: float | None = None
    margin_turns: float = 0.3

    @property
    def turns(self) -> float:
        """The published length in turns."""
        return TURNS[self.strategy, self.seats]


class Pairing(Struct, frozen=True):
    """Two strategies, each on the first seat in half of the matches."""

    strategy: str
    opponent: str
    matches: int
    margin_percent: float = 0.4

    @property
    def wins_percent(self) -> float:
        """The published share in percent."""
        return WINS_PERCENT[self.strategy, self.opponent]


MIRRORS: Final = (
    Mirror("random", 2, 6000, 51),
    Mirror("random", 4, 6000, 27.9, 0.2),
    Mirror("landmark_first", 2, 3000, 53),
    Mirror("landmark_first", 4, 1500, 29),
    Mirror("greedy", 2, 1000, 55),
    Mirror("greedy", 4, 400, 30),
    Mirror("expected_value", 2, 1000, 55),
    Mirror("expected_value", 4, 400, 37),
    Mirror("convenience_rush", 2, 1000, 54),
    Mirror("cheese", 2, 1000, 53),
)

DUELS: Final = (
    Pairing("greedy", "landmark_first", 3000),
    Pairing("greedy", "random", 1000),
    Pairing("landmark_first", "random", 1500),
    Pairing("expected_value", "greedy", 1000),
    Pairing("expected_value", "landmark_first", 1000),
)


def measure() -> Iterator[Figure]:
    """Every anchor, with its interval."""
    for mirror in MIRRORS:
        yield from _mirror(mirror)
    for duel in DUELS:
        yield _duel(duel)


def _mirror(anchor: Mirror) -> Iterator[Figure]:
    played = [_play((anchor.strategy,) * anchor.seats, number) for number in range(anchor.matches)]
    turns = [turn for turn, _ in played]
    mean = sum(turns) / len(turns)
    margin = ROUNDED_Z * sqrt(sum([(turn - mean) ** 2 for turn in turns]) / len(turns)) / sqrt(len(turns))
    name = f"{anchor.strategy} mirror {anchor.seats}"
    yield _figure(f"{name} length", mean, "turns", margin, anchor.turns, anchor.margin_turns, len(turns))
    if anchor.first_wins_percent is not None:
        wins = sum([winner == 0 for _, winner in played])
        yield _share(f"{name} first seat", wins, len(played), anchor.first_wins_percent, 0.7)


def _duel(anchor: Pairing) -> Figure:
    wins = 0
    for number in range(anchor.matches):
        place = number % 2
        names = (anchor.strategy, anchor.opponent)
        # Both matches of a pair have the same dice.
        _, winner = _play(names if place == 0 else names[::-1], number // 2)
        wins += winner == place
    name = f"{anchor.strategy} beats {anchor.opponent}"
    return _share(name, wins, anchor.matches, anchor.wins_percent, anchor.margin_percent)


def _play(strategies: tuple[str, ...], number: int) -> tuple[int, int]:
    """The length in turns and the winning seat."""
    chance, dice = committed(number)
    create = new_match("base", strategies, dice, first_seat=0)
    state, _ = play_out(create, chance, random.Random(number))
    return state.turn, state.winner


def _share(name: str, wins: int, matches: int, published: float, margin: float) -> Figure:
    """A share of matches with its Wilson interval."""
    share, low, high = wilson(wins, matches)
    return _figure(name, share * 100, "%", (high - low) * 50, published, margin, matches)


def _figure(
    name: str, value: float, unit: str, margin: float, published: float, published_margin: float, matches: int
) -> Figure:
    fits = abs(value - published) <= margin + published_margin
    note = f"±{margin:.2f} in {matches} matches; intervals {'meet' if fits else 'DO NOT MEET'}"
    goal = f"{published} ±{published_margin}"
    return Figure(name, round(value, 2), unit, goal, published, "published", note)
