"""What a language gives: names of cards, card texts, the sentences of the match log, and its plurals."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

FIRST: Final = "first_game"
SECOND: Final = "second_game"


class Names(Struct, frozen=True):
    """The names of one language: by game, then by card id. A card stands in one of the two tables."""

    printed: dict[str, dict[str, str]]
    """As the game is printed in that language."""
    ours: dict[str, dict[str, str]]
    """Chosen for this project where no printed name is known; that of the other game, where it has one."""


class Wording(Struct, frozen=True):
    """The card texts of one language."""

    coins: Callable[[int], str]
    """So many coins, as what is paid or received: in the accusative."""
    signs: dict[str, str]
    """The signs of cards by symbol, in the case that follows "the sign of"."""
    either: str
    """Stands between alternatives, with its blanks."""
    quotes: tuple[str, str]
    """Around the name of a card, which is never declined."""
    condition: str
    """Ends a sentence about a card that needs another: `{card}`."""
    sentences: dict[str, str]
    """By form: what the card does for "you", its owner, when it fires; no full stop.

    `{coins}` and `{amount}` are the effect's amount, `{threshold}` its threshold, `{signs}` what it counts or
    boosts, `{card}` the card that it counts or makes cheaper.
    """


class Telling(Struct, frozen=True):
    """What a language gives to tell a match: its sentences, its words, and its forms of the plural.

    Names of players are strangers' handles, and names of cards stand in quotes: both are told in the
    nominative, whatever a sentence does with them, and no verb shows whether a player is a man or a woman.
    """

    wording: Wording
    """Of the card texts: so many coins in the accusative, and the quotes around the name of a card."""
    cards: Callable[[int, str], str]
    """So many copies of a card, whose name is quoted already, as what is paid for: in the accusative."""
    players: Callable[[int], str]
    """For so many players, in the case that follows "for"."""
    games: dict[str, str]
    """What is played, by ruleset, in the case that follows "a match of"."""
    same_name: str
    """Tells players of one name apart: `{name}`, `{seat}`."""
    units: tuple[str, str, str]
    """Hours, minutes and seconds, abbreviated."""
    decimal: str
    """Stands before tenths."""
    parts: dict[str, str]
    """What a new match can be told of, by form: the parts of its sentence, in lower case."""
    sentences: dict[str, str]
    """By form, see `table` and `turns` beside this module: whole, with their full stop."""


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
    """The form for a count in Czech: 1; 2 to 4; all others, 21 and 22 too."""
    if count == 1:
        return one
    return few if count in (2, 3, 4) else many
