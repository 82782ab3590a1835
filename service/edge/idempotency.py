"""The Idempotency-Key of a request that creates something, and how a repetition of the request is recognised.

A record in the event store says what such a request created, or is about to create. Its name derives from
the kind of request, the owner of the key, and a hash of the key. A refused request leaves no record. Tokens
have records of their own form in `service.accounts.tokens`. A command to a match or a ladder needs none: its
id derives from the key, and `events.store.aggregates.execute` finds it in the stream.
"""

import hashlib
from typing import Any, Final, TypeVar

import msgspec
import redis
from msgspec import Struct

from events.store import keys
from service.edge.problems import key_reused, problem_at
from service.edge.requests import canonical_body, idempotency_key

DAY_MS: Final = 86_400_000

KEPT_MS: Final = 30 * DAY_MS
"""How long a response is kept for an account."""

KEPT_FOR_ADDRESS_MS: Final = DAY_MS
"""How long a response is kept for an address, which may belong to anybody."""

SHORTEST_SECRET: Final = 22
"""The fewest characters of a key that must be secret: as many as 128 random bits in base64."""


class Record(Struct, frozen=True):
    """What is recorded under a key; the kinds of requests add the ids of what they create."""

    fingerprint: str
    """A hash of the body of the first request."""


R = TypeVar("R", bound=Record)


class Keyed(Struct, frozen=True):
    """A request with an Idempotency-Key."""

    record: str
    """The key of its record in the event store."""
    fingerprint: str
    """A hash of its body."""
    idempotency_key: str
    """Never stored."""

    def recorded(self, client: redis.Redis, kind: type[R]) -> R | None:
        """The record of the first request under the key; None if this is the first.

        Raises:
            Problem: `idempotency_key_reused`.
        """
        stored: Any = client.get(self.record)
        return self._checked(stored, kind) if stored else None

    def record_once(self, client: redis.Redis, record: R) -> R:
        """Record this unless there is a record: a concurrent request may have written one. Returns the first.

        Raises:
            Problem: `idempotency_key_reused`.
        """
        encoded = msgspec.json.encode(record)
        earlier: Any = client.set(self.record, encoded, nx=True, get=True, px=KEPT_MS)
        return self._checked(earlier, type(record)) if earlier else record

    def _checked(self, stored: bytes, kind: type[R]) -> R:
        record = msgspec.json.decode(stored, type=kind)
        self.require_same(record.fingerprint)
        return record

    def require_same(self, fingerprint: str) -> None:
        """Require the body that was recorded under the key.

        Raises:
            Problem: `idempotency_key_reused`.
        """
        if fingerprint != self.fingerprint:
            raise key_reused()


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
        raise problem_at("/Idempotency-Key", detail, "invalid_parameter")
    digest = hashlib.sha256(f"{whose}\n{key}".encode()).hexdigest()
    fingerprint = hashlib.sha256(canonical_body()).hexdigest()[:32]
    return Keyed(keys.answered(kind, digest), fingerprint, key)
