"""The value network: from what is seen of a table to every seat's chance of winning.

All seats share the weights. A seat meets the average of the others twice: as they are seen, and as the first
layer sees them. So the same weights judge any number of seats, in any order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Weights(NamedTuple):
    """Two hidden layers; every array is a matrix or a vector of 32-bit floats."""

    own: Floats
    """Seat features to the first layer."""
    others: Floats
    """The same of the others' average."""
    table: Floats
    """Features of the whole table to the first layer."""
    first: Floats
    """The first layer's biases."""
    deep: Floats
    """The first layer to the second."""
    deep_others: Floats
    """The same of the others' average."""
    second: Floats
    """The second layer's biases."""
    out: Floats
    """The second layer to the seat's logit."""


class Pass(NamedTuple):
    """A way through the network, with what the way back needs."""

    hidden: Floats
    pooled: Floats
    deep: Floats
    chances: Floats


def fresh(
    seat_features: int, table_features: int, rng: np.random.Generator, sizes: tuple[int, int]
) -> Weights:
    """Weights to begin with: the logits are all but zero."""
    first, second = sizes

    def matrix(rows: int, columns: int, scale: float) -> Floats:
        return np.asarray(rng.standard_normal((rows, columns)) * scale / np.sqrt(rows), np.float32)

    return Weights(
        matrix(seat_features, first, 1.4),
        matrix(seat_features, first, 1.0),
        matrix(table_features, first, 0.3),
        np.zeros(first, np.float32),
        matrix(first, second, 1.4),
        matrix(first, second, 1.0),
        np.zeros(second, np.float32),
        matrix(second, 1, 0.1)[:, 0],
    )


def of_others(values: Floats) -> Floats:
    """By row and seat: the average over all other seats."""
    seats = values.shape[1]
    if seats == 2:
        return values[:, ::-1]
    # Adding up seat by seat is several times as quick as a sum over so short an axis.
    total = values[:, 0] + values[:, 1]
    for seat in range(2, seats):
        total += values[:, seat]
    others = total[:, None, :] - values
    others *= values.dtype.type(1 / (seats - 1))
    return others


def forward(weights: Weights, seats: Floats, table: Floats) -> Pass:
    """Chances of winning by row and seat; they sum to 1 in every row."""
    hidden: Floats = seats @ weights.own
    hidden += of_others(seats @ weights.others)
    hidden += (table @ weights.table + weights.first)[:, None, :]
    np.maximum(hidden, 0, out=hidden)
    pooled = of_others(hidden)
    deep: Floats = hidden @ weights.deep
    deep += pooled @ weights.deep_others
    deep += weights.second
    np.maximum(deep, 0, out=deep)
    return Pass(hidden, pooled, deep, _softmax(deep @ weights.out))


def chances(weights: Weights, seats: Floats, table: Floats) -> Floats:
    """Chances of winning by row and seat, a few thousand rows at a time."""
    step = 2048
    parts = [
        forward(weights, seats[i : i + step], table[i : i + step]).chances for i in range(0, len(seats), step)
    ]
    return np.concatenate(parts)


def _softmax(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
