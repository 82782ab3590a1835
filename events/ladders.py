"""Ladders in the event store: load, decide, append, and again if somebody else was faster."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, cast

import redis
from msgspec import Struct

from domain.ladder.events import Event
from domain.ladder.state import RUNNING, LadderState
from events import keys
from events.connection import unavailable_as_store_error
from events.errors import CommandReused, LadderNotFound, StaleVersion, StreamCorrupt
from events.ids import new_id
from events.ladder_entries import Ladder, empty, extended, from_entries, sealed
from events.loading import Loader
from events.orders import now_ms
from events.outbox import pointer_to
from events.records import FINGERPRINT_SIZE, Append, Appended, Conflict, Corrupt, Entry, Reply, Reused, Write
from events.sealing import fingerprint
from events.store import RedisStore

Decide: TypeAlias = Callable[[LadderState], Sequence[Event]]
"""The events that follow on the state at hand; none if there is nothing to do. May refuse by raising."""

_TRIES: Final = 50
"""As often may others be faster."""


class LadderOutcome(Struct, frozen=True):
    """What a command to a ladder did, now or when it came the first time."""

    ladder: Ladder
    """As of now; later than the command if it was carried out before."""
    first: int
    """The sequence of the command's first event; greater than `last` if it had nothing to do."""
    last: int
    replayed: bool


class _Order(Struct, frozen=True):
    """One command to one ladder."""

    decide: Decide
    actor: str
    command_id: str
    fingerprint: bytes
    is_new: bool
    """The ladder is made by it."""
    is_repeatable: bool
    """The caller named the command and may send it again."""


