"""Puzzles: decisions of finished matches with one certainly best command, which is not the obvious one.

A puzzle has the position, and what a review found for its commands. Puzzles are kept without an expiry. Their
ids derive from their positions, so nobody can tell from the order of the ids how old they are.
"""

import gzip
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import redis
from msgspec import Struct

from domain.canonical import canonical
from domain.match.chance import SeededChance, TapeChance
from domain.match.commands import CreateMatch, PlayCommand, SeatPlan
from domain.match.decide import create
from domain.match.events import BranchStarted, Dice, Options, Origin
from domain.match.rulesets import CURRENT, VERSIONS
from domain.match.state import MatchState
from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.fields import compress_file, decompress_file

MOST: Final = 10_000
"""The most puzzles of a ruleset: further ones are not kept."""
_SHIPPED: Final = Path(__file__).with_name("puzzles.ndjson.gz")
"""Written by `python -m training.puzzles`."""


class PuzzleCandidate(Struct, frozen=True):
    """A command and what a review found for it; see `contract.reviews.Candidate`."""

    command: PlayCommand
    chances: tuple[int, ...]
    loss: int
    low: int
    high: int
    rollouts: int
    is_exact: bool


class PuzzlePlayouts(Struct, frozen=True):
    """The matches that were played to the end after each of two commands, and how many the seat won."""

    matches: int
    best: int
    obvious: int


class Puzzle(Struct, frozen=True):
    """A puzzle and its solution."""

    rules_version: str
    options: Options
    position: BranchStarted
    candidates: tuple[PuzzleCandidate, ...]
    """The best first."""
    obvious: int
    """The index of the command that `expected_value` would choose."""
    judge_version: int
    value_function: str
    """The digest of the network of the judge."""
    match_id: str = ""
    """The match of the decision; empty if this service does not have it."""
    version: int = 0
    """The last event before the decision."""
    playouts: PuzzlePlayouts | None = None
    """None if the best command wins the match at once; early puzzles have none, either."""

    @property
    def puzzle_id(self) -> str:
        """The id, which derives from the position."""
        found = [self.rules_version, self.options, self.position]
        return f"pzl_{hashlib.sha256(canonical(found)).hexdigest()[:32]}"

    def state(self) -> MatchState:
        """The state at the decision, with seats that have no players' names."""
        seats = tuple([SeatPlan("strategy", "seat", f"{seat + 1}", "1") for seat in range(self.seats)])
        origin = Origin(self.match_id, 1, "", "scripted")
        creation = CreateMatch(
            self.rules_version, self.options, seats, Dice("scripted"), "", origin=origin, branch=self.position
        )
        state, _ = create(creation, TapeChance((), SeededChance(bytes(32), "")))
        return state

    @property
    def ruleset(self) -> str:
        """The id of the ruleset."""
        return VERSIONS[self.rules_version].id

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.position.coins)


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Puzzle).decode


class Puzzles:
    """The puzzles in the event store. All methods raise `StoreUnavailable`."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def add(self, ruleset: str, puzzles: Sequence[Puzzle]) -> None:
        """Keep the puzzles of a ruleset that are not kept yet, as long as there is room."""
        with unavailable_as_store_error():
            room = MOST - self._client.zcard(keys.puzzles(ruleset))
            with self._client.pipeline(transaction=False) as pipe:
                for puzzle in puzzles[: max(0, room)]:
                    id = puzzle.puzzle_id
                    pipe.set(keys.puzzle(id), compress_file(_encode(puzzle)), nx=True)
                    for name in _indexes_of(puzzle):
                        pipe.zadd(keys.puzzles(name), {id: 0})
                pipe.execute()

    def rebuild_indexes(self) -> int:
        """Add all puzzles that are kept to their indexes; returns their number."""
        count = 0
        with unavailable_as_store_error():
            for key in self._client.scan_iter(match=keys.PUZZLE_PATTERN, count=1000):
                puzzle = _decode(decompress_file(cast("bytes", self._client.get(key))))
                for name in _indexes_of(puzzle):
                    self._client.zadd(keys.puzzles(name), {puzzle.puzzle_id: 0})
                count += 1
        return count

    def add_shipped(self) -> None:
        """Keep the puzzles that every service begins with."""
        found = shipped()
        for ruleset in CURRENT:
            self.add(ruleset, [puzzle for puzzle in found if puzzle.ruleset == ruleset])

    def find(self, puzzle_id: str) -> Puzzle | None:
        """The puzzle; None if there is none with this id."""
        with unavailable_as_store_error():
            found = cast("bytes | None", self._client.get(keys.puzzle(puzzle_id)))
        return None if found is None else _decode(decompress_file(found))

    def page(
        self, count: int, after: str | None = None, ruleset: str | None = None, seats: int | None = None
    ) -> list[Puzzle]:
        """Puzzles of a ruleset, a number of seats or both, in the order of their ids, after one of them."""
        with unavailable_as_store_error():
            first, index = f"({after}" if after else "-", keys.puzzles(_index(ruleset, seats))
            ids: Any = self._client.zrangebylex(index, first, "+", 0, count)
            found: Any = self._client.mget([keys.puzzle(id.decode()) for id in ids]) if ids else []
        return [_decode(decompress_file(one)) for one in found if one is not None]


def _index(ruleset: str | None, seats: int | None) -> str:
    """The name of the index of a ruleset, a number of seats, or both; without either, of all puzzles."""
    return (ruleset or "all") + (f":{seats}" if seats else "")


def _indexes_of(puzzle: Puzzle) -> list[str]:
    """The names of the indexes that a puzzle is in."""
    return [_index(ruleset, seats) for ruleset in (None, puzzle.ruleset) for seats in (None, puzzle.seats)]


def write_shipped(puzzles: Sequence[Puzzle], path: Path = _SHIPPED) -> None:
    """Write the puzzles that every service begins with."""
    path.write_bytes(gzip.compress(b"".join([_encode(one) + b"\n" for one in puzzles]), mtime=0))


def shipped(path: Path = _SHIPPED) -> list[Puzzle]:
    """The puzzles that every service begins with."""
    return [_decode(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
