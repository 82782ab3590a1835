"""Accounts and tokens, kept in the event store's Redis as durably as events; secrets as SHA-256 only."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec
import redis
from msgspec import Struct
from msgspec.structs import replace

from contract.names import SeatingPolicy
from events.matches.seeds import Seeds
from events.store.ids import new_id
from events.store.outbox import note_revocation
from service.accounts.seating import DEFAULT, Consent, Guests
from service.accounts.token_secrets import Origin, derived_secret, digest_of, new_origin, random_secret
from service.edge import keys
from service.edge.idempotency import DAY_MS, KEPT_FOR_ADDRESS_MS, KEPT_MS, Keyed

FIRST_TOKEN_MS: Final = 366 * DAY_MS
DEFAULT_TOKEN_MS: Final = 90 * DAY_MS
LONGEST_TOKEN_MS: Final = 366 * DAY_MS

MOST_TOKENS: Final = 100
"""As many tokens of one account may live at the same time."""

REMEMBERED_MS: Final = 30 * DAY_MS
"""How long after its end a token is still known to have expired."""

FIRST_TOKEN_SCOPES: Final = ("play", "match:create", "ladder:operate", "account:write")
"""What the token of a new account may do: everything but `admin`."""

_CREATE: Final = (Path(__file__).parent / "create_account.lua").read_bytes()
_CREATE_TOKEN: Final = (Path(__file__).parent / "create_token.lua").read_bytes()


class Account(Struct, frozen=True, gc=False):
    account_id: str
    handle: str
    created_ms: int
    seating: SeatingPolicy = DEFAULT


class Token(Struct, frozen=True, gc=False):
    """What a token stands for. The account's handle never changes, so it is kept here too."""

    token_id: str
    account_id: str
    handle: str
    name: str
    scopes: tuple[str, ...]
    created_ms: int
    expires_ms: int


class Issued(Struct, frozen=True):
    """A token and its secret: made now, or before under the same Idempotency-Key."""

    token: Token
    secret: str
    replayed: bool = False


class _Record(Struct, frozen=True):
    """A token that was made under an Idempotency-Key, as it was then."""

    fingerprint: str
    token: Token
    origin: Origin


_accounts: Final = msgspec.json.Decoder(Account)
_tokens: Final = msgspec.json.Decoder(Token)
_records: Final = msgspec.json.Decoder(_Record)
_encode: Final = msgspec.json.Encoder().encode


