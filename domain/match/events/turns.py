"""Turns: throws, choices, coins and cards."""

from domain.match.events.members import Recorded


class TurnStarted(Recorded, frozen=True, array_like=True, tag="turn_started"):
    """A seat's turn, or its part of a building round, begins."""

    turn: int
    """Counts all turns of the match from 1."""
    seat: int
    phase: str = "roll"
    """`roll`, `setup` for a building round, or `build` where a position starts there."""
    extra: bool = False
    round: int = 0
    """The building round, from 1; 0 outside of them."""


class DiceRolled(Recorded, frozen=True, array_like=True, tag="dice_rolled"):
    """Dice were thrown."""

    purpose: str
    """`roll`, `reroll` or `boats`."""
    values: tuple[int, ...]
    total: int


class ChoiceRequested(Recorded, frozen=True, array_like=True, tag="choice_requested"):
    """The turn waits for an answer; its effects go on behind it."""

    seat: int
    phase: str
    """`reroll`, `add_two`, `take_coins`, `swap` or `give`."""
    card: str
    copies: int = 1
    """How many copies of the card are still to be answered for, this one counted."""


class DiceKept(Recorded, frozen=True, array_like=True, tag="dice_kept"):
    """The seat left its throw as it was."""

    seat: int
    declined: str
    """What was declined: `reroll` or `add_two`."""
    total: int


class TwoAdded(Recorded, frozen=True, array_like=True, tag="two_added"):
    """The seat added two to its throw."""

    seat: int
    total: int


class IncomeReceived(Recorded, frozen=True, array_like=True, tag="income_received"):
    """The bank pays a seat."""

    seat: int
    card: str
    copies: int
    coins: int


class PaymentMade(Recorded, frozen=True, array_like=True, tag="payment_made"):
    """A seat pays a seat; what it cannot pay lapses."""

    from_seat: int
    to_seat: int
    card: str
    copies: int
    owed: int
    """What the card asks for, in coins."""
    paid: int
    """What really moved."""


class TargetChosen(Recorded, frozen=True, array_like=True, tag="target_chosen"):
    """The seat chose whom a card takes coins from."""

    seat: int
    card: str
    target: int


class EstablishmentsSwapped(Recorded, frozen=True, array_like=True, tag="establishments_swapped"):
    """Two seats traded one establishment each."""

    seat: int
    give: str
    with_seat: int
    take: str


class SwapDeclined(Recorded, frozen=True, array_like=True, tag="swap_declined"):
    """The seat traded nothing."""

    seat: int


class EstablishmentGiven(Recorded, frozen=True, array_like=True, tag="establishment_given"):
    """A seat gave an establishment away."""

    seat: int
    card: str
    to_seat: int


class CoinsLevelled(Recorded, frozen=True, array_like=True, tag="coins_levelled"):
    """All purses were pooled and shared out again."""

    seat: int
    card: str
    coins: tuple[int, ...]
    """The purses afterwards, by seat."""
    from_bank: int
    """What the bank added so that all could be rounded up."""


class HelpReceived(Recorded, frozen=True, array_like=True, tag="help_received"):
    """The bank helped out a seat with an empty purse before it built."""

    seat: int
    coins: int


class EstablishmentBuilt(Recorded, frozen=True, array_like=True, tag="establishment_built"):
    """The seat built an establishment, and ends its turn with it."""

    seat: int
    card: str
    price: int


class LandmarkBuilt(Recorded, frozen=True, array_like=True, tag="landmark_built"):
    """The seat built a landmark, and ends its turn with it."""

    seat: int
    card: str
    price: int


class BuildPassed(Recorded, frozen=True, array_like=True, tag="build_passed"):
    """The seat built nothing."""

    seat: int


class MarketRefilled(Recorded, frozen=True, array_like=True, tag="market_refilled"):
    """Cards were drawn into a row of the market."""

    row: str
    cards: tuple[str, ...]
    """In the order in which they were drawn."""


class ExtraTurnGranted(Recorded, frozen=True, array_like=True, tag="extra_turn_granted"):
    """A card gives the seat another turn after this one."""

    seat: int
    card: str


class TurnEnded(Recorded, frozen=True, array_like=True, tag="turn_ended"):
    """The turn, or part of a building round, is over."""

    turn: int
    seat: int
