"""What cards are called in each language, and whether the printed game calls them so.

English names stand in the catalogue. Names are no part of the rules: no digest knows them.
"""

from typing import Final

from msgspec import Struct

from domain.languages.language import FIRST, SECOND, Names
from domain.languages.names import cs, it, ru, uk
from domain.match.rulesets import Ruleset

__all__ = ["LANGUAGES", "CardName", "card_name"]

LANGUAGES: Final = ("en", "uk", "ru", "cs", "it")
"""What names and texts are told in; the first where nobody asks for another."""

_TABLES: Final[dict[str, Names]] = {"uk": uk.NAMES, "ru": ru.NAMES, "cs": cs.NAMES, "it": it.NAMES}

_GAMES: Final = {"base": FIRST, "harbor": FIRST, "machi_koro_2": SECOND}
"""The game that a ruleset belongs to: a card of one id may be called differently in the two."""


class CardName(Struct, frozen=True, gc=False):
    """What a card is called in one language."""

    name: str
    """Nominative singular."""
    is_ours: bool
    """The project chose the name: none is known from the game as printed in that language."""


def card_name(ruleset: Ruleset, card_id: str, language: str) -> CardName:
    """What the card is called.

    Raises:
        KeyError: the ruleset has no such card, or there is no such language.
    """
    if language == LANGUAGES[0]:
        return CardName(_english(ruleset, card_id), False)
    game = _GAMES[ruleset.id]
    names = _TABLES[language]
    printed = names.printed[game].get(card_id)
    return CardName(names.ours[game][card_id], True) if printed is None else CardName(printed, False)


def _english(ruleset: Ruleset, card_id: str) -> str:
    for card in (*ruleset.establishments, *ruleset.landmarks):
        if card.id == card_id:
            return card.name
    raise KeyError(card_id)
