"""The narration of matches: one sentence for each event, in every language of card names.

A language is data: complete sentences by form, so that no grammar is assembled here. A sentence contains only
facts from its event and the events before it; no rule is applied.
"""

from typing import Final

from domain.languages.language import Telling
from domain.languages.narrate import cs, en, it, ru, table, turns, uk
from domain.languages.narrate.scene import Scene
from domain.match.events import (
    BranchStarted,
    DiceRolled,
    Event,
    MatchFinished,
    MatchStarted,
    PaymentMade,
    RenovationMoved,
)
from domain.match.state import MatchState

__all__ = ["TELLERS", "TELLINGS", "narrate", "seat_of"]

TELLINGS: Final[dict[str, Telling]] = {
    "en": en.TELLING,
    "uk": uk.TELLING,
    "ru": ru.TELLING,
    "cs": cs.TELLING,
    "it": it.TELLING,
}
"""The sentences of each language in `domain.languages.names.LANGUAGES`."""

TELLERS: Final = table.TELLERS | turns.TELLERS
"""Every event type and the forms of its sentence; a test compares the keys with the registry."""


def narrate(event: Event, before: MatchState, language: str) -> str:
    """The event in one sentence. `before` is the state before the event; for the first event, the one after
    it.

    Raises:
        KeyError: the language is unknown.
    """
    telling = TELLINGS[language]
    form, facts = TELLERS[type(event)](Scene(before, telling, language), event)
    return telling.sentences[form].format_map(facts)


def seat_of(event: Event, before: MatchState) -> int | None:
    """The seat that the event is about: who rolls, pays, builds or wins; None if it is about the table."""
    if isinstance(event, DiceRolled):
        return before.active
    if isinstance(event, PaymentMade | RenovationMoved):
        return event.from_seat
    if isinstance(event, MatchFinished):
        return event.winner
    if isinstance(event, MatchStarted | BranchStarted):
        return None
    seat: int | None = getattr(event, "seat", None)
    return seat
