"""The forward pass of the value network, as `players.network` computes it, for one table."""

from __future__ import annotations

from math import exp

from kernel.features import first_among_others, place_of_incomes, put_features
from kernel.layout import ESTABLISHMENTS, MOST_SEATS, RESIGNED, SEATS, SOLD, SOLD_PLACE, Net, Row, Tables
from kernel.workspaces import (
    BASE_FEATURES,
    BASE_LAYER,
    BY_SEAT,
    CHANCES,
    COMMON,
    FIRST,
    FIRST_BIASES,
    FIRST_UNITS,
    LAYER,
    MOST_FEATURES,
    NOTED,
    NOTED_AT,
    OF_TABLE,
    OUTPUT_WEIGHTS,
    SEAT_FEATURES,
    SECOND_BIASES,
    SECOND_BY_ALL,
    SECOND_BY_SEAT,
    SECOND_UNITS,
    SET_SIZE,
    SUM,
    TABLE_FEATURES,
    UNITS,
    WEIGHTS,
)

_BASE_TABLE = BASE_FEATURES + MOST_SEATS * MOST_FEATURES
_BASE_COMMON = BASE_LAYER + MOST_SEATS * FIRST_UNITS


def _note_changes(x: Net, source: int, base: int, first: int, end: int, found: int) -> int:
    """Note which of a row of inputs, from `first` to `end`, differ from their base, and by how much.

    Returns how many do, with those found before. Each is noted, and the next one overwrites it if it does not
    count: a branch would often be predicted wrongly, which takes longer.
    """
    for i in range(first, end):
        change = x[source + i] - x[base + i]
        x[NOTED + found], x[NOTED_AT + found] = change, i
        found += 1 if change != 0.0 else 0
    return found


def _fill_up(x: Net, found: int) -> None:
    """Note zeros after the last noted input, so that four can be added at a time: the sums are then read and
    written a quarter as often."""
    for i in range(found, found + 3):
        x[NOTED + i], x[NOTED_AT + i] = 0.0, 0.0


def _add_changes(n: Net, x: Net, found: int, weights: int, target: int) -> None:
    """Add the noted changes, times their weights, to the first layer."""
    _fill_up(x, found)
    for i in range(0, found, 4):
        a, of_a = x[NOTED + i] * 1.0, weights + int(x[NOTED_AT + i]) * FIRST_UNITS
        b, of_b = x[NOTED + i + 1] * 1.0, weights + int(x[NOTED_AT + i + 1]) * FIRST_UNITS
        c, of_c = x[NOTED + i + 2] * 1.0, weights + int(x[NOTED_AT + i + 2]) * FIRST_UNITS
        d, of_d = x[NOTED + i + 3] * 1.0, weights + int(x[NOTED_AT + i + 3]) * FIRST_UNITS
        for j in range(FIRST_UNITS):
            x[target + j] += (a * n[of_a + j] + b * n[of_b + j]) + (c * n[of_c + j] + d * n[of_d + j])


def _add_units(n: Net, x: Net, source: int, weights: int, target: int) -> None:
    """Add the units of the first layer, most of which are 0, times their weights to the second one."""
    found = 0
    for i in range(FIRST_UNITS):
        x[NOTED + found], x[NOTED_AT + found] = x[source + i], i
        found += 1 if x[source + i] > 0.0 else 0
    _fill_up(x, found)
    for i in range(0, found, 4):
        a, of_a = x[NOTED + i] * 1.0, weights + int(x[NOTED_AT + i]) * SECOND_UNITS
        b, of_b = x[NOTED + i + 1] * 1.0, weights + int(x[NOTED_AT + i + 1]) * SECOND_UNITS
        c, of_c = x[NOTED + i + 2] * 1.0, weights + int(x[NOTED_AT + i + 2]) * SECOND_UNITS
        d, of_d = x[NOTED + i + 3] * 1.0, weights + int(x[NOTED_AT + i + 3]) * SECOND_UNITS
        for j in range(SECOND_UNITS):
            x[target + j] += (a * n[of_a + j] + b * n[of_b + j]) + (c * n[of_c + j] + d * n[of_d + j])


def _weights_at(n: Net, playing: int) -> int:
    """Where the weights for so many seats in play begin."""
    return WEIGHTS + (playing - 2) * int(n[SET_SIZE])


def _note_one(x: Net, source: int, base: int, i: int, found: int) -> int:
    """As `_note_changes` for one input."""
    return _note_changes(x, source, base, i, i + 1, found)


def _note_seat(t: Tables, n: Net, x: Net, features: int, card: int) -> int:
    """Note the changes of the features of a seat if only coins and `card` (or -1) have changed."""
    source, base, cards, found = BY_SEAT + features, BASE_FEATURES + features, t[ESTABLISHMENTS], 0
    if card >= 0:
        if card < cards:
            found = _note_one(x, source, base, card, found)
            found = _note_one(x, source, base, cards + card, found)
        found = _note_one(x, source, base, 2 * cards + card, found)
    return _note_changes(x, source, base, place_of_incomes(t), int(n[SEAT_FEATURES]), found)


