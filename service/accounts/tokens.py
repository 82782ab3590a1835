"""Tokens, kept in the event store's Redis as durably as events; of their secrets only the SHA-256.

Most secrets are random and shown once. A secret that is issued under an Idempotency-Key is derived, so that a
repetition of the request can return it again: from a salt, which is stored; a master key, which is not in the
store; and the Idempotency-Key, which is stored nowhere. Nobody can derive it without all three.
"""

import base64
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec
import redis
from cachetools import LRUCache
from msgspec import Struct

from events.matches.seeds import Seeds
from events.store import keys
from events.store.keys import new_id, now_ms
from events.store.outbox import record_revocation
from service.edge.idempotency import DAY_MS, KEPT_MS, Keyed
from service.edge.problems import Problem

FIRST_TOKEN_MS: Final = 366 * DAY_MS
DEFAULT_TOKEN_MS: Final = 90 * DAY_MS
LONGEST_TOKEN_MS: Final = 366 * DAY_MS

MOST_TOKENS: Final = 100
"""The most tokens of one account that have not expired."""

REMEMBERED_MS: Final = 30 * DAY_MS
"""How long a token is stored after it expired, to answer `token_expired`."""

TRUSTED_S: Final = 1.0
"""How long a process trusts a token that it has read. A deletion takes effect everywhere within that time,
and is answered after it."""

_MOST_TRUSTED: Final = 20_000
"""Tokens that one process trusts at a time."""

FIRST_TOKEN_SCOPES: Final = ("play", "match:create", "ladder:operate", "account:write")
"""The scopes of the token of a new account: all but `admin`."""

_CREATE_TOKEN: Final = (Path(__file__).parent / "create_token.lua").read_bytes()


class Token(Struct, frozen=True, gc=False):
    """What a token stands for. The account's handle never changes, so it is stored here too."""

    token_id: str
    account_id: str
    handle: str
    name: str
    scopes: tuple[str, ...]
    created_ms: int
    expires_ms: int


class Issued(Struct, frozen=True):
    """A token and its secret: issued now, or earlier under the same Idempotency-Key."""

    token: Token
    secret: str
    replayed: bool = False


class SecretOrigin(Struct, frozen=True):
    """The stored part of what a derived secret is derived from."""

    master_key_id: str
    salt: str
    """16 random bytes in hex."""


class _Record(Struct, frozen=True):
    """A token that was issued under an Idempotency-Key, as it was then."""

    fingerprint: str
    token: Token
    origin: SecretOrigin


_tokens: Final = msgspec.json.Decoder(Token)
_records: Final = msgspec.json.Decoder(_Record)
_encode: Final = msgspec.json.Encoder().encode


