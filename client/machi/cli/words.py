"""Words that several commands use."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from msgspec.structs import replace

from machi.catalogue import Card
from machi.cli.lists import LANGUAGES
from machi.cli.session import one_line
from machi.cli.tongues import ENGLISH, Tongue
from machi.client import Client
from machi.events import Event
from machi.matches import Match
from machi.sentences import Names, sentence

AT_ONCE: Final = 500
"""As many sentences are read in one request."""


def cards_of(client: Client, ruleset: str, lang: str | None) -> tuple[Card, ...]:
    """The cards of a ruleset, safe to be printed."""
    return tuple(
        replace(card, name=one_line(card.name), text=one_line(card.text))
        for card in client.cards(ruleset, lang)
    )


def names_of(match: Match, cards: Iterable[Card]) -> Names:
    """What the seats and cards of a match are called."""
    return Names([seat.name for seat in match.seats], {card.id: card.name for card in cards})


def activation(card: Card) -> str:
    """The totals that fire a card: `2-3`; empty for a landmark."""
    if not card.activation:
        return ""
    low, high = min(card.activation), max(card.activation)
    return str(low) if low == high else f"{low}-{high}"


def result_line(match: Match, names: Names, tongue: Tongue = ENGLISH) -> str:
    """How a match stands."""
    status = tongue.statuses.get(match.status, match.status)
    reason = tongue.reasons.get(match.result.reason, match.result.reason) if match.result else status
    if match.winner is not None:
        name = names.seat(match.winner)
        return tongue.won.format(name=name, reason=reason, turns=match.turn, events=match.version)
    if match.is_over:
        return tongue.nobody_won.format(status=status, reason=reason)
    return tongue.stands.format(status=status, turn=match.turn, event=match.version)


class Teller:
    """Tells events in sentences: in English by itself, in other languages as the service's log has them."""

    def __init__(self, client: Client, match_id: str, names: Names, lang: str) -> None:
        self._client = client
        self._match_id = match_id
        self._names = names
        self._lang = lang
        self._told: dict[int, str] = {}
        """Sentences that were read ahead, by the sequence of their events."""

    def sentence(self, event: Event) -> str:
        """The event in words, in one line."""
        told = sentence(event, self._names)  # who takes a seat is called so from here on
        if self._lang == LANGUAGES[0]:
            return one_line(told)
        if event.sequence not in self._told:
            lines = self._client.log(self._match_id, event.sequence - 1, lang=self._lang)
            self._told = {line.sequence: one_line(line.text) for line in islice(lines, AT_ONCE)}
        return self._told.get(event.sequence, one_line(told))
