"""Ladders in both stores: nothing is lost, doubled or changed."""

import threading

import msgspec
import pytest
import redis

from domain.canonical import canonical, sha256
from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder.events import REGISTRY, MatchResult
from domain.ladder.state import LadderState
from events import RedisStore
from events.ladders.ladders import Ladder, LadderOutcome, Ladders, empty, envelopes, extended
from events.store.chain import rfc3339
from events.store.errors import CommandReused, LadderNotFound, StreamCorrupt
from events.store.fields import pack_events, unpack_events
from events.store.records import FINGERPRINT_SIZE, Entry
from tests.events.example_ladders import CONFIG, _entry, made
from tests.events.example_matches import Kit

RESULTS = tuple(MatchResult(f"mat_{i}", i, 30, 200, "sha-256:aa", (0, 0), (0, 0), (-5, 5)) for i in range(2))


@pytest.fixture
def ladders(kit: Kit) -> Ladders:
    return Ladders(kit.store, clock=lambda: 1_790_000_000_000)


def test_a_ladder_is_what_its_events_say(ladders: Ladders, kit: Kit) -> None:
    ladder_id = made(ladders)

    fresh = Ladders(kit.store).load(ladder_id)

    assert [entry.name for entry in fresh.state.entries] == ["greedy", "random"]
    assert fresh.state.rounds[0].left == {1}
    assert fresh.version == 5
    assert Ladders(kit.store).page(None, 10) == [ladder_id]


def test_a_history_from_before_a_member_was_added_keeps_its_hashes_and_its_rounds(ladders: Ladders) -> None:
    """A round of another stream that names no table: its hash covers what was written, no more."""
    whole = ladders.load(made(ladders))
    opened, before = whole.entries[-1], whole.entries[:-1]
    written = msgspec.json.decode(opened.events)
    older = extended(empty(whole.id), before)
    del written[-1][-3:]
    entry = _sealed_again(older, msgspec.structs.replace(opened, events=msgspec.json.encode(written)))

    ladder = extended(older, [entry])

    assert ladder.state.rounds[0].blocks == whole.state.rounds[0].blocks
    shown = envelopes(ladder)[-1].data
    assert "refined_by" not in shown
    assert shown["job"] == "job_1"
    assert envelopes(whole)[-1].data == {
        **shown,
        "refined_by": None,
        "public_value": None,
        "byes": None,
    }


def _sealed_again(ladder: Ladder, entry: Entry) -> Entry:
    """With the hash that the document says: of each event's members as they were written."""
    previous = f"sha-256:{ladder.head_hash.hex()}"
    for sequence, (name, *members) in enumerate(msgspec.json.decode(entry.events), ladder.version + 1):
        fields = [field.name for field in msgspec.structs.fields(REGISTRY[name])]
        envelope = {
            "ladder_id": ladder.id,
            "sequence": sequence,
            "type": name,
            "schema": 1,
            "time": rfc3339(entry.time_ms),
            "actor": entry.actor,
            "command_id": entry.command[FINGERPRINT_SIZE:].decode(),
            "data": dict(zip(fields, members, strict=False)),
            "previous_hash": previous,
        }
        previous = sha256(canonical(envelope))
    return msgspec.structs.replace(entry, hash=bytes.fromhex(previous.removeprefix("sha-256:")))


def test_there_is_no_ladder_that_nobody_made(ladders: Ladders) -> None:
    with pytest.raises(LadderNotFound):
        ladders.load("lad_none")


def test_each_event_names_the_hash_before_it(ladders: Ladders) -> None:
    shown = envelopes(ladders.load(made(ladders)))

    assert [one.sequence for one in shown] == [1, 2, 3, 4, 5]
    assert [one.previous_hash for one in shown[1:]] == [one.hash for one in shown[:-1]]
    assert [one.sequence for one in envelopes(ladders.load(made(ladders)), 3, 1)] == [4]


