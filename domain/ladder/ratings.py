"""The official ratings: a pure function of the results, equal to the last digit on every machine.

docs/ladders.md has the formulas.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Final

from msgspec import Struct

from domain.ladder.arithmetic import LN10, Vector, added, inverse
from domain.ladder.bootstrap import block_weights, interval, virtual_weights
from domain.ladder.likelihood import Point, Tally, information
from domain.ladder.lines import StrategyPlayer
from domain.ladder.plackett_luce import fit, refit
from domain.ladder.results import Block, Results

POINTS: Final = 400 / LN10
"""Rating points in a natural logarithm of strength: 400 points are odds of ten to one."""
_TOLERANCE: Final = 1e-4
"""Of a replicate, in natural logarithms; convergence is faster than linear, so the error is far smaller."""


class Rating(Struct, frozen=True):
    """How strong an entry is; points have one decimal."""

    entry: str
    rank: int
    """1 for the strongest; equal ratings share a rank."""
    rank_interval: tuple[int, int]
    rating: float
    rating_interval: tuple[float, float]
    provisional: bool
    """One half of the interval is wider than the rules allow."""
    above_next: float | None
    """In how many per cent of the replicates it is stronger than the next in the table; None for the last."""


class Ratings(Struct, frozen=True):
    """The table of a ladder."""

    entries: tuple[Rating, ...]
    """From the strongest to the weakest; equal ones by entry id."""
    anchor: str | None
    """The entry that has the anchor's rating; without one the mean has it."""
    seats: tuple[float, ...]
    """What each seat is worth, in points with one decimal, against the mean of all seats."""
    groups: int
    """1 if the matches link all entries; else the ratings of groups hang together by the prior alone."""


class _Table(Struct, frozen=True):
    """The results in the form that replicates are made from."""

    seed: str
    half_wins: int
    seats: int
    entries: int
    anchor: int
    """Its index; with no anchor that of a virtual player after all entries."""
    orders: tuple[tuple[int, ...], ...]
    blocks: int
    of_orders: tuple[Callable[[Sequence[int]], int], ...]
    """By order: the sum of the weights of its blocks."""
    of_cells: tuple[tuple[Callable[[Sequence[int]], int], ...], ...]
    """By entry and seat: the sum of the weights of the blocks that it won there."""


def rate(results: Results) -> Ratings:
    """The ratings after these results, with 95 % intervals from a bootstrap over blocks.

    Who has no match in them is not in the table.
    """
    played = {entry for block in results.blocks for entry in block.base}
    ids = [entry.entry for entry in results.entries if entry.entry in played]
    anchor = _anchor(results, played)
    table = _table(results, ids, anchor)
    estimate, replicates = _fits(table, results.ladder.config.rating.replicates)
    base = results.ladder.config.rating.anchor_rating
    points = [_points(table, each, base) for each in (estimate, *replicates)]
    entries = _entries(results, ids, points[0], points[1:])
    return Ratings(entries, anchor, _seat_points(estimate), _groups(len(ids), table.orders))


def _anchor(results: Results, played: set[str]) -> str | None:
    """The first entry, by its id, of the strategy that the rules name, if it has played."""
    name = results.ladder.config.rating.anchor
    for entry in results.entries:
        is_it = isinstance(entry.player, StrategyPlayer) and entry.player.name == name
        if is_it and entry.entry in played:
            return entry.entry
    return None


def _table(results: Results, ids: list[str], anchor: str | None) -> _Table:
    index = {entry: i for i, entry in enumerate(ids)}
    orders: dict[tuple[int, ...], list[int]] = {}
    cells: list[list[list[int]]] = [[[] for _ in range(results.ladder.config.seats)] for _ in ids]
    for place, block in enumerate(results.blocks):
        orders.setdefault(_order(block, index), []).append(place)
        for match in block.results:
            cells[index[match.seats[match.winner]]][match.winner].append(place)
    return _Table(
        seed=results.ladder.config.seed,
        half_wins=results.ladder.config.rating.prior_half_wins,
        seats=results.ladder.config.seats,
        entries=len(ids),
        anchor=len(ids) if anchor is None else index[anchor],
        orders=tuple(sorted(orders)),
        blocks=len(results.blocks),
        of_orders=tuple([_adder(orders[order]) for order in sorted(orders)]),
        of_cells=tuple([tuple([_adder(places) for places in row]) for row in cells]),
    )


def _order(block: Block, index: dict[str, int]) -> tuple[int, ...]:
    """The one rotation of the base order that begins with the smallest index."""
    order = tuple([index[entry] for entry in block.base])
    first = order.index(min(order))
    return order[first:] + order[:first]


