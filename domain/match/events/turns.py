"""Events of turns: rolls, choices, coins and cards."""

from domain.match.events.members import EventBase


class TurnStarted(EventBase, frozen=True, array_like=True, tag="turn_started"):
    """A seat's turn, or its part of a building round, began."""

    turn: int
    """The number of the turn in the match, from 1."""
    seat: int
    phase: str = "roll"
    """`roll`, `setup` for a building round, or `build` if a position starts there."""
    extra: bool = False
    round: int = 0
    """The building round, from 1; 0 outside of them."""


class DiceRolled(EventBase, frozen=True, array_like=True, tag="dice_rolled"):
    """Dice were rolled."""

    purpose: str
    """`roll`, `reroll` or `boats`."""
    values: tuple[int, ...]
    total: int


class ChoiceRequested(EventBase, frozen=True, array_like=True, tag="choice_requested"):
    """A card asked the seat for a choice; the effects of the turn continue after it."""

    seat: int
    phase: str
    """`reroll`, `add_two`, `take_coins`, `swap`, `give`, `demolish`, `move`, `renovate` or `invest`."""
    card: str
    copies: int = 1
    """The number of copies of the card that still ask for a choice, including this one."""


class ChoiceLapsed(EventBase, frozen=True, array_like=True, tag="choice_lapsed"):
    """A seat left the match, and with it the last possible answer to the open choice."""

    seat: int
    card: str
    """The card that asked for the choice."""


class DiceKept(EventBase, frozen=True, array_like=True, tag="dice_kept"):
    """The seat kept its roll."""

    seat: int
    declined: str
    """The declined option: `reroll` or `add_two`."""
    total: int


class TwoAdded(EventBase, frozen=True, array_like=True, tag="two_added"):
    """The seat added two to its roll."""

    seat: int
    total: int


class IncomeReceived(EventBase, frozen=True, array_like=True, tag="income_received"):
    """The bank paid a seat."""

    seat: int
    card: str
    copies: int
    coins: int


class PaymentMade(EventBase, frozen=True, array_like=True, tag="payment_made"):
    """A seat paid another seat, as far as it had coins."""

    from_seat: int
    to_seat: int
    card: str
    copies: int
    owed: int
    """The coins that the card demands."""
    paid: int
    """The coins that were paid."""


class FeePaid(EventBase, frozen=True, array_like=True, tag="fee_paid"):
    """A seat paid the bank, as far as it had coins."""

    seat: int
    card: str
    copies: int
    owed: int
    """The coins that the card demands."""
    paid: int
    """The coins that were paid."""


class TargetChosen(EventBase, frozen=True, array_like=True, tag="target_chosen"):
    """The seat chose the opponent from whom a card takes coins."""

    seat: int
    card: str
    target: int


class EstablishmentsSwapped(EventBase, frozen=True, array_like=True, tag="establishments_swapped"):
    """Two seats traded an establishment each."""

    seat: int
    give: str
    with_seat: int
    take: str


class SwapDeclined(EventBase, frozen=True, array_like=True, tag="swap_declined"):
    """The seat declined to trade."""

    seat: int


class EstablishmentGiven(EventBase, frozen=True, array_like=True, tag="establishment_given"):
    """A seat gave an establishment away."""

    seat: int
    card: str
    to_seat: int


class LandmarkDemolished(EventBase, frozen=True, array_like=True, tag="landmark_demolished"):
    """A seat turned back one of its landmarks, which it can build again."""

    seat: int
    card: str
    """The card that demands it."""
    landmark: str


class EstablishmentsClosed(EventBase, frozen=True, array_like=True, tag="establishments_closed"):
    """Copies of an establishment closed for renovation, until the next roll that would activate them."""

    seat: int
    """The seat whose card closes them."""
    card: str
    """The card that closes them."""
    establishment: str
    """The establishment that closes."""
    copies: tuple[int, ...]
    """By seat: the copies that were open and are now closed."""


class EstablishmentsReopened(EventBase, frozen=True, array_like=True, tag="establishments_reopened"):
    """Closed copies of an establishment opened again, instead of being activated by the roll."""

    seat: int
    card: str
    copies: int


class RenovationMoved(EventBase, frozen=True, array_like=True, tag="renovation_moved"):
    """The establishment that just changed hands is closed for renovation, and stays closed."""

    from_seat: int
    to_seat: int
    card: str


class CoinsLevelled(EventBase, frozen=True, array_like=True, tag="coins_levelled"):
    """The coins of all players were pooled and divided equally."""

    seat: int
    card: str
    coins: tuple[int, ...]
    """The coins of each seat afterwards."""
    from_bank: int
    """The coins that the bank added to round up all shares."""


class HelpReceived(EventBase, frozen=True, array_like=True, tag="help_received"):
    """The bank paid a seat without coins before it built."""

    seat: int
    coins: int


class EstablishmentBuilt(EventBase, frozen=True, array_like=True, tag="establishment_built"):
    """The seat built an establishment, which ends its turn."""

    seat: int
    card: str
    price: int


class LandmarkBuilt(EventBase, frozen=True, array_like=True, tag="landmark_built"):
    """The seat built a landmark, which ends its turn."""

    seat: int
    card: str
    price: int


class BuildPassed(EventBase, frozen=True, array_like=True, tag="build_passed"):
    """The seat built nothing."""

    seat: int


class CoinInvested(EventBase, frozen=True, array_like=True, tag="coin_invested"):
    """The seat put coins on a card, where they stay."""

    seat: int
    card: str
    coins: int


class InvestmentDeclined(EventBase, frozen=True, array_like=True, tag="investment_declined"):
    """The seat put no coin on the card that asked for it."""

    seat: int


class MarketRefilled(EventBase, frozen=True, array_like=True, tag="market_refilled"):
    """Cards were drawn into a row of the market."""

    row: str
    cards: tuple[str, ...]
    """In the order of the draws."""


class ExtraTurnGranted(EventBase, frozen=True, array_like=True, tag="extra_turn_granted"):
    """A card gave the seat another turn after this one."""

    seat: int
    card: str


class TurnEnded(EventBase, frozen=True, array_like=True, tag="turn_ended"):
    """The turn, or the part of a building round, ended."""

    turn: int
    seat: int
