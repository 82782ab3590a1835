"""The file of an archived match: what is in it, and that nothing else is taken for it."""

import gzip
import hashlib
import json

import pytest
from msgspec.structs import replace

from events import StreamCorrupt
from events.archive import files as archive_file
from events.archive.files import Tombstone, decode, encode, file_name, from_json, to_json, tombstone_of
from events.store.records import Entry
from tests.events.matches import entry

MATCH_ID = "mat_01M7WRCDNE5VV31RSBR368627A"
ENTRIES = [entry(3, "key", events=3), entry(4), entry(6, "k" * 255, b"\x00\xff" * 8, events=2)]


def filed(entries: list[Entry] = ENTRIES) -> tuple[bytes, Tombstone]:
    data = encode(MATCH_ID, entries)
    return data, tombstone_of(MATCH_ID, entries, data)


def repacked(text: bytes) -> tuple[bytes, Tombstone]:
    """A file with that text, and a tombstone that is right about its SHA-256."""
    data = gzip.compress(text)
    return data, replace(filed()[1], sha256=hashlib.sha256(data).hexdigest())


def test_what_is_written_is_read_back() -> None:
    data, tombstone = filed()
    assert decode(MATCH_ID, tombstone, data) == ENTRIES


def test_the_same_entries_make_the_same_file() -> None:
    assert encode(MATCH_ID, ENTRIES) == encode(MATCH_ID, list(ENTRIES))
    assert filed()[0][4:8] == bytes(4), "gzip's time"


def test_anybody_can_read_the_lines_of_a_file() -> None:
    head, first, *_ = map(json.loads, gzip.decompress(filed()[0]).splitlines())
    assert head == {"format": 1, "match_id": MATCH_ID, "version": 6, "head_hash": "sha-256:" + "06" * 32}
    assert first["id"] == "3-0"
    assert json.loads(first["e"]) == json.loads(ENTRIES[0].events)
    assert (bytes.fromhex(first["c"]), bytes.fromhex(first["h"])) == (ENTRIES[0].command, ENTRIES[0].hash)
    assert (first["a"], first["t"]) == (ENTRIES[0].actor, ENTRIES[0].time_ms)


def test_directories_are_named_by_the_random_end_of_the_id() -> None:
    assert file_name(MATCH_ID) == f"7A/{MATCH_ID}.ndjson.gz"


@pytest.mark.parametrize("match_id", ["../../etc/passwd", "mat_1/2", "", "mat_1\n", "mat_1.gz"])
def test_what_is_no_id_names_no_file(match_id: str) -> None:
    with pytest.raises(ValueError, match="no match has the id"):
        file_name(match_id)


def test_a_tombstone_is_read_back_too() -> None:
    tombstone = filed()[1]
    assert from_json(MATCH_ID, to_json(tombstone)) == tombstone
    with pytest.raises(StreamCorrupt, match="no tombstone"):
        from_json(MATCH_ID, b'{"file":1}')


def test_any_changed_bit_is_found_before_anything_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    data, tombstone = filed()
    monkeypatch.setattr("events.archive.files._unpacked", lambda data: pytest.fail("unpacked"))
    for place in range(0, len(data), 7):
        damaged = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(StreamCorrupt, match="SHA-256"):
            decode(MATCH_ID, tombstone, damaged)
    for damaged in (b"", data[:-1], data + b"\0", gzip.compress(b"")):
        with pytest.raises(StreamCorrupt, match="SHA-256"):
            decode(MATCH_ID, tombstone, damaged)


def test_a_file_of_another_match_or_version_is_not_taken() -> None:
    data, tombstone = filed()
    for other_id, other in (
        ("mat_2", tombstone),
        (MATCH_ID, replace(tombstone, version=5)),
        (MATCH_ID, replace(tombstone, head_hash="sha-256:" + "07" * 32)),
    ):
        with pytest.raises(StreamCorrupt, match="cannot be read: it is about something else"):
            decode(other_id, other, data)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\n",
        gzip.decompress(encode(MATCH_ID, ENTRIES)).replace(b'"format":1', b'"format":2'),
        gzip.decompress(encode(MATCH_ID, ENTRIES)).rsplit(b"\n", 2)[0],
        gzip.decompress(encode(MATCH_ID, ENTRIES)).replace(b'"id":"3-0"', b'"id":"three"'),
        gzip.decompress(encode(MATCH_ID, ENTRIES)).replace(b'"c":"', b'"c":"x'),
        gzip.decompress(encode(MATCH_ID, ENTRIES)).replace(b'"t":', b'"u":'),
    ],
)
def test_what_is_in_no_form_that_was_ever_written_is_not_taken(text: bytes) -> None:
    data, tombstone = repacked(text)
    with pytest.raises(StreamCorrupt, match=f"{MATCH_ID}.*cannot be read"):
        decode(MATCH_ID, tombstone, data)


def test_no_more_is_unpacked_than_a_file_may_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_file, "LARGEST_TEXT", 1 << 16)
    data, tombstone = repacked(bytes(1 << 24))
    with pytest.raises(StreamCorrupt, match="longer than it may be"):
        decode(MATCH_ID, tombstone, data)


def test_two_files_in_one_are_none() -> None:
    data, tombstone = filed()
    twice = data + data
    with pytest.raises(StreamCorrupt, match="longer than it may be"):
        decode(MATCH_ID, replace(tombstone, sha256=hashlib.sha256(twice).hexdigest()), twice)


@pytest.mark.parametrize("limit", ["LARGEST_TEXT", "LARGEST_FILE"])
def test_what_could_not_be_read_back_is_not_written(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(archive_file, limit, 100)
    with pytest.raises(ValueError, match="more than an archive file may hold"):
        encode(MATCH_ID, ENTRIES)
