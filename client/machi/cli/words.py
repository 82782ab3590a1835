"""Words that several commands use."""

from collections.abc import Iterable
from itertools import islice
from typing import Final, cast

from msgspec.structs import replace

from contract.catalogue import Card
from domain.languages.narrate import narrate
from domain.match import events as ev
from domain.match.evolve import begin, fold
from domain.match.state import MatchState
from machi.cli.names import Names
from machi.cli.session import one_line
from machi.cli.tongues import ENGLISH, Tongue
from machi.client import Client
from machi.event_data import OtherData
from machi.events import Event
from machi.matches import Match

AT_ONCE: Final = 500
"""As many events or sentences are read in one request."""


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
    """Tells the events of a match in sentences, as the rules that are installed here have them.

    From the first event on that these do not know, the sentences are those of the service's log.
    """

    def __init__(self, client: Client, match_id: str, names: Names, lang: str) -> None:
        self._client = client
        self._match_id = match_id
        self._names = names
        self._lang = lang
        self._state: MatchState | None = None
        """Behind the events so far; None before the first."""
        self._is_known = True
        """Whether these rules know all events so far."""
        self._told: dict[int, str] = {}
        """Sentences of the service that were read ahead, by the sequence of their events."""

    def sentence(self, event: Event) -> str:
        """The event in words, in one line; events come in their order, and those left out are read."""
        while self._is_known and self._version < event.sequence - 1:
            missed = min(event.sequence - 1 - self._version, AT_ONCE)
            for before in self._client.events(self._match_id, self._version, limit=missed).items:
                self._next(before)
        told = self._next(event)
        return one_line(self._of_service(event) if told is None else told)

    @property
    def _version(self) -> int:
        return 0 if self._state is None else self._state.version

    def _next(self, event: Event) -> str | None:
        """The sentence, and the state behind the event; None for what these rules do not know."""
        if isinstance(event.data, ev.SeatTaken | ev.ControllerChanged):
            self._names.take_seat(event.data.seat, event.data.name)
        if not self._is_known or isinstance(event.data, OtherData):
            self._is_known = False
            return None
        data = cast(ev.Event, event.data)
        try:
            told = narrate(data, begin(data) if self._state is None else self._state, self._lang)
            self._state = fold(self._state, (data,))
        except KeyError:  # no ruleset of that version was released when this was
            self._is_known = False
            return None
        return told

    def _of_service(self, event: Event) -> str:
        if event.sequence not in self._told:
            lines = self._client.log(self._match_id, event.sequence - 1, lang=self._lang)
            self._told = {line.sequence: line.text for line in islice(lines, AT_ONCE)}
        return self._told.get(event.sequence, event.type)
