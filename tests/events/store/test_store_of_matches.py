"""What every store must do with matches: entries of several events, and what an append writes beside them."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from events.store import keys
from events.store.records import (
    Append,
    Appended,
    Conflict,
    Duplicate,
    Precedence,
    Reused,
    Scored,
    member_pages,
)
from tests.events.example_matches import NOW_MS, Kit, append, entry


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
    assert [*member_pages(kit.store, keys.index("all"), 2)] == [
        ["mat_4", "mat_3"],
        ["mat_2", "mat_1"],
        ["mat_0"],
    ]
    assert [*member_pages(kit.store, keys.index("status:finished"), 2)] == []


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
    assert kit.store.count_members([keys.index(name) for name in ("x", "y", "z")]) == [2, 1, 0]
    assert kit.store.count_members([]) == []


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


@pytest.mark.long
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
