"""The form of a card's sentence: its kind of effect and, if that has several sentences, the variant."""

from collections.abc import Callable
from typing import Final

from msgspec import UNSET

from domain.match.cards import Card


def _payer(card: Card) -> str:
    turn = "any_turn" if card.colour == "blue" else "own_turn"
    return turn if card.effect.below_landmarks is UNSET else f"{turn}_below"


def _roller(card: Card) -> str:
    return "any" if card.effect.roller_landmarks is UNSET else "landmarks"


def _counted(card: Card) -> str:
    effect = card.effect
    if effect.cards:
        if effect.boost_per_counted:
            return "card_boosted_each"
        return "card_closing" if effect.closes else "card"
    return "signs"


def _moment(card: Card) -> str:
    return "own_turn" if card.kind == "establishment" else "when_built"


def _scope(card: Card) -> str:
    return "all_players" if card.colour == "orange" else "own"


def _tradable(card: Card) -> str:
    return "itself_too" if card.tradable else "no_towers"


_VARIANTS: Final[dict[str, Callable[[Card], str]]] = {
    "boost": _scope,
    "extra_turn_on_double": _scope,
    "from_bank": _payer,
    "from_each": _moment,
    "from_each_per_symbol": _moment,
    "from_roller": _roller,
    "half_from_each": _moment,
    "income_on_pass": _scope,
    "level_coins": _moment,
    "per_counted": _counted,
    "swap": _tradable,
}
"""The kinds of effects that have several sentences, and what determines the variant."""


def form(card: Card) -> str:
    """The key of the card's sentence: `kind`, or `kind:variant`."""
    kind = card.effect.kind
    variant = _VARIANTS.get(kind)
    return kind if variant is None else f"{kind}:{variant(card)}"
