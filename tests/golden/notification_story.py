"""The part of the story about notifications. What a server answers to a webhook is made up: it would take its
own time.
"""

from msgspec.structs import replace

from events.ladders.ladders import Ladders
from events.notifications.deliveries import DELIVERED, PENDING, Attempt, Settled
from events.notifications.webhooks import MOST_WEBHOOKS
from events.store import keys
from events.store.outbox import Outbox
from service.context import EXTENSION, Services
from service.matches.cloud_events import BATCH, MEDIA_TYPE
from service.notifications.webhook_views import EXAMPLE
from tests.golden.recorder import Person, Recorder, delete, get, patch, post
from tests.golden.story import MATCHES, People
from workers.notifications.notifying import Notifier

WEBHOOKS = "/v1/me/webhooks"


def tell_of_notifications(rec: Recorder, people: People) -> None:
    """Somebody has her turns sent, looks at what came of them, and has enough."""
    rec.begin_chapter()
    services: Services = rec.app.extensions[EXTENSION]
    ada, bob, _ = people
    made = rec.answer("bot", "A webhook and its secret", post(WEBHOOKS, EXAMPLE, ada))
    path = f"{WEBHOOKS}/{made['webhook_id']}"
    rec.answer("bot", "A webhook that is enabled", get(path, ada))
    rec.answer("one", "One webhook", get(WEBHOOKS, ada))
    rec.problem("webhook_not_found", get(path, bob))
    outbox = Outbox(services.events_redis)
    notifier = Notifier(services.inbox, outbox, services.matches, Ladders(services.matches.store), keys.HOME)
    notifier.begin()
    board = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}], "first_seat": 0}
    match_id = rec.send(post(MATCHES, board, ada)).json["match_id"]
    rec.send(post(f"{MATCHES}/{match_id}/abort", by=ada))
    notifier.run("")
    rec.answer("two", "A turn, and the end of the match", get("/v1/me/events?wait=25", ada))
    rec.answer("lines", "The same as lines", get("/v1/me/events", ada, Accept="application/x-ndjson"))
    events = f"{MATCHES}/{match_id}/events"
    rec.answer("batch", "A batch of one event", get(f"{events}?after=2&limit=1", ada, Accept=BATCH))
    rec.answer("cloud_event", "One event", get(f"{events}/3", ada, Accept=MEDIA_TYPE))
    delivery = _answered(services, made["webhook_id"], 0, 503)
    rec.answer("pending", "It is attempted again", get(f"{path}/deliveries/{delivery}", ada))
    _answered(services, made["webhook_id"], 1, 204)
    rec.answer("delivered", "The second attempt succeeded", get(f"{path}/deliveries", ada))
    again = rec.answer("again", "It is sent again", post(f"{path}/deliveries/{delivery}/retries", by=ada))
    assert again["status"] == PENDING
    rec.answer("test", "A test is sent", post(f"{path}/tests", by=ada))
    rec.problem("delivery_not_found", get(f"{path}/deliveries/ntf_{'0' * 26}", ada))
    rec.answer("new", "A new secret", post(f"{path}/secret", by=ada))
    rec.answer("off", "A disabled webhook", patch(path, {"enabled": False}, ada))
    rec.problem("webhook_disabled", post(f"{path}/tests", by=ada))
    rec.send(delete(path, ada))
    _create_too_many(rec, bob)


def _answered(services: Services, webhook_id: str, tries: int, status: int) -> str:
    """A server answers to the first pending notification; the id of that."""
    (found,) = services.deliveries.page(webhook_id)
    began_ms = found.delivery.created_ms
    attempt = Attempt(began_ms, 42, status)
    is_done = attempt.has_succeeded
    delivery = replace(
        found.delivery,
        status=DELIVERED if is_done else PENDING,
        attempts=(*found.delivery.attempts, attempt),
        tries=tries + 1,
    )
    settled = Settled(int(not is_done), 0 if is_done else began_ms, 0, not is_done)
    due_ms = None if is_done else began_ms
    services.deliveries.settle(webhook_id, found.notification_id, delivery, due_ms, settled)
    return found.notification_id


def _create_too_many(rec: Recorder, person: Person) -> None:
    for _ in range(MOST_WEBHOOKS):
        rec.send(post(WEBHOOKS, EXAMPLE, person))
    rec.problem("too_many_webhooks", post(WEBHOOKS, EXAMPLE, person))
