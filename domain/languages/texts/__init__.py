"""The texts of cards: one sentence about the effect of each card, in every language of card names.

A language is data: complete sentences by form of effect, so that no grammar is assembled here.
"""

from typing import Final

from domain.languages.language import Wording
from domain.languages.names import card_name
from domain.languages.texts import cs, en, it, ru, uk
from domain.languages.texts.forms import form
from domain.match.cards import Card
from domain.match.rulesets import Ruleset

__all__ = ["WORDINGS", "card_text"]

WORDINGS: Final[dict[str, Wording]] = {
    "en": en.WORDING,
    "uk": uk.WORDING,
    "ru": ru.WORDING,
    "cs": cs.WORDING,
    "it": it.WORDING,
}
"""The card texts of each language in `domain.languages.names.LANGUAGES`."""


def card_text(ruleset: Ruleset, card: Card, language: str) -> str:
    """The sentence about the card's effect.

    Raises:
        KeyError: the language is unknown, or has no sentence for the effect.
    """
    wording, effect = WORDINGS[language], card.effect
    signs = [wording.signs[symbol] for symbol in effect.symbols]
    text = wording.sentences[form(card)].format(
        coins=wording.coins(effect.amount),
        amount=effect.amount,
        threshold=effect.threshold,
        landmarks=effect.below_landmarks or effect.roller_landmarks,
        bonus=wording.coins(effect.bonus or 0),
        signs=wording.either.join(signs),
        card=_quoted(ruleset, wording, language, effect.cards[0]) if effect.cards else "",
    )
    if effect.requires:
        text += wording.condition.format(card=_quoted(ruleset, wording, language, effect.requires))
    return text + "."


def _quoted(ruleset: Ruleset, wording: Wording, language: str, card_id: str) -> str:
    """The card's name in quotes, not declined."""
    opening, closing = wording.quotes
    return opening + card_name(ruleset, card_id, language).name + closing
