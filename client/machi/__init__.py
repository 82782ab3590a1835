"""Play Machi Koro on a match service: `Client` has a method for each operation; see docs/client.md.

The module `machi.event_data` has the data of events.
"""

__version__ = "0.1.0"

from contract.accounts import AccountWithToken as Account
from contract.accounts import Token
from contract.accounts import TokenWithSecret as NewToken
from contract.audit import SigningKey
from contract.catalogue import Effect, Ruleset
from contract.commands import NextDecision as Next
from contract.commands import Validated
from contract.events import EventType
from contract.matches import Clock, Origin, Seat
from contract.matches import MatchResult as Result
from contract.matches import ResolvedOptions as Options
from contract.problems import Fault
from contract.standings import Standing
from contract.states import Dice, Player, Unbuildable
from contract.states import PendingChoice as Pending
from domain.match.commands import (
    AddTwo,
    Build,
    DeclineSwap,
    GiveEstablishment,
    KeepDice,
    KeepTotal,
    Pass,
    RerollDice,
    Resign,
    RollDice,
    SwapEstablishments,
    TakeCoins,
)
from machi.client import Client
from machi.commands import Command, OtherCommand
from machi.errors import (
    ApiError,
    ConnectionFailed,
    MachiError,
    NotAllowed,
    NotFound,
    Refused,
    StaleVersion,
    Throttled,
    Unavailable,
    UnusableAnswer,
)
from machi.events import Event, EventPage
from machi.ladders import Crosstable, Job, Ladder, ListedLadder, SequentialTest, Standings
from machi.matches import Joined, ListedMatch, Match, NewSeat, account, bot, me, open_seat, strategy
from machi.requests.audit import MatchHead
from machi.requests.reviews import ChanceCurve, Review, ReviewJob
from machi.retries import Retries
from machi.table import CommandAnswer, CommandRecord, LegalCommands, Market, State, Turn
from machi.values import (
    Card,
    Delivery,
    Invitation,
    LadderEntry,
    ListedAccount,
    LogLine,
    Luck,
    Me,
    Notification,
    Strategy,
    Webhook,
)

__all__ = [
    "Account",
    "AddTwo",
    "ApiError",
    "Build",
    "Card",
    "ChanceCurve",
    "Client",
    "Clock",
    "Command",
    "CommandAnswer",
    "CommandRecord",
    "ConnectionFailed",
    "Crosstable",
    "DeclineSwap",
    "Delivery",
    "Dice",
    "Effect",
    "Event",
    "EventPage",
    "EventType",
    "Fault",
    "GiveEstablishment",
    "Invitation",
    "Job",
    "Joined",
    "KeepDice",
    "KeepTotal",
    "Ladder",
    "LadderEntry",
    "LegalCommands",
    "ListedAccount",
    "ListedLadder",
    "ListedMatch",
    "LogLine",
    "Luck",
    "MachiError",
    "Market",
    "Match",
    "MatchHead",
    "Me",
    "NewSeat",
    "NewToken",
    "Next",
    "NotAllowed",
    "NotFound",
    "Notification",
    "Options",
    "Origin",
    "OtherCommand",
    "Pass",
    "Pending",
    "Player",
    "Refused",
    "RerollDice",
    "Resign",
    "Result",
    "Retries",
    "Review",
    "ReviewJob",
    "RollDice",
    "Ruleset",
    "Seat",
    "SequentialTest",
    "SigningKey",
    "StaleVersion",
    "Standing",
    "Standings",
    "State",
    "Strategy",
    "SwapEstablishments",
    "TakeCoins",
    "Throttled",
    "Token",
    "Turn",
    "Unavailable",
    "Unbuildable",
    "UnusableAnswer",
    "Validated",
    "Webhook",
    "account",
    "bot",
    "me",
    "open_seat",
    "strategy",
]
