"""What every store must do, whatever it keeps its streams in: with streams of every kind, then with what only
matches and ladders have, and with what an append writes beside a match.
"""

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
    Precedence,
    Reply,
    Reused,
    Scored,
)
from tests.events.example_matches import NOW_MS, Kit, append, entry, head


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


def test_a_name_is_bound_by_the_first_append_that_is_carried_out(kit: Kit, stream: Stream) -> None:
    kit.store.append(stream.append(4, bindings=bound(b"conflict")))
    assert kit.store.all_fields(keys.PUBLISHED_KEYS) == {}
    for version in range(2):
        assert kit.store.append(stream.append(version, bindings=bound(b"p"))) == Appended(
            version + 1, version + 1
        )
    kit.store.append(stream.append(0, bindings=bound(b"duplicate")))
    assert kit.store.all_fields(keys.PUBLISHED_KEYS) == {b"s1": b"p"}
    assert kit.store.fields(keys.PUBLISHED_KEYS, ["s2", "s1"]) == [None, b"p"]


def test_an_append_that_binds_a_name_to_another_value_adds_nothing(kit: Kit, stream: Stream) -> None:
    kit.store.append(stream.append(0, bindings=bound(b"p")))
    assert kit.store.append(stream.append(1, bindings=bound(b"q"))) == Reused()
    assert kit.store.read(stream.id) == [stream.entry(1)]
    assert kit.store.all_fields(keys.PUBLISHED_KEYS) == {b"s1": b"p"}
    assert kit.store.append(stream.append(1)) == Appended(2, 2)


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


def lasts(kit: Kit, after: int = 0) -> list[int]:
    return [one.last for one in kit.store.read("mat_1", after)]


def members(kit: Kit, index: str, before: str | None = None, count: int = 9) -> list[str]:
    return kit.store.members(keys.index(index), before, count)


def turns(kit: Kit, account_id: str) -> list[Scored]:
    return kit.store.by_score(keys.turns(account_id), None, 9)


def test_reading_begins_in_the_entry_that_holds_the_next_event(kit: Kit) -> None:
    kit.store.append(append(0, entry(3, events=3), entry(5, events=2), entry(6)))
    assert lasts(kit, 3) == [5, 6]
    assert lasts(kit, 4) == [5, 6]
    assert lasts(kit, 6) == []
    assert [one.last for one in kit.store.read("mat_1", 0, 2)] == [3, 5]


def test_the_entry_at_a_version_is_the_last_that_ends_by_then(kit: Kit) -> None:
    kit.store.append(append(0, entry(3, events=3), entry(5, events=2)))
    found = [kit.store.entry_at("mat_1", version) for version in range(7)]
    assert [one.last if one else None for one in found] == [None, None, None, 3, 3, 5, 5]


def test_a_repeated_command_gets_its_versions_again(kit: Kit) -> None:
    kit.store.append(append(0, entry(2, events=2)))
    again = append(2, entry(5, "key", events=3))
    assert kit.store.append(again) == Appended(3, 5)
    assert kit.store.append(again) == Duplicate(3, 5)
    assert lasts(kit) == [2, 5]


def test_a_repeated_first_command_is_known_too(kit: Kit) -> None:
    kit.store.append(append(0, entry(2, "key", events=2)))
    assert kit.store.append(append(0, entry(2, "key", events=2))) == Duplicate(1, 2)


def test_a_command_id_with_another_command_is_refused(kit: Kit) -> None:
    kit.store.append(append(0, entry(1, "key")))
    assert kit.store.append(append(1, entry(2, "key", b"g" * 8))) == Reused()
    assert lasts(kit) == [1]


def test_appends_to_several_matches_stand_each_by_itself(kit: Kit) -> None:
    kit.store.append(append(0, match_id="mat_2"))
    replies = kit.store.append_many([append(0), append(5, match_id="mat_2"), append(0, match_id="mat_3")])
    assert replies == [Appended(1, 1), Conflict(1, ()), Appended(1, 1)]
    assert kit.store.append_many([]) == []


