"""Hashes of events: of the canonical JSON of what the API shows, each with the one before in it."""

import hashlib

import msgspec
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from events import Envelope, Matches, MemoryStore, StreamCorrupt
from events.matches.entries import CODEC
from events.store.chain import NO_HASH, EntryMetadata
from events.store.recorded import Recorded
from tests.events.example_matches import SEEDS, creation, finished_match

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_ints = st.integers(-(2**53) + 1, 2**53 - 1)
_names = st.text("abcxyz_09", min_size=1, max_size=4)
_values = st.recursive(
    st.none() | st.booleans() | _ints | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=6,
)


def sha256(envelope: Envelope) -> str:
    """The hash as a stranger computes it from an answer of the API."""
    members = msgspec.to_builtins(envelope)
    del members["hash"]
    return "sha-256:" + hashlib.sha256(rfc8785.dumps(members)).hexdigest()


@settings(deadline=None)
@given(
    metadata=st.builds(EntryMetadata, _texts, _texts, _texts, _texts, st.integers(0, 4_000_000_000_000)),
    first=st.integers(1, 2**40),
    members=st.lists(st.dictionaries(_names, _values, max_size=4), min_size=1, max_size=3),
    previous=st.binary(min_size=32, max_size=32),
)
def test_hashes_are_those_of_canonical_json_by_another_implementation(
    metadata: EntryMetadata, first: int, members: list[dict[str, object]], previous: bytes
) -> None:
    events = [Recorded("dice_rolled", 1, one) for one in members]
    for envelope in CODEC.envelopes(metadata, first, events, previous):
        assert envelope.previous_hash == f"sha-256:{previous.hex()}"
        assert envelope.hash == sha256(envelope)
        previous = bytes.fromhex(envelope.hash.removeprefix("sha-256:"))


@pytest.mark.parametrize("name", ["Олена", 'quote " and \\', "tab\tnewline\nbell\x07\x7f", "🎲\u2028", ""])
def test_names_of_any_kind_are_hashed_like_anywhere_else(name: str) -> None:
    matches = Matches(MemoryStore(), SEEDS)
    command = creation(tags=(name,), creator=name)
    for envelope in matches.create(command).events:
        assert envelope.hash == sha256(envelope)


def test_a_whole_match_is_one_chain_from_zeros_to_the_head() -> None:
    matches = Matches(MemoryStore(), SEEDS)
    loaded = finished_match(matches)
    previous = "sha-256:" + 64 * "0"
    events = matches.history.events(loaded.match_id, 0, 10_000)
    for sequence, envelope in enumerate(events, 1):
        assert (envelope.sequence, envelope.previous_hash) == (sequence, previous)
        assert envelope.hash == sha256(envelope)
        previous = envelope.hash
    assert previous == f"sha-256:{loaded.head_hash.hex()}"


def test_an_event_is_hashed_when_written_as_when_read() -> None:
    matches = Matches(MemoryStore(), SEEDS)
    loaded = finished_match(matches)
    before, version = NO_HASH, 0
    for entry in matches.store.read(loaded.match_id):
        metadata = EntryMetadata(
            loaded.match_id,
            "base@1",
            entry.actor,
            entry.command_id(loaded.match_id, version + 1),
            entry.time_ms,
        )
        texts = CODEC.texts(CODEC.decode(entry.events))
        written = CODEC.hashes(metadata, version + 1, texts, before)
        read = CODEC.envelopes_of(loaded.match_id, "base@1", entry, version, before)
        assert [f"sha-256:{one.hex()}" for one in written] == [envelope.hash for envelope in read]
        before, version = entry.hash, entry.last


def test_an_entry_with_another_hash_or_a_gap_is_not_shown() -> None:
    matches = Matches(MemoryStore(), SEEDS)
    created = matches.create(creation())
    (entry,) = matches.store.read(created.match_id)
    forged = msgspec.structs.replace(entry, hash=b"x" * 32)
    with pytest.raises(StreamCorrupt, match="hash") as caught:
        CODEC.envelopes_of(created.match_id, "base@1", forged, 0, NO_HASH)
    assert caught.value.sequence == 1
    gap = msgspec.structs.replace(entry, last=created.last + 1)
    with pytest.raises(StreamCorrupt, match="gap"):
        CODEC.envelopes_of(created.match_id, "base@1", gap, 0, NO_HASH)