class Ladders:
    """Ladders on Redis, through a cache; safe to share among threads."""

    def __init__(
        self,
        client: redis.Redis,
        clock: Callable[[], int] = now_ms,
        cache_ladders: int = 100,
        on_damage: Callable[[StreamCorrupt], None] = lambda error: None,
    ) -> None:
        """`clock` gives the time in ms since 1970; `on_damage` is told of whatever is found wrong with a
        ladder."""
        self._client = client
        self._clock = clock
        self._store = RedisStore(client)
        self._loader = Loader(self._store, from_entries, extended, cache_ladders, on_damage)

    def load(self, ladder_id: str) -> Ladder:
        """The ladder as of now.

        Raises:
            LadderNotFound, StreamCorrupt, StoreUnavailable.
        """
        return self._loader.load(ladder_id)

    def forget(self, ladder_id: str) -> None:
        """Read and check the ladder from its first event on the next time."""
        self._loader.forget(ladder_id)

    def create(
        self, decide: Callable[[], Sequence[Event]], actor: str, ladder_id: str | None = None
    ) -> LadderOutcome:
        """Make a ladder. To repeat that safely, repeat it with the same id.

        Raises:
            RuleViolation: what `decide` raises.
            StoreUnavailable.
        """
        ladder_id = ladder_id or new_id("lad")
        command_id = f"create-{ladder_id}"
        return self.execute(ladder_id, lambda state: decide(), actor, command_id, b"create", is_new=True)

    def execute(
        self,
        ladder_id: str,
        decide: Decide,
        actor: str,
        command_id: str | None = None,
        request: bytes = b"",
        *,
        is_new: bool = False,
    ) -> LadderOutcome:
        """Carry out a command, or find out what it did when it came before under the same id.

        `request` is what makes two commands under one id the same.

        Raises:
            StaleVersion: others were faster again and again.
            CommandReused: the command id was used for another command.
            LadderNotFound, StreamCorrupt, StoreUnavailable, and what `decide` raises on the latest state.
        """
        given = command_id is not None
        order = _Order(decide, actor, command_id or new_id("cmd"), fingerprint(request), is_new, given)
        ladder = self._begun(order, ladder_id)
        for _ in range(_TRIES):
            found = self._tried(order, ladder)
            if isinstance(found, LadderOutcome):
                return found
            ladder = found
        raise StaleVersion(ladder_id, ladder.version, ladder.version)

    def _begun(self, order: _Order, ladder_id: str) -> Ladder:
        """The ladder as of now, which may have to be made."""
        try:
            return self.load(ladder_id)
        except LadderNotFound:
            if not order.is_new:
                raise
            return empty(ladder_id)

    def page(self, before: str | None, count: int) -> list[str]:
        """Ids of ladders, newest first, from the one below `before` on."""
        top = f"({before}" if before else "+"
        with unavailable_as_store_error():
            found = self._client.zrevrangebylex(keys.LADDERS, top, "-", 0, count)
        return [ladder_id.decode() for ladder_id in cast("list[bytes]", found)]

    def active(self) -> list[str]:
        """Ids of the ladders that have a round to play."""
        with unavailable_as_store_error():
            found = self._client.zrange(keys.ACTIVE_LADDERS, 0, -1)
        return [ladder_id.decode() for ladder_id in cast("list[bytes]", found)]

    def of_job(self, job_id: str) -> str | None:
        """The ladder whose round that job plays."""
        with unavailable_as_store_error():
            found = cast("bytes | None", self._client.hget(keys.LADDER_JOBS, job_id))
        return found.decode() if found else None

    def _tried(self, order: _Order, ladder: Ladder) -> LadderOutcome | Ladder:
        """What the command did; if others were faster, the ladder as of now."""
        try:
            events = [] if order.is_new and ladder.version else order.decide(ladder.state)
        except Exception:
            before = self._before(ladder, order) if order.is_repeatable else None
            if before is None:
                raise
            return before
        if not events:
            before = self._before(ladder, order) if order.is_repeatable else None
            return before or LadderOutcome(ladder, ladder.version + 1, ladder.version, False)
        entry = sealed(ladder, events, order.actor, order.command_id, order.fingerprint, self._clock())
        after = extended(ladder, [entry])
        reply = self._append(ladder, entry, after)
        if isinstance(reply, Appended):
            return LadderOutcome(self._loader.keep(after), ladder.version + 1, entry.last, False)
        if isinstance(reply, Reused):
            raise CommandReused(ladder.id, order.command_id)
        if isinstance(reply, Corrupt):
            raise StreamCorrupt(ladder.id, 0, reply.detail)
        if isinstance(reply, Conflict):
            return self._loader.catch_up(ladder, reply)
        before = self._before(self.load(ladder.id), order)
        assert before is not None, "the script has found it"
        return before

    def _append(self, ladder: Ladder, entry: Entry, after: Ladder) -> Reply:
        is_active = any([round.status == RUNNING for round in after.state.rounds])
        new_jobs = [round.job for round in after.state.rounds[len(ladder.state.rounds) :]]
        writes = [
            pointer_to(ladder.id, entry.last, "ladder"),
            Write("ZADD", keys.ACTIVE_LADDERS, (0, ladder.id))
            if is_active
            else Write("ZREM", keys.ACTIVE_LADDERS, (ladder.id,)),
            *[Write("HSET", keys.LADDER_JOBS, (job, ladder.id)) for job in new_jobs],
        ]
        if not ladder.version:
            writes.append(Write("ZADD", keys.LADDERS, (0, ladder.id)))
        return self._store.append(
            Append(ladder.id, ladder.version, ladder.head_hash, (entry,), tuple(writes))
        )

    def _before(self, ladder: Ladder, order: _Order) -> LadderOutcome | None:
        """What the command did when it came before; None if it did not."""
        first = 1
        for entry in ladder.entries:
            if entry.command[FINGERPRINT_SIZE:] == order.command_id.encode():
                if entry.command[:FINGERPRINT_SIZE] != order.fingerprint:
                    raise CommandReused(ladder.id, order.command_id)
                return LadderOutcome(ladder, first, entry.last, True)
            first = entry.last + 1
        return None
