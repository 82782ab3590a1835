"""Words that several commands use."""

from collections.abc import Iterable

from msgspec.structs import replace

from machi.catalogue import Card
from machi.cli.session import one_line
from machi.client import Client
from machi.matches import Match
from machi.sentences import Names


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


def result_line(match: Match, names: Names) -> str:
    """How a match stands."""
    if match.winner is not None:
        reason = f" ({match.result.reason})" if match.result else ""
        took = f"{match.turn} turns and {match.version} events"
        return f"{names.seat(match.winner)} has won{reason}, after {took}."
    if match.is_over:
        reason = match.result.reason if match.result else match.status
        return f"Nobody has won: the match is {match.status} ({reason})."
    return f"The match is {match.status}, at turn {match.turn} and event {match.version}."
