"""What Redis keeps of an entry: the format that is written, and those that were."""

import hashlib
import json
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from events import Matches, RedisStore
from events.matches.entries import from_entries
from events.reindex import reindex
from events.store import keys
from events.store.fields import (
    DICTIONARY_FILE,
    RawEntry,
    from_fields,
    index_of,
    packed_id,
    short_name,
    to_fields,
    unpacked_id,
)
from events.store.records import Appended, Duplicate, Entry, Reused
from tests.events.example_matches import NOW_MS, SEEDS, any_command, append, entry

GOLDEN = Path(__file__).parents[2] / "golden" / "stored"
DIGEST_ID = "cmd_64L_gzvoOOwelwKpS_OB"
ULID_ID = "cmd_01M7WRCDNE5VV31RSBR368627A"
ids = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=255)
likely_ids = st.one_of(
    ids,
    st.text("cmd_0129AZaz-", min_size=20, max_size=34),
    st.binary(min_size=0, max_size=30).map(lambda body: "cmd_" + body.hex()),
)


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / name).read_text())
    return found


def raw_in(told: dict[str, Any]) -> list[RawEntry]:
    """The entries of a recorded stream as Redis had them."""
    return [
        (id.encode(), {name.encode(): bytes.fromhex(value) for name, value in fields.items()})
        for id, fields in told["entries"]
    ]


@given(likely_ids, st.binary(min_size=8, max_size=8), st.sampled_from(["seat:3", "service", "account:acc_1"]))
def test_an_entry_comes_back_as_it_went_in(command_id: str, fingerprint: bytes, actor: str) -> None:
    one = Entry(7, b'[["build_passed",0]]', fingerprint + command_id.encode(), actor, NOW_MS, bytes(32))
    assert from_fields("mat_1", [to_fields(one)]) == [one]


@pytest.mark.parametrize(
    ("command_id", "size"), [(DIGEST_ID, 16), (ULID_ID, 17), ("key", 3), (ULID_ID.lower(), 30)]
)
def test_ids_of_the_service_are_kept_in_binary(command_id: str, size: int) -> None:
    fields = to_fields(entry(1, command_id))[1]
    assert len(fields[b"c"]) == 8 + size


@pytest.mark.parametrize("first", ["-", "+", "_", " ", "!", "8", "I", "L", "O", "U", "o", "é"])
def test_what_only_looks_like_an_id_of_the_service_is_kept_as_it_is(first: str) -> None:
    for body in (first + "0" * 25, "0" * 25 + first if first != "8" else "Z" * 26):
        id = b"cmd_" + body.encode("latin-1")
        assert packed_id(id) == id
        assert unpacked_id(id) == id


def test_the_dictionary_never_changes() -> None:
    """Whatever is stored could not be read any more."""
    digest = hashlib.sha256(DICTIONARY_FILE.read_bytes()).hexdigest()
    assert digest == "fa88ae46b8861a35c24013006793e653a8182cbac5a8f9ac708cf227aac34053"


def test_a_seat_is_kept_as_a_digit_and_other_actors_in_full() -> None:
    for actor, stored in (("seat:4", b"4"), ("service", b"service"), ("account:acc_1", b"account:acc_1")):
        one = Entry(1, b"[]", b"", actor, NOW_MS, bytes(32))
        assert to_fields(one)[1][b"a"] == stored


def test_events_that_cannot_be_unpacked_stay_as_they_are_and_are_none() -> None:
    id, fields = to_fields(entry(1))
    for damaged in (b"", b"\x02", b"\x02\x00", fields[b"e"][:-1], fields[b"e"] + b"\0", fields[b"e"] * 2):
        (found,) = from_fields("mat_1", [(id, {**fields, b"e": damaged})])
        assert found.events == damaged