def _note_table(t: Tables, n: Net, x: Net, changed: int, card: int) -> int:
    """Note the changes of the features of the table; for `changed` and `card`, see `put_features`."""
    first, found = 0, 0
    if changed:
        first = 2 * t[SOLD]
        if card >= 0 and t[SOLD_PLACE + card] >= 0:
            found = _note_one(x, OF_TABLE, _BASE_TABLE, t[SOLD_PLACE + card], found)
            found = _note_one(x, OF_TABLE, _BASE_TABLE, t[SOLD_PLACE + card] + t[SOLD], found)
    return _note_changes(x, OF_TABLE, _BASE_TABLE, first, int(n[TABLE_FEATURES]), found)


def _put_first(t: Tables, s: Row, n: Net, x: Net, playing: int, changed: int, card: int) -> None:
    """Write what the features give to the first layer: that of the base, and their changes from the base.

    For `changed` and `card`, see `put_features`.
    """
    own, weights = int(n[SEAT_FEATURES]), _weights_at(n, playing) + FIRST
    among = first_among_others(t, n)
    for j in range(FIRST_UNITS):
        x[COMMON + j] = x[_BASE_COMMON + j]
    i = 0
    for seat in range(t[SEATS]):
        if s[RESIGNED + seat]:
            continue
        layer, features = i * FIRST_UNITS, i * MOST_FEATURES
        for j in range(FIRST_UNITS):
            x[LAYER + layer + j] = x[BASE_LAYER + layer + j]
        if changed >> seat & 1:
            found = _note_seat(t, n, x, features, card)
        else:
            first = among if changed else 0
            found = _note_changes(x, BY_SEAT + features, BASE_FEATURES + features, first, own, 0)
        _add_changes(n, x, found, weights, LAYER + layer)
        _add_changes(n, x, found, weights + own * FIRST_UNITS, COMMON)
        i += 1
    found = _note_table(t, n, x, changed, card)
    _add_changes(n, x, found, weights + 2 * own * FIRST_UNITS, COMMON)


def begin_alike(t: Tables, s: Row, n: Net, x: Net, mover: int, round: int) -> None:
    """Take a table as the base: until `end_alike`, tables that differ little from it take half the time."""
    playing = put_features(t, s, n, x, mover, round, 0, -1)
    _put_first(t, s, n, x, playing, 0, -1)
    for i in range((MOST_SEATS + 1) * MOST_FEATURES):
        x[BASE_FEATURES + i] = x[BY_SEAT + i]
    for i in range(playing * FIRST_UNITS):
        x[BASE_LAYER + i] = x[LAYER + i]
    for i in range(FIRST_UNITS):
        x[_BASE_COMMON + i] = x[COMMON + i]


def end_alike(x: Net) -> None:
    """Take no table as the base any more."""
    for i in range(BASE_FEATURES, UNITS):
        x[i] = 0.0


def put_chances(t: Tables, s: Row, n: Net, x: Net, mover: int, round: int, changed: int, card: int) -> None:
    """Write the chance of every seat to win, before the turn of `mover` in that building round.

    For `changed` and `card`, see `put_features`.
    """
    playing = put_features(t, s, n, x, mover, round, changed, card)
    _put_first(t, s, n, x, playing, changed, card)
    weights, highest = _weights_at(n, playing), -1e30
    for j in range(FIRST_UNITS):
        x[COMMON + j] += n[weights + FIRST_BIASES + j]
        x[SUM + j] = 0.0
    for i in range(playing):
        at = i * FIRST_UNITS
        for j in range(FIRST_UNITS):
            found = x[LAYER + at + j] + x[COMMON + j]
            x[UNITS + at + j] = found if found > 0.0 else 0.0
        for j in range(FIRST_UNITS):
            x[SUM + j] += x[UNITS + at + j]
    for j in range(SECOND_UNITS):
        x[COMMON + j] = n[weights + SECOND_BIASES + j]
    _add_units(n, x, SUM, weights + SECOND_BY_ALL, COMMON)
    for i in range(playing):
        at = i * FIRST_UNITS
        for j in range(SECOND_UNITS):
            x[LAYER + at + j] = x[COMMON + j]
        _add_units(n, x, UNITS + at, weights + SECOND_BY_SEAT, LAYER + at)
        found = 0.0
        for j in range(SECOND_UNITS):
            found += max(x[LAYER + at + j] * 1.0, 0.0) * n[weights + OUTPUT_WEIGHTS + j]
        x[LAYER + at] = found
        highest = max(highest, found)
    total = 0.0
    for i in range(playing):
        at = LAYER + i * FIRST_UNITS
        x[at] = exp(x[at] - highest)
        total += x[at]
    i = 0
    for seat in range(t[SEATS]):
        x[CHANCES + seat] = 0.0
        if not s[RESIGNED + seat]:
            x[CHANCES + seat] = x[LAYER + i * FIRST_UNITS] / total
            i += 1
