"""Where dice and draws come from: always an argument, never a hidden generator.

The dice of a match are a function of one committed seed. Every die and every draw has an address, so that
each can be recomputed alone, a retry gives the same dice, and one decision more or less leaves the later
dice of other turns alone.

    table key = HMAC-SHA256(match seed, JSON array of the seat seeds in seat order)
    digest    = HMAC-SHA256(table key, address)
    a die     = address `die|seat|seat turn|purpose|throw|die index|block`:
                the first byte below 252, modulo 6, plus 1
    a draw    = address `draw|row|number|block`: the first 16-bit number (big-endian pairs of the digest)
                below the greatest multiple of the cards left, modulo the cards left, counted through the
                row's cards in catalogue order
    the start = address `first_seat|block`: as a draw, with one card for each seat

`seat turn` counts the turns that the seat has begun, from 1; `throw` the throws of that purpose in the turn,
from 1; `die index` from 0; `number` the draws from that row, from 1. `block` is 0, and goes up by one where
a digest has nothing that fits.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import Final, Protocol

from domain.errors import RuleViolation
from domain.state import MatchState

_FAIR_BYTES: Final = 252
"""The greatest multiple of 6 that a byte can count."""


class Chance(Protocol):
    """What `decide` asks for whenever luck decides."""

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        """As many dice, each 1 to 6, for the state's active seat."""

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        """An index into `weights`, each as likely as its weight; they do not sum to zero."""

    def first_seat(self, state: MatchState) -> int:
        """The seat that begins."""

    def reveal(self) -> tuple[str, str]:
        """The key id and the match seed in hex, to be recorded at the end; empty strings if there is none."""

    def secret(self, label: str) -> bytes:
        """32 bytes for something beside dice and draws, such as a built-in player's own choices."""


def commitment(seed: bytes) -> str:
    """What is published before the match: the seed's SHA-256."""
    return "sha-256:" + hashlib.sha256(seed).hexdigest()


class SeededChance:
    """Dice and draws from a match seed; see the module's text for the derivation."""

    def __init__(self, seed: bytes, key_id: str) -> None:
        self._seed = seed
        self._key_id = key_id
        self._key = b""
        self._key_seeds: tuple[str, ...] | None = None

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        key = self._table_key(state)
        prefix = f"die|{state.active}|{state.seat_turns[state.active]}|{purpose}|1|"
        return tuple([_die(key, f"{prefix}{i}|") for i in range(dice)])

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        name = state.rules.rows[row].name
        return _pick(self._table_key(state), f"draw|{name}|{number}|", weights)

    def first_seat(self, state: MatchState) -> int:
        return _pick(self._table_key(state), "first_seat|", [1] * state.rules.seats)

    def reveal(self) -> tuple[str, str]:
        return self._key_id, self._seed.hex()

    def secret(self, label: str) -> bytes:
        return hmac.digest(self._seed, label.encode(), "sha256")

    def _table_key(self, state: MatchState) -> bytes:
        seeds = tuple([taken.seed if taken else "" for taken in state.controllers])
        if seeds != self._key_seeds:
            message = json.dumps(seeds, ensure_ascii=False, separators=(",", ":"))
            self._key = hmac.digest(self._seed, message.encode(), "sha256")
            self._key_seeds = seeds
        return self._key


class TapeChance:
    """Scripted dice for analysis boards: throws in order, draws as in any match.

    Raises:
        RuleViolation: `dice_tape_exhausted` or `dice_tape_mismatch` when there is no such throw.
    """

    def __init__(self, throws: Sequence[Sequence[int]], draws: Chance) -> None:
        self._throws = throws
        self._draws = draws

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        if state.throws >= len(self._throws):
            raise RuleViolation("dice_tape_exhausted", f"all {len(self._throws)} throws are used up")
        values = tuple(self._throws[state.throws])
        if len(values) != dice:
            raise RuleViolation(
                "dice_tape_mismatch", f"throw {state.throws + 1} has {len(values)} dice, not {dice}"
            )
        return values

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        return self._draws.draw(state, row, number, weights)

    def first_seat(self, state: MatchState) -> int:
        return self._draws.first_seat(state)

    def reveal(self) -> tuple[str, str]:
        return self._draws.reveal()

    def secret(self, label: str) -> bytes:
        return self._draws.secret(label)


def _die(key: bytes, prefix: str) -> int:
    block = 0
    while True:
        for byte in hmac.digest(key, f"{prefix}{block}".encode(), "sha256"):
            if byte < _FAIR_BYTES:
                return byte % 6 + 1
        block += 1


def _pick(key: bytes, prefix: str, weights: Sequence[int]) -> int:
    left = sum(weights)
    limit = 65536 - 65536 % left
    block = 0
    while True:
        digest = hmac.digest(key, f"{prefix}{block}".encode(), "sha256")
        for i in range(0, 32, 2):
            number = digest[i] * 256 + digest[i + 1]
            if number < limit:
                return _at(number % left, weights)
        block += 1


def _at(place: int, weights: Sequence[int]) -> int:
    for i, weight in enumerate(weights):
        if place < weight:
            return i
        place -= weight
    raise AssertionError("the place lies within the weights")
