"""The derivation of the match ids of every round, and of the seeds of rounds with a public value.

    match id   = `mat_` and a ULID: the time of the round in ms, then the first ten bytes of the SHA-256 of
                 `ladder|ladder id|block|attempt|rotation`

With a public value:

    match seed = HMAC-SHA256(round seed, match id), see `domain.match.chance`
    seat seed  = the SHA-256 of the value in hex, the same on every seat

`round_opened` commits to the round seed and fixes the tables, the match ids and the time of the value. Once
the value is public, all dice of the round are determined, and nobody could have chosen them.
"""

import hashlib
from typing import Final

SOONEST_MS: Final = 60_000
"""The shortest time from opening a round to its value, in which others can keep the hash of the opening."""
LATEST_MS: Final = 30 * 86_400_000

_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID_DIGITS: Final = 26


def round_of(ladder_id: str, number: int, at_ms: int) -> str:
    """The name of a round in the dice of its matches; `at_ms` is the time of its value, in ms since 1970.

    If history was lost by restoring an old backup, the next round with the same number has a later time, and
    thus a seed that was not revealed before.
    """
    return f"{ladder_id}|{number}|{at_ms}"


def seat_seed(value: str) -> str:
    """The seed that every seat adds: the SHA-256 of the value in hex."""
    return hashlib.sha256(value.encode()).hexdigest()


def match_id(ladder_id: str, opened_at_ms: int, block: int, attempt: int, rotation: int) -> str:
    """The id of a match of a round, which is determined once the round is open."""
    label = f"ladder|{ladder_id}|{block}|{attempt}|{rotation}"
    digest = hashlib.sha256(label.encode()).digest()
    number = int.from_bytes(opened_at_ms.to_bytes(6, "big") + digest[:10], "big")
    return "mat_" + "".join([_DIGITS[number >> 5 * place & 31] for place in reversed(range(_ULID_DIGITS))])
