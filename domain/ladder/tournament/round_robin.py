"""Round robins: in each round, every table of entries that there can be meets once.

With two seats, the pairs are in the order of the circle method: one entry keeps its place, and the others
move one place round the circle from one day to the next.
"""

from collections.abc import Sequence
from itertools import combinations


def tables(entries: Sequence[int], seats: int) -> list[tuple[int, ...]]:
    """Every set of `seats` entries once."""
    return _days(entries) if seats == 2 else [*combinations(entries, seats)]


def _days(entries: Sequence[int]) -> list[tuple[int, ...]]:
    """All pairs, day after day; on each day an entry plays at most once."""
    places: list[int | None] = [*entries, *([None] if len(entries) % 2 else [])]
    found: list[tuple[int, ...]] = []
    for _ in range(len(places) - 1):
        for i in range(len(places) // 2):
            a, b = places[i], places[-1 - i]
            if a is not None and b is not None:
                found.append((a, b))
        places = [places[0], places[-1], *places[1:-1]]
    return found
