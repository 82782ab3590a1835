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
)
from domain.match.events.turns import (
    BuildPassed,
    ChoiceRequested,
    CoinsLevelled,
    DiceKept,
    DiceRolled,
    EstablishmentBuilt,
    EstablishmentGiven,
    EstablishmentsSwapped,
    ExtraTurnGranted,
    HelpReceived,
    IncomeReceived,
    LandmarkBuilt,
    MarketRefilled,
    PaymentMade,
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
    "ChoiceRequested",
    "Clock",
    "ClockExpired",
    "CoinsLevelled",
    "ControllerChanged",
    "Dice",
    "DiceKept",
    "DiceRevealed",
    "DiceRolled",
    "EstablishmentBuilt",
    "EstablishmentGiven",
    "EstablishmentsSwapped",
    "Event",
    "ExtraTurnGranted",
    "HelpReceived",
    "IncomeReceived",
    "LandmarkBuilt",
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
    | TurnStarted
    | DiceRolled
    | ChoiceRequested
    | DiceKept
    | TwoAdded
    | IncomeReceived
    | PaymentMade
    | TargetChosen
    | EstablishmentsSwapped
    | SwapDeclined
    | EstablishmentGiven
    | CoinsLevelled
    | HelpReceived
    | EstablishmentBuilt
    | LandmarkBuilt
    | BuildPassed
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
}
"""Members added later: the API shows events that were recorded without them as recorded."""


def type_name(event: Event) -> str:
    """The event's type name, such as `dice_rolled`."""
    return str(event.__struct_config__.tag)
