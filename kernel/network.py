"""The forward pass of the value network, as `players.network` computes it, for one table."""

from __future__ import annotations

from math import exp

from kernel.features import put_features
from kernel.layout import (
    BY_SEAT,
    CHANCES,
    COMMON,
    DEEP,
    FIRST_AT,
    FIRST_SIZE,
    LAYER,
    LAYER_WIDTH,
    MOST_FEATURES,
    OF_TABLE,
    RESIGNED,
    SEAT_FEATURES,
    SEATS,
    SECOND_SIZE,
    TABLE_FEATURES,
    Net,
    Row,
    Tables,
)


def _multiply(n: Net, x: Net, source: int, inputs: int, weights: int, target: int, width: int) -> None:
    """Write a row of inputs times a matrix of weights; inputs of 0 cost nothing."""
    for j in range(width):
        x[target + j] = 0.0
    for i in range(inputs):
        value = x[source + i]
        if value != 0.0:
            row = weights + i * width
            for j in range(width):
                x[target + j] += value * n[row + j]


def _join(n: Net, x: Net, layer: int, playing: int, width: int) -> None:
    """Add what the table, or nothing, and the average of the others give to every seat, and cut below 0."""
    for j in range(width):
        total = x[layer + width + j] * 1.0
        for i in range(1, playing):
            total += x[layer + i * LAYER_WIDTH + width + j]
        for i in range(playing):
            at = layer + i * LAYER_WIDTH
            found = x[at + j] + (total - x[at + width + j]) / (playing - 1) + x[COMMON + j]
            x[at + j] = found if found > 0.0 else 0.0


def put_chances(t: Tables, s: Row, n: Net, x: Net, mover: int, round: int) -> None:
    """Write the chance of every seat to win, before the turn of `mover` in that building round."""
    playing = put_features(t, s, n, x, mover, round)
    own, table = int(n[SEAT_FEATURES]), int(n[TABLE_FEATURES])
    first, second = int(n[FIRST_SIZE]), int(n[SECOND_SIZE])
    at = int(n[FIRST_AT])
    for i in range(playing):
        _multiply(n, x, BY_SEAT + i * MOST_FEATURES, own, at, LAYER + i * LAYER_WIDTH, 2 * first)
    at += own * 2 * first
    _multiply(n, x, OF_TABLE, table, at, COMMON, first)
    at += table * first
    for j in range(first):
        x[COMMON + j] += n[at + j]
    _join(n, x, LAYER, playing, first)
    at += first
    for i in range(playing):
        _multiply(n, x, LAYER + i * LAYER_WIDTH, first, at, DEEP + i * LAYER_WIDTH, 2 * second)
    at += first * 2 * second
    for j in range(second):
        x[COMMON + j] = n[at + j]
    _join(n, x, DEEP, playing, second)
    at += second
    highest = -1e30
    for i in range(playing):
        found = 0.0
        for j in range(second):
            found += x[DEEP + i * LAYER_WIDTH + j] * n[at + j]
        x[DEEP + i * LAYER_WIDTH] = found
        highest = max(highest, found)
    total = 0.0
    for i in range(playing):
        x[DEEP + i * LAYER_WIDTH] = exp(x[DEEP + i * LAYER_WIDTH] - highest)
        total += x[DEEP + i * LAYER_WIDTH]
    i = 0
    for seat in range(t[SEATS]):
        x[CHANCES + seat] = 0.0
        if not s[RESIGNED + seat]:
            x[CHANCES + seat] = x[DEEP + i * LAYER_WIDTH] / total
            i += 1
