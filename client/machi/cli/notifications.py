"""`machi inbox` and `machi webhook`: what the service tells the account, and where it sends it."""

from collections.abc import Iterable, Iterator
from typing import Final

import click

from contract.notifications import TYPES
from machi.cli.session import Session, WrongUse, bare_table, one_line, service_options, session_of
from machi.client import Client
from machi.values import Delivery, Notification, Webhook, WebhookSecret, WebhookWithSecret

_POLL_S: Final = 25
"""Seconds that one request waits for the next notification."""


_types = click.option(
    "--type", "types", multiple=True, type=click.Choice(TYPES), help="A type of notification; repeatable."
)


@click.command(
    epilog="""\b
Examples:
  machi inbox
  machi inbox --follow --type turn --type invited --json
"""
)
@click.option("--after", type=click.IntRange(0), default=0, help="Start after this number.")
@_types
@click.option("--follow", is_flag=True, help="Wait for further notifications until you press Ctrl-C.")
@service_options
@session_of
def inbox(session: Session, after: int, types: tuple[str, ...], follow: bool) -> None:
    """List your notifications, oldest first.

    The first use begins your inbox; from then on, the service keeps the last 1000 notifications as long as
    you look at least every seven days, or have a webhook.
    """
    session.require_account()
    if not follow:
        with session.client() as client:
            session.show_each(client.notifications(after, types=types or None), _print_notifications)
        return
    with session.patient_client() as client:
        session.show_each(_followed(client, after, types), _print_notifications)


def _followed(client: Client, after: int, types: tuple[str, ...]) -> Iterator[Notification]:
    while True:
        for found in client.notifications(after, types=types or None, wait=_POLL_S):
            yield found
            after = found.sequence


def _print_notifications(found: Iterable[Notification]) -> None:
    for one in found:
        what = one.data.get("match_url") or one.data.get("round_url") or ""
        time = f"{one.timestamp.astimezone():%Y-%m-%d %H:%M:%S}"
        print(f"{one.sequence:5} {time} {one_line(one.type)} {one_line(str(what))}", flush=True)


@click.group(
    epilog="""\b
Examples:
  machi webhook create https://bot.example/machi --type turn --type invited
  machi webhook test whk_...
  machi webhook deliveries whk_...
"""
)
@service_options
def webhook() -> None:
    """Have notifications sent to an HTTPS address of yours, signed.

    See docs/webhooks.md for what your server receives, and how it verifies that.
    """


_webhook_id = click.argument("webhook_id", metavar="WEBHOOK_ID")
_description = click.option("--description", help="For you to tell webhooks apart.")


def _client(session: Session) -> Client:
    session.require_account()
    return session.client()


@webhook.command("list")
@service_options
@session_of
def list_webhooks(session: Session) -> None:
    """List your webhooks."""
    with _client(session) as client:
        session.show_each(client.webhooks(), lambda found: _say_webhooks(session, found))


@webhook.command()
@click.argument("address", metavar="URL")
@_types
@_description
@service_options
@session_of
def create(session: Session, address: str, types: tuple[str, ...], description: str | None) -> None:
    """Create a webhook and print its secret, which is shown only once."""
    with _client(session) as client:
        made = client.create_webhook(address, types or TYPES, description or "")
    session.show(made, lambda made: _say_secret(session, made))


@webhook.command()
@_webhook_id
@click.option("--address", metavar="URL", help="Send to this address from now on.")
@_types
@_description
@click.option("--enable/--disable", "enabled", default=None, help="Send messages, or keep them back.")
@service_options
@session_of
def change(
    session: Session,
    webhook_id: str,
    address: str | None,
    types: tuple[str, ...],
    description: str | None,
    enabled: bool | None,
) -> None:
    """Change a webhook. With `--enable`, what is pending is sent, too."""
    if (address, types, description, enabled) == (None, (), None, None):
        raise WrongUse("say what to change: --address, --type, --description, --enable or --disable")
    with _client(session) as client:
        changed = client.change_webhook(
            webhook_id, url=address, types=types or None, description=description, enabled=enabled
        )
    session.show(changed, lambda changed: _say_webhooks(session, [changed]))


@webhook.command()
@_webhook_id
@service_options
@session_of
def delete(session: Session, webhook_id: str) -> None:
    """Delete a webhook with its deliveries."""
    with _client(session) as client:
        client.delete_webhook(webhook_id)
    session.say("Deleted.")


@webhook.command()
@_webhook_id
@service_options
@session_of
def secret(session: Session, webhook_id: str) -> None:
    """Replace the secret of a webhook, and print the new one.

    For 24 hours, messages are signed with both.
    """
    with _client(session) as client:
        made = client.rotate_webhook_secret(webhook_id)
    session.show(made, lambda made: _say_secret(session, made))


@webhook.command()
@_webhook_id
@service_options
@session_of
def test(session: Session, webhook_id: str) -> None:
    """Have a test message sent.

    `machi webhook deliveries` tells a moment later what came of it.
    """
    with _client(session) as client:
        delivery = client.test_webhook(webhook_id)
    session.show(delivery, lambda delivery: session.say(f"{delivery.delivery_id} is sent soon."))


@webhook.command()
@_webhook_id
@service_options
@session_of
def deliveries(session: Session, webhook_id: str) -> None:
    """List the last deliveries to a webhook, newest first, with what came of them."""
    with _client(session) as client:
        session.show_each(client.deliveries(webhook_id), lambda found: _say_deliveries(session, found))


@webhook.command()
@_webhook_id
@click.argument("delivery_id", metavar="DELIVERY_ID")
@service_options
@session_of
def retry(session: Session, webhook_id: str, delivery_id: str) -> None:
    """Have a notification sent again."""
    with _client(session) as client:
        delivery = client.retry_delivery(webhook_id, delivery_id)
    session.show(delivery, lambda delivery: session.say(f"{delivery.delivery_id} is sent soon."))


def _say_secret(session: Session, made: WebhookWithSecret | WebhookSecret) -> None:
    session.say(f"{made.webhook_id} signs with this secret, which is not shown again:")
    print(made.secret)


def _say_webhooks(session: Session, found: Iterable[Webhook]) -> None:
    table = bare_table()
    for column in ("webhook", "sends", "to", "types"):
        table.add_column(column, overflow="fold")
    for one in found:
        sends = "yes" if one.enabled else f"no ({one.disabled_reason})"
        table.add_row(one.webhook_id, sends, one_line(one.url), ", ".join(one.types))
    session.out.print(table if table.row_count else "You have no webhooks.")


def _say_deliveries(session: Session, found: Iterable[Delivery]) -> None:
    table = bare_table()
    for column in ("delivery", "type", "status", "attempts"):
        table.add_column(column, overflow="fold")
    for one in found:
        results = [str(attempt.status or attempt.error) for attempt in one.attempts]
        table.add_row(one.delivery_id, one_line(one.notification.type), one.status, ", ".join(results))
    session.out.print(table if table.row_count else "Nothing was sent yet.")
