"""docs/verifying.md: what it shows is so, and says how every event moves coins and cards."""

import base64
import json
import re
from typing import Any

import msgspec
import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from domain.audit.report import NAMES
from domain.canonical import sha256
from domain.match.events import REGISTRY
from machi.cli.audits.reporter import EXIT_CODES
from ops.run import ROOT
from tests.domain.independent_dice import die, digests, pick, table_key
from tests.golden import vectors

PAGE = (ROOT / "docs/verifying.md").read_text()


def shown(name: str) -> str:
    """The block behind a mark in the page."""
    (found,) = re.findall(rf"<!-- {name} -->\n```\w*\n(.*?)\n```", PAGE, re.S)
    text: str = found
    return text


def test_the_event_of_the_page_has_the_bytes_and_the_hash_that_are_shown() -> None:
    event: dict[str, Any] = json.loads(shown("event"))
    hashed = event.pop("hash")
    message = rfc8785.dumps(event)
    assert message.decode() == shown("event canonical")
    assert f"these {len(message)} bytes" in PAGE
    assert sha256(message) == hashed


def test_the_checkpoint_of_the_page_has_the_hash_and_the_signature_that_are_shown() -> None:
    message = shown("checkpoint").encode()
    hashed, signature = shown("signed").splitlines()
    assert rfc8785.dumps(json.loads(message)) == message
    assert sha256(message) == hashed
    (key,) = json.loads((vectors.FOLDER / "signing-keys.json").read_bytes())["items"]
    public_key = Ed25519PublicKey.from_public_bytes(base64.b64decode(key["public_key"]))
    public_key.verify(base64.b64decode(signature), message)


def test_the_luck_of_the_page_is_that_of_the_vector() -> None:
    lines = vectors.exports()["harbor.ndjson"]
    (reveal,) = [line for line in lines if line["kind"] == "reveal"]
    events = [line["event"] for line in lines if line["kind"] == "event"]
    (started,) = [event for event in events if event["type"] == "match_started"]
    refill = next(event for event in events if event["type"] == "market_refilled")
    thrown = next(event for event in events if event["type"] == "dice_rolled")
    key = table_key(bytes.fromhex(reveal["seed"]), reveal["seat_seeds"])
    left = sum(started["data"]["decks"].values())
    assert (left, pick(key, "draw|market|1", left)) == (145, 46)
    assert refill["data"]["cards"][0] == "furniture_factory"
    assert list(thrown["data"]["values"]) == [die(key, "die|0|1|roll|1|0")] == [2]
    told = [reveal["seed"], key.hex(), *[next(digests(key, one)).hex() for one in ADDRESSES]]
    assert [one for one in told if f"`{one}`" not in PAGE] == []


def test_the_commitment_of_a_seat_that_is_shown_is_that_of_its_seed() -> None:
    text = (ROOT / "docs/fairness.md").read_text()
    found = re.search(r"commitment\s+`(\S+)`, seat (\d) and the seed\s+`(\w+)` it is `(\S+)`\.", text)
    assert found is not None
    match, seat, seed, commitment = found.groups()
    assert sha256(rfc8785.dumps([match, int(seat), seed])) == commitment


ADDRESSES = ("draw|market|1", "die|0|1|roll|1|0")


def test_every_check_and_exit_code_is_explained() -> None:
    table = PAGE[PAGE.index("## The report") : PAGE.index("## What may be concluded")]
    for name in NAMES:
        assert re.search(rf"^\| .*`{name}`.* \|", table, re.M), name
    for code in EXIT_CODES.values():
        assert re.search(rf"^\| {code} \|", table, re.M), code


def test_every_event_that_moves_coins_or_cards_is_in_the_table() -> None:
    """Those whose data name coins, a price, a payment or cards that change hands."""
    moving = {"coins", "price", "paid", "cards", "give", "to_seat"}
    table = PAGE[PAGE.index("## Coins and cards") : PAGE.index("## What needs the rules")]
    for name, cls in REGISTRY.items():
        members = {member.name for member in msgspec.structs.fields(cls)}
        if members & moving and name != "branch_started":
            assert f"`{name}`" in table, name


@pytest.mark.parametrize("name", sorted(vectors.files()))
def test_every_vector_is_listed(name: str) -> None:
    assert f"(vectors/{name})" in PAGE


def test_the_members_of_all_events_are_listed() -> None:
    table = PAGE.partition("<!-- members -->")[2].partition("\n\n")[0]
    listed = {
        names[0]: names[1:] for names in [re.findall(r"`(\w+)`", row) for row in table.splitlines()[3:]]
    }
    assert listed == {
        name: [member.name for member in msgspec.structs.fields(cls)] for name, cls in REGISTRY.items()
    }
