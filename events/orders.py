"""A command on its way, and what may stop it."""

import re
import time
from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct

from domain.commands import Command
from domain.state import MatchState
from events.errors import CommandReused, StaleVersion, StoreError, StreamCorrupt
from events.ids import new_id
from events.loading import Loaded
from events.records import Conflict, Corrupt, Reply, Reused
from events.sealing import fingerprint

Choose: TypeAlias = Callable[[MatchState], tuple[str, Command]]
"""Who does what on the state at hand: the actor and the command. May refuse by raising what it likes."""


_COMMAND_ID: Final = re.compile(r"[\x21-\x7e]{1,255}")


def now_ms() -> int:
    """The time in ms since 1970."""
    return time.time_ns() // 1_000_000


class Order(Struct, frozen=True):
    """One command to one match."""

    match_id: str
    choose: Choose
    fingerprint: bytes
    command_id: str
    is_repeatable: bool
    """The client named the command and may send it again."""
    if_match: int | None = None


def order_of(
    match_id: str, choose: Choose, request: bytes, command_id: str | None, if_match: int | None = None
) -> Order:
    """The order of a command that may have come with an id of its own.

    Raises:
        ValueError: the command id is not 1 to 255 visible ASCII characters.
    """
    if command_id is not None and not _COMMAND_ID.fullmatch(command_id):
        raise ValueError("a command id is 1 to 255 visible ASCII characters")
    is_repeatable = command_id is not None
    return Order(match_id, choose, fingerprint(request), command_id or new_id("cmd"), is_repeatable, if_match)


def error_of(reply: Reply, before: Loaded, command_id: str = "") -> StoreError:
    """Why nothing was added."""
    match_id = before.match_id
    if isinstance(reply, Corrupt):
        return StreamCorrupt(match_id, 0, reply.detail)
    if isinstance(reply, Reused):
        return CommandReused(match_id, command_id)
    current = reply.current if isinstance(reply, Conflict) else reply.last
    return StaleVersion(match_id, before.version, current)
