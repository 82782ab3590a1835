"""The names of cards in each language, and whether they are those of the printed game.

English names are in the catalogue. Names are not part of the rules: no digest covers them.
"""

from typing import Final

from msgspec import Struct

from domain.languages.language import FIRST, SECOND, CardNames
from domain.languages.names import cs, it, ru, uk
from domain.match.rulesets import Ruleset

__all__ = ["LANGUAGES", "CardName", "card_name"]

LANGUAGES: Final = ("en", "uk", "ru", "cs", "it")
"""The languages of names and texts; the first one is the default."""

_TABLES: Final[dict[str, CardNames]] = {"uk": uk.NAMES, "ru": ru.NAMES, "cs": cs.NAMES, "it": it.NAMES}

_GAMES: Final = {
    "base": FIRST,
    "harbor": FIRST,
    "machi_koro_2": SECOND,
    "millionaires_row": FIRST,
    "harbor_millionaires_row": FIRST,
}
"""The game of each ruleset: a card with the same id can have different names in the two games."""


class CardName(Struct, frozen=True, gc=False):
    """The name of a card in one language."""

    name: str
    """In the nominative singular."""
    is_ours: bool
    """Whether this project chose the name, because no printed one is known in that language."""


def card_name(ruleset: Ruleset, card_id: str, language: str) -> CardName:
    """The name of the card in that language.

    Raises:
        KeyError: the ruleset has no such card, or the language is unknown.
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