@pytest.mark.parametrize("name", ["stream-1.json", "stream-2.json"])
def test_a_stream_that_was_ever_written_is_read_for_ever(name: str) -> None:
    """Recorded once and never again."""
    told = recorded(name)
    entries = from_fields(told["match_id"], raw_in(told))
    loaded = from_entries(told["match_id"], entries)
    assert (loaded.version, loaded.head_hash.hex()) == (told["version"], told["head_hash"])
    assert [entry.command.hex() for entry in entries] == told["commands"]


@pytest.fixture(params=["stream-1.json", "stream-2.json"])
def old(request: pytest.FixtureRequest, admin: redis.Redis, redis_store: RedisStore) -> dict[str, Any]:
    """A running match with its command index, as an earlier release left it."""
    told = recorded(request.param)
    for id, fields in raw_in(told):
        admin.xadd(keys.match(told["match_id"]), fields, id)
    for field, version in told["index"].items():
        admin.hset(keys.commands(told["match_id"]), bytes.fromhex(field), version)
    return told


def test_a_match_goes_on_where_an_earlier_release_left_it(
    old: dict[str, Any], redis_store: RedisStore
) -> None:
    matches = Matches(redis_store, SEEDS)
    before = matches.store.read(old["match_id"])
    for number in count():
        state = matches.load(old["match_id"]).state
        if number == 20 or state.status != "running":
            break
        matches.execute(
            old["match_id"], any_command(state, Random(number)), f"seat:{state.active}", f"new{number}"
        )
    fresh = Matches(redis_store, SEEDS)
    assert fresh.load(old["match_id"]).version > old["version"]
    assert fresh.store.read(old["match_id"])[: len(before)] == before


def test_commands_of_an_earlier_release_are_known(
    old: dict[str, Any], redis_store: RedisStore, admin: Any
) -> None:
    match_id = old["match_id"]
    entries = redis_store.read(match_id)
    for is_rebuilt in (False, True):
        first = 1
        for one in entries:
            if one.command:
                other = Entry(
                    one.last, one.events, b"g" * 8 + one.command[8:], one.actor, one.time_ms, one.hash
                )
                assert redis_store.append(append(99, one, match_id=match_id)) == Duplicate(first, one.last)
                assert redis_store.append(append(99, other, match_id=match_id)) == Reused()
                assert redis_store.find_command(match_id, one.command[8:].decode()) == one
            first = one.last + 1
        if not is_rebuilt:
            reindex(admin)
    assert admin.hgetall(keys.commands(match_id)) == {
        name: b"%d" % version for name, version in index_of(entries).items()
    }


def alike() -> tuple[str, str]:
    """Two ids of one short name."""
    seen: dict[bytes, str] = {}
    for number in count():
        command_id = f"key{number}"
        other = seen.setdefault(short_name(command_id.encode()), command_id)
        if other != command_id:
            return other, command_id
    raise AssertionError


def test_two_ids_of_one_short_name_are_two_commands(redis_store: RedisStore, admin: redis.Redis) -> None:
    one, other = alike()
    assert redis_store.append(append(0, entry(1, one))) == Appended(1, 1)
    assert redis_store.find_command("mat_1", other) is None
    assert redis_store.append(append(1, entry(2, other))) == Appended(2, 2)
    for last, command_id in ((1, one), (2, other)):
        assert redis_store.append(append(2, entry(3, command_id))) == Duplicate(last, last)
        assert redis_store.append(append(2, entry(3, command_id, b"g" * 8))) == Reused()
        assert redis_store.find_command("mat_1", command_id) == entry(last, command_id)
    expected = {name: b"%d" % version for name, version in index_of(redis_store.read("mat_1")).items()}
    assert admin.hgetall(keys.commands("mat_1")) == expected
    assert len(expected) == 2


def test_an_index_stays_small_however_long_its_ids_are(redis_store: RedisStore, admin: redis.Redis) -> None:
    redis_store.append(append(0, entry(1, "k" * 255)))
    ((name, _),) = admin.hgetall(keys.commands("mat_1")).items()
    assert len(name) == 4
    assert not name.isascii()