def now_ms() -> int:
    """The time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Accounts:
    """The accounts in one Redis."""

    def __init__(self, client: redis.Redis, seeds: Seeds) -> None:
        """Secrets that are to be found again come from the master keys of `seeds`."""
        self._redis: Any = client
        self._seeds = seeds
        self.guests: Final = Guests(client)
        self._create = client.register_script(_CREATE)
        self._create_token = client.register_script(_CREATE_TOKEN)

    def create(self, handle: str, seating: str, keyed: Keyed | None = None) -> Issued | None:
        """A new account's first token; None if the handle is taken in any spelling.

        Raises:
            Problem: `idempotency_key_reused`.
            LookupError: it was made before under a master key that is gone.
        """
        now, account_id = now_ms(), new_id("acc")
        token = Token(
            new_id("tok"), account_id, handle, "first", FIRST_TOKEN_SCOPES, now, now + FIRST_TOKEN_MS
        )
        secret, record = self._drafted(token, keyed)
        digest = digest_of(secret)
        reply = self._create(
            keys=[
                keys.HANDLES,
                keys.account(account_id),
                keys.token(digest),
                keys.tokens(account_id),
                *([keyed.record] if keyed else []),
            ],
            args=[
                handle.lower(),
                account_id,
                _encode(Account(account_id, handle, now, seating)),
                _encode(token),
                token.expires_ms + REMEMBERED_MS,
                token.token_id,
                digest,
                record,
                KEPT_FOR_ADDRESS_MS,
            ],
        )
        return self._settled(reply, Issued(token, secret), keyed)

    def get(self, account_id: str) -> Account | None:
        stored = self._redis.get(keys.account(account_id))
        return _accounts.decode(stored) if stored else None

    def by_handle(self, handle: str) -> Account | None:
        """The account that has the handle, in any spelling."""
        account_id = self._redis.hget(keys.HANDLES, handle.lower())
        return self.get(account_id.decode()) if account_id else None

    def change_seating(self, account: Account, seating: str) -> Account:
        """The account with another policy of who may seat it."""
        changed = replace(account, seating=seating)
        self._redis.set(keys.account(account.account_id), _encode(changed))
        return changed

    def consent(self, account: Account, host_id: str) -> Consent:
        """What the account says to a host that would seat it."""
        return self.guests.consent(account.account_id, account.seating, host_id)

    def handles(self, account_ids: Iterable[str]) -> dict[str, str]:
        """The handles of the accounts, by id; those that there are not are left out."""
        asked = list(dict.fromkeys(account_ids))
        stored = self._redis.mget([keys.account(one) for one in asked]) if asked else []
        found = [_accounts.decode(one) for one in stored if one]
        return {account.account_id: account.handle for account in found}

    def token(self, digest: str) -> Token | None:
        """The token kept under the digest, expired or not."""
        stored = self._redis.get(keys.token(digest))
        return _tokens.decode(stored) if stored else None

    def create_token(
        self, owner: Token, name: str, scopes: Iterable[str], expires_ms: int, keyed: Keyed | None = None
    ) -> Issued | None:
        """A further token for the owner's account; None if `MOST_TOKENS` live.

        Raises:
            Problem: `idempotency_key_reused`.
            LookupError: it was made before under a master key that is gone.
        """
        account_id = owner.account_id
        granted = tuple(sorted(set(scopes)))
        token = Token(new_id("tok"), account_id, owner.handle, name, granted, now_ms(), expires_ms)
        secret, record = self._drafted(token, keyed)
        digest = digest_of(secret)
        ended = [token_id for token_id, one in self._listed(account_id).items() if not _lives(one)]
        reply = self._create_token(
            keys=[keys.token(digest), keys.tokens(account_id), *([keyed.record] if keyed else [])],
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
        return self._settled(reply, Issued(token, secret), keyed)

    def issued(self, keyed: Keyed) -> Issued | None:
        """What was made before under the same Idempotency-Key, as it was then; None if nothing was.

        Raises:
            Problem: `idempotency_key_reused`.
            LookupError: its master key is gone.
        """
        stored = self._redis.get(keyed.record)
        return self._restored(stored, keyed) if stored else None

    def tokens(self, account_id: str) -> list[Token]:
        """The tokens of the account that live, the oldest first."""
        return sorted([one for one in self._listed(account_id).values() if one and _lives(one)], key=_by_id)

    def delete_token(self, account_id: str, token_id: str) -> bool:
        """Delete the token, and have everybody look again who waits or follows with it; False if there is no
        such token."""
        digest = self._redis.hget(keys.tokens(account_id), token_id)
        if digest is None:
            return False
        with self._redis.pipeline(transaction=True) as pipe:
            pipe.delete(keys.token(digest.decode()))
            pipe.hdel(keys.tokens(account_id), token_id)
            pipe.execute()
        note_revocation(self._redis, account_id)
        return True

    def _listed(self, account_id: str) -> dict[str, Token | None]:
        """The account's tokens by id, ended ones too; None for one that is remembered no more."""
        digests = self._redis.hgetall(keys.tokens(account_id))
        if not digests:
            return {}
        stored = self._redis.mget([keys.token(digest.decode()) for digest in digests.values()])
        found = [_tokens.decode(one) if one else None for one in stored]
        return dict(zip([token_id.decode() for token_id in digests], found, strict=True))

    def _drafted(self, token: Token, keyed: Keyed | None) -> tuple[str, bytes]:
        """A secret for the token, and what is to be recorded of both under an Idempotency-Key."""
        if keyed is None:
            return random_secret(), b""
        origin = new_origin(self._seeds)
        secret = derived_secret(self._seeds, origin, keyed.idempotency_key)
        return secret, _encode(_Record(keyed.fingerprint, token, origin))

    def _settled(self, reply: list[bytes], issued: Issued, keyed: Keyed | None) -> Issued | None:
        """What a script came to; its own record is one that Redis was sent twice."""
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