def test_each_append_leaves_one_pointer_on_the_log(kit: Kit) -> None:
    kit.store.append(append(0, entry(1), entry(3, events=2), next="ai"))
    (first,) = kit.log()
    kit.store.append(append(3, next="over"))
    kit.store.append(append(3))
    (second,) = kit.log(first.id)
    assert (first.match_id, first.version, first.next) == ("mat_1", 3, "ai")
    assert (second.match_id, second.version, second.next) == ("mat_1", 4, "over")


def test_a_pointer_tells_when_a_turn_comes(kit: Kit) -> None:
    first = append(0, next="ai", turn_begins="acc_2", precedence=Precedence("acc_1", True))
    for one in (first, append(1, next="ai", precedence=Precedence("acc_1")), append(2)):
        kit.store.append(one)
    told = [(pointer.account, pointer.precedence) for pointer in kit.log()]
    assert told == [("acc_2", Precedence("acc_1", True)), ("", Precedence("acc_1")), ("", Precedence())]


def test_the_due_set_holds_the_last_deadline(kit: Kit) -> None:
    kit.store.append(append(0, due_ms=5_000))
    kit.store.append(append(0, match_id="mat_2", due_ms=1_790_000_000_123))
    kit.store.append(append(1, due_ms=7_000))
    assert kit.due() == [("mat_1", 7_000), ("mat_2", 1_790_000_000_123)]
    assert kit.outbox.due_before(6_999) == []
    kit.store.append(append(2))
    assert kit.due() == [("mat_2", 1_790_000_000_123)]


def test_indexes_are_joined_and_left_with_the_append(kit: Kit) -> None:
    for number in range(5):
        kit.store.append(append(0, match_id=f"mat_{number}", joins=("all", "status:open")))
    kit.store.append(append(1, match_id="mat_3", joins=("status:running",), leaves=("status:open",)))
    assert members(kit, "all", None, 3) == ["mat_4", "mat_3", "mat_2"]
    assert members(kit, "all", "mat_2", 3) == ["mat_1", "mat_0"]
    assert members(kit, "status:open") == ["mat_4", "mat_2", "mat_1", "mat_0"]
    assert members(kit, "status:running") == ["mat_3"]
    assert members(kit, "status:finished") == []


def test_whether_matches_are_in_an_index_can_be_asked(kit: Kit) -> None:
    kit.store.append(append(0, joins=("all",)))
    assert kit.store.are_members(keys.index("all"), ["mat_0", "mat_1"]) == [False, True]
    assert kit.store.are_members(keys.index("none"), ["mat_1"]) == [False]
    assert kit.store.are_members(keys.index("all"), []) == []


def test_a_turn_begins_and_ends_with_an_append(kit: Kit) -> None:
    kit.store.append(append(0, turn_begins="acc_1"))
    kit.store.append(append(1))
    assert turns(kit, "acc_1") == [Scored("mat_1", NOW_MS)]
    assert turns(kit, "acc_2") == []
    kit.store.append(append(2, joins=("x",), leaves=("y",), turn_begins="acc_2", turn_ends="acc_1"))
    assert (
        turns(kit, "acc_1"),
        members(kit, "x"),
    ) == ([], ["mat_1"])
    assert turns(kit, "acc_2") == [Scored("mat_1", NOW_MS)]
    kit.store.append(append(3, leaves=("x",), turn_ends="acc_2"))
    assert (
        turns(kit, "acc_2"),
        members(kit, "x"),
    ) == ([], [])


def test_the_log_says_whose_turn_begins(kit: Kit) -> None:
    kit.store.append(append(0, turn_begins="acc_1"))
    kit.store.append(append(1))
    kit.store.append(append(2, turn_begins="acc_2", turn_ends="acc_1"))
    assert [pointer.account for pointer in kit.log()] == ["acc_1", "", "acc_2"]


