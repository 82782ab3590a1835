"""What anybody can check of a match with its events and docs/fairness.md; no code of the service."""

import hashlib
import hmac
import json
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

Json = dict[str, Any]


def sha256(data: bytes) -> str:
    return f"sha-256:{hashlib.sha256(data).hexdigest()}"


def assert_chained(events: Sequence[Json]) -> None:
    """Each event's hash covers all its other members, the hash of the event before among them."""
    before = "sha-256:" + 64 * "0"
    for sequence, event in enumerate(events, 1):
        covered = {name: value for name, value in event.items() if name != "hash"}
        assert (event["sequence"], event["previous_hash"]) == (sequence, before)
        assert event["hash"] == sha256(rfc8785.dumps(covered))
        before = event["hash"]


def assert_log_whole(lines: Sequence[Json], public_keys: Mapping[str, str]) -> None:
    """The lines are the whole log of checkpoints up to the last of them, each by one of the keys.

    `public_keys` are in base64, by key id.
    """
    before = "sha-256:" + 64 * "0"
    for number, line in enumerate(lines, 1):
        covered = {name: value for name, value in line.items() if name not in ("hash", "signature")}
        message = rfc8785.dumps(covered)
        assert (line["number"], line["previous_hash"], line["hash"]) == (number, before, sha256(message))
        key = Ed25519PublicKey.from_public_bytes(b64decode(public_keys[line["key_id"]]))
        key.verify(b64decode(line["signature"]), message)
        if line["match_id"] is not None:
            assert line["match_digest"] == sha256(line["match_id"].encode())
        before = line["hash"]


class Luck:
    """The dice and draws of a match from the seed that its last event gives."""

    def __init__(self, events: Sequence[Json], catalogue: Sequence[str]) -> None:
        """`catalogue` are the ids of all cards in their order."""
        self._events = events
        self._catalogue = catalogue
        seed = bytes.fromhex(events[-1]["data"]["seed"])
        self.commitment = sha256(seed)
        seats = {event["data"]["seat"]: event["data"]["seed"] for event in self._of("seat_taken")}
        message = json.dumps([seats[seat] for seat in sorted(seats)], separators=(",", ":"))
        self._key = hmac.digest(seed, message.encode(), "sha256")
        self._seats = len(seats)

    def _of(self, *types: str) -> list[Json]:
        return [event for event in self._events if event["type"] in types]

    def first_seat(self) -> int:
        return self._place("first_seat", self._seats)

    def throws(self) -> list[list[int]]:
        """The dice of each `dice_rolled`."""
        found, turns, seat = [], Counter[int](), -1
        for event in self._of("turn_started", "dice_rolled"):
            data = event["data"]
            if event["type"] == "turn_started":
                seat = data["seat"]
                turns[seat] += 1
                continue
            address = f"die|{seat}|{turns[seat]}|{data['purpose']}|1"
            found.append([self._die(f"{address}|{i}") for i in range(len(data["values"]))])
        return found

    def draws(self, row: str) -> list[str]:
        """The cards of each `market_refilled` of a match with one row, in one list."""
        left = Counter(self._of("match_started")[0]["data"]["decks"])
        found: list[str] = []
        for _ in range(sum(len(event["data"]["cards"]) for event in self._of("market_refilled"))):
            deck = [card for card in self._catalogue for _ in range(left[card])]
            card = deck[self._place(f"draw|{row}|{len(found) + 1}", len(deck))]
            left[card] -= 1
            found.append(card)
        return found

    def _digests(self, address: str) -> Iterator[bytes]:
        block = 0
        while True:
            yield hmac.digest(self._key, f"{address}|{block}".encode(), "sha256")
            block += 1

    def _die(self, address: str) -> int:
        fair = (byte for digest in self._digests(address) for byte in digest if byte < 252)
        return next(fair) % 6 + 1

    def _place(self, address: str, cards: int) -> int:
        numbers = (
            int.from_bytes(digest[i : i + 2], "big")
            for digest in self._digests(address)
            for i in range(0, 32, 2)
        )
        return next(number for number in numbers if number < 65536 - 65536 % cards) % cards
