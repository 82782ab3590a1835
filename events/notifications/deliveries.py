"""Deliveries of notifications to webhooks: what is pending, and what came of each attempt.

The sorted set of due webhooks is the queue, and it is in the event store: jobs are only hints. A worker
takes a webhook for a time, in which nobody else sends anything to it, and gives it back with the time of what
is due next. If it dies, that time passes, and the next worker sends again what it may have sent.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import redis
from msgspec import Raw, Struct

from events.notifications.inbox import KEPT_DELIVERIES
from events.notifications.webhooks import Known, Once, change_once, recorded
from events.store import keys
from events.store.client import unavailable_as_store_error

PENDING: Final = "pending"
DELIVERED: Final = "delivered"
FAILED: Final = "failed"
MOST_ATTEMPTS_KEPT: Final = 16
"""The most attempts of a delivery that are kept."""
_LOOKED_AT: Final = 1000
"""The most due webhooks among which some are chosen."""

_TAKE: Final = (Path(__file__).parent / "take_webhooks.lua").read_bytes()
_SETTLE: Final = (Path(__file__).parent / "settle_delivery.lua").read_bytes()
_PUT: Final = (Path(__file__).parent / "put_delivery.lua").read_bytes()
_GIVE_BACK: Final = (Path(__file__).parent / "give_back_webhook.lua").read_bytes()


class Attempt(Struct, frozen=True, omit_defaults=True):
    """One request to a webhook."""

    began_ms: int
    took_ms: int
    status: int = 0
    """The HTTP status of the response; 0 without one."""
    error: str = ""
    """Why there was no response, as one of `contract.notifications.DeliveryError`; empty with one."""

    @property
    def has_succeeded(self) -> bool:
        """Whether the server took the notification."""
        return 200 <= self.status < 300


class Delivery(Struct, frozen=True, omit_defaults=True):
    """A notification that was sent, or is to be sent, to a webhook."""

    type: str
    created_ms: int
    document: Raw
    """The notification, as it is sent."""
    status: str = PENDING
    attempts: tuple[Attempt, ...] = ()
    """The last ones, oldest first."""
    tries: int = 0
    """The number of attempts since it was created, or was to be sent again."""


class Listed(NamedTuple):
    """A delivery of a webhook."""

    notification_id: str
    delivery: Delivery
    due_ms: int | None
    """When it is attempted next; None unless it is pending."""


class Settled(NamedTuple):
    """What a webhook is like after an attempt."""

    failures: int
    failing_since_ms: int
    not_before_ms: int
    """Nothing is sent to it before."""
    is_slow: bool
    """The attempt failed or took long: a worker sends to few such webhooks at a time."""
    disabled_for: str = ""
    """Why it is disabled from now on; empty if it is not."""


_decode: Final = msgspec.json.Decoder(Delivery).decode
_encode: Final = msgspec.json.Encoder().encode


class Deliveries:
    """The deliveries in the event store. All methods raise `StoreUnavailable`."""

    def __init__(self, client: redis.Redis) -> None:
        self._client: Any = client

    def page(self, webhook_id: str) -> list[Listed]:
        """The kept deliveries of a webhook, newest first."""
        with unavailable_as_store_error(), self._client.pipeline(transaction=False) as pipe:
            pipe.hgetall(keys.deliveries(webhook_id))
            pipe.zrange(keys.pending_deliveries(webhook_id), 0, -1, withscores=True)
            found, pending = pipe.execute()
        due = {id: int(due_ms) for id, due_ms in pending}
        return [
            Listed(id.decode(), _decode(one), due.get(id)) for id, one in sorted(found.items(), reverse=True)
        ]

    def get(self, webhook_id: str, notification_id: str) -> Listed | None:
        """The delivery of that notification; None if there is none."""
        with unavailable_as_store_error(), self._client.pipeline(transaction=False) as pipe:
            pipe.hget(keys.deliveries(webhook_id), notification_id)
            pipe.zscore(keys.pending_deliveries(webhook_id), notification_id)
            found, due_ms = pipe.execute()
        if found is None:
            return None
        return Listed(notification_id, _decode(found), None if due_ms is None else int(due_ms))

    def put(
        self, webhook_id: str, notification_id: str, delivery: Delivery, due_ms: int, once: Once | None
    ) -> bool | Known:
        """Have a notification sent, for the first time or again; false if the webhook is gone or disabled."""
        names = [
            keys.webhook(webhook_id),
            keys.deliveries(webhook_id),
            keys.pending_deliveries(webhook_id),
            keys.DUE_WEBHOOKS,
        ]
        given = [webhook_id, notification_id, _encode(delivery), due_ms, KEPT_DELIVERIES, *recorded(once)]
        return change_once(self._client, _PUT, names, given, once)

    def has_due(self, now_ms: int) -> bool:
        """Whether anything is to be sent to any webhook now."""
        with unavailable_as_store_error():
            return bool(self._client.zcount(keys.DUE_WEBHOOKS, "-inf", now_ms))

    def overdue_ms(self, now_ms: int) -> int:
        """How long the longest waiting webhook has been due; 0 if none is."""
        with unavailable_as_store_error():
            first: Sequence[tuple[bytes, float]] = self._client.zrange(
                keys.DUE_WEBHOOKS, 0, 0, withscores=True
            )
        return max(0, now_ms - int(first[0][1])) if first else 0

    def take(self, now_ms: int, until_ms: int, count: int, slow: int) -> list[tuple[str, bool]]:
        """Take due webhooks until that time, at most `count`, and of those that are slow at most `slow`; each
        with whether it is slow."""
        if count <= 0:
            return []
        given = (now_ms, until_ms, count, slow, _LOOKED_AT, keys.webhook(""))
        with unavailable_as_store_error():
            found = self._client.eval(_TAKE, 1, keys.DUE_WEBHOOKS, *given)
        return [(id.decode(), is_slow == b"1") for id, is_slow in zip(found[::2], found[1::2], strict=True)]

    def due(self, webhook_id: str, now_ms: int) -> Listed | None:
        """The delivery of a webhook that has been due the longest; None if none is due."""
        with unavailable_as_store_error():
            pending = keys.pending_deliveries(webhook_id)
            found: Sequence[bytes] = self._client.zrangebyscore(pending, "-inf", now_ms, 0, 1)
        return self.get(webhook_id, found[0].decode()) if found else None

    def settle(
        self,
        webhook_id: str,
        notification_id: str,
        delivery: Delivery,
        due_ms: int | None,
        settled: Settled,
    ) -> None:
        """Record an attempt. With `due_ms` the delivery is attempted again then."""
        names = [
            keys.webhook(webhook_id),
            keys.deliveries(webhook_id),
            keys.pending_deliveries(webhook_id),
        ]
        fields = {
            "failures": settled.failures,
            "failing_since_ms": settled.failing_since_ms,
            "not_before": settled.not_before_ms,
            "slow": int(settled.is_slow),
        }
        if settled.disabled_for:
            fields |= {"enabled": 0, "disabled_for": settled.disabled_for}  # type: ignore[dict-item]
        flat = [part for pair in fields.items() for part in pair]
        due = "" if due_ms is None else due_ms
        with unavailable_as_store_error():
            self._client.eval(_SETTLE, len(names), *names, notification_id, _encode(delivery), due, *flat)

    def give_back(self, webhook_id: str) -> None:
        """Give back a webhook that was taken, until its next delivery is due."""
        names = [keys.webhook(webhook_id), keys.pending_deliveries(webhook_id), keys.DUE_WEBHOOKS]
        with unavailable_as_store_error():
            self._client.eval(_GIVE_BACK, len(names), *names, webhook_id)
