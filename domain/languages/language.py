"""The parts of a language: card names, card texts, the sentences of the match log, and plural forms."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

FIRST: Final = "first_game"
SECOND: Final = "second_game"


class CardNames(Struct, frozen=True):
    """The card names of one language, by game and card id. Each card is in one of the two tables."""

    printed: dict[str, dict[str, str]]
    """The names in the printed game of that language."""
    ours: dict[str, dict[str, str]]
    """The names chosen by this project if no printed one is known: that of the other game, if it has one."""


class Wording(Struct, frozen=True):
    """The card texts of one language."""

    coins: Callable[[int], str]
    """A number of coins that is paid or received, in the accusative."""
    signs: dict[str, str]
    """The signs of cards by symbol, in the case that follows "the sign of"."""
    either: str
    """The word between alternatives, with its spaces."""
    quotes: tuple[str, str]
    """The quotes around the name of a card, which is never declined."""
    condition: str
    """The end of a sentence about a card that needs another one, `{card}`."""
    sentences: dict[str, str]
    """By form: what the card does for "you", its owner, when it is activated; without a full stop.

    `{coins}` and `{amount}` are the effect's amount, `{threshold}` its threshold, `{signs}` what it counts or
    boosts, `{card}` the card that it counts or makes cheaper, `{landmarks}` the number of landmarks that it
    depends on, `{bonus}` what building the card brings.
    """


class Telling(Struct, frozen=True):
    """The sentences, words and plural forms that narrate a match in one language.

    Names of players are handles, and names of cards are quoted: both are always in the nominative. No verb
    shows the gender of a player.
    """

    wording: Wording
    """The card texts, for numbers of coins and for the quotes around card names."""
    cards: Callable[[int, str], str]
    """A number of copies of a card that is paid for, in the accusative; the name is already quoted."""
    players: Callable[[int], str]
    """A number of players, in the case that follows "for"."""
    games: dict[str, str]
    """The games, by ruleset, in the case that follows "a match of"."""
    same_name: str
    """Distinguishes players with the same name: `{name}`, `{seat}`."""
    units: tuple[str, str, str]
    """Hours, minutes and seconds, abbreviated."""
    decimal: str
    """The decimal separator."""
    parts: dict[str, str]
    """The parts of the sentence about a new match, by form, in lower case."""
    sentences: dict[str, str]
    """By form, see `narrate.table` and `narrate.turns`; with their full stop."""


def one_or_more(count: int, one: str, more: str) -> str:
    """The form for a count in English and Italian."""
    return one if count == 1 else more


def east_slavic(count: int, one: str, few: str, many: str) -> str:
    """The form for a count in Ukrainian and Russian: 1, 21, 31; 2 to 4, 22 to 24; all others."""
    if count % 100 in (11, 12, 13, 14):
        return many
    if count % 10 == 1:
        return one
    return few if count % 10 in (2, 3, 4) else many


def czech(count: int, one: str, few: str, many: str) -> str:
    """The form for a count in Czech: 1; 2 to 4; all others, including 21 and 22."""
    if count == 1:
        return one
    return few if count in (2, 3, 4) else many
