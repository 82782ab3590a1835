"""Access to webhooks: the one of a request, how they are shown, and changes once per Idempotency-Key."""

import re
from typing import Final, TypeVar

import msgspec
from msgspec import Raw, Struct

from contract import notifications as contract
from contract.values import Timestamp
from events.notifications.deliveries import Attempt, Listed
from events.notifications.webhooks import Known, Once, SigningSecret, Webhook, written_secret
from runtime.webhook_targets import TargetRefused, TargetRules, target_of
from service.accounts.tokens import Token
from service.context import services
from service.edge.idempotency import KEPT_MS, Keyed, Record
from service.edge.problems import Problem, problem_at

ABOUT_WEBHOOK: Final = ("webhook_not_found",)
_WEBHOOK_ID: Final = re.compile(r"whk_[0-9A-Z]{26}", re.ASCII)

T = TypeVar("T", bound=Struct)


class Made(Record, frozen=True):
    """What a request under an Idempotency-Key has made."""

    result: Raw


def own_webhook(caller: Token, webhook_id: str) -> Webhook:
    """The webhook of the caller.

    Raises:
        Problem: `webhook_not_found`.
        StoreUnavailable.
    """
    found = services().webhooks.get(webhook_id) if _WEBHOOK_ID.fullmatch(webhook_id) else None
    if found is None or found.account_id != caller.account_id:
        raise Problem("webhook_not_found")
    return found


def require_target(url: str) -> None:
    """Refuse a URL that nothing would be sent to. A name is looked up at each attempt.

    Raises:
        Problem: `validation_failed`.
    """
    settings = services().settings
    try:
        target_of(url, TargetRules(settings.webhook_http, settings.webhook_networks))
    except TargetRefused as error:
        raise problem_at("/url", str(error)) from None


def once(keyed: Keyed | None, result: Struct) -> Once | None:
    """The record to store under the key of a request, with its result; None if it has no key."""
    if keyed is None:
        return None
    record = Made(keyed.fingerprint, Raw(msgspec.json.encode(result)))
    return Once(keyed.record, msgspec.json.encode(record), KEPT_MS)


def earlier_result(reply: Known, keyed: Keyed | None, kind: type[T]) -> T:
    """The result of the first request under the same key.

    Raises:
        Problem: `idempotency_key_reused`.
    """
    assert keyed is not None, "a request without a key has no earlier result"
    record = msgspec.json.decode(reply.record, type=Made)
    keyed.require_same(record.fingerprint)
    return msgspec.json.decode(record.result, type=kind)


def present(webhook: Webhook) -> contract.Webhook:
    """A webhook without its secret."""
    return contract.Webhook(
        webhook_id=webhook.webhook_id,
        url=webhook.url,
        types=webhook.types,
        description=webhook.description,
        enabled=webhook.enabled,
        disabled_reason=None if webhook.enabled else webhook.disabled_for,
        failures=webhook.failures,
        failing_since=_time(webhook.failing_since_ms or None),
        created_at=Timestamp.at(webhook.created_ms),
    )


def secret_of(webhook_id: str, secret: SigningSecret) -> str:
    """The secret as its owner gets it. Raises: LookupError, its master key is gone."""
    return written_secret(services().matches.seeds, webhook_id, secret)


def present_delivery(listed: Listed) -> contract.Delivery:
    """A delivery with its attempts."""
    delivery = listed.delivery
    notification: contract.WebhookMessage = delivery.document  # type: ignore[assignment]  # as it is sent
    return contract.Delivery(
        delivery_id=listed.notification_id,
        status=delivery.status,
        created_at=Timestamp.at(delivery.created_ms),
        next_attempt_at=_time(listed.due_ms),
        attempts=tuple([_attempt(one) for one in delivery.attempts]),
        notification=notification,
    )


def _attempt(attempt: Attempt) -> contract.DeliveryAttempt:
    return contract.DeliveryAttempt(
        began_at=Timestamp.at(attempt.began_ms),
        duration_ms=attempt.took_ms,
        status=attempt.status or None,
        error=attempt.error or None,
    )


def _time(time_ms: int | None) -> Timestamp | None:
    return None if time_ms is None else Timestamp.at(time_ms)
