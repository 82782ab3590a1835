"""The file of an archived match: what is in it, and that nothing else is taken for it."""

import gzip
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
import rfc8785
from msgspec.structs import replace

from events import Matches, MemoryStore, StreamCorrupt
from events.archive import files as archive_file
from events.archive.files import Tombstone, decode, encode, file_name, from_json, to_json, tombstone_of
from events.matches.entries import from_entries
from events.store.fields import DICTIONARY_FILE, compress_file, decompress_file
from events.store.records import Entry
from tests.events.ended import ended_match
from tests.events.example_matches import SEEDS

GOLDEN = Path(__file__).parents[2] / "golden" / "stored"


DOCS = Path(__file__).parents[3] / "docs"
MATCHES = Matches(MemoryStore(), SEEDS)
MATCH_ID = ended_match(MATCHES)
ENTRIES = MATCHES.store.read(MATCH_ID)


def filed(entries: list[Entry] = ENTRIES) -> tuple[bytes, Tombstone]:
    data = encode(MATCH_ID, entries)
    return data, tombstone_of(MATCH_ID, entries, data)


def repacked(text: bytes) -> tuple[bytes, Tombstone]:
    """A file with that text, and a tombstone that is right about its SHA-256."""
    data = compress_file(text)
    return data, replace(filed()[1], sha256=hashlib.sha256(data).hexdigest())


def test_what_is_written_is_read_back() -> None:
    data, tombstone = filed()
    assert decode(MATCH_ID, tombstone, data) == ENTRIES


def test_the_same_entries_make_the_same_file() -> None:
    assert encode(MATCH_ID, ENTRIES) == encode(MATCH_ID, list(ENTRIES))


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_a_file_that_was_ever_written_is_read_for_ever(suffix: str) -> None:
    """Recorded once and never again: a match with commands of accounts and of built-in players."""
    (path,) = GOLDEN.glob(f"*.{suffix}")
    data, match_id = path.read_bytes(), path.name.partition(".")[0]
    told = json.loads((GOLDEN / "archived.json").read_text())
    tombstone = Tombstone(path.name, told["version"], told["head_hash"], hashlib.sha256(data).hexdigest())
    entries = decode(match_id, tombstone, data)
    assert from_entries(match_id, entries).version == told["version"]
    assert [[entry.last, entry.command.hex()] for entry in entries] == told["commands"]


def test_a_stranger_can_read_a_file_as_the_docs_say(tmp_path: Path) -> None:
    """By docs/archive.md and docs/verifying.md: with another program for zstd, and none of our code."""
    if shutil.which("zstd") is None:
        pytest.skip("there is no zstd")
    data, tombstone = filed()
    (tmp_path / "match.zst").write_bytes(data)
    command = ["zstd", "-q", "-d", "-D", DICTIONARY_FILE, tmp_path / "match.zst", "-o", tmp_path / "match"]
    subprocess.run(command, check=True)
    head, *lines = map(json.loads, (tmp_path / "match").read_text().splitlines())
    members = {"match_id": MATCH_ID, "version": tombstone.version, "head_hash": tombstone.head_hash}
    assert head == {"format": 2, **members}
    shown = list(_shown(head["match_id"], lines))
    assert shown == [msgspec.to_builtins(one) for one in MATCHES.history.events(MATCH_ID, 0, 10_000)]
    assert (len(shown), shown[-1]["hash"]) == (head["version"], head["head_hash"])


def _shown(match_id: str, lines: list[Any]) -> Iterator[dict[str, Any]]:
    """The events as the API shows them."""
    rows = re.findall(r"^\| `(\w+)` \| ([`\w, ]+) \|$", (DOCS / "verifying.md").read_text(), re.MULTILINE)
    members = {type: re.findall(r"\w+", names) for type, names in rows}
    sequence, at_ms, before, rules_version = 0, 0, "sha-256:" + "0" * 64, ""
    for since_ms, actor, command_id, _, events in lines:
        at_ms += since_ms
        command_id = command_id or f"ai-{match_id}-{sequence}"
        for tag, *values in events:
            sequence += 1
            type, _, schema = tag.partition(".")
            data = dict(zip(members[type], values, strict=False))
            rules_version = rules_version or data["rules_version"]
            time = datetime.fromtimestamp(at_ms // 1000, UTC).strftime(
                f"%Y-%m-%dT%H:%M:%S.{at_ms % 1000:03}Z"
            )
            event = {
                "match_id": match_id,
                "sequence": sequence,
                "type": type,
                "schema": int(schema or 1),
                "time": time,
                "actor": actor,
                "command_id": command_id,
                "rules_version": rules_version,
                "data": data,
                "previous_hash": before,
            }
            before = "sha-256:" + hashlib.sha256(rfc8785.dumps(event)).hexdigest()
            yield {**event, "hash": before}


def test_directories_are_named_by_the_random_end_of_the_id() -> None:
    assert file_name("mat_01M7WRCDNE5VV31RSBR368627A") == "7A/mat_01M7WRCDNE5VV31RSBR368627A.ndjson.zst"


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
    monkeypatch.setattr("events.archive.files.decompress_file", lambda data: pytest.fail("unpacked"))
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
    "change",
    [
        lambda text: b"",
        lambda text: b"\xff\n",
        lambda text: text.replace(b'"format":2', b'"format":1'),
        lambda text: text.replace(b'"format":2', b'"format":3'),
        lambda text: text.rsplit(b"\n", 2)[0],
        lambda text: text.replace(b'"seat:0"', b"0"),
        lambda text: text.replace(b'"seat:0"', b'"seat:1"', 1),
        lambda text: text.replace(b'"key1"', b'"key2"'),
        lambda text: text.replace(b',[["', b',[["no_', 1),
        lambda text: text.replace(b',[["', b',[],[["', 1),
        lambda text: text.replace(b',[["', b',["', 1),
    ],
)
def test_what_is_in_no_form_that_was_ever_written_is_not_taken(change: Callable[[bytes], bytes]) -> None:
    text = decompress_file(filed()[0])
    assert change(text) != text
    data, tombstone = repacked(change(text))
    with pytest.raises(StreamCorrupt, match=f"{MATCH_ID}.*cannot be read"):
        decode(MATCH_ID, tombstone, data)


@pytest.mark.parametrize("pack", [compress_file, gzip.compress])
def test_no_more_is_unpacked_than_a_file_may_hold(
    pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.archive.files.LARGEST", 1 << 16)
    monkeypatch.setattr("events.store.fields.LARGEST", 1 << 16)
    data = pack(bytes(1 << 24))
    tombstone = replace(filed()[1], sha256=hashlib.sha256(data).hexdigest())
    with pytest.raises(StreamCorrupt, match="longer than it may be"):
        decode(MATCH_ID, tombstone, data)


def test_two_files_in_one_are_none() -> None:
    data, tombstone = filed()
    twice = data + data
    with pytest.raises(StreamCorrupt, match="unused data"):
        decode(MATCH_ID, replace(tombstone, sha256=hashlib.sha256(twice).hexdigest()), twice)


@pytest.mark.parametrize("limit", ["LARGEST", "LARGEST_FILE"])
def test_what_could_not_be_read_back_is_not_written(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(archive_file, limit, 100)
    with pytest.raises(ValueError, match="more than an archive file may hold"):
        encode(MATCH_ID, ENTRIES)
