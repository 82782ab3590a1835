"""Everything that can have happened in a match: small frozen facts, in the past tense.

An event is complete: `evolve` applies it by arithmetic alone, so a later change of the rules cannot change
what an old match means. Names and members are for ever. A stored event is a JSON array of its tag and its
members in the order they stand here; a new member goes to the end and has a default.
"""

from typing import Final, TypeAlias

from domain.match.events.end import (
    ClockExpired,
    ControllerChanged,
    DiceRevealed,
    MatchAborted,
    MatchFinished,
    SeatResigned,
)
from domain.match.events.members import (
    Clock,
    Dice,
    Options,
    Origin,
    Position,
    PositionPlayer,
    PositionRow,
    Recorded,
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
    "REGISTRY",
    "SCHEMA",
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
    | ControllerChanged
    | SeatResigned
    | MatchFinished
    | MatchAborted
    | DiceRevealed
)

REGISTRY: Final[dict[str, type[Recorded]]] = {str(cls.__struct_config__.tag): cls for cls in Event.__args__}
"""Every event type by its name in logs and answers. A name may be added, never lost."""

SCHEMA: Final[dict[str, int]] = dict.fromkeys(REGISTRY, 1)
"""The newest schema number of each event type."""


LATER: Final[dict[type, tuple[str, ...]]] = {
    Dice: ("seed_of", "seat_seeds", "round_of"),
    MatchCreated: ("origin",),
}
"""Members that were added after events had been recorded without them: the API shows those as they are."""


def type_name(event: Event) -> str:
    """The event's name in logs and answers, such as `dice_rolled`."""
    return str(event.__struct_config__.tag)
