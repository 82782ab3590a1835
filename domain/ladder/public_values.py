"""Rounds of ladders that are bound to a public value: all that their dice follow from.

    match seed = HMAC-SHA256(round seed, match id), see `domain.match.derivation`
    seat seed  = the SHA-256 of the value in hex, the same on every seat
    match id   = `mat_` and a ULID: the time of the round in ms, then the first ten bytes of the SHA-256 of
                 `ladder|ladder id|block|attempt|rotation`

`round_opened` commits to the round seed and fixes tables, ids and the moment of the value. So once the value
is public all dice of the round are fixed, and nobody could choose them.
"""

import hashlib
from typing import Final

SOONEST_MS: Final = 60_000
"""A value is published so long after its round was opened: somebody can keep the hash before."""
LATEST_MS: Final = 30 * 86_400_000

_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID_DIGITS: Final = 26


def round_of(ladder_id: str, number: int, at_ms: int) -> str:
    """What names a round in the dice of its matches; `at_ms` is the moment of its value, in ms since 1970.

    Where history was lost with an older copy of the store, the next round of the number has a later moment,
    so its seed is none that was revealed before.
    """
    return f"{ladder_id}|{number}|{at_ms}"


def seat_seed(value: str) -> str:
    """What every seat adds to the dice: the SHA-256 of the value in hex."""
    return hashlib.sha256(value.encode()).hexdigest()


def match_id(ladder_id: str, opened_at_ms: int, block: int, attempt: int, rotation: int) -> str:
    """The id of one match of a round: always the same, so nobody can choose it once the round is open."""
    label = f"ladder|{ladder_id}|{block}|{attempt}|{rotation}"
    digest = hashlib.sha256(label.encode()).digest()
    number = int.from_bytes(opened_at_ms.to_bytes(6, "big") + digest[:10], "big")
    return "mat_" + "".join([_DIGITS[number >> 5 * place & 31] for place in reversed(range(_ULID_DIGITS))])
