"""Webhooks of the caller: create, show, change and delete them, and rotate their secrets."""

from typing import Any

from flask import Response
from msgspec.structs import asdict, replace

from contract.notifications import Webhook, WebhookPage, WebhookSecret, WebhookWithSecret
from contract.values import Timestamp
from events.notifications import webhooks as stored
from events.notifications.webhooks import MOST_WEBHOOKS, OVERLAP_MS, OWNER, Known, SigningSecret, new_secret
from events.store.keys import new_id, now_ms
from service.accounts.tokens import Token
from service.context import services
from service.edge.answers import empty_answer, json_answer, replay_mark
from service.edge.idempotency import keyed_request
from service.edge.problems import Problem
from service.notifications.notification_schemas import ChangedWebhookSchema, NewWebhookSchema
from service.notifications.webhooks import (
    ABOUT_WEBHOOK,
    earlier_result,
    once,
    own_webhook,
    present,
    require_target,
    secret_of,
)
from service.openapi.endpoints import Caller, Endpoints, Success
from service.openapi.fields import NOTHING, NothingSchema

blueprint = Endpoints(
    "webhooks", "Webhooks: addresses of the caller to which its notifications are sent, signed."
)

EXAMPLE = {"url": "https://bot.example/machi", "types": ["turn", "invited"], "description": "my bot"}


@blueprint.endpoint(
    "POST",
    "/v1/me/webhooks",
    {
        201: Success(
            "The webhook. Only a retry under the same key returns its secret again.",
            WebhookWithSecret,
            ("Location", "Idempotency-Replayed"),
        )
    },
    caller=Caller.ACCOUNT,
    scope="account:write",
    body=NewWebhookSchema(),
    examples={"bot": {"value": EXAMPLE}},
    headers=("Idempotency-Key",),
    refusals=("too_many_webhooks", "idempotency_key_reused"),
)
def create_webhook(caller: Token, body: dict[str, Any]) -> Response:
    """Create a webhook: an address to which the notifications of the caller are sent.

    Messages follow the specification Standard Webhooks: verify `webhook-signature` with the secret before you
    believe one, and answer with 2xx within ten seconds. Otherwise it is sent again, up to eight times within
    about 27 hours, with the same `webhook-id`. An account can have at most 5 webhooks.
    """
    require_target(body["url"])
    keyed = keyed_request("webhooks", caller.account_id)
    webhook = stored.Webhook(
        webhook_id=new_id("whk"),
        account_id=caller.account_id,
        url=body["url"],
        types=tuple(dict.fromkeys(body["types"])),
        description=body["description"],
        created_ms=now_ms(),
        secret=new_secret(services().matches.seeds),
    )
    try:
        reply = services().webhooks.create(webhook, once(keyed, webhook))
    except LookupError:
        raise Problem("token_invalid") from None
    if reply is False:
        raise Problem(
            "too_many_webhooks", f"an account can have at most {MOST_WEBHOOKS} webhooks: delete one"
        )
    if isinstance(reply, Known):
        webhook = earlier_result(reply, keyed, stored.Webhook)
    answer = WebhookWithSecret(
        **asdict(present(webhook)), secret=secret_of(webhook.webhook_id, webhook.secret)
    )
    headers = {"Location": f"/v1/me/webhooks/{webhook.webhook_id}", **replay_mark(isinstance(reply, Known))}
    return json_answer(answer, 201, headers)


@blueprint.endpoint(
    "GET",
    "/v1/me/webhooks",
    {200: Success("The webhooks, oldest first.", WebhookPage)},
    caller=Caller.ACCOUNT,
    scope="account:write",
)
def list_webhooks(caller: Token) -> Response:
    """List the webhooks of the caller, without their secrets."""
    found = services().webhooks.of_account(caller.account_id)
    return json_answer(WebhookPage(items=tuple([present(one) for one in found]), next=None))


@blueprint.endpoint(
    "GET",
    "/v1/me/webhooks/<webhook_id>",
    {200: Success("The webhook.", Webhook)},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=ABOUT_WEBHOOK,
)
def show_webhook(caller: Token, webhook_id: str) -> Response:
    """Show a webhook, without its secret."""
    return json_answer(present(own_webhook(caller, webhook_id)))


