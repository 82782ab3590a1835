"""What a card is: numbers, colour, symbol and one named effect. Catalogues hold no code."""

from msgspec import Struct


class Effect(Struct, frozen=True, gc=False):
    """What a card does; `kind` names a stage of `domain.match.decide.effects` or a standing power."""

    kind: str
    amount: int = 0
    symbols: tuple[str, ...] = ()
    """The symbols that are counted or boosted."""
    cards: tuple[str, ...] = ()
    """The cards that are counted or made cheaper, where it is not by symbol."""
    threshold: int = 0
    """The fewest coins of an opponent who has to give; or the total that the effect waits for."""
    requires: str = ""
    """A landmark without which the card does not fire for its owner."""
    boost_per_counted: bool = False
    """A boost counts once per counted card instead of once per copy."""


class Card(Struct, frozen=True, gc=False):
    """An establishment or a landmark as printed."""

    id: str
    name: str
    kind: str
    """`establishment` or `landmark`."""
    cost: tuple[int, ...]
    """In coins; three figures where the price depends on how many landmarks the builder has."""
    effect: Effect
    activation: tuple[int, ...] = ()
    """The totals on which it fires; empty for landmarks."""
    colour: str = ""
    """`blue`, `green`, `red` or `purple`; `orange` for a landmark in force for everybody."""
    symbol: str = ""
    copies: int = 0
    """In the reserve, starter cards not counted; for a landmark of one's own, one."""
    unique: bool = False
    """At most one in a city."""
    tradable: bool = True
    """False for the tower sign of the first game."""


def establishment(
    id: str,
    name: str,
    activation: tuple[int, ...],
    colour: str,
    symbol: str,
    cost: int,
    effect: Effect,
    copies: int = 6,
    *,
    tower: bool = False,
) -> Card:
    """An establishment; `tower` marks the first game's purple kind, one to a city and never traded."""
    return Card(
        id, name, "establishment", (cost,), effect, activation, colour, symbol, copies, tower, not tower
    )


def landmark(
    id: str, name: str, cost: tuple[int, ...], effect: Effect, *, symbol: str = "", orange: bool = False
) -> Card:
    """A landmark; `orange` is one that works for every player once anybody has built it."""
    return Card(id, name, "landmark", cost, effect, (), "orange" if orange else "", symbol, 1, True, False)


def from_bank(amount: int, requires: str = "") -> Effect:
    """Each copy draws `amount` coins."""
    return Effect("from_bank", amount, requires=requires)


def per_symbol(amount: int, *symbols: str) -> Effect:
    """Each copy draws `amount` coins per establishment with one of the symbols in the owner's city."""
    return Effect("per_counted", amount, symbols)


def per_card(amount: int, card: str, *, boost_per_counted: bool = False) -> Effect:
    """Each copy draws `amount` coins per copy of `card` in the owner's city."""
    return Effect("per_counted", amount, cards=(card,), boost_per_counted=boost_per_counted)


def from_roller(amount: int, requires: str = "") -> Effect:
    """The active player pays `amount` coins per copy."""
    return Effect("from_roller", amount, requires=requires)


def from_each(amount: int) -> Effect:
    """Every opponent pays `amount` coins per copy."""
    return Effect("from_each", amount)


def from_each_per_symbol(amount: int, *symbols: str) -> Effect:
    """Every opponent pays `amount` coins per own establishment with one of the symbols."""
    return Effect("from_each_per_symbol", amount, symbols)


def half_from_each(threshold: int) -> Effect:
    """Every opponent with at least `threshold` coins gives half of them, rounded down."""
    return Effect("half_from_each", threshold=threshold)


def boost(*symbols: str) -> Effect:
    """Firing copies with one of the symbols are worth 1 coin more."""
    return Effect("boost", 1, symbols)
