"""The match told: one sentence for each event, in every language that names are told in.

A language is data: whole sentences by form, so that no grammar is put together here. What a sentence says
stands in its event or in the events before it; no rule is asked and nothing is guessed.
"""

from typing import Final

from domain.languages.language import Telling
from domain.languages.narrate import cs, en, it, ru, table, turns, uk
from domain.languages.narrate.scene import Scene
from domain.match.events import BranchStarted, DiceRolled, Event, MatchFinished, MatchStarted, PaymentMade
from domain.match.state import MatchState

__all__ = ["TELLERS", "TELLINGS", "narrate", "seat_of"]

TELLINGS: Final[dict[str, Telling]] = {
    "en": en.TELLING,
    "uk": uk.TELLING,
    "ru": ru.TELLING,
    "cs": cs.TELLING,
    "it": it.TELLING,
}
"""How each language of `domain.languages.names.LANGUAGES` puts it."""

TELLERS: Final = table.TELLERS | turns.TELLERS
"""Every event type and the forms of its sentence; a test compares the keys with the registry."""


def narrate(event: Event, before: MatchState, language: str) -> str:
    """The event in one sentence; `before` is the state that the events before it lead to, of the first
    event that after it.

    Raises:
        KeyError: there is no such language.
    """
    telling = TELLINGS[language]
    form, facts = TELLERS[type(event)](Scene(before, telling, language), event)
    return telling.sentences[form].format_map(facts)


def seat_of(event: Event, before: MatchState) -> int | None:
    """The seat that the event is about: who rolls, pays, builds or wins; None if it is about the table."""
    if isinstance(event, DiceRolled):
        return before.active
    if isinstance(event, PaymentMade):
        return event.from_seat
    if isinstance(event, MatchFinished):
        return event.winner
    if isinstance(event, MatchStarted | BranchStarted):
        return None
    seat: int | None = getattr(event, "seat", None)
    return seat
