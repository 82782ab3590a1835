"""Pairing: the base orders of a round's blocks, reproducible from the ladder's seed.

At first every pair meets equally often. Then the entry whose rating is least certain plays its nearest
neighbours, and some tables remain random.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import shake_256
from itertools import combinations
from typing import Final, TypeAlias

from msgspec import Struct

from domain.errors import RuleViolation
from domain.ladder.config import LadderConfig
from domain.ladder.events import Table
from domain.ladder.results import EntryLine, StrategyPlayer, entry_line
from domain.ladder.state import ACTIVE, LadderState

_BEAM: Final = 64
"""The beam width: partial tables kept per step. With up to nine entries, no table of three is dropped."""
_POINTS_A_BLOCK: Final = 100
"""Each block that two entries share in this round adds this rating distance between them."""


class Strength(Struct, frozen=True):
    """A rating and its uncertainty, in points."""

    rating: float
    width: float
    """The width of the 95 % interval."""


Pair: TypeAlias = tuple[str, str]
"""Two entry ids in order."""


class _Round(Struct):
    """The blocks played and paired so far."""

    seed: str
    seats: int
    groups: dict[str, tuple[str, str]]
    """By entry that can be seated: its group; entries of one group never share a table of three or more."""
    met: dict[Pair, int]
    blocks: dict[str, int]
    last: frozenset[str]
    planned: dict[Pair, int]
    """The part of `met` in this round."""


def tables(
    config: LadderConfig,
    entries: Sequence[EntryLine],
    history: Iterable[Sequence[str]],
    first_block: int,
    count: int,
    strengths: Mapping[str, Strength] | None = None,
) -> tuple[tuple[str, ...], ...]:
    """The base orders of `count` blocks, the first of which has the number `first_block`.

    `entries` are those that can be seated; `history` has the base orders of all earlier blocks that were not
    given up, in order. Ratings are only used if `strengths` has all entries.

    Raises:
        RuleViolation: `too_few_entries`.
    """
    state = _begin(config, entries, history)
    found = []
    for block in range(first_block, first_block + count):
        chosen = _choose(config, state, block, strengths or {})
        _count(state, chosen)
        found.append(tuple(sorted(chosen, key=lambda entry: draw(state.seed, "seat", block, entry))))
    return tuple(found)


def _begin(config: LadderConfig, entries: Sequence[EntryLine], history: Iterable[Sequence[str]]) -> _Round:
    groups = {line.entry: group(line, config.seats) for line in entries}
    if len({*groups.values()}) < config.seats:
        raise RuleViolation("too_few_entries", f"a table needs {config.seats} entries that may meet")
    state = _Round(config.seed, config.seats, groups, {}, dict.fromkeys(groups, 0), frozenset(), {})
    for base in history:
        _count(state, frozenset(base))
    state.planned.clear()
    return state


def group(line: EntryLine, seats: int) -> tuple[str, str]:
    """Bots of one owner, or two versions of a strategy, could collude against a third entry."""
    if seats == 2:
        return "entry", line.entry
    if isinstance(line.player, StrategyPlayer):
        return "strategy", line.player.name
    return "owner", line.owner


def _count(state: _Round, table: frozenset[str]) -> None:
    for pair in combinations(sorted(table), 2):
        state.met[pair] = state.met.get(pair, 0) + 1
        state.planned[pair] = state.planned.get(pair, 0) + 1
    for entry in table:
        state.blocks[entry] = state.blocks.get(entry, 0) + 1
    state.last = table


def _choose(
    config: LadderConfig, state: _Round, block: int, strengths: Mapping[str, Strength]
) -> frozenset[str]:
    pairs = _pairs(state)
    met = min([state.met.get(pair, 0) for pair in pairs]) >= config.meetings
    if not met or not state.groups.keys() <= strengths.keys():
        return _balanced(state, block, pairs)
    if draw(state.seed, "random", block) % 100 < config.random_percent:
        return _random(state, block)
    return _nearest(state, block, strengths)


def _pairs(state: _Round) -> list[Pair]:
    """All pairs that may meet."""
    return [pair for pair in combinations(sorted(state.groups), 2) if _may_meet(state, pair[:1], pair[1])]


def _may_meet(state: _Round, table: Iterable[str], entry: str) -> bool:
    return all(state.groups[other] != state.groups[entry] for other in table)


def _balanced(state: _Round, block: int, pairs: list[Pair]) -> frozenset[str]:
    """The table whose pairs have met least, then whose entries have played least, then by random number.

    A beam search extends the pairs that have met least seat by seat.
    """
    lots = {entry: draw(state.seed, "balance", block, entry) for entry in state.groups}
    least = min([state.met.get(pair, 0) for pair in pairs])
    found = [frozenset(pair) for pair in pairs if state.met.get(pair, 0) == least]
    for _ in range(2, state.seats):
        found = _best(state, _grown(state, _best(state, found, lots)), lots)
    return _best(state, found, lots)[0]


def _grown(state: _Round, found: list[frozenset[str]]) -> list[frozenset[str]]:
    grown = [table | {entry} for table in found for entry in state.groups if _may_meet(state, table, entry)]
    return [*dict.fromkeys(grown)]


def _best(state: _Round, found: list[frozenset[str]], lots: dict[str, int]) -> list[frozenset[str]]:
    def burden(table: frozenset[str]) -> tuple[int, int, int]:
        met = sum([state.met.get(pair, 0) ** 2 for pair in combinations(sorted(table), 2)])
        played = sum([state.blocks[entry] for entry in table])
        return met, played, sum([lots[entry] for entry in table])

    return sorted(found, key=burden)[:_BEAM]


def _random(state: _Round, block: int) -> frozenset[str]:
    order = sorted(state.groups, key=lambda entry: draw(state.seed, "table", block, entry))
    return _filled(state, order[0], order[1:])


def _nearest(state: _Round, block: int, strengths: Mapping[str, Strength]) -> frozenset[str]:
    """The least certain entry with its nearest neighbours; not the same table as the last one."""

    def certain(entry: str) -> tuple[float, int]:
        new = sum([count for pair, count in state.planned.items() if entry in pair]) // (state.seats - 1)
        # The square of the width is inversely proportional to the number of matches.
        left = (state.blocks[entry] - new + 1) / (state.blocks[entry] + 1)
        return -(strengths[entry].width ** 2) * left, draw(state.seed, "width", block, entry)

    def distance(entry: str) -> tuple[float, int]:
        again = state.planned.get((min(first, entry), max(first, entry)), 0)
        between = abs(strengths[first].rating - strengths[entry].rating)
        return between + _POINTS_A_BLOCK * again, draw(state.seed, "near", block, entry)

    first = min(state.groups, key=certain)
    return _filled(state, first, sorted(state.groups, key=distance))


def _filled(state: _Round, first: str, order: Sequence[str]) -> frozenset[str]:
    """The first entry with the next ones in order; a different table than the last one if possible."""
    table = [first]
    for entry in order:
        full = len(table) == state.seats
        if not full and _may_meet(state, table, entry) and {*table, entry} != state.last:
            table.append(entry)
    # If only the same entries fit again, a rematch is better than no match.
    return frozenset(table) if len(table) == state.seats else state.last


def draw(seed: str, label: str, block: int, entry: str = "") -> int:
    """64 pseudorandom bits that depend only on the arguments."""
    return int.from_bytes(shake_256(f"{seed} {label} {block} {entry}".encode()).digest(8), "big")


def seatable(state: LadderState) -> list[int]:
    """The numbers of the entries that can be seated."""
    return [entry.number for entry in state.entries if entry.status == ACTIVE]


def planned(state: LadderState, blocks: int, strengths: Mapping[str, Strength]) -> Sequence[Table]:
    """The tables of that many blocks; strengths are by entry id.

    Raises:
        RuleViolation: `too_few_entries`.
    """
    entries = [entry_line(state.entries[number]) for number in seatable(state)]
    found = tables(state.config, entries, _history(state), state.next_block, blocks, strengths)
    return [tuple([state.numbers[entry] for entry in table]) for table in found]


def _history(state: LadderState) -> list[list[str]]:
    """The base orders of this season's blocks, in the order of their numbers."""
    rated = state.rated_rounds(state.season)
    blocks = [block for round in rated for block in round.blocks if not block.is_given_up]
    return [[state.entries[number].id for number in block.table] for block in blocks]
