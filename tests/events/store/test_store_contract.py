"""What every store must do with streams of every kind, whatever it keeps them in."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from domain.audit.checkpoints import Head
from events.checkpoints.lines import signed_line
from events.store import keys
from events.store.records import (
    Append,
    Appended,
    Binding,
    Conflict,
    Duplicate,
    Entry,
    Reply,
    Reused,
)
from tests.events.example_matches import Kit, entry, head


class Stream(NamedTuple):
    """A stream of one kind, to which entries of one event each are added."""

    id: str
    entry_of: Callable[[int, str], Entry]

    def entry(self, version: int, command_id: str = "") -> Entry:
        """The entry that leads to the version; its command has an id in any case."""
        return self.entry_of(version, command_id or f"key-{version}")

    def append(self, expected: int, *entries: Entry, **members: object) -> Append:
        """One entry, unless others are given."""
        added = entries or (self.entry(expected + 1),)
        head_hash = self.entry(expected).hash if expected else head(0)
        return Append(self.id, expected, head_hash, added, **members)  # type: ignore[arg-type]


def checkpoint_line(number: int, match_id: str) -> Entry:
    """A line that a store takes for good; its hash is made up."""
    return signed_line(Head(number, f"hash of {number}"), match_id, b"what was signed", b"s" * 64)


STREAMS = {
    "match": Stream("mat_1", entry),
    "ladder": Stream("lad_1", entry),
    "checkpoints": Stream(keys.CHECKPOINT_STREAM, checkpoint_line),
}


@pytest.fixture(params=STREAMS)
def stream(request: pytest.FixtureRequest) -> Stream:
    """A stream of each kind in turn."""
    return STREAMS[request.param]


@pytest.fixture(params=["ladder", "checkpoints"])
def binding_stream(request: pytest.FixtureRequest) -> Stream:
    """A stream in the first partition, as names are only bound there."""
    return STREAMS[request.param]


def test_appended_entries_are_read_back_as_they_were(kit: Kit, stream: Stream) -> None:
    entries = [stream.entry(1), stream.entry(2), stream.entry(3)]
    assert kit.store.append(stream.append(0, *entries)) == Appended(1, 3)
    assert kit.store.read(stream.id) == entries
    assert kit.store.read(stream.id, 1) == entries[1:]
    assert kit.store.read(stream.id, 1, 1) == entries[1:2]
    assert kit.store.read(stream.id, 3) == []


def test_a_stream_that_nobody_wrote_to_is_empty(kit: Kit, stream: Stream) -> None:
    assert (kit.store.read(stream.id), kit.store.entry_at(stream.id, 9)) == ([], None)
    assert (kit.store.count_entries(stream.id), kit.store.find_command(stream.id, "key-1")) == (0, None)


def test_the_last_entry_is_found_without_the_others(kit: Kit, stream: Stream) -> None:
    kit.store.append(stream.append(0, *[stream.entry(i) for i in range(1, 4)]))
    assert kit.store.count_entries(stream.id) == 3
    assert kit.store.entry_at(stream.id, 2**53) == stream.entry(3)
    assert kit.store.entry_at(stream.id, 2) == stream.entry(2)


def test_several_streams_are_read_at_once(kit: Kit) -> None:
    match, ladder, log = STREAMS.values()
    kit.store.append(match.append(0, match.entry(1), match.entry(2)))
    for one in (ladder, log):
        kit.store.append(one.append(0))
    wanted = [(match.id, 1), (ladder.id, 0), (log.id, 0), ("mat_2", 0)]
    assert kit.store.read_many(wanted) == [[match.entry(2)], [ladder.entry(1)], [log.entry(1)], []]
    assert kit.store.read_many([]) == []


def test_an_append_behind_the_head_gets_what_it_missed_and_adds_nothing(kit: Kit, stream: Stream) -> None:
    entries = [stream.entry(1), stream.entry(2), stream.entry(3)]
    kit.store.append(stream.append(0, *entries))
    late = stream.append(1, stream.entry(2, "late"))
    assert kit.store.append(late) == Conflict(3, (entries[1], entries[2]))
    assert kit.store.read(stream.id) == entries


def test_a_conflict_brings_fifty_entries_at_most(kit: Kit, stream: Stream) -> None:
    kit.store.append(stream.append(0, *[stream.entry(i + 1) for i in range(60)]))
    reply = kit.store.append(stream.append(0, stream.entry(1, "late")))
    assert isinstance(reply, Conflict)
    assert [reply.current, len(reply.entries), reply.entries[-1].last] == [60, 50, 50]


def test_an_append_ahead_of_the_head_adds_nothing(kit: Kit, stream: Stream) -> None:
    assert kit.store.append(stream.append(4)) == Conflict(0, ())
    assert kit.store.read(stream.id) == []
    assert kit.log() == []


def test_an_append_to_another_history_adds_nothing(kit: Kit, stream: Stream) -> None:
    kit.store.append(stream.append(0))
    assert kit.store.append(replace(stream.append(1), head_hash=head(7))) == Conflict(1, ())
    assert kit.store.read(stream.id) == [stream.entry(1)]


def test_a_known_command_id_counts_more_than_the_version(kit: Kit, stream: Stream) -> None:
    kit.store.append(stream.append(0, stream.entry(1, "key"), stream.entry(2)))
    for again in (stream.append(0, stream.entry(1, "key")), stream.append(7, stream.entry(8, "key"))):
        assert kit.store.append(again) == Duplicate(1, 1)
    assert kit.store.append(stream.append(2, stream.entry(3, "key-2"))) == Duplicate(2, 2)
    assert kit.store.count_entries(stream.id) == 2


def test_command_ids_of_one_stream_mean_nothing_in_another(kit: Kit) -> None:
    for one in (*STREAMS.values(), Stream("mat_2", entry)):
        assert kit.store.append(one.append(0, one.entry(1, "key"))) == Appended(1, 1)


def test_a_command_is_found_by_its_id(kit: Kit, stream: Stream) -> None:
    kit.store.append(stream.append(0, stream.entry(1, "key"), stream.entry(2)))
    assert kit.store.find_command(stream.id, "key") == stream.entry(1, "key")
    assert kit.store.find_command(stream.id, "other") is None
    assert kit.store.find_command("mat_2", "key") is None


def test_entries_appended_together_are_all_there_or_none(kit: Kit, stream: Stream) -> None:
    kit.store.append(stream.append(0, stream.entry(1, "key")))
    both = stream.append(1, stream.entry(2), stream.entry(3, "key"))
    assert kit.store.append(both) == Duplicate(1, 1)
    assert kit.store.read(stream.id) == [stream.entry(1, "key")]


def bound(value: bytes) -> tuple[Binding, ...]:
    return (Binding(keys.PUBLISHED_KEYS, "s1", value),)


def test_a_name_is_bound_by_the_first_append_that_is_carried_out(kit: Kit, binding_stream: Stream) -> None:
    kit.store.append(binding_stream.append(4, bindings=bound(b"conflict")))
    assert kit.store.all_fields(keys.PUBLISHED_KEYS) == {}
    for version in range(2):
        assert kit.store.append(binding_stream.append(version, bindings=bound(b"p"))) == Appended(
            version + 1, version + 1
        )
    kit.store.append(binding_stream.append(0, bindings=bound(b"duplicate")))
    assert kit.store.all_fields(keys.PUBLISHED_KEYS) == {b"s1": b"p"}
    assert kit.store.fields(keys.PUBLISHED_KEYS, ["s2", "s1"]) == [None, b"p"]


def test_an_append_that_binds_a_name_to_another_value_adds_nothing(kit: Kit, binding_stream: Stream) -> None:
    kit.store.append(binding_stream.append(0, bindings=bound(b"p")))
    assert kit.store.append(binding_stream.append(1, bindings=bound(b"q"))) == Reused()
    assert kit.store.read(binding_stream.id) == [binding_stream.entry(1)]
    assert kit.store.all_fields(keys.PUBLISHED_KEYS) == {b"s1": b"p"}
    assert kit.store.append(binding_stream.append(1)) == Appended(2, 2)


def test_eight_writers_at_once_leave_no_gap_and_no_duplicate(kit: Kit, stream: Stream) -> None:
    def write(writer: int) -> int:
        duplicates = 0
        for number in range(40):
            one = f"{writer}-{number}"
            version = 0
            while not isinstance(reply := added(version, one), Appended):
                assert isinstance(reply, Conflict)
                version = reply.current
            duplicates += isinstance(added(0, one), Duplicate)
        return duplicates

    def added(version: int, command_id: str) -> Reply:
        return kit.store.append(stream.append(version, stream.entry(version + 1, command_id)))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(write, range(8))) == [40] * 8
    entries = kit.store.read(stream.id)
    assert [one.last for one in entries] == list(range(1, 321))
    assert len({one.command for one in entries}) == 320
