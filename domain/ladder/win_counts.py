"""What the likelihood of ratings is computed from, and a point of it."""

from collections.abc import Sequence

from msgspec import Struct

from domain.ladder.arithmetic import Vector


class WinCounts(Struct, frozen=True):
    """The counts in the likelihood. `anchor` is an index of strengths; seat 0 has the factor 1."""

    anchor: int
    orders: tuple[tuple[int, ...], ...]
    """Orders of strength indices around the table. Each represents all its rotations, or only itself."""
    blocks: Sequence[int]
    """By order: the number of blocks."""
    wins: Sequence[int]
    """By strength."""
    seat_wins: Sequence[int]
    prior_wins: Vector
    """By strength: virtual wins against the anchor, regardless of seats."""
    prior_losses: Vector
    """By strength: virtual wins of the anchor against it."""
    prior_seat_wins: Vector
    """By seat: virtual wins at a table of equals."""
    is_rotated: bool = True
    """Whether an order represents all its rotations, as the blocks of ladders do."""

    @property
    def rotations(self) -> range:
        """The rotations of each order that were played."""
        return range(len(self.seat_wins)) if self.is_rotated else range(1)


class Point(Struct, frozen=True):
    """Natural logarithms of strengths (0 for the anchor) and of the factors of seats (0 for seat 0)."""

    strengths: Vector
    seats: Vector
