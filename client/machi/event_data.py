"""What each type of event says: one small value for each, in the words of the rules.

Coins are those that really moved. Members are for ever; a newer service may add some.
"""

import re
from typing import Any, Final

from msgspec import Struct


class Data(Struct, frozen=True):
    """What an event says."""


class MatchCreated(Data, frozen=True):
    ruleset: str
    rules_version: str
    digest: str
    options: dict[str, Any]
    seats: int
    first_seat: int | None
    dice: dict[str, Any]
    """`mode`, `key_id`, `commitment`, for scripted dice `throws`, in `seed_of` the match whose seed it is
    where it is not its own, `seat_seeds` where seats commit to seeds, and `round_of` in a round of a ladder
    with a public value."""
    creator: str
    clock: dict[str, Any] | None = None
    position: dict[str, Any] | None = None
    visibility: str = "public"
    tags: tuple[str, ...] = ()
    origin: dict[str, Any] | None = None
    """Of a branch: `match_id`, `version`, `head_hash` and `dice` (`same`, `fresh` or `scripted`)."""


class SeatTaken(Data, frozen=True):
    seat: int
    kind: str
    id: str
    name: str
    version: str = ""
    seed: str = ""


class SeatReserved(Data, frozen=True):
    """A seat is kept free for an account that was invited."""

    seat: int
    id: str
    name: str


class ReservationEnded(Data, frozen=True):
    """The invited account does not come, and the seat is open."""

    seat: int
    reason: str
    """`declined` or `withdrawn`."""


class SeatSeedCommitted(Data, frozen=True):
    seat: int
    commitment: str


class SeatSeedForgone(Data, frozen=True):
    """The seat did not commit to a seed in time."""

    seat: int


class SeatSeedOpened(Data, frozen=True):
    seat: int
    seed: str


class SeatSeedWithheld(Data, frozen=True):
    """The seat did not open its seed in time."""

    seat: int


class MatchStarted(Data, frozen=True):
    first_seat: int
    coins: tuple[int, ...]
    cities: tuple[dict[str, int], ...]
    supply: dict[str, int]
    decks: dict[str, int]
    deck_orders: dict[str, tuple[str, ...]] = {}


class BranchStarted(Data, frozen=True):
    """The match begins as another one stood."""

    first_seat: int
    coins: tuple[int, ...]
    cities: tuple[dict[str, int], ...]
    supply: dict[str, int]
    decks: dict[str, int]
    deck_orders: dict[str, tuple[str, ...]]
    draws: dict[str, int]
    """By row: how many cards have been drawn."""
    resigned: tuple[int, ...]
    """Seats that play no more."""
    turn: int
    seat: int
    """The active seat."""
    phase: str
    extra: bool
    round: int
    seat_turns: tuple[int, ...]
    """By seat: how many turns it has begun, this one counted."""
    values: tuple[int, ...]
    """The throw that counts; empty before the first of the turn."""
    total: int
    added: int
    rerolled: bool
    received: int
    """Coins that came to the active seat since the dice fell."""
    extra_turn_due: bool
    card: str
    """The card that the open choice is about; empty if none is open."""
    copies: int


class TurnStarted(Data, frozen=True):
    turn: int
    seat: int
    phase: str = "roll"
    extra: bool = False
    round: int = 0
    """The building round of machi_koro_2, from 1; 0 outside of them."""


class DiceRolled(Data, frozen=True):
    purpose: str
    """`roll`, `reroll` or `boats`."""
    values: tuple[int, ...]
    total: int


class ChoiceRequested(Data, frozen=True):
    seat: int
    phase: str
    card: str
    copies: int = 1


class DiceKept(Data, frozen=True):
    seat: int
    declined: str
    """`reroll` or `add_two`."""
    total: int


class TwoAdded(Data, frozen=True):
    seat: int
    total: int


class IncomeReceived(Data, frozen=True):
    """The bank pays a seat."""

    seat: int
    card: str
    copies: int
    coins: int


class PaymentMade(Data, frozen=True):
    """A seat pays a seat."""

    from_seat: int
    to_seat: int
    card: str
    copies: int
    owed: int
    paid: int


class TargetChosen(Data, frozen=True):
    seat: int
    card: str
    target: int


class EstablishmentsSwapped(Data, frozen=True):
    seat: int
    give: str
    with_seat: int
    take: str


class SwapDeclined(Data, frozen=True):
    seat: int


class EstablishmentGiven(Data, frozen=True):
    seat: int
    card: str
    to_seat: int


class CoinsLevelled(Data, frozen=True):
    """All purses were pooled and shared out again."""

    seat: int
    card: str
    coins: tuple[int, ...]
    from_bank: int


class HelpReceived(Data, frozen=True):
    seat: int
    coins: int


class EstablishmentBuilt(Data, frozen=True):
    seat: int
    card: str
    price: int


class LandmarkBuilt(Data, frozen=True):
    seat: int
    card: str
    price: int


class BuildPassed(Data, frozen=True):
    seat: int


class MarketRefilled(Data, frozen=True):
    row: str
    cards: tuple[str, ...]


class ExtraTurnGranted(Data, frozen=True):
    seat: int
    card: str


class TurnEnded(Data, frozen=True):
    turn: int
    seat: int


class ClockExpired(Data, frozen=True):
    seat: int
    policy: str


class ControllerChanged(Data, frozen=True):
    seat: int
    kind: str
    id: str
    name: str
    version: str = ""


class SeatResigned(Data, frozen=True):
    seat: int
    reason: str
    """`command` or `clock`."""


class MatchFinished(Data, frozen=True):
    winner: int
    reason: str
    """`landmarks` or `resignation`."""


class MatchAborted(Data, frozen=True):
    reason: str


class DiceRevealed(Data, frozen=True):
    """The seed to recompute all dice, behind the end of a match."""

    key_id: str
    seed: str


class OtherData(Data, frozen=True):
    """What an event of a type says that this version does not know."""

    members: dict[str, Any]


def _type_name(kind: type[Data]) -> str:
    """`dice_rolled` for `DiceRolled`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


DATA: Final[dict[str, type[Data]]] = {
    _type_name(kind): kind for kind in Data.__subclasses__() if kind is not OtherData
}
"""By the type of the event."""
