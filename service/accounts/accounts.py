"""Accounts, kept in the event store's Redis as durably as events."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec
import redis
from msgspec import Struct
from msgspec.structs import replace

from contract.names import SeatingPolicy
from events.store import keys
from events.store.keys import DELETED_ACCOUNTS, new_id, now_ms
from service.accounts.seating import DEFAULT, Consent, Guests
from service.accounts.tokens import (
    FIRST_TOKEN_MS,
    FIRST_TOKEN_SCOPES,
    REMEMBERED_MS,
    Issued,
    Token,
    Tokens,
    digest_of,
)
from service.edge.idempotency import KEPT_FOR_ADDRESS_MS, Keyed

_CREATE: Final = (Path(__file__).parent / "create_account.lua").read_bytes()
_DELETE: Final = (Path(__file__).parent / "delete_account.lua").read_bytes()


class Account(Struct, frozen=True, gc=False):
    account_id: str
    handle: str
    created_ms: int
    seating: SeatingPolicy = DEFAULT


_accounts: Final = msgspec.json.Decoder(Account)
_encode: Final = msgspec.json.Encoder().encode


class Accounts:
    """The accounts in one Redis."""

    def __init__(self, client: redis.Redis, tokens: Tokens) -> None:
        """`tokens` issues the first token of each new account."""
        self._redis: Any = client
        self._tokens = tokens
        self.guests: Final = Guests(client)
        self._create = client.register_script(_CREATE)
        self._delete = client.register_script(_DELETE)

    def create(self, handle: str, seating: str, keyed: Keyed | None = None) -> Issued | None:
        """Create an account and return its first token; None if the handle is taken in any spelling.

        Raises:
            Problem: `idempotency_key_reused`.
            LookupError: the account was created before, under a master key that is gone.
        """
        now, account_id = now_ms(), new_id("acc")
        token = Token(
            new_id("tok"), account_id, handle, "first", FIRST_TOKEN_SCOPES, now, now + FIRST_TOKEN_MS
        )
        secret, record = self._tokens.drafted(token, keyed)
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
        return self._tokens.settled(reply, Issued(token, secret), keyed)

    def delete(self, account_id: str) -> None:
        """Delete the account, and return when no process trusts its tokens any more.

        The relay then has it leave its matches and ladders, see `workers.operations.deletions`.
        """
        self._delete(
            keys=[
                keys.account(account_id),
                DELETED_ACCOUNTS,
                keys.SUBSCRIBERS,
                keys.DUE_WEBHOOKS,
                keys.tokens(account_id),
                keys.webhooks(account_id),
                keys.inbox(account_id),
                keys.inbox_state(account_id),
                keys.listed(account_id, "allowed"),
                keys.listed(account_id, "blocked"),
                keys.ladders(account_id),
            ],
            args=[
                account_id,
                now_ms(),
                keys.token(""),
                keys.webhook(""),
                keys.deliveries(""),
                keys.pending_deliveries(""),
            ],
        )
        self._tokens.end_trust(account_id)

    def get(self, account_id: str) -> Account | None:
        """The account; None if there is none, or it was deleted."""
        stored = self._redis.get(keys.account(account_id))
        return _accounts.decode(stored) if stored else None

    def by_handle(self, handle: str) -> Account | None:
        """The account that has the handle, in any spelling."""
        account_id = self.id_of(handle)
        return self.get(account_id) if account_id else None

    def id_of(self, handle: str) -> str | None:
        """The id of the account that has the handle, or had it when it was deleted, in any spelling."""
        account_id = self._redis.hget(keys.HANDLES, handle.lower())
        return account_id.decode() if account_id else None

    def change_seating(self, account: Account, seating: str) -> Account:
        """Set who may seat the account, and return the changed account."""
        changed = replace(account, seating=seating)
        # Only if it is still there: it may have been deleted since it was read.
        self._redis.set(keys.account(account.account_id), _encode(changed), xx=True)
        return changed

    def consent(self, account: Account, host_id: str) -> Consent:
        """The consent of the account to be seated by the host."""
        return self.guests.consent(account.account_id, account.seating, host_id)

    def handles(self, account_ids: Iterable[str]) -> dict[str, str]:
        """The handles of the accounts, by id, without those that do not exist."""
        asked = list(dict.fromkeys(account_ids))
        stored = self._redis.mget([keys.account(one) for one in asked]) if asked else []
        found = [_accounts.decode(one) for one in stored if one]
        return {account.account_id: account.handle for account in found}
