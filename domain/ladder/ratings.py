"""The official ratings: maximum likelihood, with intervals from a bootstrap over blocks.

They are a pure function of the results, identical to the last digit on every machine. docs/ladders.md has the
formulas. The fits are computed step by step, so that several processes can do it in turn.

A bootstrap replicate reweights the blocks. A block's weight is a Poisson number of mean 1, derived from one
byte. The weight of a virtual result is exponentially distributed with mean 1, so that estimates that rest on
virtual results alone get wide intervals.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import shake_256
from operator import itemgetter
from typing import Final

from msgspec import Struct

from domain.ladder.arithmetic import POINTS, Matrix, Vector, added, inverse, log
from domain.ladder.config import RatingRules
from domain.ladder.intervals import interval, percentage_above, rank_interval, ranks_by_replicate
from domain.ladder.likelihood import Ascent, Point, WinCounts, ascended, equal_strengths, information, refit
from domain.ladder.results import BlockResults, Results, StrategyPlayer

_COUNTS: Final = bytes([*[0] * 95, *[1] * 93, *[2] * 47, *[3] * 16, *[4] * 4, 5])
"""By byte: the Poisson distribution of mean 1 in 256ths; the mean is exactly 1, the variance 258/256."""
_SHARES: Final = tuple([-log((2 * byte + 1) / 512) for byte in range(256)])
"""By byte: the exponential distribution of mean 1."""


def block_weights(seed: str, replicate: int, blocks: int) -> bytes:
    """The weight of each block in the replicate, by its position among the complete blocks."""
    return _stream(seed, "blocks", replicate, blocks).translate(_COUNTS)


def virtual_weights(seed: str, replicate: int, results: int) -> Vector:
    """The weight of each virtual result in the replicate."""
    return [_SHARES[byte] for byte in _stream(seed, "virtual", replicate, results)]


def _stream(seed: str, label: str, replicate: int, length: int) -> bytes:
    return shake_256(f"{seed} {label} {replicate}".encode()).digest(length)


class Sample(Struct, frozen=True):
    """The complete blocks, prepared for counting with weights."""

    rules: RatingRules
    seed: str
    seats: int
    entries: tuple[str, ...]
    """The ids of the entries with a match, in order."""
    anchor: int
    """The index of the anchor; without one, that of a virtual player after all entries."""
    orders: tuple[tuple[int, ...], ...]
    blocks: int
    of_orders: tuple[Callable[[Sequence[int]], int], ...]
    """By order: the sum of the weights of its blocks."""
    of_cells: tuple[tuple[Callable[[Sequence[int]], int], ...], ...]
    """By entry and seat: the sum of the weights of the blocks that it won there."""

    @property
    def anchor_entry(self) -> str | None:
        """The entry with the anchor's rating; None if the mean has it."""
        return None if self.anchor == len(self.entries) else self.entries[self.anchor]


def sampled(results: Results) -> Sample:
    """The sample of these results, without entries that have no match."""
    played = {entry for block in results.blocks for entry in block.base}
    ids = [entry.entry for entry in results.entries if entry.entry in played]
    index = {entry: i for i, entry in enumerate(ids)}
    anchor = _anchor(results, played)
    orders: dict[tuple[int, ...], list[int]] = {}
    cells: list[list[list[int]]] = [[[] for _ in range(results.ladder.config.seats)] for _ in ids]
    for place, block in enumerate(results.blocks):
        orders.setdefault(_order(block, index), []).append(place)
        for match in block.results:
            cells[index[match.seats[match.winner]]][match.winner].append(place)
    return Sample(
        rules=results.ladder.config.rating,
        seed=results.ladder.config.seed,
        seats=results.ladder.config.seats,
        entries=tuple(ids),
        anchor=len(ids) if anchor is None else index[anchor],
        orders=tuple(sorted(orders)),
        blocks=len(results.blocks),
        of_orders=tuple([_adder(orders[order]) for order in sorted(orders)]),
        of_cells=tuple([tuple([_adder(places) for places in row]) for row in cells]),
    )


def _anchor(results: Results, played: set[str]) -> str | None:
    """The first entry by id of the anchor strategy that has played; None without one."""
    name = results.ladder.config.rating.anchor
    for entry in results.entries:
        is_it = isinstance(entry.player, StrategyPlayer) and entry.player.name == name
        if is_it and entry.entry in played:
            return entry.entry
    return None


def _order(block: BlockResults, index: dict[str, int]) -> tuple[int, ...]:
    """The rotation of the base order that begins with the smallest index."""
    order = tuple([index[entry] for entry in block.base])
    first = order.index(min(order))
    return order[first:] + order[:first]


def _adder(places: list[int]) -> Callable[[Sequence[int]], int]:
    """A function that sums the numbers at these positions."""
    if len(places) > 1:
        pick = itemgetter(*places)
        return lambda numbers: sum(pick(numbers))
    return lambda numbers: sum([numbers[place] for place in places])


def whole(sample: Sample) -> WinCounts:
    """The counts with weight 1 for every block."""
    return _counts(sample, bytes([1]) * sample.blocks, [1.0] * _virtual_results(sample))


def drawn(sample: Sample, replicate: int) -> WinCounts:
    """The counts with the weights of a replicate."""
    return _counts(
        sample,
        block_weights(sample.seed, replicate, sample.blocks),
        virtual_weights(sample.seed, replicate, _virtual_results(sample)),
    )


def _virtual_results(sample: Sample) -> int:
    """The number of virtual results: a win and a loss for each entry, and a win for each seat."""
    return 2 * len(sample.entries) + sample.seats


