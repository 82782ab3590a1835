"""What the relay relies on, on a real server."""

import threading

import pytest
import redis
from msgspec.structs import replace

from events import Outbox, RedisStore
from events.store import keys
from events.store.outbox import LOG_START, hand_back, read_pointers
from events.store.records import Precedence
from ops.servers import Server
from runtime.connection import LONGEST_BLOCK_MS, connect_blocking
from tests.events.example_matches import append


@pytest.fixture
def outbox(client: redis.Redis) -> Outbox:
    return Outbox(client)


def test_the_log_is_read_on_from_any_pointer(redis_store: RedisStore, outbox: Outbox) -> None:
    for version in range(5):
        redis_store.append(append(version))
    first = outbox.read_log(LOG_START, 2)
    rest = outbox.read_log(first[-1].id)
    assert [pointer.version for pointer in first + rest] == [1, 2, 3, 4, 5]
    assert outbox.read_log(rest[-1].id) == []


def test_a_blocked_reader_is_woken_by_an_append(redis_store: RedisStore, events_server: Server) -> None:
    with connect_blocking(events_server.url) as blocking:
        after = {keys.HOME: LOG_START}
        assert read_pointers(blocking, after, 500, block_ms=1) == {}
        found: list[int] = []
        reader = threading.Thread(
            target=lambda: found.extend(
                pointer.version
                for pointer in read_pointers(blocking, after, 500, block_ms=LONGEST_BLOCK_MS)[keys.HOME]
            )
        )
        reader.start()
        redis_store.append(append(0))
        reader.join(60)
    assert found == [1]


@pytest.mark.parametrize("block_ms", [0, LONGEST_BLOCK_MS + 1])
def test_a_block_must_be_shorter_than_the_socket_timeout(client: redis.Redis, block_ms: int) -> None:
    with pytest.raises(ValueError, match="block_ms"):
        read_pointers(client, {keys.HOME: LOG_START}, 500, block_ms=block_ms)


def test_a_checkpoint_is_kept_for_each_reader(outbox: Outbox) -> None:
    assert outbox.checkpoint("relay") == LOG_START
    outbox.save_checkpoint("relay", "5-1")
    assert (outbox.checkpoint("relay"), outbox.checkpoint("other")) == ("5-1", LOG_START)


def test_of_two_relays_that_see_a_match_due_one_takes_it(redis_store: RedisStore, outbox: Outbox) -> None:
    redis_store.append(append(0, due_ms=1_790_000_000_123))
    ((match_id, due_ms),) = outbox.due_before(1_790_000_000_123)
    assert [outbox.postpone(match_id, due_ms, due_ms + 9) for _ in range(2)] == [True, False]
    assert outbox.due_before(2**52) == [(match_id, due_ms + 9)]


def test_a_match_that_moved_on_is_not_postponed(redis_store: RedisStore, outbox: Outbox) -> None:
    redis_store.append(append(0, due_ms=5))
    redis_store.append(append(1, due_ms=7))
    assert not outbox.postpone("mat_1", 5, 100)
    redis_store.append(append(2))
    assert not outbox.postpone("mat_1", 7, 100)
    assert outbox.due_before(2**52) == []


def test_those_due_longest_come_first(redis_store: RedisStore, outbox: Outbox) -> None:
    for number, due_ms in enumerate((30, 10, 20)):
        redis_store.append(append(0, match_id=f"mat_{number}", due_ms=due_ms))
    assert outbox.due_before(25) == [("mat_1", 10), ("mat_2", 20)]
    assert outbox.due_before(99, 1) == [("mat_1", 10)]


def test_the_log_loses_only_what_is_old_and_done_with(redis_store: RedisStore, outbox: Outbox) -> None:
    for version in range(300):
        redis_store.append(append(version))
    pointers = outbox.read_log(LOG_START)
    end_ms = int(pointers[-1].id.partition("-")[0])
    assert outbox.trim_log(pointers[-1].id, end_ms) == 0
    assert outbox.trim_log(LOG_START, end_ms + 10_000_000) == 0
    assert len(outbox.read_log(LOG_START)) == 300
    outbox.trim_log(f"{end_ms + 1}-0", end_ms + 3_600_001)
    assert len(outbox.read_log(LOG_START)) <= 100


def test_the_log_is_kept_for_every_reader_that_is_behind(redis_store: RedisStore, outbox: Outbox) -> None:
    for version in range(300):
        redis_store.append(append(version))
    first, *_, last = outbox.read_log(LOG_START)
    now_ms = int(last.id.partition("-")[0]) + 3_600_001
    done = f"{now_ms}-0"
    outbox.save_checkpoint("slow", first.id)
    assert outbox.trim_log(done, now_ms) == 0
    outbox.save_checkpoint("slow", done)
    outbox.save_checkpoint("new", LOG_START)
    assert outbox.trim_log(done, now_ms) == 0
    outbox.forget_reader("new")
    assert outbox.checkpoint("new") == LOG_START
    assert outbox.trim_log(done, now_ms) >= 200


def test_a_line_of_a_foreign_hand_points_to_nothing(
    redis_store: RedisStore, outbox: Outbox, admin: redis.Redis
) -> None:
    admin.xadd(keys.LOG, {"x": "y"})
    redis_store.append(append(0))
    foreign, ours = outbox.read_log(LOG_START)
    assert (foreign.match_id, foreign.version, foreign.next, foreign.account) == ("", 0, "", "")
    assert (ours.match_id, ours.version) == ("mat_1", 1)


def test_a_turn_that_is_handed_back_is_on_the_log_as_the_append_had_it(
    redis_store: RedisStore, outbox: Outbox, client: redis.Redis
) -> None:
    people, alone, unknown = Precedence("acc_1", True), Precedence("acc_2"), Precedence()
    redis_store.append(append(0, next="ai", precedence=people))
    hand_back(client, [("mat_1", 1, people), ("mat_2", 7, alone), ("mat_3", 8, unknown)])
    first, again, *others = outbox.read_log(LOG_START)
    assert replace(again, id=first.id) == first
    assert [(one.match_id, one.version, one.next, one.precedence) for one in others] == [
        ("mat_2", 7, "ai", alone),
        ("mat_3", 8, "ai", unknown),
    ]


def test_a_pointer_of_earlier_releases_names_no_precedence(client: redis.Redis, outbox: Outbox) -> None:
    client.xadd(keys.LOG, {"m": "mat_1", "v": 4, "n": "ai"})
    assert [one.precedence for one in outbox.read_log(LOG_START)] == [Precedence()]


def test_several_matches_are_postponed_unless_they_moved_on(redis_store: RedisStore, outbox: Outbox) -> None:
    for number in (1, 2, 3):
        redis_store.append(append(0, match_id=f"mat_{number}", due_ms=number))
    redis_store.append(append(1, match_id="mat_2", due_ms=9))
    outbox.postpone_many([("mat_1", 1, 100), ("mat_2", 2, 100)])
    assert outbox.due_before(1000) == [("mat_3", 3), ("mat_2", 9), ("mat_1", 100)]
