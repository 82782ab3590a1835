"""What throws pay in a race: the kernel pays each of them out, for all coins that make a difference.

A payment is limited by the coins of its payer. A seat that has more coins than a throw can make it pay gains
as much as a rich one; one coin more, because some cards depend on whether a seat has none. So only few cells
have to be paid out, and the others follow.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernel import layout as at
from kernel.engine import Engine
from kernel.forecast import amount_to_add
from kernel.layout import Tables
from kernel.legal import may_roll_two
from kernel.queries import in_force
from players.exact_race.cities import RICH, Cities, RaceRefused, playing_in

Integers = NDArray[np.int32]

_BOATS: Final = range(2, 13)


class Throw(NamedTuple):
    """A throw of dice, or one of several ways in which it goes on."""

    first: int
    second: int
    total: int
    boats: int = 7
    """What the boats throw, if they sail."""
    payer: int = -1
    """The seat that pays, if the roller chooses one."""


class Gains(NamedTuple):
    """What a branch brings to the seats in play."""

    tops: tuple[int, ...]
    """By seat: the coins from which on it gains as if it was rich."""
    gains: Integers
    """By cell up to `tops` and by seat; the last seat's coins vary fastest."""


class Alternative(NamedTuple):
    """A throw with one total: its branches, first by total of the boats, then by who pays."""

    goes_on: bool
    """Whether another turn of the roller follows."""
    boats: int
    payers: int
    branches: tuple[Gains, ...]


class TurnThrows(NamedTuple):
    """What one seat can throw."""

    rerolls: bool
    rolls: tuple[tuple[Alternative, ...], ...]
    """By roll, as in `kernel.workspaces.ROLLS`: without and with what the roller may add."""
    losses: tuple[int, ...]
    """By seat in play: the most that a single throw makes it pay, in coins."""


def rolls_of(two: bool) -> Iterator[tuple[int, int]]:
    """The dice of each roll that the rules distinguish, in the order of the kernel; 0 for no second die."""
    yield from [(die, 0) for die in range(1, 7)]
    if two:
        yield from [(die, die) for die in range(1, 7)]
        yield from [(max(1, total - 6), min(6, total - 1)) for total in range(3, 12)]


class Payouts:
    """The payouts of a race; cities that differ only in landmarks that do not affect a throw share its
    payout."""

    def __init__(self, kernel: Engine, tables: Sequence[int], limits: Sequence[int]) -> None:
        """`limits` has by seat the most coins that count."""
        self._kernel = kernel
        self._plain = list(tables)
        self._tables: Tables = kernel.codes(tables)
        self._luck = kernel.luck(0)
        self._limits = limits
        self._affecting = [self._cards_of(total) for total in range(at.TOTALS)]
        self._known: dict[tuple[object, ...], tuple[int, Gains]] = {}

    def _cards_of(self, total: int) -> list[int]:
        size, seats = self._plain[at.SIZE], self._plain[at.SEATS]
        cards = [card for card in range(size) if self._plain[at.AFFECTED + card] >> total & 1]
        return [at.CITIES + seat * at.MOST_CARDS + card for seat in range(seats) for card in cards]

    def turn(self, cities: Cities, roller: int) -> TurnThrows:
        """What a seat can throw.

        Raises:
            RaceRefused: a throw makes the roller give a card away.
        """
        row = list(cities.row)
        row[at.ACTIVE] = roller
        tables = self._plain
        reroller = tables[at.REROLLER]
        rolls = []
        for first, second in rolls_of(may_roll_two(tables, row)):
            more = amount_to_add(tables, row, first + second)
            totals = (first + second, first + second + more)[: 1 + bool(more)]
            rolls.append(tuple([self._alternative(row, Throw(first, second, total)) for total in totals]))
        gains = [one for roll in rolls for alternative in roll for one in alternative.branches]
        losses = np.array([one.tops for one in gains]).max(axis=0) - 1
        rerolls = reroller >= 0 and in_force(tables, row, roller, reroller)
        return TurnThrows(rerolls, tuple(rolls), tuple(losses.tolist()))

    def _alternative(self, row: list[int], throw: Throw) -> Alternative:
        roller, seats = row[at.ACTIVE], self._plain[at.SEATS]
        playing = playing_in(row, seats)
        others = [(roller + i) % seats for i in range(1, seats) if (roller + i) % seats in playing]
        bits, _ = self._gains(row, throw._replace(payer=others[0]))
        if bits & at.RACE_GIVES:
            raise RaceRefused("a throw makes the roller give a card away")
        boats = _BOATS if bits & at.RACE_SAILS else (7,)
        payers = others if bits & at.RACE_ASKS else others[:1]
        branches = [
            self._gains(row, throw._replace(boats=sailed, payer=payer))[1]
            for sailed in boats
            for payer in payers
        ]
        return Alternative(bool(bits & at.RACE_GOES_ON), len(boats), len(payers), tuple(branches))

    def _gains(self, row: list[int], throw: Throw) -> tuple[int, Gains]:
        key = (row[at.ACTIVE], throw, tuple([row[place] for place in self._affecting[throw.total]]))
        if key not in self._known:
            self._known[key] = self._pay(row, throw)
        return self._known[key]

    def _pay(self, row: list[int], throw: Throw) -> tuple[int, Gains]:
        seats = self._plain[at.SEATS]
        playing = playing_in(row, seats)
        rich = [RICH if seat in playing else 0 for seat in range(seats)]
        broke = [0 if seat == row[at.ACTIVE] else coins for seat, coins in enumerate(rich)]
        bits, paid = self._pay_cells(row, throw, rich, rich)
        _, unpaid = self._pay_cells(row, throw, broke, broke)
        tops = [0] * seats
        for seat in playing:
            # What an opponent receives from the roller may be as little as nothing.
            poor = [0 if one == seat else coins for one, coins in enumerate(broke)]
            _, less = self._pay_cells(row, throw, poor, poor)
            owed = less[0, seat] - (paid if seat == row[at.ACTIVE] else unpaid)[0, seat]
            tops[seat] = min(int(owed) + 1, self._limits[seat])
        all_bits, gains = self._pay_cells(row, throw, [0] * seats, tops)
        kept = gains[:, list(playing)]
        return bits | all_bits, Gains(tuple([tops[seat] for seat in playing]), kept)

    def _pay_cells(
        self, row: list[int], throw: Throw, lows: Sequence[int], tops: Sequence[int]
    ) -> tuple[int, Integers]:
        kernel, seats = self._kernel, len(lows)
        cells = int(np.prod([top - low + 1 for low, top in zip(lows, tops, strict=True)]))
        found = kernel.codes((0,) * (cells * seats))
        bits = kernel.pay_cells(
            self._tables,
            kernel.row(row),
            self._luck,
            kernel.codes(lows),
            kernel.codes(tops),
            kernel.codes(throw),
            found,
        )
        return bits, np.array(found[:], np.int32).reshape(cells, seats)
