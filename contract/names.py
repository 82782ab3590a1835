"""The closed sets of names, and the numbers by card, that requests and answers are made of.

Each stands in the document once, under its name here. Answers of a newer service may have further names.
"""

from typing import Annotated, Any, NamedTuple, get_args

from msgspec import Meta

from contract.values import GREATEST
from domain.audit.report import NAMES as CHECKS
from domain.ladder.config import METHOD
from domain.ladder.events import REGISTRY as LADDER_EVENTS
from domain.languages.names import LANGUAGES
from domain.match.decide.building import REFUSALS
from domain.match.events import REGISTRY
from domain.match.rulesets import CURRENT
from domain.match.state import ABORTED, FINISHED


class Names(NamedTuple):
    """A closed set of names, and what the document calls it."""

    component: str
    description: str
    names: tuple[str, ...]


class Counts(NamedTuple):
    """Numbers by card id, each from `low` to `high`, and what the document calls them."""

    component: str
    description: str
    low: int
    high: int


def names(component: str, description: str, *names: str) -> Meta:
    return Meta(extra={"component": Names(component, description, names)})


def counts(component: str, description: str, low: int, high: int) -> Meta:
    return Meta(extra={"component": Counts(component, description, low, high)})


def declared(alias: Any) -> Any:
    """The set or the counts behind one of the types below."""
    return get_args(alias)[1].extra["component"]


