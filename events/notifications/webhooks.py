"""Webhooks: the addresses to which an account has its notifications sent, and the secrets that sign these.

A secret is not stored. It derives from a salt, which is stored, and from a master key, which is not in the
store, so that whoever can read the store can sign nothing.
"""

import base64
import hmac
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import redis
from msgspec import Struct

from events.matches.seeds import Seeds
from events.notifications.inbox import FOREVER_MS, SUBSCRIBED_MS
from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.keys import now_ms

MOST_WEBHOOKS: Final = 5
"""The most webhooks of one account."""
OVERLAP_MS: Final = 86_400_000
"""How long messages are signed with the old secret as well, after the secret was changed."""

OWNER: Final = "owner"
FAILING: Final = "failing"
GONE: Final = "gone"
"""Why a webhook is disabled: its owner did it, every attempt failed for long, or its server said so."""

_CREATE: Final = (Path(__file__).parent / "create_webhook.lua").read_bytes()
_DELETE: Final = (Path(__file__).parent / "delete_webhook.lua").read_bytes()
_CHANGE: Final = (Path(__file__).parent / "change_webhook.lua").read_bytes()


class SigningSecret(Struct, frozen=True):
    """The stored part of what a secret derives from."""

    master_key_id: str
    salt: str
    """16 random bytes in hex."""
    ends_ms: int = 0
    """When messages are no longer signed with it; 0 for never."""


class Webhook(Struct, frozen=True, kw_only=True):
    """A webhook, without what is pending."""

    webhook_id: str
    account_id: str
    url: str
    types: tuple[str, ...]
    """The types of notifications that are sent to it."""
    description: str
    created_ms: int
    secret: SigningSecret
    old_secret: SigningSecret | None = None
    enabled: bool = True
    disabled_for: str = ""
    """Why, as one of `contract.notifications.DisabledReason`; empty while it is enabled."""
    failures: int = 0
    """Attempts that failed since the last one that succeeded."""
    failing_since_ms: int = 0
    """When the first of these was made; 0 without one."""


class Once(NamedTuple):
    """What is recorded under an Idempotency-Key, together with a change."""

    key: str
    record: bytes
    kept_ms: int


class Known(NamedTuple):
    """The change was made before, under the same key; this was recorded then."""

    record: bytes


class Webhooks:
    """The webhooks in the event store. All methods raise `StoreUnavailable`."""

    def __init__(self, client: redis.Redis) -> None:
        self._client: Any = client

    def create(self, webhook: Webhook, once: Once | None) -> bool | Known:
        """Create a webhook; false if the account has `MOST_WEBHOOKS`.

        Raises:
            LookupError: the account was deleted.
        """
        names = [
            keys.account(webhook.account_id),
            keys.webhooks(webhook.account_id),
            keys.webhook(webhook.webhook_id),
            keys.SUBSCRIBERS,
        ]
        given: list[str | bytes | int] = [webhook.webhook_id, MOST_WEBHOOKS, webhook.account_id, FOREVER_MS]
        return change_once(self._client, _CREATE, names, [*given, *recorded(once), *_flat(webhook)], once)

    def change(
        self,
        webhook_id: str,
        changes: Mapping[str, str | int],
        once: Once | None = None,
        is_to_resume: bool = False,
    ) -> bool | Known:
        """Set these fields; false if there is no such webhook (any more). With `is_to_resume`, what is
        pending is due at once."""
        names = [keys.webhook(webhook_id), keys.pending_deliveries(webhook_id), keys.DUE_WEBHOOKS]
        given: list[str | bytes | int] = [webhook_id, now_ms(), int(is_to_resume), *recorded(once)]
        flat = [part for pair in changes.items() for part in pair]
        return change_once(self._client, _CHANGE, names, [*given, *flat], once)

    def delete(self, account_id: str, webhook_id: str) -> None:
        """Delete a webhook of the account with everything that is to be sent to it."""
        names = [
            keys.webhooks(account_id),
            keys.webhook(webhook_id),
            keys.deliveries(webhook_id),
            keys.pending_deliveries(webhook_id),
            keys.DUE_WEBHOOKS,
            keys.SUBSCRIBERS,
        ]
        until_ms = now_ms() + SUBSCRIBED_MS
        with unavailable_as_store_error():
            self._client.eval(_DELETE, len(names), *names, webhook_id, account_id, until_ms)

    def get(self, webhook_id: str) -> Webhook | None:
        """The webhook; None if there is none."""
        with unavailable_as_store_error():
            found = self._client.hgetall(keys.webhook(webhook_id))
        return _webhook(found) if found else None

    def of_account(self, account_id: str) -> list[Webhook]:
        """The webhooks of an account, oldest first."""
        with unavailable_as_store_error():
            ids = sorted(self._client.smembers(keys.webhooks(account_id)))
            with self._client.pipeline(transaction=False) as pipe:
                for webhook_id in ids:
                    pipe.hgetall(keys.webhook(webhook_id.decode()))
                return [_webhook(found) for found in pipe.execute() if found]


