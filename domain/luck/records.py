"""Records of luck in integer units: the expectation of each roll and its outcome."""

from fractions import Fraction
from itertools import pairwise
from typing import Final

from msgspec import Struct

from domain.luck.tree import SCALE

UNIT: Final = 12 * SCALE
"""Units per coin, chosen so that the mean of one to four other seats is an integer."""

Relative = tuple[int, ...]
"""By seat, in units: coins less the mean of the other seats in play. The sum is zero."""


class Throw(Struct, frozen=True, gc=False):
    """The luck of one roll; realised = expected + luck - error for every seat."""

    sequence: int
    turn: int
    seat: int
    """The seat that threw the dice."""
    purpose: str
    """`roll`, `reroll` or `boats`."""
    values: tuple[int, ...]
    expected: Relative
    """The value before the roll, given the decision on the number of dice or the reroll."""
    luck: Relative
    """The value after the roll under the best choices, less `expected`."""
    error: Relative | None = None
    """The value under the best choices less that under the actual choices; None while a choice is open."""
    realised: Relative | None = None
    """The expectation of the next roll, or the coins that actually moved; None while a choice is open."""
    coins: tuple[int, ...] | None = None
    """By seat: the coins that the turn's dice brought; only on the last roll of a turn."""


class Totals(Struct, frozen=True, gc=False):
    """Sums over all turns whose dice are settled; realised = expected + luck - error here, too.

    `expected` sums the values of turns before their first roll, `realised` what they brought.
    """

    turns: int
    expected: Relative
    luck: Relative
    error: Relative
    realised: Relative


class Luck(Struct, frozen=True, gc=False):
    """The luck of a match so far."""

    throws: tuple[Throw, ...]
    totals: Totals


def relative(value: list[int], playing: list[bool]) -> Relative:
    """A value of `domain.luck.tree` relative to the mean of the other seats in play; 0 for other seats."""
    others = sum(playing) - 1
    total = sum(value)
    each = UNIT // SCALE // others
    return tuple(
        [
            ((others + 1) * own - total) * each if plays else 0
            for own, plays in zip(value, playing, strict=True)
        ]
    )


def luck_in(throws: tuple[Throw, ...], seats: int) -> Luck:
    """The luck of these rolls, from the first of the match on; those of the last turn may be open."""
    settled = [*throws]
    while settled and settled[-1].coins is None:
        settled.pop()
    begin = [*settled[:1], *[throw for before, throw in pairwise(settled) if before.coins is not None]]
    end = [throw for throw in settled if throw.coins is not None]
    totals = Totals(
        len(end),
        _sum(seats, [throw.expected for throw in begin]),
        _sum(seats, [throw.luck for throw in settled]),
        _sum(seats, [throw.error for throw in settled]),
        _sum(seats, [throw.realised for throw in end]),
    )
    return Luck(throws, totals)


def _sum(seats: int, parts: list[Relative | None]) -> Relative:
    return tuple([sum([part[seat] for part in parts if part is not None]) for seat in range(seats)])


def in_coins(units: int) -> Fraction:
    """Convert units to coins, exactly."""
    return Fraction(units, UNIT)
