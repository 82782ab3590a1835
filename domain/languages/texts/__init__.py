"""What each card does, in one sentence made from its effect; in every language that names are told in.

A language is data: whole sentences by form of effect, so that no grammar is put together here.
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
"""How each language of `domain.languages.names.LANGUAGES` puts it."""


def card_text(ruleset: Ruleset, card: Card, language: str) -> str:
    """The sentence that stands for the card's effect.

    Raises:
        KeyError: there is no such language, or it has no sentence for the effect.
    """
    wording, effect = WORDINGS[language], card.effect
    signs = [wording.signs[symbol] for symbol in effect.symbols]
    text = wording.sentences[form(card)].format(
        coins=wording.coins(effect.amount),
        amount=effect.amount,
        threshold=effect.threshold,
        signs=wording.either.join(signs),
        card=_quoted(ruleset, wording, language, effect.cards[0]) if effect.cards else "",
    )
    if effect.requires:
        text += wording.condition.format(card=_quoted(ruleset, wording, language, effect.requires))
    return text + "."


def _quoted(ruleset: Ruleset, wording: Wording, language: str, card_id: str) -> str:
    """The card's name as it stands in a sentence, undeclined."""
    opening, closing = wording.quotes
    return opening + card_name(ruleset, card_id, language).name + closing
