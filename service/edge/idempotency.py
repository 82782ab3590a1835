"""The Idempotency-Key of a request that creates something: its record's name, and the body's fingerprint.

A record in the event store holds the outcome of such a request. Its name derives from the kind of request,
the owner of the key, and a hash of the key. A refused request leaves no record. A repeated key is answered
where things are created: `service.matches.creation`, `service.ladders.new_ladder`, `service.accounts`; that
of a command to a match or a ladder in `events.store.aggregates.execute`, without a record.
"""

import hashlib
from typing import Final

from msgspec import Struct

from events.store import keys
from service.edge.problems import Problem, at
from service.edge.requests import canonical_body, idempotency_key

DAY_MS: Final = 86_400_000

KEPT_MS: Final = 30 * DAY_MS
"""How long a response is kept for an account."""

KEPT_FOR_ADDRESS_MS: Final = DAY_MS
"""How long a response is kept for an address, which may belong to anybody."""

SHORTEST_SECRET: Final = 22
"""The fewest characters of a key that must be secret: as many as 128 random bits in base64."""


class Keyed(Struct, frozen=True):
    """A request with an Idempotency-Key."""

    record: str
    """The key of its record in the event store."""
    fingerprint: str
    """A hash of its body."""
    idempotency_key: str
    """Never stored."""

    def require_same(self, fingerprint: str) -> None:
        """Require the body that was recorded under the key.

        Raises:
            Problem: `idempotency_key_reused`.
        """
        if fingerprint != self.fingerprint:
            raise Problem("idempotency_key_reused")


def keyed_request(kind: str, whose: str, shortest: int = 1) -> Keyed | None:
    """The current request, if it has a key. `whose` names the account or address that owns the key.

    Raises:
        Problem: `invalid_parameter`, the key is malformed, or has fewer characters than `shortest`.
    """
    key = idempotency_key()
    if key is None:
        return None
    if len(key) < shortest:
        detail = f"here, a key must have at least {shortest} characters and be impossible to guess"
        raise at("/Idempotency-Key", detail, "invalid_parameter")
    digest = hashlib.sha256(f"{whose}\n{key}".encode()).hexdigest()
    fingerprint = hashlib.sha256(canonical_body()).hexdigest()[:32]
    return Keyed(keys.answered(kind, digest), fingerprint, key)
