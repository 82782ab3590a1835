"""How a command is executed: decide, append, and try again where others were faster.

A command that comes again under its id, as with a repeated Idempotency-Key, finds what it did the first time.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct

from events.store.aggregates import Loaded, Loader
from events.store.chain import Sealed
from events.store.errors import CommandReused, StaleVersion, StoreError, StreamCorrupt
from events.store.records import (
    FINGERPRINT_SIZE,
    Append,
    Appended,
    Conflict,
    Corrupt,
    Duplicate,
    Reply,
    Reused,
)
from runtime.ids import new_id

A = TypeVar("A", bound=Loaded[Any])

_COMMAND_ID: Final = re.compile(r"[\x21-\x7e]{1,255}")


class Order(Struct, frozen=True):
    """A command on its way to one stream."""

    stream_id: str
    command_id: str
    fingerprint: bytes
    is_repeatable: bool
    """The client named the command and may send it again."""


def fingerprint(request: bytes) -> bytes:
    """What tells two commands with one command id apart."""
    return hashlib.sha256(request).digest()[:FINGERPRINT_SIZE]


def order_of(stream_id: str, request: bytes, command_id: str | None) -> Order:
    """The order of a command that may have come with an id of its own.

    Raises:
        ValueError: the command id is not 1 to 255 visible ASCII characters.
    """
    if command_id is not None and not _COMMAND_ID.fullmatch(command_id):
        raise ValueError("a command id is 1 to 255 visible ASCII characters")
    is_repeatable = command_id is not None
    return Order(stream_id, command_id or new_id("cmd"), fingerprint(request), is_repeatable)


class Decided(Struct, Generic[A], frozen=True, eq=False):
    """What a command does to an aggregate: ready to be appended, or appended now."""

    before: A
    append: Append
    after: A
    """The aggregate once the append is done."""
    sealed: Sequence[Sealed]
    """The entries of the append with their events."""


class Known(Struct, frozen=True):
    """The command had been carried out before."""

    last: int
    """The version that it led to."""


class Unchanged(Struct, Generic[A], frozen=True):
    """There was nothing to do."""

    latest: A


def execute(
    loader: Loader[A], loaded: A, order: Order, decide: Callable[[A], Decided[A] | None], tries: int
) -> Decided[A] | Known | Unchanged[A]:
    """Carry out a command, or find out that it was carried out before under the same id.

    `decide` returns None if there is nothing to do. It is called again for each version that it meets, at
    most `tries` times. What it raises is raised here if it met the latest version and the command was not
    carried out before.

    Raises:
        StaleVersion: others were faster again and again.
        CommandReused: the command id was used for another command.
        StreamCorrupt, StoreUnavailable.
    """
    expected = loaded.version
    for _ in range(tries):
        expected = loaded.version
        try:
            decided = decide(loaded)
        except Exception:
            latest = loader.load(order.stream_id) if expected else loaded
            if (latest.version, latest.head_hash) != (expected, loaded.head_hash):
                loaded = latest
                continue
            known = _known(loader, order)
            if known is None:
                raise
            return known
        if decided is None:
            return _known(loader, order) or Unchanged(loaded)
        reply = loader.store.append(decided.append)
        if isinstance(reply, Appended):
            loader.keep(decided.after, decided.before)
            return decided
        if isinstance(reply, Duplicate):
            return Known(reply.last)
        if not isinstance(reply, Conflict):
            raise error_of(reply, decided.append, order.command_id)
        loaded = loader.catch_up(loaded, reply)
    raise StaleVersion(order.stream_id, expected, loaded.version)


def _known(loader: Loader[A], order: Order) -> Known | None:
    """What the command did when it came before; None if it did not, or nobody can repeat it.

    Raises:
        CommandReused: its id stands for another command.
    """
    if not order.is_repeatable:
        return None
    entry = loader.store.find_command(order.stream_id, order.command_id)
    if entry is None:
        return None
    if entry.command != order.fingerprint + order.command_id.encode():
        raise CommandReused(order.stream_id, order.command_id)
    return Known(entry.last)


def error_of(reply: Reply, append: Append, command_id: str = "") -> StoreError:
    """Why nothing was added."""
    if isinstance(reply, Corrupt):
        return StreamCorrupt(append.stream_id, 0, reply.detail)
    if isinstance(reply, Reused):
        return CommandReused(append.stream_id, command_id)
    current = reply.current if isinstance(reply, Conflict) else reply.last
    return StaleVersion(append.stream_id, append.expected, current)
