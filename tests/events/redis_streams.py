"""Streams as they lie on Redis: changed there, and commands counted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import redis

from events import Loaded, Matches
from events.store import keys
from events.store.fields import pack_events, unpack_events
from tests.events.example_matches import creation, finished_match, roll


@contextmanager
def calls(admin: redis.Redis) -> Iterator[dict[str, int]]:
    """How often each command reached the server, one script counting once."""
    before = _calls(admin)
    counted: dict[str, int] = {}
    yield counted
    counted.update({name: count - before.get(name, 0) for name, count in _calls(admin).items()})


def _calls(admin: redis.Redis) -> dict[str, int]:
    stats = admin.info("commandstats")
    return {name.removeprefix("cmdstat_"): stat["calls"] for name, stat in stats.items()}


def _forge(admin: redis.Redis, match_id: str, old: bytes, new: bytes) -> tuple[int, int]:
    """Write the stream anew with one change; the versions of the changed entry."""
    key = keys.match(match_id)
    entries = admin.xrange(key)
    admin.delete(key)
    forged = before = 0
    for id, fields in entries:
        version = int(id[:-2])
        events = unpack_events(fields[b"e"])
        if not forged and old in events:
            fields[b"e"] = pack_events(events.replace(old, new, 1))
            forged, first = version, before + 1
        admin.xadd(key, fields, id=id)
        before = version
    assert forged
    return first, forged


Fields = dict[bytes, bytes]


def rewrite(admin: redis.Redis, match_id: str, change: Callable[[Fields], object], place: int = -1) -> int:
    """Change one entry of a stream, by default its last, and nothing else; the first sequence in it."""
    key = keys.stream(match_id)
    stream = admin.xrange(key)
    change(stream[place][1])
    admin.delete(key)
    for id, fields in stream:
        admin.xadd(key, fields, id)
    before = [0, *[int(id[:-2]) for id, _ in stream]]
    return before[place - 1 if place < 0 else place] + 1


def other_die(fields: Fields) -> None:
    """As if another die had been thrown; the rest of the entry stays."""
    events = unpack_events(fields[b"e"])
    place = events.index(b'"dice_rolled","roll",[') + len(b'"dice_rolled","roll",[')
    fields[b"e"] = pack_events(events[:place] + bytes([events[place] ^ 1]) + events[place + 1 :])


def thrown(matches: Matches) -> Loaded:
    """A match in which a die was thrown last, under a command id of the client's."""
    match_id = matches.create(creation()).match_id
    while b'"dice_rolled"' not in matches.store.read(match_id)[-1].events:
        roll(matches, match_id, command_id="mine")
    return matches.load(match_id)


def everything(admin: redis.Redis) -> dict[bytes, Any]:
    """All keys with what they hold."""
    return {key: admin.dump(key) for key in sorted(admin.scan_iter())}


def corrupt_match(matches: Matches, admin: redis.Redis) -> str:
    """A finished match without its second command."""
    match_id = finished_match(matches).match_id
    admin.xdel(keys.match(match_id), f"{matches.store.read(match_id)[1].last}-0")
    return match_id


def wipe(client: redis.Redis) -> None:
    """Remove everything that `reindex` builds. Until it has, lists are empty, command ids are forgotten, and
    no match is signed."""
    built = (
        keys.INDEX_PATTERN,
        keys.TURNS_PATTERN,
        keys.SUMMARY_PATTERN,
        keys.COMMANDS_PATTERN,
        keys.PUZZLES_PATTERN,
    )
    client.unlink(keys.DUE, keys.LINES)
    for pattern in built:
        for key in client.scan_iter(match=pattern, count=1000):
            client.unlink(key)
