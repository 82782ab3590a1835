"""Requests about notifications: the inbox of the caller, and webhooks to which they are sent."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from contract.notifications import TYPES
from machi.answers import RawPage, decoded
from machi.errors import ApiError
from machi.requests.subject import Members, RequestGroup
from machi.transport import Query, segment
from machi.values import Delivery, Notification, Webhook, WebhookSecret, WebhookWithSecret

_WEBHOOKS: Final = "/v1/me/webhooks"


class Notifications(RequestGroup):
    """What the service tells the caller, and where it sends it."""

    def notifications(
        self, after: int = 0, *, types: Sequence[str] | None = None, wait: int = 0
    ) -> Iterator[Notification]:
        """The notifications whose sequence is above `after`, page by page, oldest first.

        If there are none, wait up to `wait` seconds (at most 30) for the next one. The service keeps the last
        1000; a first sequence above `after` + 1 tells that older ones are gone.
        """
        chosen = ",".join(types) if types is not None else None
        following: str | None = str(after)
        while following is not None:
            query: Query = {"after": following, "types": chosen, "wait": wait}
            page = decoded(RawPage, self._get("/v1/me/events", query, wait))
            yield from [decoded(Notification, item) for item in page.items]
            following, wait = page.next, 0

    def webhooks(self) -> tuple[Webhook, ...]:
        """The webhooks of the caller, oldest first."""
        return tuple(decoded(Webhook, item) for item in self._items(_WEBHOOKS))

    def webhook(self, webhook_id: str) -> Webhook:
        return decoded(Webhook, self._get(_webhook_path(webhook_id)))

    def create_webhook(
        self, url: str, types: Sequence[str] = TYPES, description: str = "", *, key: str | None = None
    ) -> WebhookWithSecret:
        """Have notifications of these types sent to an HTTPS address. Only this answer has the secret."""
        body = {"url": url, "types": list(types), "description": description}
        return decoded(WebhookWithSecret, self._post(_WEBHOOKS, body, key).body)

    def change_webhook(
        self,
        webhook_id: str,
        *,
        url: str | None = None,
        types: Sequence[str] | None = None,
        description: str | None = None,
        enabled: bool | None = None,
    ) -> Webhook:
        """Change what is not None. `enabled=True` also has what is pending sent."""
        given = {"url": url, "types": types, "description": description, "enabled": enabled}
        changes: Members = {name: value for name, value in given.items() if value is not None}
        body = msgspec.json.encode(changes)
        answer = self._transport.request("PATCH", _webhook_path(webhook_id), body=body)
        return decoded(Webhook, answer.body)

    def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook with its deliveries.

        If one try got no response, it counts as deleted when the next try gets 404.
        """
        try:
            self._transport.request("DELETE", _webhook_path(webhook_id))
        except ApiError as error:
            if not (error.may_be_done and error.status == 404):
                raise

    def rotate_webhook_secret(self, webhook_id: str, *, key: str | None = None) -> WebhookSecret:
        """Replace the secret. For 24 hours, messages are signed with both."""
        return decoded(WebhookSecret, self._post(f"{_webhook_path(webhook_id)}/secret", {}, key).body)

    def test_webhook(self, webhook_id: str, *, key: str | None = None) -> Delivery:
        """Have a test message sent. The delivery tells a moment later what came of it."""
        return decoded(Delivery, self._post(f"{_webhook_path(webhook_id)}/tests", {}, key).body)

    def deliveries(self, webhook_id: str) -> tuple[Delivery, ...]:
        """The last deliveries to a webhook, at most 100, newest first."""
        return tuple(decoded(Delivery, item) for item in self._items(_deliveries_path(webhook_id)))

    def delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        return decoded(Delivery, self._get(_delivery_path(webhook_id, delivery_id)))

    def retry_delivery(self, webhook_id: str, delivery_id: str, *, key: str | None = None) -> Delivery:
        """Have a notification sent again, whatever came of its delivery."""
        path = f"{_delivery_path(webhook_id, delivery_id)}/retries"
        return decoded(Delivery, self._post(path, {}, key).body)


def _webhook_path(webhook_id: str) -> str:
    return f"{_WEBHOOKS}/{segment(webhook_id)}"


def _deliveries_path(webhook_id: str) -> str:
    return f"{_webhook_path(webhook_id)}/deliveries"


def _delivery_path(webhook_id: str, delivery_id: str) -> str:
    return f"{_deliveries_path(webhook_id)}/{segment(delivery_id)}"
