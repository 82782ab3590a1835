"""What a server was asked to append, and what it said, compared with the model of the protocol."""

import io
from itertools import count
from typing import Any, Final, NamedTuple

import msgspec

from events.store import redis_store
from tests.simulation import model

_FIELDS: Final = {b"events": 5, b"line": 4}
"""How many fields an entry of each kind has."""


class Call(NamedTuple):
    """One call of the append script, and its reply."""

    arguments: list[bytes]
    reply: Any


class Asked(NamedTuple):
    """An append as the script reads it."""

    stream_id: bytes
    expected: int
    head_hash: bytes
    entries: list["AskedEntry"]


class AskedEntry(NamedTuple):
    """One entry of an append."""

    last: int
    hash: bytes
    command_id: str


class Recorder:
    """The appends that a server has carried out or refused, in its order."""

    def __init__(self) -> None:
        self._calls: list[Call] = []

    def record(self, command: list[bytes], reply: Any) -> None:
        """Note a command if it is a call of the append script."""
        if command[0] == b"EVALSHA" and command[1].decode() == redis_store._SHA and isinstance(reply, list):
            self._calls.append(Call(command[2:], reply))

    def faults(self) -> list[str]:
        """The calls whose reply is not what the model says."""
        found, streams = [], {}
        for call in self._calls:
            asked = _asked(call.arguments)
            stream = streams.setdefault(asked.stream_id, Stream())
            expected = stream.append(asked)
            if call.reply[0].decode() != expected.kind or (
                expected.version and call.reply[-1] != expected.version
            ):
                found.append(
                    f"an append to {asked.stream_id!r} was answered with {call.reply}, not {expected}"
                )
        return found


class Stream:
    """A stream in the model, with the versions and hashes of its entries."""

    def __init__(self) -> None:
        self._log: model.Log = ()
        self._ends: list[tuple[int, bytes]] = []
        self._numbers = count()

    def append(self, asked: Asked) -> model.Reply:
        """What the server has to say; versions are those of events."""
        log, decided_on = self._log, self._history(asked.expected, asked.head_hash)
        for command_id in [one.command_id for one in asked.entries]:
            # A decision without an id is no known command, even if it is the same as another.
            name = command_id or f"decision {next(self._numbers)}"
            log, reply = model.append(log, name, decided_on)
            if reply.kind == "duplicate":
                return model.Reply("duplicate", self._ends[reply.version - 1][0])
            if reply.kind == "conflict":
                return reply
            decided_on = log
        self._log = log
        self._ends += [(one.last, one.hash) for one in asked.entries]
        return model.Reply("appended", asked.entries[-1].last)

    def _history(self, version: int, hash: bytes) -> model.Log:
        """The entries up to that version, if it has that hash; otherwise a history that nobody knows."""
        if not version:
            return ()
        if (version, hash) in self._ends:
            return self._log[: self._ends.index((version, hash)) + 1]
        return (model.Entry("unknown", ()),) * version


def _asked(arguments: list[bytes]) -> Asked:
    keys = int(arguments[0])
    expected, head_hash, stream_id, kind, joined, sizes, *_ = arguments[keys + 1 :]
    content = io.BytesIO(joined)
    values = [content.read(size) for size in msgspec.json.decode(sizes)]
    fields = _FIELDS[kind]
    width, entries = fields + 3, []
    for at in range(0, len(values), width):
        one = values[at : at + width]
        hash = one[5] if kind == b"events" else one[3]
        entries.append(AskedEntry(int(one[0]), hash, one[fields + 2].decode()))
    return Asked(stream_id, int(expected), head_hash, entries)
