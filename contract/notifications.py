"""Notifications of accounts, the webhooks that they are sent to, and their deliveries."""

from collections.abc import Callable
from typing import Annotated, Final, TypeAlias

from contract.accounts import Secret
from contract.names import names
from contract.values import (
    Address,
    Answer,
    Count,
    Instant,
    Positive,
    Timestamp,
    choice,
    encode,
    integer,
    length,
)

TURN: Final = "turn"
MATCH_FINISHED: Final = "match_finished"
INVITED: Final = "invited"
LADDER_ROUND_FINISHED: Final = "ladder_round_finished"
TEST: Final = "test"
TYPES: Final = (TURN, MATCH_FINISHED, INVITED, LADDER_ROUND_FINISHED)

NotificationType = Annotated[
    str,
    names(
        "NotificationType",
        "`turn`: it has become the turn of the account. `match_finished`: a match in which it has a seat is "
        "over. `invited`: a seat is reserved for it. `ladder_round_finished`: a round of its ladder, or with "
        "its bot, is over.",
        *TYPES,
    ),
]
DisabledReason = Annotated[
    str,
    names(
        "DisabledReason",
        "Why a webhook is disabled. `owner`: its owner has disabled it. `failing`: every attempt has failed "
        "for three days. `gone`: its server has answered 410.",
        "owner",
        "failing",
        "gone",
    ),
]
DeliveryStatus = Annotated[
    str,
    names(
        "DeliveryStatus",
        "`pending`: it is to be attempted, perhaps again. `delivered`: the server answered with 2xx. "
        "`failed`: no further attempt will be made, unless somebody asks for it.",
        "pending",
        "delivered",
        "failed",
    ),
]
DeliveryError = Annotated[
    str,
    names(
        "DeliveryError",
        "Why there was no response. `address_refused`: the host has an address that is not public, or the "
        "service no longer allows the URL. `unresolved`: the host has no address. `unreachable`: there is no "
        "connection, or it broke. `tls`: the certificate or the handshake is wrong. `timeout`: it took more "
        "than ten seconds. `malformed_response`: it is not HTTP. `secret_lost`: the service can no longer "
        "sign; rotate the secret.",
        "address_refused",
        "unresolved",
        "unreachable",
        "tls",
        "timeout",
        "malformed_response",
        "secret_lost",
    ),
]


class MatchNews(Answer, frozen=True):
    """The match that a notification is about."""

    match_id: str
    version: Positive
    """The version of the match that brought it about."""
    match_url: Address


class RoundNews(Answer, frozen=True):
    """The round of a ladder that a notification is about."""

    ladder_id: str
    round: Positive
    """The number of the round."""
    ladder_url: Address
    round_url: Address
    """The address of the job that played the round; its `result` is the address of what came of it."""


class TestedWebhook(Answer, frozen=True):
    """The webhook that is tested."""

    webhook_id: str
    webhook_url: Address
    """The address of the webhook in the API."""


class NotificationEnvelope(Answer, frozen=True, kw_only=True):
    """The members of all notifications."""

    sequence: Count
    """The number of the notification in the inbox of the account, from 1; 0 for a test."""
    notification_id: str
    """Equal in the inbox and in each attempt to deliver it to a webhook, as the header `webhook-id`."""
    timestamp: Instant
    """When the service noticed what it is about."""
    account_id: str
    """The account that is notified."""


class TurnNotification(NotificationEnvelope, frozen=True, kw_only=True, tag=TURN):
    """It has become the turn of the account to decide in a match."""

    data: MatchNews


class MatchFinishedNotification(NotificationEnvelope, frozen=True, kw_only=True, tag=MATCH_FINISHED):
    """A match in which the account has a seat is finished or aborted."""

    data: MatchNews


class InvitedNotification(NotificationEnvelope, frozen=True, kw_only=True, tag=INVITED):
    """A seat of a match is reserved for the account."""

    data: MatchNews


class LadderRoundFinishedNotification(
    NotificationEnvelope, frozen=True, kw_only=True, tag=LADDER_ROUND_FINISHED
):
    """A round of a ladder is finished; for its owner, and for the owners of the bots in the round."""

    data: RoundNews


class WebhookTest(NotificationEnvelope, frozen=True, kw_only=True, tag=TEST):
    """A test of a webhook; inboxes have none."""

    data: TestedWebhook


