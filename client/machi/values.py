"""The objects of the contract as answers bring them: with their original JSON in `raw`."""

from typing import Any

from msgspec import Struct

import contract.accounts
import contract.catalogue
import contract.events
import contract.ladders
import contract.luck
import contract.matches
import contract.notifications
import contract.puzzles
from contract.values import Instant
from machi.answers import HasRaw


class Me(contract.accounts.Me, HasRaw, frozen=True, dict=True):
    """The account of the caller, and the token in use."""


class ListedAccount(contract.accounts.ListedAccount, HasRaw, frozen=True, dict=True):
    """An account in a list."""


class Card(contract.catalogue.Card, HasRaw, frozen=True, kw_only=True, dict=True):
    """An establishment or a landmark."""


class Strategy(contract.catalogue.Strategy, HasRaw, frozen=True, dict=True):
    """A built-in player."""


class Invitation(contract.matches.Invitation, HasRaw, frozen=True, dict=True):
    """A seat that is reserved for the caller."""


class LogLine(contract.events.LogLine, HasRaw, frozen=True, dict=True):
    """An event as a sentence."""


class Luck(contract.luck.Luck, HasRaw, frozen=True, dict=True):
    """The luck of each seat in a match, roll by roll."""


class ListedPuzzle(contract.puzzles.ListedPuzzle, HasRaw, frozen=True, dict=True):
    """A puzzle in a list."""


class LadderEntry(contract.ladders.LadderEntry, HasRaw, frozen=True, dict=True):
    """An entry of a ladder."""


class LadderRound(contract.ladders.LadderRound, HasRaw, frozen=True, dict=True):
    """A round of a ladder."""


class Notification(Struct, HasRaw, frozen=True, dict=True):
    """What the service tells the caller, of any type: a newer service may have more of them."""

    type: str
    sequence: int
    """The number in the inbox, from 1; 0 for a test of a webhook."""
    notification_id: str
    timestamp: Instant
    account_id: str
    data: dict[str, Any]
    """What there is to look at: ids and addresses."""


class Webhook(contract.notifications.Webhook, HasRaw, frozen=True, kw_only=True, dict=True):
    """An address to which notifications are sent."""


class WebhookWithSecret(
    contract.notifications.WebhookWithSecret, HasRaw, frozen=True, kw_only=True, dict=True
):
    """A new webhook and its secret."""


class WebhookSecret(contract.notifications.WebhookSecret, HasRaw, frozen=True, kw_only=True, dict=True):
    """A new secret of a webhook."""


class Delivery(contract.notifications.Delivery, HasRaw, frozen=True, kw_only=True, dict=True):
    """A notification that was sent, or is to be sent, to a webhook."""

    notification: Notification  # type: ignore[assignment]
