"""Checkpoints: whatever is changed in one is found."""

from base64 import b64decode, b64encode
from functools import cache
from typing import Any

import msgspec
import pytest
import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.audit.checkpoints import (
    NO_HASH,
    TYPE,
    Checkpoint,
    checkpoint_of,
    digest_of_match,
    fault_of,
    message_of,
)
from domain.canonical import sha256
from tests.domain.independent_signatures import is_signed
from tests.e2e.audit import assert_log_whole
from tests.golden.checkpoint_vectors import FILE, vectors

KEYS = {name: Ed25519PrivateKey.from_private_bytes(name.encode() * 16) for name in ("k1", "k2")}


def is_good(key_id: str, message: bytes, signature: str) -> bool:
    if key_id not in KEYS:
        return False
    try:
        KEYS[key_id].public_key().verify(b64decode(signature), message)
    except InvalidSignature:
        return False
    return True


def signed(key: str = "", **members: Any) -> Checkpoint:
    """A line with some other members, hashed and signed; by that key, or the one that it names."""
    line = Checkpoint(
        **{
            "number": 7,
            "match_id": "mat_1",
            "match_digest": digest_of_match("mat_1"),
            "rules_version": "base@1",
            "status": "finished",
            "version": 300,
            "head_hash": sha256(b"the last event"),
            "time": "2026-11-20T12:00:54.821Z",
            "key_id": "k1",
            "previous_hash": sha256(b"the line before"),
            **members,
        }
    )
    message = message_of(line)
    signature = b64encode(KEYS[key or line.key_id].sign(message)).decode()
    return msgspec.structs.replace(line, hash=sha256(message), signature=signature)


OTHERS: dict[str, Any] = {
    "type": "another",
    "number": 8,
    "match_id": None,
    "match_digest": digest_of_match("mat_2"),
    "rules_version": "base@2",
    "status": "aborted",
    "version": 301,
    "head_hash": sha256(b"another event"),
    "time": "2026-11-20T12:00:54.822Z",
    "key_id": "k2",
    "previous_hash": sha256(b"another line"),
    "hash": sha256(b"another message"),
    "signature": b64encode(bytes(64)).decode(),
}
"""Another value for each member."""


def test_a_line_as_it_was_signed_has_no_fault() -> None:
    assert fault_of(signed(), is_good) == ""
    assert fault_of(signed(match_id=None), is_good) == ""


def test_what_is_signed_is_the_canonical_json_of_all_members_but_hash_and_signature() -> None:
    line = signed()
    members = msgspec.to_builtins(line)
    del members["hash"], members["signature"]
    assert message_of(line) == rfc8785.dumps(members)
    assert members["type"] == TYPE


@pytest.mark.parametrize("name", Checkpoint.__struct_fields__)
def test_each_single_change_is_found(name: str) -> None:
    assert fault_of(msgspec.structs.replace(signed(), **{name: OTHERS[name]}), is_good) != ""


@pytest.mark.parametrize("name", [*OTHERS][:-2])
def test_a_change_whose_hash_was_put_right_is_found_by_the_signature(name: str) -> None:
    changed = msgspec.structs.replace(signed(), **{name: OTHERS[name]})
    changed = msgspec.structs.replace(changed, hash=sha256(message_of(changed)))
    assert fault_of(changed, is_good) != ""


def test_a_line_signed_by_another_key_than_it_names_is_found() -> None:
    assert fault_of(signed("k2"), is_good) == "line 7 is not signed by a trusted key 'k1'"


def test_a_line_of_an_unknown_key_is_found() -> None:
    assert fault_of(signed("k1", key_id="k9"), is_good) == "line 7 is not signed by a trusted key 'k9'"


def test_a_line_of_another_type_is_none_though_it_is_signed() -> None:
    assert fault_of(signed(type="another"), is_good) == "type 'another' is not 'match_checkpoint'"


def test_json_is_read_as_it_was_written() -> None:
    line = signed()
    assert checkpoint_of(msgspec.to_builtins(line)) == line
    for wrong in ({"more": 1}, {"number": "7"}, {"head_hash": None}):
        with pytest.raises(msgspec.ValidationError):
            checkpoint_of({**msgspec.to_builtins(line), **wrong})


@cache
def recorded() -> dict[str, Any]:
    return dict(msgspec.json.decode(FILE.read_bytes()))


def test_the_vectors_are_what_the_notary_signs() -> None:
    assert vectors() == recorded(), "run: make golden"


def test_the_vectors_hold_by_another_computation() -> None:
    key, lines = recorded()["key"], recorded()["lines"]
    checkpoints = [line["checkpoint"] for line in lines]
    public_key = b64decode(key["public_key"])
    assert len(lines) == 3
    assert_log_whole(checkpoints, {key["key_id"]: key["public_key"]})
    assert checkpoints[0]["previous_hash"] == NO_HASH
    for line, checkpoint in zip(lines, checkpoints, strict=True):
        message, signature = line["signed"].encode(), b64decode(checkpoint["signature"])
        assert checkpoint["hash"] == sha256(message)
        assert checkpoint["match_digest"] == sha256(line["match_id"].encode())
        assert is_signed(public_key, message, signature)
        assert not is_signed(public_key, message + b" ", signature)
    assert [line["match_id"] is not None for line in checkpoints] == [True, False, False]


@pytest.mark.parametrize("change", ["swapped", "taken out", "put in", "cut at the beginning"])
def test_lines_out_of_order_are_found(change: str) -> None:
    key = recorded()["key"]
    first, second, third = [line["checkpoint"] for line in recorded()["lines"]]
    log = {
        "swapped": [first, third, second],
        "taken out": [first, third],
        "put in": [first, second, second, third],
        "cut at the beginning": [second, third],
    }[change]
    with pytest.raises(AssertionError):
        assert_log_whole(log, {key["key_id"]: key["public_key"]})
