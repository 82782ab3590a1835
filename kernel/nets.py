"""The value network as one list of numbers: its weights, and how often each card pays.

The caller reads the weights from their file. What the features need of the rules is computed here.
"""

from collections.abc import Collection, Iterable
from itertools import chain
from typing import Any, Final, Protocol

from domain.match.rules import HIGHEST_TOTAL, Rules
from kernel import workspaces

_COLOURS: Final = (("blue", "green", "purple"), ("blue",), ("red",))
"""The colours that pay on the own turn, on another's turn from the bank, and by the roller."""


class NetWeights(Protocol):
    """The weights, with the shapes of `players.network.Weights`."""

    @property
    def own(self) -> Collection[Any]: ...
    @property
    def others(self) -> Collection[Any]: ...
    @property
    def table(self) -> Collection[Any]: ...
    @property
    def first(self) -> Collection[Any]: ...
    @property
    def deep(self) -> Collection[Any]: ...
    @property
    def deep_others(self) -> Collection[Any]: ...
    @property
    def second(self) -> Collection[Any]: ...
    @property
    def out(self) -> Collection[Any]: ...


def net_of(rules: Rules, weights: NetWeights) -> list[float]:
    """The network for matches of these rules, by `kernel.workspaces`.

    Raises:
        ValueError: cards can close by these rules, of which no network and no policy that uses one knows.
    """
    if rules.renovates:
        raise ValueError(f"no network plays {rules.ruleset.id}")
    throws = _throws(rules)
    sets = [_set(weights, playing) for playing in range(2, rules.seats + 1)]
    head = {
        workspaces.SEAT_FEATURES: len(weights.own),
        workspaces.TABLE_FEATURES: len(weights.table),
        workspaces.KINDS: len(throws),
        workspaces.SET_SIZE: len(sets[0]),
    }
    # Three zeros follow the features that are noted.
    assert max(len(weights.own), len(weights.table)) + 3 <= workspaces.MOST_FEATURES
    n = [float(head.get(place, 0)) for place in range(workspaces.WEIGHTS)]
    for card in range(rules.establishments):
        chances = [sum([throw.get(total, 0.0) for total in rules.cards[card].activation]) for throw in throws]
        for i, colours in enumerate(_COLOURS):
            if rules.cards[card].colour in colours:
                place = workspaces.FIRES + card * workspaces.FIRES_WIDTH + 3 * i
                n[place : place + len(throws)] = chances
    return [*n, *chain.from_iterable(sets)]


def _set(weights: NetWeights, playing: int) -> list[float]:
    """The weights for so many seats in play, by `kernel.workspaces`.

    What a seat sees of the others is the mean of all without it.
    """
    of_all = [[float(value) / (playing - 1) for value in row] for row in weights.others]
    deep_of_all = [[float(value) / (playing - 1) for value in row] for row in weights.deep_others]
    return [
        *_rows([weights.first], workspaces.FIRST_UNITS),
        *_rows(_less(weights.deep, deep_of_all), workspaces.SECOND_UNITS, workspaces.FIRST_UNITS),
        *_rows(deep_of_all, workspaces.SECOND_UNITS, workspaces.FIRST_UNITS),
        *_rows([weights.second, weights.out], workspaces.SECOND_UNITS),
        *_rows([*_less(weights.own, of_all), *of_all, *weights.table], workspaces.FIRST_UNITS),
    ]


def _less(rows: Iterable[Iterable[Any]], others: Iterable[Iterable[float]]) -> list[list[float]]:
    return [
        [float(one) - other for one, other in zip(*both, strict=True)]
        for both in zip(rows, others, strict=True)
    ]


def _rows(rows: Collection[Collection[Any]], width: int, count: int | None = None) -> list[float]:
    """The rows one after the other, with zeros up to the width, and for rows that the count misses."""
    count = len(rows) if count is None else count
    assert len(rows) <= count
    found: list[float] = []
    for row in rows:
        assert len(row) <= width
        found += [*map(float, row), *[0.0] * (width - len(row))]
    return [*found, *[0.0] * (width * (count - len(rows)))]


def _throws(rules: Rules) -> list[dict[int, float]]:
    """By kind of roll and total: the probability."""
    two = {total: (6 - abs(7 - total)) / 36 for total in range(2, 13)}
    found = [dict.fromkeys(range(1, 7), 1 / 6), two]
    if rules.add_two >= 0:
        adder = rules.firings[rules.add_two]
        raised = dict.fromkeys(range(HIGHEST_TOTAL + 1), 0.0)
        for total, chance in two.items():
            raised[total + adder.amount if total >= adder.threshold else total] += chance
        found.append(raised)
    return found
