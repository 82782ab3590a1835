"""What the relay and a worker for webhooks do, in the process of a test of the service."""

from flask import Flask

from events.ladders.ladders import Ladders
from events.store import keys
from events.store.outbox import Outbox
from service.context import EXTENSION, Services
from tests.receiver import LOCAL
from workers.notifications.delivering import Delivering, DeliveryLimits
from workers.notifications.notifying import Notifier
from workers.notifications.sending import Sender


class Messenger:
    """Notifies and delivers when it is told to; from its beginning on."""

    def __init__(self, app: Flask) -> None:
        self.services: Services = app.extensions[EXTENSION]
        found = self.services
        ladders, outbox = Ladders(found.matches.store), Outbox(found.events_redis)
        self._notifier = Notifier(found.inbox, outbox, found.matches, ladders, keys.HOME)
        self._notifier.begin()

    def notify(self) -> None:
        """Bring what has happened into the inboxes."""
        while self._notifier.run(""):
            pass

    def deliver(self) -> None:
        """Make the attempts that are due."""
        found = self.services
        limits = DeliveryLimits(look_s=0.01)
        Delivering(found.webhooks, found.deliveries, found.matches.seeds, Sender(LOCAL), limits).run()
