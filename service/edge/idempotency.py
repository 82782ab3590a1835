"""Requests under an Idempotency-Key, for what does not become a command to a match that is there already.

A record in the event store says what came of such a request. It is known by the kind of the request, by whose
key it is, and by the key, of which only a hash is kept. What is refused leaves no record.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from service.edge import keys
from service.edge.problems import Problem, at
from service.edge.requests import canonical_body, idempotency_key

DAY_MS: Final = 86_400_000

KEPT_MS: Final = 30 * DAY_MS
"""How long an answer is kept for an account."""

KEPT_FOR_ADDRESS_MS: Final = DAY_MS
"""How long an answer is kept for an address of which nobody knows who is behind it."""

SHORTEST_SECRET: Final = 22
"""Characters of a key that has to be kept secret: 128 random bits in base64 have as many."""

_REPLAYED: Final = {"Idempotency-Replayed": "true"}


class Keyed(Struct, frozen=True):
    """A request that came under an Idempotency-Key."""

    record: str
    """The key of its record in the event store."""
    fingerprint: str
    """What tells its body from others."""
    idempotency_key: str
    """Never stored."""

    def require_same(self, fingerprint: str) -> None:
        """Refuse another body than the one that was recorded.

        Raises:
            Problem: `idempotency_key_reused`.
        """
        if fingerprint != self.fingerprint:
            raise Problem("idempotency_key_reused")


def keyed_request(kind: str, whose: str, shortest: int = 1) -> Keyed | None:
    """The request that is being handled, if it came under a key. `whose` names an account or an address.

    Raises:
        Problem: `invalid_parameter`, the key is none, or has fewer characters than `shortest`.
    """
    key = idempotency_key()
    if key is None:
        return None
    if len(key) < shortest:
        detail = f"here a key has {shortest} characters at least, and nobody can guess it"
        raise at("/Idempotency-Key", detail, "invalid_parameter")
    digest = hashlib.sha256(f"{whose}\n{key}".encode()).hexdigest()
    fingerprint = hashlib.sha256(canonical_body()).hexdigest()[:32]
    return Keyed(keys.answered(kind, digest), fingerprint, key)


def replay_mark(is_replayed: bool) -> Mapping[str, str]:
    """The header of an answer that tells a repetition."""
    return _REPLAYED if is_replayed else {}
