"""The lines of each language."""

from msgspec import Struct


class Translation(Struct, frozen=True, kw_only=True):
    """A language at the terminal. Names in braces are filled in; `{coins}` is a number."""

    # The prompt
    help: str
    prompt: str
    time_left: str
    enter: str
    give_up: str
    yes: tuple[str, ...]
    none_of_these: str
    explains: str
    no_card: str

    # The table
    card: str
    colour: str
    coins: str
    built: str
    closed: str
    price: str
    left: str
    landmark: str
    colours: dict[str, str]
    short: str
    why_not: dict[str, str]
    """By the codes of reasons why a card cannot be built."""
    dice: str
    dice_added: str
    purses: str

    # The menu
    roll_one: str
    roll_two: str
    roll_again: str
    keep: str
    add_two: str
    leave: str
    take_coins: str
    take_card: str
    give_for: str
    give_away: str
    demolish: str
    move: str
    renovate: str
    invest: str
    invest_nothing: str
    trade_nothing: str
    build: str
    build_nothing: str

    # The course and the end of a match
    waiting: str
    to_join: str
    seeds_due: str
    without_you: str
    moved_on: str
    refused: str
    you_left: str
    interrupted: str
    kept: str
    come_back: str
    title: str
    won: str
    nobody_won: str
    stands: str
    reasons: dict[str, str]
    """By the codes of reasons why a match is over."""
    statuses: dict[str, str]
