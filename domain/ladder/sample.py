"""The results of a season in the form that fits are made of: sums over blocks, however often each counts."""

from collections.abc import Callable, Sequence
from operator import itemgetter

from msgspec import Struct

from domain.ladder.arithmetic import Vector
from domain.ladder.bootstrap import block_weights, virtual_weights
from domain.ladder.config import RatingRules
from domain.ladder.likelihood import Tally
from domain.ladder.lines import StrategyPlayer
from domain.ladder.results import Block, Results


class Sample(Struct, frozen=True):
    """The complete blocks, by what tallies need of them."""

    rules: RatingRules
    seed: str
    seats: int
    entries: tuple[str, ...]
    """The ids of those that have a match, in order."""
    anchor: int
    """Its index; with no anchor that of a virtual player after all entries."""
    orders: tuple[tuple[int, ...], ...]
    blocks: int
    of_orders: tuple[Callable[[Sequence[int]], int], ...]
    """By order: the sum of the weights of its blocks."""
    of_cells: tuple[tuple[Callable[[Sequence[int]], int], ...], ...]
    """By entry and seat: the sum of the weights of the blocks that it won there."""

    @property
    def anchor_entry(self) -> str | None:
        """The entry that has the anchor's rating; None where the mean has it."""
        return None if self.anchor == len(self.entries) else self.entries[self.anchor]


def sampled(results: Results) -> Sample:
    """What fits need of the results. Who has no match in them is left out."""
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
    """The first entry, by its id, of the strategy that the rules name, if it has played."""
    name = results.ladder.config.rating.anchor
    for entry in results.entries:
        is_it = isinstance(entry.player, StrategyPlayer) and entry.player.name == name
        if is_it and entry.entry in played:
            return entry.entry
    return None


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


def whole(sample: Sample) -> Tally:
    """Every block counts once."""
    return _tally(sample, bytes([1]) * sample.blocks, [1.0] * _virtual_results(sample))


def drawn(sample: Sample, replicate: int) -> Tally:
    """Every block counts as often as it is drawn in that replicate."""
    return _tally(
        sample,
        block_weights(sample.seed, replicate, sample.blocks),
        virtual_weights(sample.seed, replicate, _virtual_results(sample)),
    )


def _virtual_results(sample: Sample) -> int:
    """A win and a loss for each entry, and a win for each seat."""
    return 2 * len(sample.entries) + sample.seats


def _tally(sample: Sample, weights: Sequence[int], virtual: Vector) -> Tally:
    cells = [[add(weights) for add in row] for row in sample.of_cells]
    size = len(sample.entries)
    spare = [0] * (sample.anchor == size)
    half = sample.rules.prior_half_wins / 2
    prior = [half * weight for weight in virtual]
    # Against itself the anchor wins nothing.
    versus = [0.0 if i // 2 == sample.anchor else prior[i] for i in range(2 * size)]
    return Tally(
        anchor=sample.anchor,
        orders=sample.orders,
        blocks=[add(weights) for add in sample.of_orders],
        wins=[*[sum(row) for row in cells], *spare],
        seat_wins=[sum([row[seat] for row in cells]) for seat in range(sample.seats)],
        prior_wins=[*versus[0::2], *map(float, spare)],
        prior_losses=[*versus[1::2], *map(float, spare)],
        prior_seat_wins=prior[2 * size :],
    )