def _counts(sample: Sample, weights: Sequence[int], virtual: Vector) -> WinCounts:
    cells = [[add(weights) for add in row] for row in sample.of_cells]
    size = len(sample.entries)
    spare = [0] * (sample.anchor == size)
    half = sample.rules.prior_half_wins / 2
    prior = [half * weight for weight in virtual]
    # The anchor has no virtual results against itself.
    versus = [0.0 if i // 2 == sample.anchor else prior[i] for i in range(2 * size)]
    return WinCounts(
        anchor=sample.anchor,
        orders=sample.orders,
        blocks=[add(weights) for add in sample.of_orders],
        wins=[*[sum(row) for row in cells], *spare],
        seat_wins=[sum([row[seat] for row in cells]) for seat in range(sample.seats)],
        prior_wins=[*versus[0::2], *map(float, spare)],
        prior_losses=[*versus[1::2], *map(float, spare)],
        prior_seat_wins=prior[2 * size :],
    )


_TOLERANCE: Final = 1e-4
"""The tolerance of a replicate, in natural logarithms; superlinear convergence makes the error smaller."""


class Fits(Struct):
    """The fits of a sample that have been computed so far."""

    estimate: Ascent | None = None
    """The fit with all weights 1; None before the first step."""
    metric: Matrix = []
    """The inverse information at the estimate; empty until that is complete."""
    replicates: list[Vector] = []
    """By replicate: unrounded rating points by entry."""


def made(sample: Sample, fits: Fits) -> Iterator[None]:
    """Compute the missing fits in place, and yield after each step.

    Raises:
        ArithmeticError: the likelihood has no maximum.
    """
    counts = whole(sample)
    ascent = fits.estimate or Ascent(equal_strengths(counts))
    while not ascent.is_over:
        ascent = fits.estimate = ascended(counts, ascent)
        yield
    if not fits.metric:
        fits.metric = inverse(information(counts, ascent.point))
    for replicate in range(len(fits.replicates), sample.rules.replicates):
        point = refit(drawn(sample, replicate), ascent.point, fits.metric, _TOLERANCE)
        fits.replicates.append(points(sample, point))
        yield


def is_whole(sample: Sample, fits: Fits) -> bool:
    """Whether all fits are computed."""
    return fits.metric != [] and len(fits.replicates) == sample.rules.replicates


def points(sample: Sample, point: Point) -> Vector:
    """Unrounded rating points by entry."""
    size = len(sample.entries)
    strengths = point.strengths[:size]
    # The anchor's logarithm is 0.
    middle = added(strengths) / len(strengths) if sample.anchor == size != 0 else 0.0
    return [sample.rules.anchor_rating + POINTS * (strength - middle) for strength in strengths]


class Rating(Struct, frozen=True):
    """The rating of an entry; points have one decimal."""

    entry: str
    rank: int
    """1 for the strongest; equal ratings share a rank."""
    rank_interval: tuple[int, int]
    rating: float
    rating_interval: tuple[float, float]
    provisional: bool
    """Whether one half of the interval is wider than `provisional_above`."""
    above_next: float | None
    """The percentage of replicates in which it is stronger than the next entry; None for the last."""


class Ratings(Struct, frozen=True):
    """The ratings of a season."""

    entries: tuple[Rating, ...]
    """From strongest to weakest; ties in order of entry id."""
    anchor: str | None
    """The entry with the anchor's rating; None if the mean has it."""
    seats: tuple[float, ...]
    """The advantage of each seat over the mean of all seats, in points with one decimal."""
    groups: int
    """The number of groups of entries that no match connects; only the prior connects their ratings."""


def rate(results: Results) -> Ratings:
    """The ratings after these results, with 95 % intervals; entries without a match are left out."""
    sample, fits = sampled(results), Fits()
    for _ in made(sample, fits):
        pass
    return rated(sample, fits)


def rated(sample: Sample, fits: Fits) -> Ratings:
    """The ratings that follow from complete fits."""
    assert fits.estimate is not None, "the first step was made"
    assert is_whole(sample, fits), "all steps were made"
    estimate = fits.estimate.point
    return Ratings(
        _entries(sample, points(sample, estimate), fits.replicates),
        sample.anchor_entry,
        _seat_points(estimate),
        _groups(len(sample.entries), sample.orders),
    )


def _seat_points(point: Point) -> tuple[float, ...]:
    middle = added(point.seats) / len(point.seats)
    # Adding 0.0 turns -0.0 into 0.0.
    return tuple([round(POINTS * (value - middle), 1) + 0.0 for value in point.seats])


def _entries(sample: Sample, estimate: Vector, replicates: list[Vector]) -> tuple[Rating, ...]:
    ids = sample.entries
    rounded = [round(value, 1) for value in estimate]
    order = sorted(range(len(ids)), key=lambda i: (-rounded[i], ids[i]))
    ranks = ranks_by_replicate(replicates)
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
                rank_interval=rank_interval([by[i] for by in ranks], rank),
                rating=rounded[i],
                rating_interval=bounds,
                provisional=widest > sample.rules.provisional_above,
                above_next=None if following is None else percentage_above(replicates, i, following),
            )
        )
    return tuple(found)


def _groups(entries: int, orders: Sequence[tuple[int, ...]]) -> int:
    """The number of groups of entries that no match connects."""
    group = [*range(entries)]
    for order in orders:
        joined = {group[i] for i in order}
        group = [min(joined) if each in joined else each for each in group]
    return len({*group})
