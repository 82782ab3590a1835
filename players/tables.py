"""Batches of tables as arrays: many tables of one ruleset and number of seats, each at the end of a turn.

A row is one table. Coins, cards and supply are integers; the axes are row, seat and card.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from domain.match.state import MatchState

Coins = NDArray[np.int32]
"""A purse has no limit: in 2,000 turns it can outgrow 16 bits."""
Counts = NDArray[np.int16]
Doubles = NDArray[np.float64]
"""Values of tables or cards, in double precision."""


class TableBatch(NamedTuple):
    """A batch of tables: everything that their values depend on."""

    coins: Coins
    """By row and seat."""
    cities: Counts
    """By row, seat and card index: copies, and 1 for each built landmark."""
    supply: Counts
    """By row and card index: copies for sale, face up."""
    mover: Counts
    """By row: the seat with the next turn, as an index into the seats in play."""
    round: Counts
    """By row: the building round of that turn; 0 outside of building rounds."""

    def rows(self, chosen: "NDArray[np.intp] | NDArray[np.bool_] | slice") -> "TableBatch":
        """The chosen rows, in that order."""
        return TableBatch(
            self.coins[chosen],
            self.cities[chosen],
            self.supply[chosen],
            self.mover[chosen],
            self.round[chosen],
        )


def tables_of(states: Sequence[MatchState]) -> TableBatch:
    """The tables of running matches with equally many seats in play; resigned seats are left out."""
    playing = [in_play(state) for state in states]
    rows, seats = len(states), len(playing[0])
    pairs = [(state, seat) for state, seats in zip(states, playing, strict=True) for seat in seats]
    coins = [state.coins[seat] for state, seat in pairs]
    # All counts of cards fit in a byte, and bytes convert to an array much faster than lists.
    cities = b"".join([bytes(state.cities[seat]) for state, seat in pairs])
    supply = b"".join([bytes(state.supply) for state in states])
    return TableBatch(
        np.array(coins, np.int32).reshape(rows, seats),
        np.frombuffer(cities, np.uint8).astype(np.int16).reshape(rows, seats, -1),
        np.frombuffer(supply, np.uint8).astype(np.int16).reshape(rows, -1),
        np.array([seats.index(state.active) for state, seats in zip(states, playing, strict=True)], np.int16),
        np.array([state.round for state in states], np.int16),
    )


def in_play(state: MatchState) -> Sequence[int]:
    """The seats that have not resigned, in order."""
    resigned = state.resigned
    if True not in resigned:
        return range(len(resigned))
    return [seat for seat, gone in enumerate(resigned) if not gone]
