"""What a language gives: its sentences, its words, and its forms of the plural."""

from collections.abc import Callable

from msgspec import Struct


class Wording(Struct, frozen=True):
    """One language."""

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