def test_the_log_says_who_is_invited(kit: Kit) -> None:
    kit.store.append(append(0, invites=("acc_1", "acc_2")))
    kit.store.append(append(1, invites=("acc_3",), turn_begins="acc_1"))
    kit.store.append(append(2))
    assert [pointer.invited for pointer in kit.log()] == [("acc_1", "acc_2"), ("acc_3",), ()]
    assert [pointer.account for pointer in kit.log()] == ["", "acc_1", ""]


def test_an_index_tells_its_size(kit: Kit) -> None:
    kit.store.append(append(0, joins=("x",)))
    kit.store.append(append(0, match_id="mat_2", joins=("x", "y")))
    assert [kit.store.count_members(keys.index(name)) for name in ("x", "y", "z")] == [2, 1, 0]


def test_turns_are_read_on_from_any_of_them_the_longest_waiting_first(kit: Kit) -> None:
    times = {"mat_4": 5, "mat_2": 7, "mat_5": 7, "mat_3": 7, "mat_1": 9}
    for match_id, since_ms in times.items():
        one = replace(entry(1), time_ms=since_ms)
        kit.store.append(append(0, one, match_id=match_id, turn_begins="acc_1"))
    order = [
        Scored(match_id, since_ms) for since_ms, match_id in sorted(zip(times.values(), times, strict=True))
    ]
    assert [one.member for one in order] == ["mat_4", "mat_2", "mat_3", "mat_5", "mat_1"]
    assert kit.store.by_score(keys.turns("acc_1"), None, 3) == order[:3]
    for i, last in enumerate(order):
        assert kit.store.by_score(keys.turns("acc_1"), last, 2) == order[i + 1 : i + 3]
    kit.store.append(append(1, match_id="mat_2", turn_ends="acc_1"))
    assert kit.store.by_score(keys.turns("acc_1"), order[1], 9) == order[2:]


def test_a_summary_stays_until_a_new_one_comes(kit: Kit) -> None:
    kit.store.append(append(0, summary=b"one"))
    kit.store.append(append(1))
    assert kit.store.values([keys.summary("mat_1"), keys.summary("mat_2")]) == [b"one", None]
    kit.store.append(append(2, summary=b"two"))
    assert kit.store.values([keys.summary("mat_1")]) == [b"two"]
    assert kit.store.values([]) == []


def test_a_refused_append_changes_nothing_beside_the_stream(kit: Kit) -> None:
    first = append(0, entry(1, "key"), due_ms=5, summary=b"one", joins=("all",), turn_begins="acc_1")
    kit.store.append(first)
    log = kit.log()
    for refused in (append(0, entry(1, "key")), append(5), append(1, entry(2, "key", b"g" * 8))):
        changed = append(
            refused.expected,
            *refused.entries,
            next="ai",
            due_ms=9,
            summary=b"two",
            joins=("x",),
            leaves=("all",),
            turn_begins="acc_2",
            turn_ends="acc_1",
        )
        kit.store.append(changed)
    assert (kit.log(), kit.due(), kit.store.values([keys.summary("mat_1")])) == (
        log,
        [("mat_1", 5)],
        [b"one"],
    )
    assert members(kit, "all") == ["mat_1"]
    assert members(kit, "x") == []
    assert [one.member for one in turns(kit, "acc_1")] == ["mat_1"]
    assert turns(kit, "acc_2") == []


def test_eight_writers_at_once_leave_one_pointer_for_each_append(kit: Kit) -> None:
    def write(writer: int) -> int:
        duplicates = 0
        for number in range(60):
            one = f"{writer}-{number}"
            version = 0
            while not isinstance(reply := kit.store.append(_two(version, one)), Appended):
                assert isinstance(reply, Conflict)
                version = reply.current
            duplicates += isinstance(kit.store.append(_two(0, one)), Duplicate)
        return duplicates

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(write, range(8))) == [60] * 8
    entries = kit.store.read("mat_1")
    assert [one.last for one in entries] == list(range(2, 962, 2))
    assert len({one.command for one in entries}) == 480
    assert [pointer.version for pointer in kit.log()] == list(range(2, 962, 2))[:500]


def _two(version: int, command_id: str) -> Append:
    return append(version, entry(version + 2, command_id, events=2))