def change_once(
    client: Any, script: bytes, names: list[str], given: list[str | bytes | int], once: Once | None
) -> bool | Known:
    """Run a script that makes a change once per key; false if it is not possible.

    Raises:
        LookupError: the account was deleted.
        StoreUnavailable.
    """
    names = [*names, once.key] if once else names
    with unavailable_as_store_error():
        reply, *more = client.eval(script, len(names), *names, *given)
    if reply == b"deleted":
        raise LookupError("the account was deleted")
    return Known(more[0]) if reply == b"known" else bool(reply == b"made")


def recorded(once: Once | None) -> list[str | bytes | int]:
    """The arguments of such a script for what it records under the key."""
    return [once.record, once.kept_ms] if once else ["", 0]


def new_secret(seeds: Seeds) -> SigningSecret:
    """The stored part of a new secret."""
    return SigningSecret(seeds.newest, secrets.token_hex(16))


def secret_bytes(seeds: Seeds, webhook_id: str, secret: SigningSecret) -> bytes:
    """The 32 bytes that sign messages to a webhook.

    Raises:
        LookupError: the master key is gone.
    """
    key = seeds.secret_for(secret.master_key_id, "webhooks")
    return hmac.digest(key, bytes.fromhex(secret.salt) + webhook_id.encode(), "sha256")


def written_secret(seeds: Seeds, webhook_id: str, secret: SigningSecret) -> str:
    """The secret as its owner gets it, `whsec_` and base64.

    Raises:
        LookupError: the master key is gone.
    """
    return "whsec_" + base64.b64encode(secret_bytes(seeds, webhook_id, secret)).decode()


def signed_headers(
    seeds: Seeds, webhook: Webhook, message_id: str, time_s: int, body: bytes
) -> dict[str, str]:
    """The headers of Standard Webhooks, with a signature for each secret that is in force.

    Raises:
        LookupError: a master key is gone.
    """
    content = b"%b.%d.%b" % (message_id.encode(), time_s, body)
    in_force = [webhook.secret]
    if webhook.old_secret is not None and webhook.old_secret.ends_ms > time_s * 1000:
        in_force.append(webhook.old_secret)
    signatures = [
        hmac.digest(secret_bytes(seeds, webhook.webhook_id, secret), content, "sha256") for secret in in_force
    ]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(time_s),
        "webhook-signature": " ".join([f"v1,{base64.b64encode(one).decode()}" for one in signatures]),
    }


def written(secret: SigningSecret) -> str:
    """The stored part of a secret as a field of its webhook."""
    return msgspec.json.encode(secret).decode()


def _flat(webhook: Webhook) -> list[str | bytes | int]:
    """The fields of a new webhook and their values."""
    fields: dict[str, str | int] = {
        "webhook_id": webhook.webhook_id,
        "account_id": webhook.account_id,
        "url": webhook.url,
        "types": ",".join(webhook.types),
        "description": webhook.description,
        "created_ms": webhook.created_ms,
        "secret": written(webhook.secret),
        "enabled": 1,
    }
    return [part for pair in fields.items() for part in pair]


def _webhook(fields: Mapping[bytes, bytes]) -> Webhook:
    found = {name.decode(): value.decode() for name, value in fields.items()}
    old = found.get("old_secret")
    return Webhook(
        webhook_id=found["webhook_id"],
        account_id=found["account_id"],
        url=found["url"],
        types=tuple(found["types"].split(",")),
        description=found["description"],
        created_ms=int(found["created_ms"]),
        secret=msgspec.json.decode(found["secret"], type=SigningSecret),
        old_secret=msgspec.json.decode(old, type=SigningSecret) if old else None,
        enabled=found["enabled"] == "1",
        disabled_for=found.get("disabled_for", ""),
        failures=int(found.get("failures", 0)),
        failing_since_ms=int(found.get("failing_since_ms", 0)),
    )