def test_a_changed_event_is_found(redis_store: RedisStore, admin: redis.Redis) -> None:
    ladder_id = made(Ladders(redis_store))
    key = f"mk:{{00}}:ladder:{ladder_id}"
    entries = admin.xrange(key)
    admin.delete(key)
    for id, fields in entries:  # type: ignore[union-attr]
        fields[b"e"] = pack_events(unpack_events(fields[b"e"]).replace(b"greedy", b"grubby"))
        admin.xadd(key, fields, id)

    with pytest.raises(StreamCorrupt):
        envelopes(Ladders(redis_store).load(ladder_id))


def test_the_service_cannot_change_what_is_there(redis_store: RedisStore, client: redis.Redis) -> None:
    key = f"mk:{{00}}:ladder:{made(Ladders(redis_store))}"

    for call in (("DEL", key), ("XDEL", key, "1-0"), ("XTRIM", key, "MAXLEN", "0")):
        with pytest.raises(redis.exceptions.NoPermissionError):
            client.execute_command(*call)


def test_a_command_counts_once_under_its_id(ladders: Ladders) -> None:
    ladder_id = made(ladders)

    def add(state: LadderState):  # type: ignore[no-untyped-def]
        return _entry(state, "cheese")

    first = ladders.execute(ladder_id, add, "account:acc_1", "key-1", b"one")
    again = ladders.execute(ladder_id, add, "account:acc_1", "key-1", b"one")

    assert (again.first, again.last, again.replayed) == (first.first, first.last, True)
    with pytest.raises(CommandReused):
        ladders.execute(ladder_id, add, "account:acc_1", "key-1", b"two")


def test_a_command_that_meets_itself_on_its_way_counts_once(ladders: Ladders, kit: Kit) -> None:
    ladder_id = made(ladders)
    events = _entry(ladders.load(ladder_id).state, "cheese")
    firsts: list[LadderOutcome] = []

    def overtaken(state: LadderState):  # type: ignore[no-untyped-def]
        if not firsts:
            other = Ladders(kit.store)
            firsts.append(other.execute(ladder_id, lambda state: events, "account:acc_1", "key-1", b"one"))
        return events

    again = ladders.execute(ladder_id, overtaken, "account:acc_1", "key-1", b"one")

    assert (firsts[0].first, firsts[0].last, firsts[0].replayed) == (6, 6, False)
    assert (again.first, again.last, again.replayed) == (6, 6, True)


def test_a_ladder_is_made_once_under_its_id(ladders: Ladders, kit: Kit) -> None:
    for store in (ladders, Ladders(kit.store)):
        store.create(lambda: decide.create("Quick", "acc_1", CONFIG), "account:acc_1", "lad_1")

    assert ladders.load("lad_1").version == 1


def test_a_refusal_changes_nothing(ladders: Ladders) -> None:
    ladder_id = made(ladders)

    with pytest.raises(RuleViolation):
        ladders.execute(ladder_id, lambda state: _entry(state, "greedy"), "account:acc_1")
    assert ladders.load(ladder_id).version == 5


def test_writers_at_once_lose_and_double_nothing(ladders: Ladders, kit: Kit) -> None:
    ladder_id = made(ladders, blocks=40)
    writers = [Ladders(kit.store) for _ in range(4)]

    def write(store: Ladders) -> None:
        for number in range(1, 41):
            store.execute(
                ladder_id,
                lambda state, number=number: decide.finish_block(state, number, 1, RESULTS),
                "service",
            )

    threads = [threading.Thread(target=write, args=(store,)) for store in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    ladder = Ladders(kit.store).load(ladder_id)
    assert ladder.version == 5 + 40
    assert not ladder.state.rounds[0].left
    assert len(envelopes(ladder)) == 45


def test_who_has_something_to_play_is_found_until_it_is_played(ladders: Ladders) -> None:
    ladder_id = made(ladders)
    assert ladders.active() == [ladder_id]
    assert ladders.of_job("job_1") == ladder_id

    ladders.execute(ladder_id, lambda state: decide.finish_block(state, 1, 1, RESULTS), "service")
    ladders.execute(ladder_id, lambda state: decide.finish_round(state, 1), "service")

    assert ladders.active() == []


def test_a_stopped_round_is_not_played(ladders: Ladders) -> None:
    ladder_id = made(ladders)

    ladders.execute(ladder_id, lambda state: decide.stop_round(state, 1, "command"), "account:acc_1")

    assert ladders.active() == []
