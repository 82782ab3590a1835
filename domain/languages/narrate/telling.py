"""What a language gives to tell a match: its sentences, its words, and its forms of the plural."""

from collections.abc import Callable

from msgspec import Struct

from domain.languages.texts.wording import Wording


class Telling(Struct, frozen=True):
    """One language.

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
