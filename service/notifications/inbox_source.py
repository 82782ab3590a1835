"""The inbox of an account as the source of streams."""

import threading
from typing import Final

import msgspec
from msgspec import Struct

from events.notifications.inbox import Numbered
from events.store.outbox import inbox_topic
from events.store.watch import Wake
from service.context import Services
from service.live.feeds import NDJSON, FeedBroken, Portion, StreamFormat

PAGE: Final = 200
"""The most notifications that are read at a time."""


class _Type(Struct):
    type: str


_type_of: Final = msgspec.json.Decoder(_Type).decode


class InboxSource:
    """The notifications of an account."""

    def __init__(
        self, services: Services, account_id: str, form: StreamFormat, types: frozenset[str] | None
    ) -> None:
        """`types` are the types of notifications to send; None for all."""
        self.name: Final = inbox_topic(account_id)
        self.format: Final = form
        self._services = services
        self._account_id = account_id
        self._types = types

    def read(self, after: int) -> Portion:
        """The next portion after the sequence `after`; none is the last.

        Raises:
            FeedBroken: the inbox ends before `after`, as after a restored backup.
            StoreUnavailable.
        """
        found = self._services.inbox.after(self._account_id, after, PAGE)
        if not found and after > self._services.inbox.last(self._account_id):
            raise FeedBroken(self.name)
        data = b"".join([self._written(one) for one in found if is_of(one, self._types)])
        return Portion(data, found[-1].sequence if found else after, False, len(found) < PAGE)

    def _written(self, one: Numbered) -> bytes:
        if self.format is NDJSON:
            return one.document + b"\n"
        return b"id: %d\ndata: %b\n\n" % (one.sequence, one.document)

    def wait(self, after: int, timeout_s: float, woken: threading.Event) -> Wake:
        """Wait for a notification after the sequence `after`."""
        return self._services.watcher.wait(self.name, after, timeout_s, woken)

    def renew(self) -> None:
        """Keep the notifications for those who are still there. Raises: StoreUnavailable."""
        self._services.inbox.subscribe(self._account_id)


def is_of(one: Numbered, types: frozenset[str] | None) -> bool:
    """Whether the notification has one of these types; None stands for all."""
    return types is None or _type_of(one.document).type in types
