"""The value network as one list of numbers: its weights, and how often each card pays.

The caller reads the weights from their file. What the features need of the rules is computed here.
"""

from itertools import chain
from typing import Any, Final, Protocol

from domain.match.rules import HIGHEST_TOTAL, Rules
from kernel import workspaces

_COLOURS: Final = (("blue", "green", "purple"), ("blue",), ("red",))
"""The colours that pay on the own turn, on another's turn from the bank, and by the roller."""


class NetWeights(Protocol):
    """The weights, as numpy arrays with the shapes of `players.network.Weights`."""

    @property
    def own(self) -> Any: ...
    @property
    def others(self) -> Any: ...
    @property
    def table(self) -> Any: ...
    @property
    def first(self) -> Any: ...
    @property
    def deep(self) -> Any: ...
    @property
    def deep_others(self) -> Any: ...
    @property
    def second(self) -> Any: ...
    @property
    def out(self) -> Any: ...


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
    # Imported late: the kernel runs without numpy as long as nobody uses a network.
    from numpy import concatenate, float64

    of_all = weights.others.astype(float64) / (playing - 1)
    deep_of_all = weights.deep_others.astype(float64) / (playing - 1)
    found: list[float] = concatenate(
        [
            _padded(weights.first, workspaces.FIRST_UNITS),
            _padded(weights.deep - deep_of_all, workspaces.SECOND_UNITS, workspaces.FIRST_UNITS),
            _padded(deep_of_all, workspaces.SECOND_UNITS, workspaces.FIRST_UNITS),
            _padded(weights.second, workspaces.SECOND_UNITS),
            _padded(weights.out, workspaces.SECOND_UNITS),
            _padded(weights.own - of_all, workspaces.FIRST_UNITS),
            _padded(of_all, workspaces.FIRST_UNITS),
            _padded(weights.table, workspaces.FIRST_UNITS),
        ]
    ).tolist()
    return found


def _padded(rows: Any, width: int, count: int | None = None) -> Any:
    """The rows one after the other, with zeros up to the width, and for rows that the count misses."""
    from numpy import atleast_2d, zeros

    rows = atleast_2d(rows)
    found = zeros((len(rows) if count is None else count, width))
    found[: len(rows), : rows.shape[1]] = rows
    return found.ravel()


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
