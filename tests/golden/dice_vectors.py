"""Test vectors of the dice for those who recompute them with code of their own: `docs/vectors/dice.json`.

`docs/fairness.md` says what they are of. Rare cases are found by search, always the same.
"""

import hashlib
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from domain.match.chance import (
    FIRST_SEAT,
    Die,
    Pick,
    commitment,
    die_at,
    draw_stem,
    pick_at,
    table_key,
    throw_stem,
)

FILE = Path(__file__).parents[2] / "docs" / "vectors" / "dice.json"

Json = dict[str, Any]

SEEDS = (bytes(32), bytes(range(32)), hashlib.sha256(b"a match").digest())
SEAT_SEEDS = (("", ""), ("one", "", "two"), ('quo"ted', "back\\slash", "a/b", "<&>", "~!"))

THROWS = ((0, 1, "roll"), (1, 1, "roll"), (1, 12, "reroll"), (0, 37, "boats"))
DRAWS = (("low", 1, 46), ("high", 7, 40), ("landmarks", 20, 1), ("market", 3, 78))

MANY = 32_769
"""So many cards make every other number too large: no deck has as many, but a second block is to be met."""


def dice() -> Json:
    """What the file holds."""
    tables = zip(SEEDS, SEAT_SEEDS, strict=True)
    matches = [_match(seed, seats) for seed, seats in tables]
    last = matches[-1]
    key = bytes.fromhex(last["table_key"])
    last["draws"].append(_pick(key, *_second_block(key)))
    return {"matches": matches}


def _match(seed: bytes, seats: tuple[str, ...]) -> Json:
    key = table_key(seed, seats)
    return {
        "seed": seed.hex(),
        "commitment": commitment(seed),
        "seat_seeds": seats,
        "table_key": key.hex(),
        "first_seat": _pick(key, FIRST_SEAT, len(seats)),
        "dice": [_die(key, stem) for stem in _stems_of_dice(key)],
        "draws": [_pick(key, stem, left) for stem, left in _stems_of_draws(key)],
    }


def _stems_of_dice(key: bytes) -> Iterator[str]:
    for seat, seat_turn, purpose in THROWS:
        for i in range(2):
            yield f"{throw_stem(seat, seat_turn, purpose)}|{i}"
    for rejected in (1, 2):
        yield _first(
            lambda turn: f"{throw_stem(0, turn, 'roll')}|0",
            lambda stem, rejected=rejected: die_at(key, stem).byte_index == rejected,
        )


def _stems_of_draws(key: bytes) -> Iterator[tuple[str, int]]:
    for row, number, left in DRAWS:
        yield draw_stem(row, number), left
    yield _first(lambda n: draw_stem("low", n), lambda stem: pick_at(key, stem, 46).number_index == 1), 46
    yield _first(lambda n: draw_stem("low", n), lambda stem: pick_at(key, stem, MANY).number_index > 5), MANY


def _second_block(key: bytes) -> tuple[str, int]:
    """A draw whose first digest has no number that fits; one in 65,536."""
    return _first(lambda n: draw_stem("low", n), lambda stem: _block(pick_at(key, stem, MANY)) == 1), MANY


def _first(stem: Callable[[int], str], is_wanted: Callable[[str], bool]) -> str:
    return next(found for found in map(stem, count(1)) if is_wanted(found))


def _block(found: Die | Pick) -> int:
    return int(found.address.rpartition("|")[2])


def _die(key: bytes, stem: str) -> Json:
    found = die_at(key, stem)
    return {**found._asdict(), "digest": found.digest.hex()}


def _pick(key: bytes, stem: str, left: int) -> Json:
    found = pick_at(key, stem, left)
    return {"left": left, **found._asdict(), "digest": found.digest.hex()}