Notification: TypeAlias = Annotated[
    TurnNotification | MatchFinishedNotification | InvitedNotification | LadderRoundFinishedNotification,
    choice("Notification", "A notification of an account. It names what there is to look at, and no more."),
]
WebhookMessage: TypeAlias = Annotated[
    TurnNotification
    | MatchFinishedNotification
    | InvitedNotification
    | LadderRoundFinishedNotification
    | WebhookTest,
    choice("WebhookMessage", "What is sent to a webhook."),
]

_OF_MATCHES: Final[dict[str, Callable[..., Answer]]] = {
    TURN: TurnNotification,
    MATCH_FINISHED: MatchFinishedNotification,
    INVITED: InvitedNotification,
}


def of_match(
    type: str, notification_id: str, time_ms: int, account_id: str, match_id: str, version: int
) -> bytes:
    """A new notification about a match, as JSON; `type` is one of the three about matches."""
    news = MatchNews(match_id, version, f"/v1/matches/{match_id}")
    return _encoded(_OF_MATCHES[type], notification_id, time_ms, account_id, news)


def of_round(
    notification_id: str, time_ms: int, account_id: str, ladder_id: str, number: int, job_id: str
) -> bytes:
    """A new notification about a round of a ladder, as JSON; `job_id` is the job of the round."""
    news = RoundNews(ladder_id, number, f"/v1/ladders/{ladder_id}", f"/v1/jobs/{job_id}")
    return _encoded(LadderRoundFinishedNotification, notification_id, time_ms, account_id, news)


def of_test(notification_id: str, time_ms: int, account_id: str, webhook_id: str) -> bytes:
    """A test of a webhook, as JSON."""
    tested = TestedWebhook(webhook_id, f"/v1/me/webhooks/{webhook_id}")
    return _encoded(WebhookTest, notification_id, time_ms, account_id, tested)


def _encoded(
    kind: Callable[..., Answer], notification_id: str, time_ms: int, account_id: str, data: Answer
) -> bytes:
    """A notification that has no number in an inbox yet."""
    return encode(
        kind(
            sequence=0,
            notification_id=notification_id,
            timestamp=Timestamp.at(time_ms),
            account_id=account_id,
            data=data,
        )
    )


class NotificationPage(Answer, frozen=True):
    """One page of notifications."""

    items: tuple[Notification, ...]
    next: str | None


class Webhook(Answer, frozen=True, kw_only=True):
    """An address to which notifications are sent."""

    webhook_id: str
    url: str
    types: Annotated[tuple[NotificationType, ...], length(1, len(TYPES))]
    """The types of notifications that are sent to it."""
    description: str
    enabled: bool
    disabled_reason: DisabledReason | None
    """Null while it is enabled."""
    failures: Count
    """The number of attempts that have failed since one succeeded."""
    failing_since: Instant | None
    """When the first of these failed; null if the last attempt succeeded."""
    created_at: Instant


class WebhookWithSecret(Secret, Webhook, frozen=True, kw_only=True):
    """A webhook and the secret that signs what is sent to it."""

    secret: str
    """`whsec_` and base64, as libraries of Standard Webhooks take it."""


class WebhookSecret(Secret, frozen=True, kw_only=True):
    """A new secret of a webhook."""

    webhook_id: str
    secret: str
    old_secret_ends_at: Instant
    """Until then, messages are signed with the old secret as well."""


class WebhookPage(Answer, frozen=True):
    """All webhooks of an account."""

    items: tuple[Webhook, ...]
    next: str | None


class DeliveryAttempt(Answer, frozen=True, kw_only=True):
    """One request to a webhook."""

    began_at: Instant
    duration_ms: Count
    status: Annotated[int, integer(100, 999)] | None
    """The HTTP status of the response; null without one."""
    error: DeliveryError | None
    """Why there was no response; null with one."""


class Delivery(Answer, frozen=True, kw_only=True):
    """A notification that was sent, or is to be sent, to a webhook."""

    delivery_id: str
    """The `notification_id` of the notification."""
    status: DeliveryStatus
    created_at: Instant
    next_attempt_at: Instant | None
    """Null unless the delivery is pending. While attempts to the webhook fail, it may be later."""
    attempts: Annotated[tuple[DeliveryAttempt, ...], length(0, 16)]
    """The last ones, oldest first."""
    notification: WebhookMessage


class DeliveryPage(Answer, frozen=True):
    """The deliveries of a webhook."""

    items: tuple[Delivery, ...]
    next: str | None
