"""The luck of a match as whole numbers: what each throw was worth before it fell, and what it brought."""

from fractions import Fraction
from typing import Final

from msgspec import Struct

from domain.luck.tree import SCALE

UNIT: Final = 12 * SCALE
"""As many units of relative coins make a coin: the mean of one to four other seats is whole in them."""

Relative = tuple[int, ...]
"""By seat, in units: coins less the mean of the coins of the other seats in play. It sums to zero."""


class Throw(Struct, frozen=True, gc=False):
    """One `dice_rolled` and what followed from it; realised = expected + luck - error, for every seat."""

    sequence: int
    turn: int
    seat: int
    """The seat that threw."""
    purpose: str
    """`roll`, `reroll` or `boats`."""
    values: tuple[int, ...]
    expected: Relative
    """The value before the throw, given what was decided: how many dice, or to throw again."""
    luck: Relative
    """The value after the throw, under the best choices, less what was expected."""
    error: Relative | None = None
    """The value under the best choices less that under the choices that were made; None while one is open."""
    realised: Relative | None = None
    """What is handed on: the expectation of the turn's next throw, or the coins that really moved. None while
    a choice is open."""
    coins: tuple[int, ...] | None = None
    """What the turn's dice moved into each purse, in coins; None but for the throw that settles them."""


class Totals(Struct, frozen=True, gc=False):
    """The sums over all turns whose dice are settled; realised = expected + luck - error here too.

    Expected is what turns were worth before their first throw, realised what they brought.
    """

    turns: int
    expected: Relative
    luck: Relative
    error: Relative
    realised: Relative


class Luck(Struct, frozen=True, gc=False):
    """The luck of a match, so far."""

    throws: tuple[Throw, ...]
    totals: Totals


def relative(value: list[int], playing: list[bool]) -> Relative:
    """The value of `domain.luck.tree` against the mean of the other seats in play; 0 for seats that are not.

    Those have neither gained nor lost anything.
    """
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
    """The luck that these throws are, from the match's first on; those of the last turn may be open."""
    settled = [*throws]
    while settled and settled[-1].coins is None:
        settled.pop()
    begin = [throw for before, throw in zip([None, *settled], settled, strict=False) if _begins(before)]
    end = [throw for throw in settled if throw.coins is not None]
    totals = Totals(
        len(end),
        _sum(seats, [throw.expected for throw in begin]),
        _sum(seats, [throw.luck for throw in settled]),
        _sum(seats, [throw.error for throw in settled]),
        _sum(seats, [throw.realised for throw in end]),
    )
    return Luck(throws, totals)


def _begins(before: Throw | None) -> bool:
    """Whether a throw is a turn's first, given the one before it in the match."""
    return before is None or before.coins is not None


def _sum(seats: int, parts: list[Relative | None]) -> Relative:
    return tuple([sum([part[seat] for part in parts if part is not None]) for seat in range(seats)])


def in_coins(units: int) -> Fraction:
    """The number of coins, exactly."""
    return Fraction(units, UNIT)
