"""Swiss pairing: entries with equal points meet, and nobody meets the same opponent again while that can be
avoided.

With two seats, the number of rematches is the least possible. At larger tables finding the least is too hard,
and a beam search keeps them few.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from msgspec import Struct

from domain.ladder.tournament.matching import pair_count

_BEAM: Final = 16
"""The beam width: partial tables kept per seat."""

Pair: TypeAlias = tuple[int, int]


class Candidate(Struct, frozen=True):
    """An entry to be paired."""

    entry: int
    points: int
    """In half points."""
    byes: int


class Pairing(Struct, frozen=True):
    """Who plays whom in a round, and who does not play."""

    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...]


def most_rounds(entries: int, seats: int) -> int:
    """The most rounds in which nobody needs a second bye and, with two seats, nobody a rematch."""
    byes = entries % seats
    by_byes = entries // byes if byes else entries
    return min(by_byes, entries - 1 + entries % 2) if seats == 2 else by_byes


def usual_rounds(entries: int, seats: int) -> int:
    """As many rounds as a knock-out has stages in which one of each table advances."""
    rounds = 1
    while seats**rounds < entries:
        rounds += 1
    return min(rounds, most_rounds(entries, seats))


def paired(order: Sequence[Candidate], met: Mapping[Pair, int], seats: int) -> Pairing:
    """Pair the entries, which are in order of their points and then their seeds.

    `met` has how often two entries have met, by their numbers in ascending order. Byes go to those who had
    fewest, and of these to the last in order; with two seats, to the last one that allows fewest rematches.
    """
    if seats == 2:
        return _pairs(order, met)
    byes = sorted(_by_claim_to_a_bye(order)[: len(order) % seats], key=order.index)
    left = [one for one in order if one not in byes]
    tables = []
    while left:
        table = _table(left, met, seats)
        tables.append(tuple([one.entry for one in table]))
        left = [one for one in left if one not in table]
    return Pairing(tuple(tables), tuple([one.entry for one in byes]))


def _by_claim_to_a_bye(order: Sequence[Candidate]) -> list[Candidate]:
    return sorted(order, key=lambda one: (one.byes, -order.index(one)))


def _pairs(order: Sequence[Candidate], met: Mapping[Pair, int]) -> Pairing:
    byes = [_bye(order, met)] if len(order) % 2 else []
    left = [one for one in order if one not in byes]
    fresh = _fresh_pairs(left, met)
    found = []
    while left:
        first, second = next(pair for pair in _wishes(left) if _is_possible(left, pair, met, fresh))
        found.append((first.entry, second.entry))
        fresh -= _is_fresh(first, second, met)
        left = [one for one in left if one not in (first, second)]
    return Pairing(tuple(found), tuple([one.entry for one in byes]))


def _bye(order: Sequence[Candidate], met: Mapping[Pair, int]) -> Candidate:
    claims = _by_claim_to_a_bye(order)
    claims = [one for one in claims if one.byes == claims[0].byes]
    best, most = claims[0], -1
    for claim in claims:
        fresh = _fresh_pairs([one for one in order if one != claim], met)
        if fresh > most:
            best, most = claim, fresh
        if most == len(order) // 2:
            break
    return best


def _wishes(left: Sequence[Candidate]) -> list[tuple[Candidate, Candidate]]:
    """The first entry with every other one, the most wanted first.

    Those with its points come first: their lower half from its best, then their upper half from its worst.
    """
    first = left[0]
    group = [one for one in left if one.points == first.points]
    half = max(1, len(group) // 2)
    chosen = [*group[half:], *reversed(group[1:half]), *left[len(group) :]]
    return [(first, one) for one in chosen]


def _is_possible(
    left: Sequence[Candidate], pair: tuple[Candidate, Candidate], met: Mapping[Pair, int], fresh: int
) -> bool:
    """Whether the others can be paired so that `fresh` pairs in all are no rematches."""
    others = [one for one in left if one not in pair]
    return _is_fresh(*pair, met) + _fresh_pairs(others, met) == fresh


def _fresh_pairs(order: Sequence[Candidate], met: Mapping[Pair, int]) -> int:
    """The most pairs without a rematch."""
    places = range(len(order))
    return pair_count([[b for b in places if b != a and _is_fresh(order[a], order[b], met)] for a in places])


def _is_fresh(a: Candidate, b: Candidate, met: Mapping[Pair, int]) -> bool:
    return not _met(a, b, met)


def _met(a: Candidate, b: Candidate, met: Mapping[Pair, int]) -> int:
    return met.get((min(a.entry, b.entry), max(a.entry, b.entry)), 0)


def _table(left: Sequence[Candidate], met: Mapping[Pair, int], seats: int) -> list[Candidate]:
    """A table of the first entry: with the fewest rematches, then the nearest points, then spread over those
    who have its points."""
    group = [one.points for one in left].count(left[0].points)
    spread = max(group, seats)

    def burden(table: tuple[int, ...]) -> tuple[int, int, int]:
        again = sum([_met(left[a], left[b], met) for a, b in combinations(table, 2)])
        points = sum([left[place].points for place in table])
        return again, -points, sum([abs(seats * place - seat * spread) for seat, place in enumerate(table)])

    found: list[tuple[int, ...]] = [(0,)]
    for seat in range(1, seats):
        last = len(left) - seats + seat
        grown = [(*table, place) for table in found for place in range(table[-1] + 1, last + 1)]
        found = sorted(grown, key=burden)[:_BEAM]
    return [left[place] for place in found[0]]