def _adder(places: list[int]) -> Callable[[Sequence[int]], int]:
    """What adds up the numbers at these places."""
    if len(places) > 1:
        pick = itemgetter(*places)
        return lambda numbers: sum(pick(numbers))
    return lambda numbers: sum([numbers[place] for place in places])


def _fits(table: _Table, replicates: int) -> tuple[Point, list[Point]]:
    virtual = [1.0] * _virtual_results(table)
    tally = _tally(table, bytes([1]) * table.blocks, virtual)
    estimate = fit(tally)
    metric = inverse(information(tally, estimate))
    return estimate, [
        refit(_replicate(table, replicate), estimate, metric, _TOLERANCE) for replicate in range(replicates)
    ]


def _replicate(table: _Table, replicate: int) -> Tally:
    return _tally(
        table,
        block_weights(table.seed, replicate, table.blocks),
        virtual_weights(table.seed, replicate, _virtual_results(table)),
    )


def _virtual_results(table: _Table) -> int:
    """A win and a loss for each entry, and a win for each seat."""
    return 2 * table.entries + table.seats


def _tally(table: _Table, weights: Sequence[int], virtual: Vector) -> Tally:
    cells = [[add(weights) for add in row] for row in table.of_cells]
    spare = [0] * (table.anchor == table.entries)
    half = table.half_wins / 2
    prior = [half * weight for weight in virtual]
    # Against itself the anchor wins nothing.
    versus = [0.0 if i // 2 == table.anchor else prior[i] for i in range(2 * table.entries)]
    return Tally(
        anchor=table.anchor,
        orders=table.orders,
        blocks=[add(weights) for add in table.of_orders],
        wins=[*[sum(row) for row in cells], *spare],
        seat_wins=[sum([row[seat] for row in cells]) for seat in range(table.seats)],
        prior_wins=[*versus[0::2], *map(float, spare)],
        prior_losses=[*versus[1::2], *map(float, spare)],
        prior_seat_wins=prior[2 * table.entries :],
    )


def _points(table: _Table, point: Point, base: int) -> Vector:
    """Rating points by entry, not rounded."""
    strengths = point.strengths[: table.entries]
    # The anchor's logarithm is 0.
    middle = added(strengths) / len(strengths) if table.anchor == table.entries != 0 else 0.0
    return [base + POINTS * (strength - middle) for strength in strengths]


def _seat_points(point: Point) -> tuple[float, ...]:
    middle = added(point.seats) / len(point.seats)
    # Without the 0 that is added, what is rounded to nothing from below would be -0.0.
    return tuple([round(POINTS * (value - middle), 1) + 0.0 for value in point.seats])


def _entries(
    results: Results, ids: list[str], estimate: Vector, replicates: list[Vector]
) -> tuple[Rating, ...]:
    rounded = [round(value, 1) for value in estimate]
    order = sorted(range(len(ids)), key=lambda i: (-rounded[i], ids[i]))
    ranks = _ranks(replicates)
    found = []
    for i, following in zip(order, [*order, None][1:], strict=True):
        rank = 1 + sum([other > rounded[i] for other in rounded])
        low, high = interval([values[i] for values in replicates], rounded[i])
        bounds = round(low, 1), round(high, 1)
        widest = max(rounded[i] - bounds[0], bounds[1] - rounded[i])
        found.append(
            Rating(
                entry=ids[i],
                rank=rank,
                rank_interval=_rank_interval([by[i] for by in ranks], rank),
                rating=rounded[i],
                rating_interval=bounds,
                provisional=widest > results.ladder.config.rating.provisional_above,
                above_next=None if following is None else _above(replicates, i, following),
            )
        )
    return tuple(found)


def _ranks(replicates: list[Vector]) -> list[list[int]]:
    """By replicate and entry: its place from the top."""
    found = []
    for values in replicates:
        places = [0] * len(values)
        for place, i in enumerate(sorted(range(len(values)), key=lambda i: -values[i]), 1):
            places[i] = place
        found.append(places)
    return found


def _rank_interval(ranks: list[int], rank: int) -> tuple[int, int]:
    low, high = interval(ranks, rank)
    return int(low), int(high)


def _above(replicates: list[Vector], i: int, other: int) -> float:
    """Per cent of the replicates in which one is stronger than the other, ties by half; one decimal."""
    halves = sum([(values[i] > values[other]) + (values[i] >= values[other]) for values in replicates])
    return round(50 * halves / len(replicates), 1)


def _groups(entries: int, orders: Sequence[tuple[int, ...]]) -> int:
    """How many groups of entries there are that no match links."""
    group = [*range(entries)]
    for order in orders:
        joined = {group[i] for i in order}
        group = [min(joined) if each in joined else each for each in group]
    return len({*group})