AuditCheckName = Annotated[str, names("AuditCheckName", "What an audit checks.", *CHECKS)]
AuditStatus = Annotated[
    str,
    names(
        "AuditStatus",
        "How a check came out. `pending`: what it needs is not there yet, or not at hand. `skipped`: after "
        "an earlier failure there is nothing left to check.",
        "passed",
        "failed",
        "pending",
        "skipped",
    ),
]
AuditVerdict = Annotated[
    str,
    names(
        "AuditVerdict",
        "`failed` if any check failed, `verified` if all passed, else `incomplete`.",
        "verified",
        "failed",
        "incomplete",
    ),
]
Box = Annotated[str, names("Box", "For how many players the box is.", "four_player", "five_player")]
BranchDice = Annotated[
    str,
    names(
        "BranchDice",
        "The dice of a branch. `same`: those of its origin, so that who does the same throws the same. "
        "`fresh`: from a secret seed of its own. `scripted`: a tape of throws.",
        "same",
        "fresh",
        "scripted",
    ),
]
BuildRefusal = Annotated[str, names("BuildRefusal", "Why a card cannot be built.", *REFUSALS)]
CardColour = Annotated[
    str, names("CardColour", "When a card pays, and to whom.", "blue", "green", "red", "purple", "orange")
]
CardKind = Annotated[str, names("CardKind", "What is built with the card.", "establishment", "landmark")]
CommandStatus = Annotated[str, names("CommandStatus", "What became of a command.", "accepted")]
DiceMode = Annotated[
    str,
    names("DiceMode", "A secret seed that is committed to, or a tape of throws.", "committed", "scripted"),
]
EndReason = Annotated[
    str,
    names(
        "EndReason",
        "Why a match is over.",
        "landmarks",
        "resignation",
        "creator",
        "turn_limit",
        "dice_tape_exhausted",
        "dice_tape_mismatch",
        "seat_seed_withheld",
    ),
]
EntryStatus = Annotated[
    str,
    names(
        "EntryStatus",
        "`active`: seated in further rounds. `suspended`: a bot that was too often late or wrong; good "
        "probes bring it back. `removed`: not seated any more.",
        "active",
        "suspended",
        "removed",
    ),
]
EventTypeName = Annotated[
    str, names("EventTypeName", "The types of events, as they come in a match.", *REGISTRY)
]
HealthStatus = Annotated[
    str, names("HealthStatus", "Of the process, or of all that a match needs.", "ok", "ready")
]
JobKind = Annotated[str, names("JobKind", "What a job plays.", "ladder_round", "sequential_test", "probe")]
JobStatus = Annotated[
    str,
    names(
        "JobStatus",
        "`queued`: no block is over yet. `stopped`: nothing further is begun until it is resumed.",
        "queued",
        "running",
        "stopped",
        "finished",
    ),
]
LadderEventTypeName = Annotated[
    str, names("LadderEventTypeName", "The types of events of a ladder.", *LADDER_EVENTS)
]
LadderLineKind = Annotated[
    str, names("LadderLineKind", "The kinds of lines of a ladder's results.", "ladder", "entry", "result")
]
LadderLuck = Annotated[
    str,
    names(
        "LadderLuck",
        "How the luck of each match is measured: not at all, in coins, or in wins by a value function.",
        "off",
        "coins",
        "wins",
    ),
]
Language = Annotated[str, names("Language", "The languages that cards and matches are told in.", *LANGUAGES)]
MarketKind = Annotated[
    str,
    names(
        "MarketKind",
        "All cards face up, ten kinds of them, or the three rows of machi_koro_2.",
        "open",
        "limited",
        "rows",
    ),
]
MatchEnd = Annotated[str, names("MatchEnd", "How a match ended.", FINISHED, ABORTED)]
MatchStatus = Annotated[
    str, names("MatchStatus", "How far a match is.", "open", "running", "finished", "aborted")
]
NameSource = Annotated[
    str,
    names(
        "NameSource",
        "`rulebook`: the game is printed with this name. `service`: no printed name is known in this "
        "language, and the service has chosen one.",
        "rulebook",
        "service",
    ),
]
PatchOperationName = Annotated[
    str, names("PatchOperationName", "What an operation of a patch does.", "add", "remove", "replace")
]
Phase = Annotated[
    str,
    names(
        "Phase",
        "What the seat to act is asked for.",
        "setup",
        "roll",
        "reroll",
        "add_two",
        "take_coins",
        "swap",
        "give",
        "build",
    ),
]
PositionPhase = Annotated[
    str, names("PositionPhase", "The phases that a given table can start in.", "roll", "build", "setup")
]
RatingMethod = Annotated[str, names("RatingMethod", "How official ratings are computed.", METHOD)]
ReplayStates = Annotated[
    str,
    names(
        "ReplayStates",
        "How a replay tells the state after each event: whole, or as a patch of the one before.",
        "full",
        "patch",
    ),
]
RoundPurpose = Annotated[
    str,
    names(
        "RoundPurpose",
        "`rated`: counts for the ratings. `test`: compares two entries. `probe`: a suspended bot may come "
        "back.",
        "rated",
        "test",
        "probe",
    ),
]
RoundStatus = Annotated[
    str,
    names(
        "RoundStatus",
        "How far a round is. `awaiting_value`: nothing is begun until its public value is recorded.",
        "awaiting_value",
        "running",
        "stopped",
        "finished",
    ),
]
RulesetId = Annotated[str, names("RulesetId", "The games that can be played.", *CURRENT)]
Scope = Annotated[
    str,
    names(
        "Scope",
        "What a token can be allowed to do.",
        "play",
        "match:create",
        "ladder:operate",
        "account:write",
        "admin",
    ),
]
SeatKind = Annotated[str, names("SeatKind", "Who plays a seat.", "open", "account", "strategy")]
SeatSeedStatus = Annotated[
    str,
    names(
        "SeatSeedStatus",
        "What a seat has done about its seed. `none`: the seat is open, or a built-in player has it, which "
        "adds no seed. `awaited`: it has not committed yet. `forgone`: it did not commit in time, and adds "
        "no seed. `withheld`: it did not open in time what it had committed to, and the match was called "
        "off.",
        "none",
        "awaited",
        "committed",
        "opened",
        "forgone",
        "withheld",
    ),
]
SeatSeedStep = Annotated[
    str, names("SeatSeedStep", "What a match waits for from its seats before it starts.", "commit", "open")
]
SeatingPolicy = Annotated[
    str,
    names(
        "SeatingPolicy",
        "Who may seat the account in a match. `nobody`: only itself. `allowed`: the accounts on its list; "
        "others can invite it. `anybody`: everybody but those that it blocks, as bots like it.",
        "nobody",
        "allowed",
        "anybody",
    ),
]
TestDecision = Annotated[
    str,
    names(
        "TestDecision",
        "What a sequential test found of A. `undecided`: all its blocks were played.",
        "better",
        "not_better",
        "undecided",
    ),
]
ThrowPurpose = Annotated[
    str,
    names(
        "ThrowPurpose",
        "The throw of a turn, the one of the Radio Tower in its place, or the one for the Tuna Boats.",
        "roll",
        "reroll",
        "boats",
    ),
]
TimeoutPolicy = Annotated[
    str,
    names(
        "TimeoutPolicy",
        "What happens when a decision takes too long. `default_command`: this one decision is answered for "
        "the seat, by throwing one die, keeping the dice or the total, declining a trade, taking coins from"
        " the richest opponent, giving away the cheapest establishment, or passing. `strategy`: the built-"
        "in player `landmark_first` has the seat from then on. `forfeit`: the seat is out, as if it had "
        "resigned.",
        "default_command",
        "strategy",
        "forfeit",
    ),
]
Visibility = Annotated[
    str,
    names(
        "Visibility",
        "`public`: in every list. `unlisted`: for all who know its id. `private`: for its creator, all who "
        "ever sat in it and those who are invited; with its code others can join it.",
        "public",
        "unlisted",
        "private",
    ),
]
CardCounts = Annotated[
    dict[str, int],
    counts("CardCounts", "How many there are of each card; without those that are none.", 1, GREATEST),
]
StackCounts = Annotated[
    dict[str, int], counts("StackCounts", "How many lie on each stack; empty ones are 0.", 0, GREATEST)
]
GivenCounts = Annotated[
    dict[str, int], counts("GivenCounts", "How many of each card a given table has.", 0, 100)
]
CardPrices = Annotated[
    dict[str, int], counts("CardPrices", "Prices that differ from the catalogue, in coins.", 0, 100)
]
