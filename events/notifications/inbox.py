"""The inbox of an account: its last notifications, in the order of their sequence.

A notification is a JSON document of the API, see `contract.notifications`; here it is bytes. Notifications
are kept only for subscribers: accounts that have a webhook, or have read their inbox lately. Why:
docs/adr/0044-notifications-from-the-log.md.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

import redis

from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.keys import now_ms
from events.store.outbox import wake_readers

KEPT: Final = 1000
"""The most notifications in an inbox; older ones are removed."""
DAY_MS: Final = 86_400_000
KEPT_MS: Final = 30 * DAY_MS
"""An inbox is emptied so long after its last notification."""
SUBSCRIBED_MS: Final = 7 * DAY_MS
"""Notifications are kept for so long after the inbox was last read."""
RENEWED_MS: Final = DAY_MS
"""A subscription is renewed at most so often, since a read should not have to write."""
FOREVER_MS: Final = 2**53 - 1
"""Until when an account with a webhook is subscribed."""
KEPT_DELIVERIES: Final = 100
"""The most deliveries of a webhook; older ones are removed, even if they are pending."""

_NOTIFY: Final = (Path(__file__).parent / "notify.lua").read_bytes()


class Notice(NamedTuple):
    """A new notification."""

    account_id: str
    log_id: str
    """The id of the pointer that it derives from."""
    type: str
    notification_id: str
    document: bytes
    """The JSON object that the account gets, with a member `sequence` of 0, which is its first number."""


class Numbered(NamedTuple):
    """A notification in an inbox."""

    sequence: int
    document: bytes


class Inbox:
    """The inboxes in the event store. All methods raise `StoreUnavailable`."""

    def __init__(self, client: redis.Redis) -> None:
        self._client: Any = client

    def subscribe(self, account_id: str) -> None:
        """Keep the notifications of the account from now on, for `SUBSCRIBED_MS` at least."""
        with unavailable_as_store_error():
            now, until_ms = now_ms(), self._client.zscore(keys.SUBSCRIBERS, account_id)
            if until_ms is None or until_ms < now + SUBSCRIBED_MS - RENEWED_MS:
                self._client.zadd(keys.SUBSCRIBERS, {account_id: now + SUBSCRIBED_MS}, gt=True)

    def subscribed(self, account_ids: Collection[str]) -> set[str]:
        """Those of the accounts whose notifications are kept."""
        asked = [*dict.fromkeys(account_ids)]
        if not asked:
            return set()
        with unavailable_as_store_error():
            found = self._client.zmscore(keys.SUBSCRIBERS, asked)
        now = now_ms()
        return {
            one
            for one, until_ms in zip(asked, found, strict=True)
            if until_ms is not None and until_ms >= now
        }

    def has_subscribers(self) -> bool:
        """Whether the notifications of any account are kept."""
        with unavailable_as_store_error():
            return bool(self._client.zcard(keys.SUBSCRIBERS))

    def end_subscriptions(self) -> None:
        """Forget the subscribers whose time is over."""
        with unavailable_as_store_error():
            self._client.zremrangebyscore(keys.SUBSCRIBERS, "-inf", f"({now_ms()}")

    def notify(self, tag: str, notices: Iterable[Notice]) -> None:
        """Add those that are new, and wake their readers.

        `tag` is the partition that their pointers are from; `notices` are in the order of its log.
        """
        grouped = _by_account(notices)
        if not grouped:
            return
        with unavailable_as_store_error(), self._client.pipeline(transaction=False) as pipe:
            for account_id, own in grouped.items():
                names = _names(account_id)
                # Pipelines to a cluster have no other way to send a script.
                pipe.execute_command("EVAL", _NOTIFY, len(names), *names, *_arguments(account_id, tag, own))
            last = {one: int(sequence) for one, sequence in zip(grouped, pipe.execute(), strict=True)}
            wake_readers(self._client, {one: sequence for one, sequence in last.items() if sequence})

    def last(self, account_id: str) -> int:
        """The sequence of the account's last notification; 0 before the first."""
        with unavailable_as_store_error():
            return int(self._client.hget(keys.inbox_state(account_id), "sequence") or 0)

    def after(self, account_id: str, sequence: int, count: int) -> list[Numbered]:
        """The kept notifications after that sequence, at most `count`."""
        with unavailable_as_store_error():
            found = self._client.xrange(keys.inbox(account_id), f"({sequence}-0", "+", count)
        return [Numbered(int(id.partition(b"-")[0]), fields[b"n"]) for id, fields in found]


def _by_account(notices: Iterable[Notice]) -> Mapping[str, Sequence[Notice]]:
    account = attrgetter("account_id")
    return {one: [*own] for one, own in groupby(sorted(notices, key=account), account)}


def _names(account_id: str) -> tuple[str, ...]:
    return (
        keys.account(account_id),
        keys.inbox(account_id),
        keys.inbox_state(account_id),
        keys.SUBSCRIBERS,
        keys.webhooks(account_id),
        keys.DUE_WEBHOOKS,
    )


def _arguments(account_id: str, tag: str, notices: Iterable[Notice]) -> list[str | bytes | int]:
    found: list[str | bytes | int] = [account_id, tag, now_ms(), KEPT, KEPT_MS, KEPT_DELIVERIES]
    found += [keys.webhook(""), keys.deliveries(""), keys.pending_deliveries("")]
    for one in notices:
        found += [*one.log_id.split("-"), one.type, one.notification_id, one.document]
    return found
