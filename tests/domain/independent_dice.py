"""The dice and draws of a match worked out anew from the text of `domain.match.chance` alone."""

import hmac
import json
from collections.abc import Iterator, Sequence


def table_key(seed: bytes, seat_seeds: Sequence[str]) -> bytes:
    text = json.dumps(list(seat_seeds), ensure_ascii=False, separators=(",", ":"))
    return hmac.new(seed, text.encode(), "sha256").digest()


def digests(key: bytes, address: str) -> Iterator[bytes]:
    """The digest of each block of an address, from block 0."""
    block = 0
    while True:
        yield hmac.new(key, f"{address}|{block}".encode(), "sha256").digest()
        block += 1


def die(key: bytes, address: str) -> int:
    for digest in digests(key, address):
        fair = [byte for byte in digest if byte < 252]
        if fair:
            return fair[0] % 6 + 1
    raise AssertionError


def pick(key: bytes, address: str, left: int) -> int:
    """The place, from 0, of one of so many cards."""
    for digest in digests(key, address):
        numbers = [int.from_bytes(digest[i : i + 2], "big") for i in range(0, 32, 2)]
        fair = [number for number in numbers if number < 65536 // left * left]
        if fair:
            return fair[0] % left
    raise AssertionError
