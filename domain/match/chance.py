"""The dice and draws of a match: how they derive from its seed, and the sources of chance of the rules.

The dice of a match are a function of one committed seed, and anyone can recompute them. Every die and every
draw has an address, so that it can be recomputed alone, a retry gives the same dice, and an additional
decision does not change the dice of other turns.

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

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, Protocol, TypeAlias

from domain.canonical import canonical, hmac_sha256, sha256
from domain.errors import RuleViolation
from domain.match.events import Dice, SeatTaken
from domain.match.state import MatchState, seat_seeds

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


def commitment(seed: bytes) -> str:
    """The commitment to a seed, published before the match: its SHA-256."""
    return sha256(seed)


def seed_in_round(round_seed: bytes, match_id: str) -> bytes:
    """The seed of a match in a round with its own seed."""
    return hmac_sha256(round_seed, match_id.encode())


def table_key(seed: bytes, seat_seeds: Sequence[str]) -> bytes:
    """The HMAC key of all digests of a match."""
    return hmac_sha256(seed, canonical(seat_seeds))


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
        digest = hmac_sha256(key, address.encode())
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
        digest = hmac_sha256(key, address.encode())
        for i, byte in enumerate(digest):
            if byte < _FAIR_BYTES:
                return address, digest, i, byte, byte % 6 + 1
        block += 1


class RandomNumbers(Protocol):
    """Random numbers for the choices of a built-in player; `random.Random` is one source."""

    def random(self) -> float:
        """A number from 0 to below 1."""


class HashedNumbers:
    """Random numbers that derive from a secret: 53 bits of its SHA-256, of the hash of that, and so on.

    Most decisions need one number or none. To seed a Mersenne Twister takes ten times as long.
    """

    def __init__(self, secret: bytes) -> None:
        self._state = secret

    def random(self) -> float:
        self._state = hashlib.sha256(self._state).digest()
        return (int.from_bytes(self._state[:7]) >> 3) / 2**53


class Throws(Protocol):
    """A source of dice."""

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        """Roll that many dice, each 1 to 6, for the active seat."""


class Draws(Protocol):
    """A source of cards for the market."""

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        """A random index into `weights`, with probabilities in proportion; the sum is not zero."""


class FirstSeatChoice(Protocol):
    """A source of the first seat."""

    def first_seat(self, state: MatchState) -> int:
        """The seat that begins."""


class Reveal(Protocol):
    """The seed that a match reveals when it is over."""

    def reveal(self) -> tuple[str, str]:
        """The key id and the match seed in hex; empty strings without a seed."""


class StartChance(Draws, FirstSeatChoice, Protocol):
    """What starting a match needs."""


class PlayChance(Throws, Draws, Protocol):
    """What turns need."""


class Chance(PlayChance, StartChance, Reveal, Protocol):
    """What a whole match needs, from creation to end."""


_known_table_key: Final = lru_cache(maxsize=4096)(table_key)
"""A table key costs more than a throw, and a match has the same one for all its commands."""


class SeededChance:
    """Dice and draws that derive from a match seed."""

    def __init__(self, seed: bytes, key_id: str) -> None:
        self._seed = seed
        self._key_id = key_id
        self._key = b""
        self._controllers: list[SeatTaken | None] | None = None
        """The controllers that `_key` belongs to."""

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        key = self._table_key(state)
        stem = throw_stem(state.active, state.seat_turns[state.active], purpose)
        return tuple([die_value(key, f"{stem}|{i}") for i in range(dice)])

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        stem = draw_stem(state.rules.rows[row].name, number)
        return index_at(pick_at(self._table_key(state), stem, sum(weights)).place, weights)

    def first_seat(self, state: MatchState) -> int:
        return pick_at(self._table_key(state), FIRST_SEAT, state.rules.seats).place

    def reveal(self) -> tuple[str, str]:
        return self._key_id, self._seed.hex()

    def random_numbers(self, version: int) -> HashedNumbers:
        """The random numbers of a built-in player that decides at that version."""
        return HashedNumbers(hmac_sha256(self._seed, b"ai|%d" % version))

    def _table_key(self, state: MatchState) -> bytes:
        # Usually these are the same objects as before, so the comparison is fast.
        if state.controllers != self._controllers:
            self._key = _known_table_key(self._seed, seat_seeds(state))
            self._controllers = state.controllers.copy()
        return self._key


class SeedChance(StartChance, Reveal, Protocol):
    """What derives from the seed of a match even if its dice do not."""

    def random_numbers(self, version: int) -> HashedNumbers:
        """See `SeededChance.random_numbers`."""


class TapeChance:
    """Scripted dice for analysis boards: rolls in order; draws derive from the seed.

    `throw` raises `RuleViolation`: `dice_tape_exhausted`, or `dice_tape_mismatch` for another number of dice.
    """

    def __init__(self, throws: Sequence[Sequence[int]], draws: SeedChance) -> None:
        self._throws = throws
        self._draws = draws

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        if state.throws >= len(self._throws):
            raise RuleViolation("dice_tape_exhausted", f"all {len(self._throws)} scripted rolls are used up")
        values = tuple(self._throws[state.throws])
        if len(values) != dice:
            raise RuleViolation(
                "dice_tape_mismatch", f"scripted roll {state.throws + 1} has {len(values)} dice, not {dice}"
            )
        return values

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        return self._draws.draw(state, row, number, weights)

    def first_seat(self, state: MatchState) -> int:
        return self._draws.first_seat(state)

    def reveal(self) -> tuple[str, str]:
        return self._draws.reveal()

    def random_numbers(self, version: int) -> HashedNumbers:
        """See `SeededChance.random_numbers`."""
        return self._draws.random_numbers(version)


MatchChance: TypeAlias = SeededChance | TapeChance
"""The chance of a stored match."""


def chance_of(dice: Dice, seed: bytes) -> MatchChance:
    """The chance of a match with those dice and that match seed."""
    seeded = SeededChance(seed, dice.key_id)
    return TapeChance(dice.throws, seeded) if dice.mode == "scripted" else seeded


def index_at(place: int, weights: Sequence[int]) -> int:
    """The index that contains position `place`, from 0 to below the sum; each index spans its weight."""
    for i, weight in enumerate(weights):
        if place < weight:
            return i
        place -= weight
    raise AssertionError("the place lies within the weights")
