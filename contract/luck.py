"""The luck of a match: the value of each roll to each seat."""

from typing import Annotated

from contract.names import MatchStatus, ThrowPurpose
from contract.values import GREATEST, Answer, Count, Die, Positive, SeatNumber, integer, length, text

Fraction = Annotated[str, text(r"-?[0-9]+(/[0-9]+)?")]
"""A number of coins as a fraction in lowest terms."""


class SeatLuck(Answer, frozen=True):
    """The value of one roll to one seat: realised = expected + luck - error.

    Values are coins relative to the mean of the other seats in play, as fractions in lowest terms. They sum
    to zero over the seats.
    """

    seat: SeatNumber
    expected: Fraction
    """The expectation before the roll, over all results of fair dice, with the best choices afterwards."""
    luck: Fraction
    """The value after the roll, with the best choices afterwards, minus `expected`."""
    error: Fraction | None
    """How much more the best choices about this roll would have been worth to the seat than the actual
    ones. Null while one of these choices is open."""
    realised: Fraction | None
    """The `expected` of the turn's next roll, or the coins that the turn's dice moved. Null while a choice
    is open."""
    coins: Annotated[int, integer(-GREATEST, GREATEST)] | None
    """The coins that the turn's dice have moved to the seat; negative for a loss. Null except for the roll
    that settles the turn's dice."""


class ThrowLuck(Answer, frozen=True):
    """The luck of one roll, which is a `dice_rolled` event."""

    sequence: Positive
    """The sequence of its event."""
    turn: Positive
    seat: SeatNumber
    """The seat that threw."""
    purpose: ThrowPurpose
    values: Annotated[tuple[Die, ...], length(1, 2)]
    seats: tuple[SeatLuck, ...]


class LuckDecimals(Answer, frozen=True):
    """The same totals as decimals, rounded to four places."""

    expected: float
    luck: float
    error: float
    realised: float


class LuckTotals(Answer, frozen=True):
    """The totals of one seat over all turns with settled dice: realised = expected + luck - error."""

    seat: SeatNumber
    expected: Fraction
    """The expectations of the turns before their first rolls."""
    luck: Fraction
    """The luck of all rolls. It sums to zero over the seats."""
    error: Fraction
    """The errors about all rolls."""
    realised: Fraction
    """The coins that the dice of the turns have moved."""
    decimals: LuckDecimals


class Luck(Answer, frozen=True):
    """Expected and realised coins, roll by roll, and their totals over the match."""

    match_id: str
    version: Positive
    status: MatchStatus
    rules_version: str
    turns: Count
    """The number of turns in the totals."""
    totals: tuple[LuckTotals, ...]
    """The totals of each seat over the whole match, whichever rolls are shown."""
    throws: tuple[ThrowLuck, ...]
    next: str | None
    """The `after` of the next rolls; null if there are no more."""
