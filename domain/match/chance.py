"""Sources of chance, which the rules always receive as an argument.

`domain.match.derivation` specifies how dice and draws derive from the seed of a match.
"""

import hmac
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Protocol, TypeAlias

from domain.canonical import sha256
from domain.errors import RuleViolation
from domain.match.derivation import FIRST_SEAT, die_value, draw_stem, pick_at, table_key, throw_stem
from domain.match.events import SeatTaken
from domain.match.state import MatchState, seat_seeds


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


def commitment(seed: bytes) -> str:
    """The commitment to a seed, published before the match: its SHA-256."""
    return sha256(seed)


_known_table_key: Final = lru_cache(maxsize=4096)(table_key)
"""A table key costs more than a throw, and a match has the same one for all its commands."""


class SeededChance:
    """Dice and draws that derive from a match seed; see `domain.match.derivation`."""

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

    def secret(self, label: str) -> bytes:
        """32 secret bytes for another purpose, such as the random numbers of a built-in player."""
        return hmac.digest(self._seed, label.encode(), "sha256")

    def _table_key(self, state: MatchState) -> bytes:
        # Usually these are the same objects as before, so the comparison is fast.
        if state.controllers != self._controllers:
            self._key = _known_table_key(self._seed, seat_seeds(state))
            self._controllers = state.controllers.copy()
        return self._key


class TapeChance:
    """Scripted dice for analysis boards: rolls in order; draws derive from the seed.

    `throw` raises `RuleViolation`: `dice_tape_exhausted`, or `dice_tape_mismatch` for another number of dice.
    """

    def __init__(self, throws: Sequence[Sequence[int]], draws: SeededChance) -> None:
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

    def secret(self, label: str) -> bytes:
        """See `SeededChance.secret`."""
        return self._draws.secret(label)


MatchChance: TypeAlias = SeededChance | TapeChance
"""The chance of a stored match."""


def index_at(place: int, weights: Sequence[int]) -> int:
    """The index that contains position `place`, from 0 to below the sum; each index spans its weight."""
    for i, weight in enumerate(weights):
        if place < weight:
            return i
        place -= weight
    raise AssertionError("the place lies within the weights")
