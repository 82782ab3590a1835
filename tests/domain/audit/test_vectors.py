"""The test vectors for strangers hold, by code that shares nothing with what made them."""

import hashlib
import hmac
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import msgspec

from tests.domain.independent_dice import die, digests, pick, table_key
from tests.golden import dice_vectors

Json = dict[str, Any]


def matches() -> list[Json]:
    recorded = msgspec.json.decode(dice_vectors.FILE.read_bytes(), type=dict[str, list[Json]])
    return recorded["matches"]


def parts(*names: str) -> Iterator[tuple[bytes, Json]]:
    """The vectors of those kinds, each with its table key."""
    for match in matches():
        for name in names:
            found = match[name]
            for vector in found if isinstance(found, list) else [found]:
                yield bytes.fromhex(match["table_key"]), vector


def numbers(digest: str) -> list[int]:
    raw = bytes.fromhex(digest)
    return [raw[i] << 8 | raw[i + 1] for i in range(0, 32, 2)]


def test_the_vectors_are_those_of_the_generator() -> None:
    assert msgspec.json.decode(msgspec.json.encode(dice_vectors.dice()))["matches"] == matches(), (
        "run: make golden"
    )


def test_commitments_and_table_keys_follow_from_the_seeds() -> None:
    for match in matches():
        seed = bytes.fromhex(match["seed"])
        assert match["commitment"] == f"sha-256:{hashlib.sha256(seed).hexdigest()}"
        assert match["table_key"] == table_key(seed, match["seat_seeds"]).hex()


def test_every_digest_is_that_of_its_address() -> None:
    for key, vector in parts("first_seat", "dice", "draws"):
        assert vector["digest"] == hmac.new(key, vector["address"].encode(), "sha256").hexdigest()


def test_every_die_is_made_of_the_first_fair_byte() -> None:
    for key, vector in parts("dice"):
        stem, _, block = vector["address"].rpartition("|")
        raw = bytes.fromhex(vector["digest"])
        assert vector["value"] == die(key, stem) == vector["byte"] % 6 + 1
        assert len([*takewhile(lambda byte: byte >= 252, raw)]) == vector["byte_index"]
        assert (raw[vector["byte_index"]], block) == (vector["byte"], "0")


def test_every_choice_is_made_of_the_first_fair_number() -> None:
    for key, vector in parts("first_seat", "draws"):
        stem, _, block = vector["address"].rpartition("|")
        left, shown = vector["left"], numbers(vector["digest"])
        limit = 65536 // left * left
        assert vector["place"] == pick(key, stem, left) == vector["number"] % left
        assert shown[vector["number_index"]] == vector["number"] < limit
        assert all(number >= limit for number in shown[: vector["number_index"]])
        skipped = [digest for _, digest in zip(range(int(block)), digests(key, stem), strict=False)]
        assert all(number >= limit for digest in skipped for number in numbers(digest.hex()))


def test_rare_cases_are_among_them() -> None:
    for match in matches():
        assert {0, 1, 2} <= {vector["byte_index"] for vector in match["dice"]}
        assert {0, 1} <= {vector["number_index"] for vector in match["draws"]}
        assert {vector["address"].split("|")[3] for vector in match["dice"]} == {"roll", "reroll", "boats"}
    assert {len(match["seat_seeds"]) for match in matches()} == {2, 3, 5}
    assert {vector["address"].rpartition("|")[2] for _, vector in parts("draws")} == {"0", "1"}
