"""The derivation of dice and draws from the seed of a match, as pure functions that anyone can recompute.

The dice of a match are a function of one committed seed. Every die and every draw has an address, so that it
can be recomputed alone, a retry gives the same dice, and an additional decision does not change the dice of
other turns.

    table key = HMAC-SHA256(match seed, JSON array of the seat seeds in seat order)
    digest    = HMAC-SHA256(table key, address)
    a die     = address `die|seat|seat turn|purpose|throw|die index|block`:
                the first byte below 252, modulo 6, plus 1
    a draw    = address `draw|row|number|block`: the first 16-bit number (big-endian pairs of the digest)
                below the greatest multiple of the cards left, modulo the cards left, counted through the
                row's cards in catalogue order
    the start = address `first_seat|block`: as a draw, with one card for each seat

`seat turn` counts the turns that the seat has begun, from 1; `throw` the rolls of that purpose in the turn,
from 1; `die index` counts from 0; `number` counts the draws from that row, from 1. `block` is 0, and
increases by one if a digest contains no usable number. A stem is an address without its block.
"""

import hmac
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from domain.canonical import canonical, sha256

SEAT_SEED: Final = re.compile(r"[0-9A-Za-z_-]{32,64}", re.ASCII)
"""The form of a seat's committed seed: 32 hex digits have 128 bits, too many to guess from a hash."""

_FAIR_BYTES: Final = 252
"""The greatest multiple of 6 up to 256: smaller bytes give unbiased dice."""

FIRST_SEAT: Final = "first_seat"
"""The stem of the choice of the first seat."""


class Die(NamedTuple):
    """A die and its derivation."""

    address: str
    """Block included."""
    digest: bytes
    byte_index: int
    """Position in the digest, from 0."""
    byte: int
    value: int


class Pick(NamedTuple):
    """A choice of one position among several, and its derivation."""

    address: str
    """Block included."""
    digest: bytes
    number_index: int
    """Position among the sixteen numbers of the digest, from 0."""
    number: int
    """16 bits."""
    place: int
    """The chosen position, from 0."""


def seed_in_round(round_seed: bytes, match_id: str) -> bytes:
    """The seed of a match in a round with its own seed."""
    return hmac.digest(round_seed, match_id.encode(), "sha256")


def table_key(seed: bytes, seat_seeds: Sequence[str]) -> bytes:
    """The HMAC key of all digests of a match."""
    return hmac.digest(seed, canonical(seat_seeds), "sha256")


def seat_commitment(match_commitment: str, seat: int, seed: str) -> str:
    """The commitment of a seat to its seed: `sha-256:` and the hex digest of the arguments as a JSON array.

    The match's commitment binds it to this match, after that was published; the seat's number prevents
    another seat from copying it.
    """
    return sha256(canonical([match_commitment, seat, seed]))


def throw_stem(seat: int, seat_turn: int, purpose: str) -> str:
    """The common prefix of the stems of a roll's dice; `|` and the index of the die follow."""
    return f"die|{seat}|{seat_turn}|{purpose}|1"


def draw_stem(row: str, number: int) -> str:
    """The stem of draw `number` from a row, counted from 1."""
    return f"draw|{row}|{number}"


def die_at(key: bytes, stem: str) -> Die:
    """The die of a stem under that table key."""
    return Die(*_found(key, stem))


def die_value(key: bytes, stem: str) -> int:
    """The value of `die_at`, a little faster."""
    return _found(key, stem)[4]


def pick_at(key: bytes, stem: str, left: int) -> Pick:
    """Choose one of `left` positions under that table key.

    Raises:
        ValueError: `left` is not 1 to 65536.
    """
    if not 1 <= left <= 65536:
        raise ValueError(f"nothing is picked of {left}")
    limit = 65536 - 65536 % left
    block = 0
    while True:
        address = f"{stem}|{block}"
        digest = hmac.digest(key, address.encode(), "sha256")
        for i in range(16):
            number = digest[2 * i] * 256 + digest[2 * i + 1]
            if number < limit:
                return Pick(address, digest, i, number, number % left)
        block += 1


def _found(key: bytes, stem: str) -> tuple[str, bytes, int, int, int]:
    """The members of a `Die`."""
    block = 0
    while True:
        address = f"{stem}|{block}"
        digest = hmac.digest(key, address.encode(), "sha256")
        for i, byte in enumerate(digest):
            if byte < _FAIR_BYTES:
                return address, digest, i, byte, byte % 6 + 1
        block += 1
