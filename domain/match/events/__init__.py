"""The events of a match.

An event is complete: `evolve` applies it by arithmetic alone, so later changes of the rules do not affect old
matches. Names and members are permanent. A stored event is a JSON array of its tag and its members in the
order of declaration; a new member goes to the end and has a default.
"""

from typing import Final, TypeAlias

from domain.match.events.end import (
    BankChanged,
    ClockExpired,
    ControllerChanged,
    DiceRevealed,
    MatchAborted,
    MatchFinished,
    SeatResigned,
)
from domain.match.events.members import (
    MOST_BANKED_MS,
    Clock,
    Dice,
    EventBase,
    Options,
    Origin,
    Position,
    PositionPlayer,
    PositionRow,
    SeatSeeds,
)
from domain.match.events.start import (
    BranchStarted,
    MatchCreated,
    MatchStarted,
    ReservationEnded,
    SeatReserved,
    SeatSeedCommitted,
    SeatSeedForgone,
    SeatSeedOpened,
    SeatSeedWithheld,
    SeatTaken,
    TokensPlaced,
)
from domain.match.events.turns import (
    BuildPassed,
    ChoiceLapsed,
    ChoiceRequested,
    CoinInvested,
    CoinsLevelled,
    DiceKept,
    DiceRolled,
    EstablishmentBuilt,
    EstablishmentGiven,
    EstablishmentsClosed,
    EstablishmentsReopened,
    EstablishmentsSwapped,
    ExtraTurnGranted,
    FeePaid,
    HelpReceived,
    IncomeReceived,
    InvestmentDeclined,
    LandmarkBuilt,
    LandmarkDemolished,
    MarketRefilled,
    PaymentMade,
    RenovationMoved,
    SwapDeclined,
    TargetChosen,
    TurnEnded,
    TurnStarted,
    TwoAdded,
)

__all__ = [
    "LATER",
    "MOST_BANKED_MS",
    "REGISTRY",
    "SCHEMA",
    "BankChanged",
    "BranchStarted",
    "BuildPassed",
    "ChoiceLapsed",
    "ChoiceRequested",
    "Clock",
    "ClockExpired",
    "CoinInvested",
    "CoinsLevelled",
    "ControllerChanged",
    "Dice",
    "DiceKept",
    "DiceRevealed",
    "DiceRolled",
    "EstablishmentBuilt",
    "EstablishmentGiven",
    "EstablishmentsClosed",
    "EstablishmentsReopened",
    "EstablishmentsSwapped",
    "Event",
    "ExtraTurnGranted",
    "FeePaid",
    "HelpReceived",
    "IncomeReceived",
    "InvestmentDeclined",
    "LandmarkBuilt",
    "LandmarkDemolished",
    "MarketRefilled",
    "MatchAborted",
    "MatchCreated",
    "MatchFinished",
    "MatchStarted",
    "Options",
    "Origin",
    "PaymentMade",
    "Position",
    "PositionPlayer",
    "PositionRow",
    "RenovationMoved",
    "ReservationEnded",
    "SeatReserved",
    "SeatResigned",
    "SeatSeedCommitted",
    "SeatSeedForgone",
    "SeatSeedOpened",
    "SeatSeedWithheld",
    "SeatSeeds",
    "SeatTaken",
    "SwapDeclined",
    "TargetChosen",
    "TokensPlaced",
    "TurnEnded",
    "TurnStarted",
    "TwoAdded",
    "type_name",
]

Event: TypeAlias = (
    MatchCreated
    | SeatTaken
    | SeatReserved
    | ReservationEnded
    | SeatSeedCommitted
    | SeatSeedForgone
    | SeatSeedOpened
    | SeatSeedWithheld
    | MatchStarted
    | BranchStarted
    | TokensPlaced
    | TurnStarted
    | DiceRolled
    | ChoiceRequested
    | ChoiceLapsed
    | DiceKept
    | TwoAdded
    | EstablishmentsReopened
    | IncomeReceived
    | FeePaid
    | PaymentMade
    | TargetChosen
    | EstablishmentsSwapped
    | SwapDeclined
    | EstablishmentGiven
    | RenovationMoved
    | LandmarkDemolished
    | EstablishmentsClosed
    | CoinsLevelled
    | HelpReceived
    | EstablishmentBuilt
    | LandmarkBuilt
    | BuildPassed
    | CoinInvested
    | InvestmentDeclined
    | MarketRefilled
    | ExtraTurnGranted
    | TurnEnded
    | ClockExpired
    | BankChanged
    | ControllerChanged
    | SeatResigned
    | MatchFinished
    | MatchAborted
    | DiceRevealed
)

REGISTRY: Final[dict[str, type[EventBase]]] = {str(cls.__struct_config__.tag): cls for cls in Event.__args__}
"""The event types by name. Names may be added but never removed."""

SCHEMA: Final[dict[str, int]] = dict.fromkeys(REGISTRY, 1)
"""By event type: the newest schema number."""


LATER: Final[dict[type, tuple[str, ...]]] = {
    Clock: ("bank_ms", "increment_ms"),
    Dice: ("seed_of", "seat_seeds", "round_of"),
    MatchCreated: ("origin",),
    Options: ("commentary", "rated"),
    PositionPlayer: ("closed", "invested"),
}
"""Members added later: the API shows events that were recorded without them as recorded."""


def type_name(event: Event) -> str:
    """The event's type name, such as `dice_rolled`."""
    return str(event.__struct_config__.tag)
