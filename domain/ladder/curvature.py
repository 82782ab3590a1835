"""The curvature of the likelihood for very many entries, and steps of Newton's method that it gives."""

from typing import Final

from domain.ladder.arithmetic import Vector, added, dot, exp
from domain.ladder.win_counts import Point, WinCounts

_RESIDUE: Final = 1e-3
"""What conjugate gradients leave of a step of Newton's method."""
_MOST_STEPS: Final = 200


class Curvature:
    """The information matrix at a point, as a function: the matrix itself would be too large for thousands of
    entries, of which each has played few others. It has the order of `gradient`.
    """

    def __init__(self, counts: WinCounts, point: Point) -> None:
        self._anchor, self._size = counts.anchor, len(counts.wins)
        strengths = [exp(value) for value in point.strengths]
        factors = [exp(value) for value in point.seats]
        total = added(factors)
        self._prior = [  # the anchor's strength is 1
            (won + lost) * strength / ((strength + 1.0) * (strength + 1.0))
            for won, lost, strength in zip(counts.prior_wins, counts.prior_losses, strengths, strict=True)
        ]
        self._seat_shares = [factor / total for factor in factors]
        self._seat_weight = added(counts.prior_seat_wins)
        self._tables: list[tuple[tuple[int, ...], Vector, int]] = []
        """The tables with the chances of their seats, and how often each was played."""
        for order, blocks in zip(counts.orders, counts.blocks, strict=True):
            for rotation in counts.rotations if blocks else ():
                table = order[rotation:] + order[:rotation]
                chances = [strengths[i] * factor for i, factor in zip(table, factors, strict=True)]
                whole = added(chances)
                self._tables.append((table, [chance / whole for chance in chances], blocks))

    def times(self, vector: Vector) -> Vector:
        """The matrix times the vector."""
        values = [*vector[: self._anchor], 0.0, *vector[self._anchor : self._size - 1]]
        of_seats = [0.0, *vector[self._size - 1 :]]
        middle = dot(self._seat_shares, of_seats)
        found = [prior * value for prior, value in zip(self._prior, values, strict=True)]
        found_seats = [
            self._seat_weight * share * (value - middle)
            for share, value in zip(self._seat_shares, of_seats, strict=True)
        ]
        for table, shares, blocks in self._tables:
            here = [values[i] + value for i, value in zip(table, of_seats, strict=True)]
            mean = dot(shares, here)
            for seat, i in enumerate(table):
                part = blocks * shares[seat] * (here[seat] - mean)
                found[i] += part
                found_seats[seat] += part
        del found[self._anchor]
        return [*found, *found_seats[1:]]

    def diagonal(self) -> Vector:
        """The diagonal of the matrix."""
        found = [*self._prior]
        found_seats = [self._seat_weight * share * (1.0 - share) for share in self._seat_shares]
        for table, shares, blocks in self._tables:
            for seat, i in enumerate(table):
                part = blocks * shares[seat] * (1.0 - shares[seat])
                found[i] += part
                found_seats[seat] += part
        del found[self._anchor]
        return [*found, *found_seats[1:]]

    def solved(self, right: Vector) -> Vector:
        """The vector that the matrix turns into the right side, up to a thousandth of that, by conjugate
        gradients. Newton's method needs no more, since it repeats them.
        """
        scale = [1.0 / value for value in self.diagonal()]
        found, left = [0.0] * len(right), right
        way = eased = [part * value for part, value in zip(left, scale, strict=True)]
        size = first = dot(left, eased)
        for _ in range(_MOST_STEPS):
            if size <= first * _RESIDUE * _RESIDUE:
                break
            bent = self.times(way)
            length = size / dot(way, bent)
            found = [value + length * part for value, part in zip(found, way, strict=True)]
            left = [value - length * part for value, part in zip(left, bent, strict=True)]
            eased = [part * value for part, value in zip(left, scale, strict=True)]
            before, size = size, dot(left, eased)
            way = [part + size / before * value for part, value in zip(eased, way, strict=True)]
        return found
