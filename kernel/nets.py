"""The value network as one list of numbers: its weights, and how often each card pays.

The weights come from their file by way of the caller. What the features need of the rules is computed here.
"""

from collections.abc import Collection
from typing import Any, Final, Protocol

from domain.match.rules import HIGHEST_TOTAL, Rules
from kernel import rooms

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
    """The network for matches of these rules, by `kernel.rooms`.

    Raises:
        ValueError: cards can close by these rules, of which no network and no policy that uses one knows.
    """
    if rules.renovates:
        raise ValueError(f"no network plays {rules.ruleset.id}")
    throws = _throws(rules)
    head = {
        rooms.SEAT_FEATURES: len(weights.own),
        rooms.TABLE_FEATURES: len(weights.table),
        rooms.FIRST_SIZE: len(weights.first),
        rooms.SECOND_SIZE: len(weights.second),
        rooms.KINDS: len(throws),
        rooms.FIRST_AT: rooms.WEIGHTS,
    }
    assert max(len(weights.own), len(weights.table)) <= rooms.MOST_FEATURES
    assert max(len(weights.first), len(weights.second)) <= rooms.MOST_UNITS
    n = [float(head.get(place, 0)) for place in range(rooms.WEIGHTS)]
    for card in range(rules.establishments):
        chances = [sum([throw.get(total, 0.0) for total in rules.cards[card].activation]) for throw in throws]
        for i, colours in enumerate(_COLOURS):
            if rules.cards[card].colour in colours:
                place = rooms.FIRES + card * rooms.FIRES_WIDTH + 3 * i
                n[place : place + len(throws)] = chances
    for own, others in ((weights.own, weights.others), (weights.deep, weights.deep_others)):
        for of_self, of_others in zip(own, others, strict=True):
            n += [*map(float, of_self), *map(float, of_others)]
        if own is weights.own:
            n += [float(value) for row in weights.table for value in row]
            n += map(float, weights.first)
    return [*n, *map(float, weights.second), *map(float, weights.out)]


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