@blueprint.endpoint(
    "PATCH",
    "/v1/me/webhooks/<webhook_id>",
    {200: Success("The changed webhook.", Webhook)},
    caller=Caller.ACCOUNT,
    scope="account:write",
    body=ChangedWebhookSchema(),
    examples={"off": {"value": {"enabled": False}}, "fewer": {"value": {"types": ["turn"]}}},
    refusals=ABOUT_WEBHOOK,
)
def change_webhook(caller: Token, webhook_id: str, body: dict[str, Any]) -> Response:
    """Change a webhook, or enable or disable it.

    Nothing is sent to a disabled webhook, and nothing new is kept for it; what is pending waits until it is
    enabled. The service disables a webhook if every attempt has failed for three days, or if its server
    answers 410.
    """
    webhook = own_webhook(caller, webhook_id)
    if "url" in body:
        require_target(body["url"])
    changes: dict[str, str | int] = {name: body[name] for name in ("url", "description") if name in body}
    if "types" in body:
        changes["types"] = ",".join(dict.fromkeys(body["types"]))
    if body.get("enabled") is True:
        changes |= {"enabled": 1, "disabled_for": "", "failures": 0, "failing_since_ms": 0, "not_before": 0}
    elif body.get("enabled") is False:
        changes |= {"enabled": 0, "disabled_for": webhook.disabled_for or OWNER}
    if changes and not services().webhooks.change(webhook_id, changes, is_to_resume="enabled" in body):
        raise Problem("webhook_not_found")
    return json_answer(present(own_webhook(caller, webhook_id)))


@blueprint.endpoint(
    "DELETE",
    "/v1/me/webhooks/<webhook_id>",
    {204: Success("The webhook is deleted. A message that is being sent may still arrive.")},
    caller=Caller.ACCOUNT,
    scope="account:write",
    refusals=ABOUT_WEBHOOK,
)
def delete_webhook(caller: Token, webhook_id: str) -> Response:
    """Delete a webhook with its deliveries."""
    own_webhook(caller, webhook_id)
    services().webhooks.delete(caller.account_id, webhook_id)
    return empty_answer(204)


@blueprint.endpoint(
    "POST",
    "/v1/me/webhooks/<webhook_id>/secret",
    {
        201: Success(
            "The new secret. Only a retry under the same key returns it again.",
            WebhookSecret,
            ("Idempotency-Replayed",),
        )
    },
    caller=Caller.ACCOUNT,
    scope="account:write",
    body=NothingSchema(),
    optional_body=True,
    examples=NOTHING,
    headers=("Idempotency-Key",),
    refusals=(*ABOUT_WEBHOOK, "idempotency_key_reused"),
)
def rotate_webhook_secret(caller: Token, webhook_id: str, body: dict[str, Any]) -> Response:
    """Replace the secret of a webhook.

    For 24 hours, messages have two signatures, one of each secret. If you fear that somebody has the old
    secret, stop using it at once.
    """
    webhook = own_webhook(caller, webhook_id)
    keyed = keyed_request(f"webhook-secrets:{webhook_id}", caller.account_id)
    ends_ms = now_ms() + OVERLAP_MS
    old, new = replace(webhook.secret, ends_ms=ends_ms), new_secret(services().matches.seeds)
    changes = {"secret": stored.written(new), "old_secret": stored.written(old)}
    made = replace(new, ends_ms=ends_ms)
    reply = services().webhooks.change(webhook_id, changes, once(keyed, made))
    if reply is False:
        raise Problem("webhook_not_found")
    if isinstance(reply, Known):
        made = earlier_result(reply, keyed, SigningSecret)
    answer = WebhookSecret(
        webhook_id=webhook_id,
        secret=secret_of(webhook_id, made),
        old_secret_ends_at=Timestamp.at(made.ends_ms),
    )
    return json_answer(answer, 201, replay_mark(isinstance(reply, Known)))
