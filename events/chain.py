"""The hash chain: each event's hash covers its envelope and, in it, the hash of the event before.

The canonical JSON of an envelope is put together from parts that stay the same for a whole match or batch; a
test holds it against another implementation of RFC 8785.
"""

import hashlib
from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from events.codec import Recorded
from events.envelope import Envelope, hash_text, rfc3339

NO_HASH: Final = bytes(32)
"""What stands for the hash before the first event."""

_encode: Final = msgspec.json.Encoder(order="sorted").encode


class Origin(NamedTuple):
    """What all events of one batch have in common."""

    match_id: str
    rules_version: str
    actor: str
    command_id: str
    time_ms: int


def hashes(origin: Origin, first: int, events: Iterable[Recorded], previous: bytes) -> list[bytes]:
    """The hashes of a batch whose first event has the sequence `first`."""
    head, middle, versions, time = _parts(origin)
    found = []
    for sequence, event in enumerate(events, first):
        tail = f'"schema":{event.schema},"sequence":{sequence}{time}{event.type}"}}'
        text = b"%b%b%b%b%b%b" % (
            head,
            _encode(event.data),
            middle,
            previous.hex().encode(),
            versions,
            tail.encode(),
        )
        previous = hashlib.sha256(text).digest()
        found.append(previous)
    return found


def envelopes(origin: Origin, first: int, events: list[Recorded], previous: bytes) -> list[Envelope]:
    """The batch as the API shows it, hashes computed."""
    match_id, rules_version, actor, command_id, time_ms = origin
    time = rfc3339(time_ms)
    digests = hashes(origin, first, events, previous)
    before = hash_text(previous)
    found = []
    for sequence, (event, digest) in enumerate(zip(events, digests, strict=True), first):
        after = hash_text(digest)
        type_name, schema, data = event
        found.append(
            Envelope(
                match_id,
                sequence,
                type_name,
                schema,
                time,
                actor,
                command_id,
                rules_version,
                data,
                before,
                after,
            )
        )
        before = after
    return found


def _parts(origin: Origin) -> tuple[bytes, bytes, bytes, str]:
    """What comes before the data, after it, after the hash and after the sequence, in order of names."""
    head = b'{"actor":%b,"command_id":%b,"data":' % (_encode(origin.actor), _encode(origin.command_id))
    middle = b',"match_id":%b,"previous_hash":"sha-256:' % _encode(origin.match_id)
    versions = b'","rules_version":%b,' % _encode(origin.rules_version)
    return head, middle, versions, f',"time":"{rfc3339(origin.time_ms)}","type":"'
