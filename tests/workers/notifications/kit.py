"""Accounts with webhooks, and what notifies and serves them, driven step by step."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from contract.notifications import TEST, TYPES, of_test
from events.ladders.ladders import Ladders
from events.notifications.deliveries import Deliveries, Delivery, Listed
from events.notifications.inbox import Inbox
from events.notifications.webhooks import Webhook, Webhooks, new_secret
from events.store import keys
from events.store.keys import now_ms
from tests.receiver import LOCAL
from tests.workers.kit import Place
from workers.notifications.delivering import Delivering, DeliveryLimits
from workers.notifications.notifying import Notifier
from workers.notifications.sending import Sender, SendLimits

ADA = "acc_ada"


class Office:
    """The notifications of a place. Its clock can be turned forward."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.inbox = Inbox(place.client)
        self.webhooks = Webhooks(place.client)
        self.deliveries = Deliveries(place.client)
        self.seeds = place.matches.seeds
        self.later_ms = 0
        place.client.set(keys.account(ADA), b"{}")

    def notifier(self, tag: str = keys.HOME) -> Notifier:
        """One that has begun."""
        ladders = Ladders(self.place.matches.store)
        found = Notifier(self.inbox, self.place.outbox, self.place.matches, ladders, tag)
        found.begin()
        return found

    def webhook(self, url: str, types: Sequence[str] = TYPES, account_id: str = ADA) -> Webhook:
        """A new webhook."""
        webhook = Webhook(
            webhook_id=keys.new_id("whk"),
            account_id=account_id,
            url=url,
            types=tuple(types),
            description="",
            created_ms=now_ms(),
            secret=new_secret(self.seeds),
        )
        assert self.webhooks.create(webhook, None) is True
        return webhook

    def again(self, webhook: Webhook) -> Webhook:
        """The webhook as it is now."""
        found = self.webhooks.get(webhook.webhook_id)
        assert found is not None
        return found

    def test_of(self, webhook: Webhook, number: int = 1) -> list[str]:
        """So many messages to it that are due; their ids."""
        ids = [keys.new_id("ntf") for _ in range(number)]
        for id in ids:
            document = msgspec.Raw(of_test(id, now_ms(), webhook.account_id, webhook.webhook_id))
            assert self.deliveries.put(
                webhook.webhook_id, id, Delivery(TEST, now_ms(), document), self.now(), None
            )
        return ids

    def now(self) -> int:
        return now_ms() + self.later_ms

    def deliver(self, sender: Sender | None = None, **limits: Any) -> None:
        """Serve what is due now, in one job."""
        chosen = replace(DeliveryLimits(look_s=0.01), **limits)
        sender = sender or Sender(LOCAL, SendLimits())
        Delivering(self.webhooks, self.deliveries, self.seeds, sender, chosen, self.now).run()

    def only(self, webhook: Webhook) -> Listed:
        """Its only delivery."""
        (found,) = self.deliveries.page(webhook.webhook_id)
        return found

    def told(self, after: int = 0) -> list[dict[str, Any]]:
        """Ada's notifications."""
        return [msgspec.json.decode(one.document) for one in self.inbox.after(ADA, after, 500)]
