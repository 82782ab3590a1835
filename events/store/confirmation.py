"""Connections on which a write is answered only once a replica has it, so that a failover cannot lose it."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Final

import redis
from redis.connection import AbstractConnection

from events.store import keys

REPLICA_WAIT_MS: Final = 1000
"""How long a write waits until a replica has it."""

_READS: Final = """
ASKING AUTH CLIENT CLUSTER COMMAND CONFIG DISCARD EXISTS GET HELLO HEXISTS HGET HGETALL HKEYS HLEN HMGET
HSCAN HVALS INFO LRANGE MEMORY MGET PING PTTL READONLY SCAN SCARD SCRIPT SELECT SISMEMBER SMEMBERS STRLEN TTL
TYPE UNWATCH WATCH XINFO XLEN XRANGE XREAD XREVRANGE ZCARD ZCOUNT ZMSCORE ZRANGE ZRANGEBYLEX ZRANGEBYSCORE
ZREVRANGE ZREVRANGEBYLEX ZSCORE
"""
READS: Final = frozenset(_READS.split())
"""Commands that store nothing; all others are writes."""


class NotReplicated(redis.RedisError):
    """No replica has confirmed a write in time. It is stored, but a failover could lose it."""


def is_read(command: Any) -> bool:
    """Whether the command stores nothing, as `CONFIG GET` does not."""
    name = command.decode() if isinstance(command, bytes) else str(command)
    return name.partition(" ")[0].upper() in READS


class _Confirmed(AbstractConnection):
    """Sends two commands after each group with a write, and reads all replies before it gives the first.

    A command that was carried out before writes nothing, and WAIT would not wait for what it did then. So
    another write follows, and the replica that has it has everything before it, too.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self._packed = 0
        """The number of commands in the packed group that is to be sent, if it has a write."""
        self._expected = 0
        """Replies to read before those of the confirmation."""
        self._replies: deque[Any] = deque()
        super().__init__(*args, **options)

    def send_command(self, *args: Any, **options: Any) -> None:
        if is_read(args[0]):
            super().send_command(*args, **options)  # type: ignore[no-untyped-call]
        else:
            self.send_packed_command(self.pack_commands([args]), options.get("check_health", True))

    def pack_commands(self, commands: Iterable[Sequence[Any]]) -> Any:
        group = [*commands]
        self._packed = 0
        if not all(is_read(command[0]) for command in group):
            self._packed = len(group)
            group += [("SET", _canary(group), 1), ("WAIT", 1, REPLICA_WAIT_MS)]
        return super().pack_commands(group)  # type: ignore[no-untyped-call]

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        packed, self._packed, self._expected = self._packed, 0, 0
        self._replies.clear()  # what an error has left behind is not the answer to this
        # This may connect first, and talk to the server before the command is sent.
        super().send_packed_command(command, check_health)  # type: ignore[no-untyped-call]
        self._expected = packed

    def read_response(self, *args: Any, **options: Any) -> Any:
        if self._expected:
            self._read_all(*args, **options)
        if not self._replies:
            return super().read_response(*args, **options)
        reply = self._replies.popleft()
        if isinstance(reply, Exception):
            raise reply
        return reply

    def _read_all(self, *args: Any, **options: Any) -> None:
        expected, self._expected = self._expected, 0
        replies = [self._reply(*args, **options) for _ in range(expected)]
        for reply in [self._reply(*args, **options) for _ in range(2)]:
            if isinstance(reply, Exception):
                replies = [reply] * expected
        if not isinstance(reply, Exception) and not reply:
            error = NotReplicated(f"no replica confirmed the write within {REPLICA_WAIT_MS} ms")
            replies = [error] * expected
        self._replies.extend(replies)

    def _reply(self, *args: Any, **options: Any) -> Any:
        """A reply; an error of the server is one, too."""
        try:
            return super().read_response(*args, **options)
        except redis.ResponseError as error:
            return error


def _canary(commands: Iterable[Sequence[Any]]) -> str:
    """A key for the write that follows, in the same slot."""
    for command in commands:
        for argument in command[1:]:
            name = argument.decode(errors="replace") if isinstance(argument, bytes) else str(argument)
            if name.startswith("mk:{"):
                return f"{name.partition('}')[0]}}}:canary"
    return keys.CANARY


def confirmed(kind: type[Any]) -> type[Any]:
    """The kind of connection, on which writes are answered once a replica has them."""
    return type(f"Confirmed{kind.__name__}", (_Confirmed, kind), {})
