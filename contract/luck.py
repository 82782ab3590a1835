"""What the throws of a match were worth."""

from typing import Annotated

from contract.names import MatchStatus, ThrowPurpose
from contract.values import GREATEST, Answer, Count, Die, Positive, SeatNumber, integer, length, text

Fraction = Annotated[str, text(r"-?[0-9]+(/[0-9]+)?")]
"""A number of coins, in lowest terms."""


class SeatLuck(Answer, frozen=True):
    """What one throw was to one seat: realised = expected + luck - error.

    Numbers are coins against the mean of the other seats in play, as fractions in lowest terms. They sum to
    zero over the seats.
    """

    seat: SeatNumber
    expected: Fraction
    """Before the throw, over all that fair dice can show, with the best choices to come."""
    luck: Fraction
    """After the throw, with the best choices to come, less what was expected."""
    error: Fraction | None
    """What the best choices about this throw would have been worth more to the seat than those that were
    made. Null while one of them is open."""
    realised: Fraction | None
    """What the turn's next throw expects, or what the turn's dice moved. Null while a choice is open."""
    coins: Annotated[int, integer(-GREATEST, GREATEST)] | None
    """How many coins the turn's dice have moved into the purse; below 0 for a loss. Null except for the
    throw that settles the turn's dice."""


class ThrowLuck(Answer, frozen=True):
    """One `dice_rolled`."""

    sequence: Positive
    """Of its event."""
    turn: Positive
    seat: SeatNumber
    """Who threw."""
    purpose: ThrowPurpose
    values: Annotated[tuple[Die, ...], length(1, 2)]
    seats: tuple[SeatLuck, ...]


class LuckDecimals(Answer, frozen=True):
    """The same as decimals, rounded to four places."""

    expected: float
    luck: float
    error: float
    realised: float


class LuckTotals(Answer, frozen=True):
    """The sums of one seat over all turns whose dice are settled: realised = expected + luck - error."""

    seat: SeatNumber
    expected: Fraction
    """What the turns were worth before their first throw."""
    luck: Fraction
    """Over all throws. The luck of all seats sums to zero."""
    error: Fraction
    """Over all throws."""
    realised: Fraction
    """What the dice of the turns have moved."""
    decimals: LuckDecimals


class Luck(Answer, frozen=True):
    """Expected and realised coins, throw by throw, and their sums over the match."""

    match_id: str
    version: Positive
    status: MatchStatus
    rules_version: str
    turns: Count
    """How many turns the totals are of."""
    totals: tuple[LuckTotals, ...]
    """By seat, over the whole match, whichever throws are shown."""
    throws: tuple[ThrowLuck, ...]
    next: str | None
    """The `after` of the next throws; null if there are no more."""
