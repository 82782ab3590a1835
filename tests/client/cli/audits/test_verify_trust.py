"""`machi verify`: keys that are trusted, and receipts that were kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.client.commands import Run
from tests.client.exports import BASE, KEYS, file_of, short, signed, told
from tests.golden.exports import (
    KEY_ID,
    PUBLIC_KEY,
    Line,
    matches,
)


def test_without_keys_it_is_said_what_a_signature_proves(verify: Run) -> None:
    code, out, err = verify(BASE)
    assert (code, out.count("\n")) == (0, 1)
    assert err.startswith(
        f"Signatures were checked with the key in the file: {KEY_ID!r} (9631 d4b0 71a0 acbd)."
    )
    assert "This proves only that the file is consistent and was signed with that key" in err


def test_a_pinned_key_is_trusted_and_no_other(verify: Run) -> None:
    other = [{"key_id": KEY_ID, "algorithm": "Ed25519", "public_key": "A" * 43 + "="}]
    Path("other").write_text(json.dumps({"items": other}))
    code, out, _ = verify("--keys", "other", BASE)
    assert code == 1
    assert f"checkpoint: line 1 is not signed by a trusted key {KEY_ID!r}" in out


def test_a_key_that_comes_with_the_file_does_not_count_beside_pinned_ones(verify: Run) -> None:
    elsewhere = [{"key_id": "k9", "algorithm": "Ed25519", "public_key": PUBLIC_KEY}]
    Path("keys").write_text(json.dumps({"items": elsewhere, "next": None}))
    assert verify("--keys", "keys", BASE)[0] == 1


@pytest.mark.parametrize("key", ["x", 7, None, [PUBLIC_KEY]])
def test_a_key_of_another_shape_is_unreadable(key: Any, verify: Run) -> None:
    lines = signed(*short())
    lines[-1] = {**lines[-1], "key": key}
    code, out, _ = verify(file_of("f", [lines]))
    assert (code, out.splitlines()[0].endswith("unreadable: the key is no JSON object")) == (3, True)


def test_a_signature_in_another_text_is_none(verify: Run) -> None:
    lines = signed(*short())
    checkpoint = lines[-1]["checkpoint"]
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    good = checkpoint["signature"]
    # The last letter before the padding stands for two bits alone.
    twin = f"{good[:-3]}{digits[digits.index(good[-3]) + 1]}=="
    lines[-1] = {**lines[-1], "checkpoint": {**checkpoint, "signature": twin}}
    assert verify("--keys", KEYS, file_of("f", [lines]))[0] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read keys: No such file or directory"),
        ("{}", "keys is not a response of GET /v1/signing-keys"),
        ('{"items": []}', "keys has no keys, or two keys with the same id"),
        (
            '{"items": [{"key_id": "k", "algorithm": "Ed25519", "public_key": "x"}]}',
            "the key 'k' in keys is not an Ed25519 key",
        ),
    ],
)
def test_keys_that_are_none_end_with_3(content: str | None, message: str, verify: Run) -> None:
    if content is not None:
        Path("keys").write_text(content)
    assert verify("--keys", "keys", BASE) == (3, "", f"error: {message}\n")


def test_programs_are_told_the_key_that_a_signature_is_good_by(verify: Run) -> None:
    lines = signed(*short())
    for given in ((), ("--keys", KEYS)):
        _, out, _ = verify("--json", *given, file_of("f", [lines]))
        assert (told(out)["key_id"], told(out)["key_fingerprint"]) == (KEY_ID, "9631 d4b0 71a0 acbd")
    lines[-1]["checkpoint"]["version"] += 1
    _, out, _ = verify("--json", "--keys", KEYS, file_of("f", [lines]))
    assert (told(out)["key_id"], told(out)["key_fingerprint"]) == (None, None)


@pytest.mark.parametrize(
    "other",
    [
        {"public_key": "A" * 43 + "="},
        {"public_key": "x"},
        {"key_id": "another"},
        {"algorithm": "RSA"},
        {"algorithm": None},
    ],
)
def test_another_key_in_the_file_is_told_beside_the_trusted_one(other: dict[str, Any], verify: Run) -> None:
    lines = signed(*short())
    lines[-1]["key"].update(other)
    code, out, _ = verify("--json", "--keys", KEYS, file_of("f", [lines]))
    assert (code, told(out)["key_id"]) == (1, KEY_ID)
    (check,) = [one for one in told(out)["checks"] if one["name"] == "checkpoint"]
    assert (check["status"], check["detail"]) == (
        "failed",
        "the key in the file is not the trusted key that signed it",
    )
    assert verify("--json", "f")[0] == 1


def test_keys_with_a_member_twice_are_none(verify: Run) -> None:
    text = Path(KEYS).read_text()
    Path("keys").write_text(text.replace('"algorithm"', '"algorithm": "RSA", "algorithm"'))
    assert verify("--keys", "keys", BASE)[0] == 3


def receipt(version: int, line: Line) -> str:
    return f'v={version}; h="{line["event"]["hash"]}"'


def test_a_receipt_that_was_kept_is_part_of_the_match(verify: Run) -> None:
    lines = signed(*short())
    name = file_of("f", [lines])
    assert verify("--keys", KEYS, name, "--receipt", receipt(20, lines[21]))[0] == 0
    code, out, _ = verify("--keys", KEYS, name, "--receipt", receipt(21, lines[21]))
    assert code == 1
    assert "failed: receipt at event 21: the receipt is of another history" in out


def test_a_history_written_anew_is_caught_by_a_receipt(verify: Run) -> None:
    (played,) = short()
    kept = receipt(20, signed(played)[21])
    (other,) = matches(1, most=60, resigns=True, ruleset="harbor")
    lines = signed(other)
    assert verify("--keys", KEYS, file_of("f", [lines]))[0] == 0
    assert verify("--keys", KEYS, "f", "--receipt", kept)[0] == 1


def test_of_several_matches_one_is_named_for_the_receipt(verify: Run) -> None:
    one, two = short(2)
    name = file_of("f", [signed(one), signed(two)])
    kept = receipt(9, signed(two)[10])
    code, _, err = verify("--keys", KEYS, name, "--receipt", kept)
    assert (code, err) == (
        2,
        "error: the files contain several matches; name the match of the receipt with --match\n",
    )
    assert verify("--keys", KEYS, name, "--receipt", kept, "--match", two.match_id)[0] == 0
    assert verify("--keys", KEYS, name, "--receipt", kept, "--match", one.match_id)[0] == 1


def test_a_receipt_of_a_match_that_is_not_there_is_not_passed_over(verify: Run) -> None:
    code, _, err = verify(
        "--keys", KEYS, BASE, "--receipt", f'v=1; h="{"sha-256:" + "0" * 64}"', "--match", "mat_1"
    )
    assert (code, err) == (
        3,
        "error: the files do not contain mat_1, so its receipt was not checked\n",
    )
