"""The value network: from the features of a table to every seat's probability of winning.

All seats share the weights. Both hidden layers of a seat also take the average of the other seats, so the
same weights apply to any number of seats in any order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


class Weights(NamedTuple):
    """Two hidden layers; every array is a matrix or a vector of floats of one precision."""

    own: Floats
    """Seat features to the first layer."""
    others: Floats
    """The same for the average of the other seats."""
    table: Floats
    """Features of the whole table to the first layer."""
    first: Floats
    """The first layer's biases."""
    deep: Floats
    """The first layer to the second."""
    deep_others: Floats
    """The same for the average of the other seats."""
    second: Floats
    """The second layer's biases."""
    out: Floats
    """The second layer to the seat's logit."""


class ForwardPass(NamedTuple):
    """A forward pass, with what backpropagation needs."""

    hidden: Floats
    pooled: Floats
    deep: Floats
    chances: Floats


def initial_weights(
    seat_features: int, table_features: int, rng: np.random.Generator, sizes: tuple[int, int]
) -> Weights:
    """Random initial weights, with logits close to zero."""
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
    # Adding seat by seat is several times as fast as a sum over such a short axis.
    total = values[:, 0] + values[:, 1]
    for seat in range(2, seats):
        total += values[:, seat]
    others = total[:, None, :] - values
    others *= values.dtype.type(1 / (seats - 1))
    return others


def forward(weights: Weights, seats: Floats, table: Floats) -> ForwardPass:
    """A forward pass; `chances` are by row and seat, and each row sums to 1."""
    hidden: Floats = seats @ weights.own
    hidden += of_others(seats @ weights.others)
    hidden += (table @ weights.table + weights.first)[:, None, :]
    np.maximum(hidden, 0, out=hidden)
    pooled = of_others(hidden)
    deep: Floats = hidden @ weights.deep
    deep += pooled @ weights.deep_others
    deep += weights.second
    np.maximum(deep, 0, out=deep)
    return ForwardPass(hidden, pooled, deep, _softmax(deep @ weights.out))


def chances(weights: Weights, seats: Floats, table: Floats) -> Floats:
    """By row and seat: the probability of winning, computed in batches of 2048 rows."""
    step = 2048
    parts = [
        forward(weights, seats[i : i + step], table[i : i + step]).chances for i in range(0, len(seats), step)
    ]
    return np.concatenate(parts)


def _softmax(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