class Tokens:
    """The tokens in one Redis; safe to share among threads."""

    def __init__(self, client: redis.Redis, seeds: Seeds, trusted_s: float = TRUSTED_S) -> None:
        """Derived secrets use the master keys of `seeds`. `trusted_s` is as `TRUSTED_S`."""
        self._redis: Any = client
        self._seeds = seeds
        self._create = client.register_script(_CREATE_TOKEN)
        self._trusted_s = trusted_s
        self._trusted: LRUCache[str, tuple[float, Token]] = LRUCache(_MOST_TRUSTED)
        """Each token with the time by the monotonic clock just before it was read."""
        self._lock = threading.Lock()

    def get(self, digest: str) -> Token | None:
        """The token stored under the digest, expired or not; None if it was deleted."""
        stored = self._redis.get(keys.token(digest))
        return _tokens.decode(stored) if stored else None

    def recent(self, digest: str) -> Token | None:
        """As `get`, but perhaps as it was up to `TRUSTED_S` ago."""
        now_s = time.monotonic()
        with self._lock:
            read_s, found = self._trusted.get(digest, (0.0, None))
        if found is not None and now_s - read_s < self._trusted_s:
            return found
        found = self.get(digest)
        if found is not None:
            with self._lock:
                self._trusted[digest] = now_s, found
        return found

    def create(
        self, owner: Token, name: str, scopes: Iterable[str], expires_ms: int, keyed: Keyed | None = None
    ) -> Issued | None:
        """Issue a further token to the owner's account; None if it has `MOST_TOKENS` already.

        Raises:
            Problem: `idempotency_key_reused`; `token_invalid`, the account was deleted.
            LookupError: the token was issued before, under a master key that is gone.
        """
        account_id = owner.account_id
        granted = tuple(sorted(set(scopes)))
        token = Token(new_id("tok"), account_id, owner.handle, name, granted, now_ms(), expires_ms)
        secret, record = self.drafted(token, keyed)
        digest = digest_of(secret)
        ended = [token_id for token_id, one in self._listed(account_id).items() if not _lives(one)]
        reply = self._create(
            keys=[
                keys.account(account_id),
                keys.token(digest),
                keys.tokens(account_id),
                *([keyed.record] if keyed else []),
            ],
            args=[
                _encode(token),
                token.expires_ms + REMEMBERED_MS,
                token.token_id,
                digest,
                record,
                KEPT_MS,
                MOST_TOKENS,
                *ended,
            ],
        )
        return self.settled(reply, Issued(token, secret), keyed)

    def issued(self, keyed: Keyed) -> Issued | None:
        """The token that was issued under the same Idempotency-Key, as it was then; None if there is none.

        Raises:
            Problem: `idempotency_key_reused`.
            LookupError: its master key is gone.
        """
        stored = self._redis.get(keyed.record)
        return self._restored(stored, keyed) if stored else None

    def living(self, account_id: str) -> list[Token]:
        """The account's tokens that have not expired, the oldest first."""
        return sorted([one for one in self._listed(account_id).values() if one and _lives(one)], key=_by_id)

    def delete(self, account_id: str, token_id: str) -> bool:
        """Delete the token, and return when no process trusts it any more; False if there is no such token.

        Streams and requests that wait with a token of the account check it again at once.
        """
        digest = self._redis.hget(keys.tokens(account_id), token_id)
        if digest is None:
            return False
        with self._redis.pipeline(transaction=False) as pipe:
            pipe.delete(keys.token(digest.decode()))
            pipe.hdel(keys.tokens(account_id), token_id)
            pipe.execute()
        self.end_trust(account_id)
        return True

    def end_trust(self, account_id: str) -> None:
        """Have waiting requests of the account check their tokens, and return when no process trusts a token
        that was deleted before.
        """
        record_revocation(self._redis, account_id)
        time.sleep(self._trusted_s)

    def _listed(self, account_id: str) -> dict[str, Token | None]:
        """The account's tokens by id, expired ones too; None for a token that is no longer stored."""
        digests = self._redis.hgetall(keys.tokens(account_id))
        if not digests:
            return {}
        stored = self._redis.mget([keys.token(digest.decode()) for digest in digests.values()])
        found = [_tokens.decode(one) if one else None for one in stored]
        return dict(zip([token_id.decode() for token_id in digests], found, strict=True))

    def drafted(self, token: Token, keyed: Keyed | None) -> tuple[str, bytes]:
        """A secret for the token, and the record of both that is stored under the Idempotency-Key."""
        if keyed is None:
            return random_secret(), b""
        origin = new_origin(self._seeds)
        secret = derived_secret(self._seeds, origin, keyed.idempotency_key)
        return secret, _encode(_Record(keyed.fingerprint, token, origin))

    def settled(self, reply: list[bytes], issued: Issued, keyed: Keyed | None) -> Issued | None:
        """The result of a script that issues a token. A record of `issued` itself means that it ran twice."""
        if reply[0] == b"deleted":
            raise Problem("token_invalid")
        if reply[0] == b"refused":
            return None
        if reply[0] == b"made" or keyed is None:
            return issued
        restored = self._restored(reply[1], keyed)
        return issued if restored.token == issued.token else restored

    def _restored(self, stored: bytes, keyed: Keyed) -> Issued:
        record = _records.decode(stored)
        keyed.require_same(record.fingerprint)
        secret = derived_secret(self._seeds, record.origin, keyed.idempotency_key)
        return Issued(record.token, secret, replayed=True)


def _lives(token: Token | None) -> bool:
    return token is not None and token.expires_ms > now_ms()


def _by_id(token: Token) -> str:
    return token.token_id


def digest_of(secret: str) -> str:
    """The digest that a token is stored under."""
    return hashlib.sha256(secret.encode()).hexdigest()


def random_secret() -> str:
    """A secret as clients send it: `mk_` and 256 random bits."""
    return _written(secrets.token_bytes(32))


def new_origin(seeds: Seeds) -> SecretOrigin:
    return SecretOrigin(seeds.newest, secrets.token_hex(16))


def derived_secret(seeds: Seeds, origin: SecretOrigin, idempotency_key: str) -> str:
    """The secret of that origin, in the form of random ones.

    Raises:
        LookupError: its master key is gone.
    """
    key = seeds.secret_for(origin.master_key_id, "tokens")
    return _written(hmac.digest(key, bytes.fromhex(origin.salt) + idempotency_key.encode(), "sha256"))


def _written(bits: bytes) -> str:
    return "mk_" + base64.urlsafe_b64encode(bits).rstrip(b"=").decode()
