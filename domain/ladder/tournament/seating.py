"""The base orders of a round's blocks: who sits next to whom.

A block has all rotations of its base, so each of its entries sits once on every seat. What is left to balance
at tables of three or more is who plays right after whom.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, permutations

from domain.ladder.events import Table
from domain.ladder.pairing import draw
from domain.ladder.state import LadderState


def seated(
    state: LadderState, season: int, tables: Iterable[Sequence[int]], repeats: int
) -> tuple[Table, ...]:
    """The base orders of `repeats` blocks of each table, all tables once before any is repeated.

    The order whose neighbours have followed on each other least in the season comes first; lots decide among
    equal ones.
    """
    followed: Counter[tuple[int, int]] = Counter()
    for round in state.rated_rounds(season):
        for block in round.blocks:
            if not block.is_given_up:
                followed.update(_neighbours(block.table))
    wanted, found = [*tables] * repeats, []
    for number, members in enumerate(wanted, state.next_block):
        base = _base(state, number, members, followed)
        followed.update(_neighbours(base))
        found.append(base)
    return tuple(found)


def _base(
    state: LadderState, block: int, members: Sequence[int], followed: Counter[tuple[int, int]]
) -> Table:
    def lot(entry: int) -> int:
        return draw(state.config.seed, "seat", block, state.entries[entry].id)

    def burden(order: Table) -> int:
        return sum([followed[pair] for pair in _neighbours(order)])

    first, *rest = sorted(members, key=lot)
    # Permutations come in the order of the lots, and `min` keeps the first of equal ones.
    return min([(first, *others) for others in permutations(rest)], key=burden)


def _neighbours(table: Table) -> Iterator[tuple[int, int]]:
    """Each entry with the one that sits after it."""
    return pairwise((*table, table[0]))
