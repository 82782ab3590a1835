"""Cards as data: numbers, colour, symbol and one named effect, and constructors for the catalogues."""

from msgspec import UNSET, Struct, UnsetType


class Effect(Struct, frozen=True, gc=False):
    """The effect of a card; `kind` names a stage of `domain.match.decide.effects` or a permanent power."""

    kind: str
    amount: int = 0
    symbols: tuple[str, ...] = ()
    """The symbols that are counted or boosted."""
    cards: tuple[str, ...] = ()
    """The cards that are counted or discounted, if not by symbol."""
    threshold: int = 0
    """The fewest coins of an opponent who must pay, or the total on which the effect fires."""
    requires: str = ""
    """The landmark that the owner needs for the card to fire."""
    boost_per_counted: bool = False
    """Whether a boost counts once per counted card instead of once per copy."""
    below_landmarks: int | UnsetType = UNSET
    """Only present if the card fires only while its owner has built fewer landmarks than this. A member that
    is not present is no part of the digest, so this and the next ones leave older rulesets as they were."""
    roller_landmarks: int | UnsetType = UNSET
    """Only present if the card fires only if the active player has built at least as many landmarks."""
    bonus: int | UnsetType = UNSET
    """Only present if the bank pays so many coins for building the card."""
    closes: bool | UnsetType = UNSET
    """Only present, and then true, if a copy closes for renovation after it has fired."""


class Card(Struct, frozen=True, gc=False):
    """An establishment or a landmark as printed."""

    id: str
    name: str
    kind: str
    """`establishment` or `landmark`."""
    cost: tuple[int, ...]
    """In coins; three prices if they depend on how many landmarks the builder has."""
    effect: Effect
    activation: tuple[int, ...] = ()
    """The totals that activate it; empty for landmarks."""
    colour: str = ""
    """`blue`, `green`, `red` or `purple`; `orange` for a landmark that works for every player."""
    symbol: str = ""
    copies: int = 0
    """Copies in the supply, without starter cards; 1 for a player's own landmark."""
    unique: bool = False
    """Whether a city may hold only one copy."""
    tradable: bool = True
    """False for cards with the tower symbol of the first game."""


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
    """An establishment; `tower` marks the purple cards of the first game: one per city, and never traded."""
    return Card(
        id, name, "establishment", (cost,), effect, activation, colour, symbol, copies, tower, not tower
    )


def landmark(
    id: str, name: str, cost: tuple[int, ...], effect: Effect, *, symbol: str = "", orange: bool = False
) -> Card:
    """A landmark; an `orange` one works for every player once anybody has built it."""
    return Card(id, name, "landmark", cost, effect, (), "orange" if orange else "", symbol, 1, True, False)


def from_bank(amount: int, requires: str = "", *, below_landmarks: int | UnsetType = UNSET) -> Effect:
    """The bank pays `amount` coins per copy."""
    return Effect("from_bank", amount, requires=requires, below_landmarks=below_landmarks)


def per_symbol(amount: int, *symbols: str) -> Effect:
    """The bank pays `amount` coins per copy and per establishment of the owner with one of the symbols."""
    return Effect("per_counted", amount, symbols)


def per_card(amount: int, card: str, *, boost_per_counted: bool, closes: bool | UnsetType = UNSET) -> Effect:
    """The bank pays `amount` coins per copy and per copy of `card` in the owner's city."""
    return Effect("per_counted", amount, cards=(card,), boost_per_counted=boost_per_counted, closes=closes)


def from_roller(amount: int, requires: str = "", *, roller_landmarks: int | UnsetType = UNSET) -> Effect:
    """The active player pays `amount` coins per copy."""
    return Effect("from_roller", amount, requires=requires, roller_landmarks=roller_landmarks)


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
    """Copies with one of the symbols pay 1 coin more when they fire."""
    return Effect("boost", 1, symbols)
