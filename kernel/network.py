"""The forward pass of the value network, as `players.network` computes it, for one table."""

from __future__ import annotations

from math import exp

from kernel.features import first_among_others, put_features
from kernel.layout import MOST_SEATS, RESIGNED, SEATS, Net, Row, Tables
from kernel.rooms import (
    BASE_FEATURES,
    BASE_LAYER,
    BY_SEAT,
    CHANCES,
    CHANGED_AT,
    CHANGES,
    COMMON,
    FIRST_AT,
    FIRST_SIZE,
    LAYER,
    LAYER_WIDTH,
    MOST_FEATURES,
    MOST_UNITS,
    NOTHING,
    OF_TABLE,
    SEAT_FEATURES,
    SECOND_SIZE,
    SUM,
    TABLE_FEATURES,
    UNITS,
)

_BASE_TABLE = BASE_FEATURES + MOST_SEATS * MOST_FEATURES
_BASE_COMMON = BASE_LAYER + MOST_SEATS * LAYER_WIDTH


def _add(n: Net, x: Net, source: int, base: int, inputs: int, weights: int, target: int, width: int) -> None:
    """Add the changes of a row of inputs from their base, times a matrix of weights.

    Inputs without a change cost little. Four are added at a time, so that the sums are read and written a
    quarter as often.
    """
    found = 0
    for i in range(inputs):
        # No branch: half of the inputs of the second layer are 0, and nothing tells which.
        change = x[source + i] - x[base + i]
        x[CHANGES + found] = change
        x[CHANGED_AT + found] = weights + i * width
        found += 1 if change != 0.0 else 0
    for i in range(found, found + 3):
        x[CHANGES + i], x[CHANGED_AT + i] = 0.0, weights
    for i in range(0, found, 4):
        first, of_first = x[CHANGES + i] * 1.0, int(x[CHANGED_AT + i])
        second, of_second = x[CHANGES + i + 1] * 1.0, int(x[CHANGED_AT + i + 1])
        third, of_third = x[CHANGES + i + 2] * 1.0, int(x[CHANGED_AT + i + 2])
        fourth, of_fourth = x[CHANGES + i + 3] * 1.0, int(x[CHANGED_AT + i + 3])
        for j in range(width):
            x[target + j] = (
                x[target + j]
                + first * n[of_first + j]
                + second * n[of_second + j]
                + third * n[of_third + j]
                + fourth * n[of_fourth + j]
            )


def _join(x: Net, playing: int, width: int) -> None:
    """Write the units of a layer: what a seat, the average of the others and the table give, cut below 0.

    They have room of their own. Written over what is read, they could not be computed several at a time.
    """
    for j in range(width):
        x[SUM + j] = x[LAYER + width + j]
    for i in range(1, playing):
        at = LAYER + i * LAYER_WIDTH + width
        for j in range(width):
            x[SUM + j] += x[at + j]
    for i in range(playing):
        at = LAYER + i * LAYER_WIDTH
        for j in range(width):
            found = x[at + j] + (x[SUM + j] - x[at + width + j]) / (playing - 1) + x[COMMON + j]
            x[UNITS + i * MOST_UNITS + j] = found if found > 0.0 else 0.0


def _put_first(t: Tables, s: Row, n: Net, x: Net, playing: int, changed: int) -> None:
    """Write what the features give to the first layer: that of the base, and their changes from the base.

    If only one seat has changed since the base, `changed` is that seat, else -1.
    """
    own, table = int(n[SEAT_FEATURES]), int(n[TABLE_FEATURES])
    first, at = int(n[FIRST_SIZE]), int(n[FIRST_AT])
    among = first_among_others(t, n)
    i = 0
    for seat in range(t[SEATS]):
        if s[RESIGNED + seat]:
            continue
        layer, base, features = LAYER + i * LAYER_WIDTH, BASE_LAYER + i * LAYER_WIDTH, i * MOST_FEATURES
        for j in range(2 * first):
            x[layer + j] = x[base + j]
        skipped = 0 if changed < 0 or seat == changed else among
        _add(
            n,
            x,
            BY_SEAT + features + skipped,
            BASE_FEATURES + features + skipped,
            own - skipped,
            at + skipped * 2 * first,
            layer,
            2 * first,
        )
        i += 1
    for j in range(first):
        x[COMMON + j] = x[_BASE_COMMON + j]
    _add(n, x, OF_TABLE, _BASE_TABLE, table, at + own * 2 * first, COMMON, first)


def begin_alike(t: Tables, s: Row, n: Net, x: Net, mover: int, round: int) -> None:
    """Take a table as the base: until `end_alike`, tables that differ little from it take half the time."""
    playing = put_features(t, s, n, x, mover, round, -1)
    _put_first(t, s, n, x, playing, -1)
    for i in range((MOST_SEATS + 1) * MOST_FEATURES):
        x[BASE_FEATURES + i] = x[BY_SEAT + i]
    for i in range(playing * LAYER_WIDTH):
        x[BASE_LAYER + i] = x[LAYER + i]
    for i in range(MOST_UNITS):
        x[_BASE_COMMON + i] = x[COMMON + i]


def end_alike(x: Net) -> None:
    """Take no table as the base any more."""
    for i in range(BASE_FEATURES, NOTHING):
        x[i] = 0.0


def put_chances(t: Tables, s: Row, n: Net, x: Net, mover: int, round: int, changed: int) -> None:
    """Write the chance of every seat to win, before the turn of `mover` in that building round.

    If only one seat has changed since the base, `changed` is that seat, else -1.
    """
    playing = put_features(t, s, n, x, mover, round, changed)
    _put_first(t, s, n, x, playing, changed)
    first, second = int(n[FIRST_SIZE]), int(n[SECOND_SIZE])
    at = int(n[FIRST_AT]) + int(n[SEAT_FEATURES]) * 2 * first + int(n[TABLE_FEATURES]) * first
    for j in range(first):
        x[COMMON + j] += n[at + j]
    _join(x, playing, first)
    at += first
    for i in range(playing):
        layer = LAYER + i * LAYER_WIDTH
        for j in range(2 * second):
            x[layer + j] = 0.0
        _add(n, x, UNITS + i * MOST_UNITS, NOTHING, first, at, layer, 2 * second)
    at += first * 2 * second
    for j in range(second):
        x[COMMON + j] = n[at + j]
    _join(x, playing, second)
    at += second
    highest = -1e30
    for i in range(playing):
        found = 0.0
        for j in range(second):
            found += x[UNITS + i * MOST_UNITS + j] * n[at + j]
        x[LAYER + i * LAYER_WIDTH] = found
        highest = max(highest, found)
    total = 0.0
    for i in range(playing):
        x[LAYER + i * LAYER_WIDTH] = exp(x[LAYER + i * LAYER_WIDTH] - highest)
        total += x[LAYER + i * LAYER_WIDTH]
    i = 0
    for seat in range(t[SEATS]):
        x[CHANCES + seat] = 0.0
        if not s[RESIGNED + seat]:
            x[CHANCES + seat] = x[LAYER + i * LAYER_WIDTH] / total
            i += 1
