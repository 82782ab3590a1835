"""Accounts and tokens, kept in the event store's Redis as durably as events; secrets as SHA-256 only."""

import hashlib
import secrets
import time
from collections.abc import Iterable
from typing import Any, Final

import msgspec
import redis
from msgspec import Struct

from events.envelope import rfc3339
from events.ids import new_id
from service import keys

DAY_MS: Final = 86_400_000
FIRST_TOKEN_MS: Final = 366 * DAY_MS
DEFAULT_TOKEN_MS: Final = 90 * DAY_MS
LONGEST_TOKEN_MS: Final = 366 * DAY_MS

REMEMBERED_MS: Final = 30 * DAY_MS
"""How long after its end a token is still known to have expired."""

FIRST_TOKEN_SCOPES: Final = ("play", "match:create", "ladder:operate", "account:write")
"""What the token of a new account may do: everything but `admin`."""

_CREATE: Final = """
local holder = redis.call('HGET', KEYS[1], ARGV[1])
if holder and holder ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[3])
redis.call('SET', KEYS[3], ARGV[4], 'PXAT', ARGV[5])
redis.call('HSET', KEYS[4], ARGV[6], ARGV[7])
return 1
"""
"""Writes an account with its first token, unless another has the handle. Sent twice, it writes once."""


class Account(Struct, frozen=True, gc=False):
    account_id: str
    handle: str
    created_ms: int


class Token(Struct, frozen=True, gc=False):
    """What a token stands for. The account's handle never changes, so it is kept here too."""

    token_id: str
    account_id: str
    handle: str
    name: str
    scopes: tuple[str, ...]
    created_ms: int
    expires_ms: int


_accounts: Final = msgspec.json.Decoder(Account)
_tokens: Final = msgspec.json.Decoder(Token)
_encode: Final = msgspec.json.Encoder().encode


def now_ms() -> int:
    """The time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def digest_of(secret: str) -> str:
    """Under what a token is kept."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_secret() -> str:
    """A token as the client holds it: `mk_` and 256 random bits."""
    return "mk_" + secrets.token_urlsafe(32)


class Accounts:
    """The accounts in one Redis."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis: Any = client
        self._create = client.register_script(_CREATE)

    def create(self, handle: str) -> tuple[Account, str] | None:
        """A new account and the secret of its first token; None if the handle is taken in any spelling."""
        now = now_ms()
        account = Account(new_id("acc"), handle, now)
        secret = new_secret()
        token = Token(
            new_id("tok"), account.account_id, handle, "first", FIRST_TOKEN_SCOPES, now, now + FIRST_TOKEN_MS
        )
        digest = digest_of(secret)
        created = self._create(
            keys=[
                keys.HANDLES,
                keys.account(account.account_id),
                keys.token(digest),
                keys.tokens(account.account_id),
            ],
            args=[
                handle.lower(),
                account.account_id,
                _encode(account),
                _encode(token),
                token.expires_ms + REMEMBERED_MS,
                token.token_id,
                digest,
            ],
        )
        return (account, secret) if created else None

    def get(self, account_id: str) -> Account | None:
        stored = self._redis.get(keys.account(account_id))
        return _accounts.decode(stored) if stored else None

    def by_handle(self, handle: str) -> Account | None:
        """The account that has the handle, in any spelling."""
        account_id = self._redis.hget(keys.HANDLES, handle.lower())
        return self.get(account_id.decode()) if account_id else None

    def token(self, digest: str) -> Token | None:
        """The token kept under the digest, expired or not."""
        stored = self._redis.get(keys.token(digest))
        return _tokens.decode(stored) if stored else None

    def create_token(
        self, owner: Token, name: str, scopes: Iterable[str], expires_ms: int
    ) -> tuple[Token, str]:
        """A further token for the owner's account, and its secret."""
        secret = new_secret()
        digest = digest_of(secret)
        token = Token(
            new_id("tok"),
            owner.account_id,
            owner.handle,
            name,
            tuple(sorted(set(scopes))),
            now_ms(),
            expires_ms,
        )
        with self._redis.pipeline(transaction=True) as pipe:
            pipe.set(keys.token(digest), _encode(token), pxat=expires_ms + REMEMBERED_MS)
            pipe.hset(keys.tokens(owner.account_id), token.token_id, digest)
            pipe.execute()
        return token, secret

    def tokens(self, account_id: str) -> list[Token]:
        """All tokens of the account that are still kept, the oldest first."""
        digests = self._redis.hvals(keys.tokens(account_id))
        if not digests:
            return []
        stored = self._redis.mget([keys.token(digest.decode()) for digest in digests])
        return sorted((_tokens.decode(one) for one in stored if one), key=_by_id)

    def delete_token(self, account_id: str, token_id: str) -> str | None:
        """Delete the token; the digest under which it was kept, None if there is no such token."""
        found = self._redis.hget(keys.tokens(account_id), token_id)
        if found is None:
            return None
        digest: str = found.decode()
        with self._redis.pipeline(transaction=True) as pipe:
            pipe.delete(keys.token(digest))
            pipe.hdel(keys.tokens(account_id), token_id)
            pipe.execute()
        return digest


def _by_id(token: Token) -> str:
    return token.token_id


def token_shape(token: Token) -> dict[str, Any]:
    """A token as the API shows it, without its secret."""
    return {
        "token_id": token.token_id,
        "name": token.name,
        "scopes": token.scopes,
        "created_at": rfc3339(token.created_ms),
        "expires_at": rfc3339(token.expires_ms),
    }
