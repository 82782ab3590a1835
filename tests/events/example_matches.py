"""Matches, moves and entries to test with."""

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

import msgspec
import redis

from domain.audit.checkpoints import NO_HASH, Checkpoint, fault_of
from domain.match.commands import AbortMatch, CreateMatch, PlayCommand, RollDice, SeatPlan
from domain.match.decide import advance
from domain.match.events import BuildPassed, Clock, Dice, Options
from domain.match.legal import legal_commands
from domain.match.state import MatchState
from events import Batch, Envelope, Loaded, Matches, MemoryStore, Move, Notary, Outbox, Seeds, SigningKeys
from events.matches.entries import CODEC
from events.matches.matches import writes_beside
from events.matches.projections import IndexChange, NextStep
from events.store.keys import partitions_of
from events.store.records import NO_PRECEDENCE, Append, Entry, NextKind, Pointer, Precedence, Store

SEEDS = Seeds("k1:" + "0123456789abcdef" * 4)
SIGNING_KEYS = SigningKeys("s1:" + "51" * 32)
NOW_MS = 1_790_000_000_000


class Kit(NamedTuple):
    """A store with what the relay reads."""

    store: Store
    outbox: Any

    def log(self, after: str = "0-0") -> list[Pointer]:
        return list(self.outbox.read_log(after))

    def due(self) -> list[tuple[str, int]]:
        return list(self.outbox.due_before(2**52))


class Outboxes:
    """What all partitions have to relay, as if it were in one."""

    def __init__(self, client: redis.Redis) -> None:
        self._outboxes = [Outbox(client, tag=tag) for tag in partitions_of(client).tags]

    def read_log(self, after: str) -> list[Pointer]:
        found = [pointer for outbox in self._outboxes for pointer in outbox.read_log(after)]
        return sorted(found, key=lambda pointer: [int(part) for part in pointer.id.split("-")])

    def due_before(self, now_ms: int, limit: int = 100) -> list[tuple[str, int]]:
        found = [one for outbox in self._outboxes for one in outbox.due_before(now_ms, limit)]
        return sorted(found, key=lambda one: one[1])[:limit]


def creation(kinds: str = "aa", **members: Any) -> CreateMatch:
    """The command for a base match; a letter for each seat: account, strategy, open or reserved."""
    plans = {
        "a": ("account", "acc_{0}", "handle{0}"),
        "s": ("strategy", "random", "random"),
        "o": ("open", "", ""),
        "r": ("reserved", "acc_{0}", "handle{0}"),
    }
    seats = tuple(SeatPlan(*[text.format(seat) for text in plans[kind]]) for seat, kind in enumerate(kinds))
    fields: dict[str, Any] = {"first_seat": 0, "dice": Dice("committed"), "creator": "acc_0", **members}
    return CreateMatch("base@1", Options(box="four_player"), seats, **fields)


def with_clock(kinds: str = "aa", decision_ms: int = 30_000) -> CreateMatch:
    return creation(kinds, clock=Clock(decision_ms, "default_command"))


def roll(matches: Matches, match_id: str, **options: Any) -> Any:
    """Throw one die for the seat to act."""
    seat = matches.load(match_id).state.active
    return matches.execute(match_id, RollDice(seat, 1), f"seat:{seat}", **options)


def any_command(state: MatchState, rng: Random) -> PlayCommand:
    return rng.choice(legal_commands(state))


def play(matches: Matches, loaded: Loaded, rng: Random, decisions: int = 10_000, **options: Any) -> Loaded:
    """Let random players decide and append it all at once; the match afterwards."""
    state = loaded.state.copy()
    chance = matches.chance_for(state, loaded.match_id)
    batches: list[Batch] = []
    while state.status == "running" and len(batches) < decisions:
        actor = f"seat:{state.active}"
        batches.append(Batch(advance(state, any_command(state, rng), chance), actor))
    (result,) = matches.append_many([Move(loaded, batches, state, **options)])
    assert isinstance(result, Loaded), result
    return result


def one_move(matches: Matches, loaded: Loaded) -> Move:
    """One decision of a random player."""
    command = any_command(loaded.state, Random(1))
    chance = matches.chance_for(loaded.state, loaded.match_id)
    events = advance(loaded.state.copy(), command, chance)
    return Move(loaded, (Batch(events, f"seat:{loaded.state.active}"),))


def finished_match(matches: Matches, seed: int = 1, kinds: str = "ss") -> Loaded:
    created = matches.create(creation(kinds))
    return play(matches, matches.load(created.match_id), Random(seed))


def ended(count: int = 1, **members: Any) -> list[Loaded]:
    """Matches that were called off."""
    matches = Matches(MemoryStore(), SEEDS)
    found = []
    for _ in range(count):
        match_id = matches.create(creation(**members)).match_id
        matches.execute(match_id, AbortMatch(), "account:acc_0")
        found.append(matches.load(match_id))
    return found


def assert_whole(notary: Notary, count: int) -> list[Checkpoint]:
    """The log has so many lines, numbered and chained, with good hashes and signatures."""
    found = notary.lines(0, count + 1)
    assert [one.number for one in found] == list(range(1, count + 1))
    assert [one.previous_hash for one in found] == [NO_HASH, *[one.hash for one in found]][:count]
    assert [fault_of(one, notary.is_good) for one in found] == [""] * count
    return found


def entry(last: int, command_id: str = "", fingerprint: bytes = b"f" * 8, events: int = 1) -> Entry:
    """An entry that a store takes for good; its hash is made up."""
    command = fingerprint + command_id.encode() if command_id else b""
    return Entry(
        last, CODEC.encode([BuildPassed(0)] * events), command, "seat:0", NOW_MS, bytes([last % 256]) * 32
    )


def head(version: int) -> bytes:
    """The made-up hash of an entry that ends at the version."""
    return bytes([version % 256]) * 32 if version else bytes(32)


def append(
    expected: int,
    *entries: Entry,
    match_id: str = "mat_1",
    next: NextKind = "human",
    due_ms: int | None = None,
    precedence: Precedence = NO_PRECEDENCE,
    **change: Any,
) -> Append:
    chosen = entries or (entry(expected + 1),)
    step = NextStep(next, due_ms, precedence)
    last = chosen[-1]
    writes = writes_beside(match_id, last.last, last.time_ms, step, IndexChange(**change))
    return Append(match_id, expected, head(expected), chosen, writes)


def plain(events: Sequence[Envelope]) -> list[Envelope]:
    """The events as they are read from the store: without structs or tuples in their data."""
    return msgspec.json.decode(msgspec.json.encode(events), type=list[Envelope])
