"""Deliveries to a webhook: look at them, send one again, or send a test."""

from typing import Any

from flask import Response
from msgspec import Raw, Struct
from msgspec.structs import replace

from contract.notifications import TEST, Delivery, DeliveryPage, of_test
from events.notifications import deliveries as stored
from events.notifications.deliveries import PENDING, Listed
from events.notifications.webhooks import Known, Webhook
from events.store.keys import new_id, now_ms
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import json_answer, replay_mark
from service.edge.idempotency import keyed_request
from service.edge.problems import Problem
from service.notifications.webhooks import ABOUT_WEBHOOK, earlier_result, once, own_webhook, present_delivery
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import NOTHING, NothingSchema

blueprint = Endpoints("deliveries", "What was sent to a webhook, and what came of it.")

_ABOUT_DELIVERY = (*ABOUT_WEBHOOK, "delivery_not_found")
_SENDS = ("webhook_disabled", "idempotency_key_reused")
_ACCEPTED = Success(
    "The delivery, which is sent soon.", Delivery, ("Location", "Retry-After", "Idempotency-Replayed")
)
_SOON = {"Retry-After": "1"}


class _Put(Struct, frozen=True):
    """A delivery that was to be sent, as it is recorded under an Idempotency-Key."""

    notification_id: str
    delivery: stored.Delivery
    due_ms: int


@blueprint.endpoint(
    "GET",
    "/v1/me/webhooks/<webhook_id>/deliveries",
    {200: Success("The last deliveries, newest first.", DeliveryPage)},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=ABOUT_WEBHOOK,
)
def list_deliveries(caller: Token, webhook_id: str) -> Response:
    """List the last deliveries to a webhook, at most 100, with all their attempts.

    Older ones are removed, even if they are pending: `GET /v1/me/events` has the notifications. What a server
    answers is not kept, but for the status.
    """
    own_webhook(caller, webhook_id)
    found = services().deliveries.page(webhook_id)
    return json_answer(DeliveryPage(items=tuple([present_delivery(one) for one in found]), next=None))


@blueprint.endpoint(
    "GET",
    "/v1/me/webhooks/<webhook_id>/deliveries/<delivery_id>",
    {200: Success("The delivery.", Delivery)},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=_ABOUT_DELIVERY,
)
def show_delivery(caller: Token, webhook_id: str, delivery_id: str) -> Response:
    """Show a delivery with its attempts."""
    own_webhook(caller, webhook_id)
    return json_answer(present_delivery(_delivery(webhook_id, delivery_id)))


@blueprint.endpoint(
    "POST",
    "/v1/me/webhooks/<webhook_id>/deliveries/<delivery_id>/retries",
    {202: _ACCEPTED},
    caller=Caller.ACCOUNT,
    scope="account:write",
    body=NothingSchema(),
    optional_body=True,
    examples=NOTHING,
    headers=("Idempotency-Key",),
    refusals=(*_ABOUT_DELIVERY, *_SENDS),
)
def retry_delivery(caller: Token, webhook_id: str, delivery_id: str, body: dict[str, Any]) -> Response:
    """Send a notification again, whatever came of its delivery.

    It has the same `webhook-id`, and up to eight further attempts.
    """
    webhook = own_webhook(caller, webhook_id)
    listed = _delivery(webhook_id, delivery_id)
    return _sent(caller, webhook, delivery_id, replace(listed.delivery, status=PENDING, tries=0), "retries")


@blueprint.endpoint(
    "POST",
    "/v1/me/webhooks/<webhook_id>/tests",
    {202: _ACCEPTED},
    caller=Caller.ACCOUNT,
    scope="account:write",
    body=NothingSchema(),
    optional_body=True,
    examples=NOTHING,
    headers=("Idempotency-Key",),
    refusals=(*ABOUT_WEBHOOK, *_SENDS),
)
def test_webhook(caller: Token, webhook_id: str, body: dict[str, Any]) -> Response:
    """Send a test message to a webhook.

    It is sent whatever the types of the webhook are.

    The response names the delivery, which tells a moment later what came of it.
    """
    webhook, now, id = own_webhook(caller, webhook_id), now_ms(), new_id("ntf")
    document = Raw(of_test(id, now, caller.account_id, webhook_id))
    return _sent(caller, webhook, id, stored.Delivery(TEST, now, document), "tests")


def _delivery(webhook_id: str, delivery_id: str) -> Listed:
    found = services().deliveries.get(webhook_id, delivery_id)
    if found is None:
        raise Problem("delivery_not_found")
    return found


def _sent(caller: Token, webhook: Webhook, id: str, delivery: stored.Delivery, kind: str) -> Response:
    """Have it sent, once per Idempotency-Key."""
    webhook_id = webhook.webhook_id
    owner = f"{caller.account_id}/{webhook_id}" + (f"/{id}" if kind == "retries" else "")
    keyed = keyed_request(f"webhook-{kind}", owner)
    put = _Put(id, delivery, now_ms())
    reply = services().deliveries.put(webhook_id, id, delivery, put.due_ms, once(keyed, put))
    if reply is False:
        raise Problem("webhook_disabled", "enable it first")
    if isinstance(reply, Known):
        put = earlier_result(reply, keyed, _Put)
    listed = Listed(put.notification_id, put.delivery, put.due_ms)
    headers = {
        "Location": f"/v1/me/webhooks/{webhook_id}/deliveries/{put.notification_id}",
        **_SOON,
        **replay_mark(isinstance(reply, Known)),
    }
    return json_answer(present_delivery(listed), 202, headers)
