"""Text that several commands print: names, results, and the sentences of events."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final, cast

from msgspec.structs import replace

from contract.catalogue import Card
from domain.languages.narrate import narrate
from domain.match import events as ev
from domain.match.evolve import begin, fold
from domain.match.state import MatchState
from machi.cli.session import one_line
from machi.cli.translations import ENGLISH, Translation
from machi.client import Client
from machi.event_data import OtherData
from machi.events import Event
from machi.matches import Match

AT_ONCE: Final = 500
"""Number of events or sentences that one request reads."""


class DisplayNames:
    """The names of seats and cards."""

    def __init__(self, seats: Sequence[str | None], cards: Mapping[str, str]) -> None:
        """`cards` maps ids to names; a card that is not in it is called by its id."""
        self._cards = cards
        self._seats: dict[int, str] = {}
        for seat, name in enumerate(seats):
            if name is not None:
                self._seats[seat] = f"{name} {seat}" if seats.count(name) > 1 else name

    def take_seat(self, seat: int, name: str) -> None:
        """Name the player who takes the seat; a player who is named already keeps the name."""
        if not self.seat(seat).startswith(name):
            self._seats[seat] = name if name not in self._seats.values() else f"{name} {seat}"

    def seat(self, seat: int) -> str:
        """The name of the player on the seat; players of equal names are told apart by their seats."""
        return self._seats.get(seat, f"seat {seat}")

    def card(self, card: str) -> str:
        return self._cards.get(card, card)


def sum_of_dice(values: Sequence[int], total: int) -> str:
    """The dice and their sum, such as `3 + 4 = 7`."""
    return f"{' + '.join(map(str, values))} = {total}" if len(values) > 1 else str(total)


def cards_of(client: Client, ruleset: str, lang: str | None) -> tuple[Card, ...]:
    """The cards of a ruleset, safe to print."""
    return tuple(
        replace(card, name=one_line(card.name), text=one_line(card.text))
        for card in client.cards(ruleset, lang)
    )


def names_of(match: Match, cards: Iterable[Card]) -> DisplayNames:
    """The names of the seats and cards of a match."""
    return DisplayNames([seat.name for seat in match.seats], {card.id: card.name for card in cards})


def activation(card: Card) -> str:
    """The totals that activate a card: `2-3`; empty for a landmark."""
    if not card.activation:
        return ""
    low, high = min(card.activation), max(card.activation)
    return str(low) if low == high else f"{low}-{high}"


def result_line(match: Match, names: DisplayNames, translation: Translation = ENGLISH) -> str:
    """The result of a match, or how far it is."""
    status = translation.statuses.get(match.status, match.status)
    reason = translation.reasons.get(match.result.reason, match.result.reason) if match.result else status
    if match.winner is not None:
        name = names.seat(match.winner)
        return translation.won.format(name=name, reason=reason, turns=match.turn, events=match.version)
    if match.is_over:
        return translation.nobody_won.format(status=status, reason=reason)
    return translation.stands.format(status=status, turn=match.turn, event=match.version)


class Narrator:
    """Tells the events of a match in sentences, by the rules that are installed here.

    From the first event that these rules do not know, it uses the sentences of the service's log.
    """

    def __init__(self, client: Client, match_id: str, names: DisplayNames, lang: str) -> None:
        self._client = client
        self._match_id = match_id
        self._names = names
        self._lang = lang
        self._state: MatchState | None = None
        """After the events so far; None before the first."""
        self._is_known = True
        """Whether these rules know all events so far."""
        self._read_ahead: dict[int, str] = {}
        """Sentences of the service that were read ahead, by sequence."""

    def sentence(self, event: Event) -> str:
        """The event as a sentence on one line. Events come in order; the narrator reads those left out."""
        while self._is_known and self._version < event.sequence - 1:
            missed = min(event.sequence - 1 - self._version, AT_ONCE)
            for before in self._client.events(self._match_id, self._version, limit=missed).items:
                self._next(before)
        sentence = self._next(event)
        return one_line(self._of_service(event) if sentence is None else sentence)

    @property
    def _version(self) -> int:
        return 0 if self._state is None else self._state.version

    def _next(self, event: Event) -> str | None:
        """Apply the event and return its sentence; None from the first event that the rules do not know."""
        if isinstance(event.data, ev.SeatTaken | ev.ControllerChanged):
            self._names.take_seat(event.data.seat, event.data.name)
        if not self._is_known or isinstance(event.data, OtherData):
            self._is_known = False
            return None
        data = cast(ev.Event, event.data)
        try:
            sentence = narrate(data, begin(data) if self._state is None else self._state, self._lang)
            self._state = fold(self._state, (data,))
        except KeyError:  # the rules version is newer than this release
            self._is_known = False
            return None
        return sentence

    def _of_service(self, event: Event) -> str:
        if event.sequence not in self._read_ahead:
            lines = self._client.log(self._match_id, event.sequence - 1, lang=self._lang)
            self._read_ahead = {line.sequence: line.text for line in islice(lines, AT_ONCE)}
        return self._read_ahead.get(event.sequence, event.type)
