"""From decided events to entries ready to be stored: encoded, named and hashed."""

import hashlib
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from domain.match.commands import Command
from domain.match.events import Event
from events.matches.codec import encode, recorded
from events.store.chain import Origin, hashes
from events.store.records import FINGERPRINT_SIZE, Entry, ai_command_id


class Batch(Struct, frozen=True):
    """The events of one command."""

    events: Sequence[Event]
    """At least one."""
    actor: str
    """`seat:0`, `account:acc_…` or `service`."""
    command_id: str = ""
    """Empty for a built-in player's decision: its id follows from the version it decided on."""
    fingerprint: bytes = b""
    """`fingerprint(…)` of the command; empty without a command id."""


def fingerprint(request: bytes) -> bytes:
    """What tells two commands with one command id apart."""
    return hashlib.sha256(request).digest()[:FINGERPRINT_SIZE]


def canonical_request(command: Command, actor: str) -> bytes:
    """The bytes to take the fingerprint of, when the command was not made from a request."""
    text = msgspec.json.encode(command, order="sorted")
    return b"%b\n%b\n%b" % (actor.encode(), type(command).__name__.encode(), text)


def sealed(
    match_id: str, rules_version: str, version: int, head_hash: bytes, batches: Sequence[Batch], time_ms: int
) -> tuple[Entry, ...]:
    """The entries that bring a match on from a version and the hash of its last event."""
    entries = []
    for batch in batches:
        command_id = batch.command_id or ai_command_id(match_id, version)
        origin = Origin(match_id, rules_version, batch.actor, command_id, time_ms)
        head_hash = hashes(origin, version + 1, map(recorded, batch.events), head_hash)[-1]
        version += len(batch.events)
        command = batch.fingerprint + batch.command_id.encode()
        entries.append(Entry(version, encode(batch.events), command, batch.actor, time_ms, head_hash))
    return tuple(entries)
