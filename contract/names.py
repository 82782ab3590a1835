"""The enumerations and the counts by card that requests and responses use.

Each is one component of the document. Responses of a newer service may have further names.
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
    """An enumeration: its component in the document, and its names."""

    component: str
    description: str
    names: tuple[str, ...]


class Counts(NamedTuple):
    """Numbers from `low` to `high` by card id, and their component in the document."""

    component: str
    description: str
    low: int
    high: int


def names(component: str, description: str, *names: str) -> Meta:
    return Meta(extra={"component": Names(component, description, names)})


def counts(component: str, description: str, low: int, high: int) -> Meta:
    return Meta(extra={"component": Counts(component, description, low, high)})


def declared(alias: Any) -> Any:
    """The `Names` or `Counts` of one of the types below."""
    return get_args(alias)[1].extra["component"]


AuditCheckName = Annotated[str, names("AuditCheckName", "The name of a check.", *CHECKS)]
AuditStatus = Annotated[
    str,
    names(
        "AuditStatus",
        "The result of a check. `pending`: its input does not exist yet or is not available. `skipped`: an "
        "earlier failure leaves nothing to check.",
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
        "`failed` if any check failed, `verified` if all passed, otherwise `incomplete`.",
        "verified",
        "failed",
        "incomplete",
    ),
]
Box = Annotated[str, names("Box", "The box, by its largest number of players.", "four_player", "five_player")]
BranchDice = Annotated[
    str,
    names(
        "BranchDice",
        "The dice of a branch. `same`: the dice of its origin, so that the same decisions lead to the same "
        "rolls. `fresh`: dice from a new secret seed. `scripted`: a list of rolls.",
        "same",
        "fresh",
        "scripted",
    ),
]
BuildRefusal = Annotated[str, names("BuildRefusal", "Why a card cannot be built.", *REFUSALS)]
CardColour = Annotated[
    str,
    names(
        "CardColour",
        "The colour of a card: when it pays, and whom.",
        "blue",
        "green",
        "red",
        "purple",
        "orange",
    ),
]
CardKind = Annotated[str, names("CardKind", "The kind of a card.", "establishment", "landmark")]
CommandStatus = Annotated[str, names("CommandStatus", "The status of a command.", "accepted")]
DiceMode = Annotated[
    str,
    names(
        "DiceMode",
        "`committed`: dice from a committed seed. `scripted`: a list of rolls.",
        "committed",
        "scripted",
    ),
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
        "`active`: seated in further rounds. `suspended`: a bot with too many faults; probes without a fault "
        "reinstate it. `removed`: no longer seated.",
        "active",
        "suspended",
        "removed",
    ),
]
EventTypeName = Annotated[
    str, names("EventTypeName", "The event types, in the order of their occurrence in a match.", *REGISTRY)
]
HealthStatus = Annotated[
    str,
    names("HealthStatus", "`ok`: the process is alive. `ready`: a match can be played.", "ok", "ready"),
]
JobKind = Annotated[str, names("JobKind", "The kind of a job.", "ladder_round", "sequential_test", "probe")]
JobStatus = Annotated[
    str,
    names(
        "JobStatus",
        "`queued`: no block is over yet. `stopped`: no further block is started until the job is resumed.",
        "queued",
        "running",
        "stopped",
        "finished",
    ),
]
LadderEventTypeName = Annotated[
    str, names("LadderEventTypeName", "The event types of ladders.", *LADDER_EVENTS)
]
LadderLineKind = Annotated[
    str, names("LadderLineKind", "The kinds of lines in a ladder's results.", "ladder", "entry", "result")
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
Language = Annotated[str, names("Language", "The languages of cards and logs.", *LANGUAGES)]
Level = Annotated[
    str,
    names(
        "Level",
        "A rough level of a built-in player, from the mean of its ratings.",
        "beginner",
        "casual",
        "strong",
        "expert",
    ),
]
MarketKind = Annotated[
    str,
    names(
        "MarketKind",
        "All cards face up, ten kinds face up, or the three rows of machi_koro_2.",
        "open",
        "limited",
        "rows",
    ),
]
MatchEnd = Annotated[str, names("MatchEnd", "How a match ended.", FINISHED, ABORTED)]
MatchStatus = Annotated[
    str, names("MatchStatus", "The status of a match.", "open", "running", "finished", "aborted")
]
NameSource = Annotated[
    str,
    names(
        "NameSource",
        "`rulebook`: a printed game uses this name. `service`: no printed name is known in this language, so "
        "the service has chosen one.",
        "rulebook",
        "service",
    ),
]
PatchOperationName = Annotated[
    str, names("PatchOperationName", "The kind of a patch operation.", "add", "remove", "replace")
]
Phase = Annotated[
    str,
    names(
        "Phase",
        "The phase of a turn: the decision that the seat to act has to make.",
        "setup",
        "roll",
        "reroll",
        "add_two",
        "take_coins",
        "swap",
        "give",
        "demolish",
        "move",
        "renovate",
        "build",
        "invest",
    ),
]
PositionPhase = Annotated[
    str, names("PositionPhase", "The phases that a given position can start in.", "roll", "build", "setup")
]
RatingMethod = Annotated[str, names("RatingMethod", "The method of computing official ratings.", METHOD)]
ReplayStates = Annotated[
    str,
    names(
        "ReplayStates",
        "The form of the states in a replay: complete, or as patches of the previous state.",
        "full",
        "patch",
    ),
]
RoundPurpose = Annotated[
    str,
    names(
        "RoundPurpose",
        "`rated`: counts for the ratings. `test`: compares two entries. `probe`: can reinstate a suspended "
        "bot.",
        "rated",
        "test",
        "probe",
    ),
]
RoundStatus = Annotated[
    str,
    names(
        "RoundStatus",
        "The status of a round. `awaiting_value`: no block is started until the public value is recorded.",
        "awaiting_value",
        "running",
        "stopped",
        "finished",
    ),
]
RulesetId = Annotated[str, names("RulesetId", "The rulesets.", *CURRENT)]
Scope = Annotated[
    str,
    names(
        "Scope",
        "The scopes of tokens.",
        "play",
        "match:create",
        "ladder:operate",
        "account:write",
        "admin",
    ),
]
SeatKind = Annotated[str, names("SeatKind", "The kind of player on a seat.", "open", "account", "strategy")]
SeatSeedStatus = Annotated[
    str,
    names(
        "SeatSeedStatus",
        "The status of a seat's seed. `none`: the seat is open, or has a built-in player, which adds no "
        "seed. `awaited`: the seat has not committed yet. `forgone`: it did not commit in time and adds no "
        "seed. `withheld`: it did not open its seed in time, and the match was aborted.",
        "none",
        "awaited",
        "committed",
        "opened",
        "forgone",
        "withheld",
    ),
]
SeatSeedStep = Annotated[
    str,
    names(
        "SeatSeedStep",
        "`commit`: the seats commit to their seeds. `open`: they open them.",
        "commit",
        "open",
    ),
]
SeatingPolicy = Annotated[
    str,
    names(
        "SeatingPolicy",
        "Who can seat the account in a match. `nobody`: only the account itself. `allowed`: the accounts on "
        "its list; others can invite it. `anybody`: all accounts that it does not block, as suits bots.",
        "nobody",
        "allowed",
        "anybody",
    ),
]
TestDecision = Annotated[
    str,
    names(
        "TestDecision",
        "The result of a sequential test: whether A is better. `undecided`: all blocks were played.",
        "better",
        "not_better",
        "undecided",
    ),
]
ThrowPurpose = Annotated[
    str,
    names(
        "ThrowPurpose",
        "`roll`: the first roll of a turn. `reroll`: the roll that replaces it with the Radio Tower. "
        "`boats`: the roll for the Tuna Boats.",
        "roll",
        "reroll",
        "boats",
    ),
]
TimeoutPolicy = Annotated[
    str,
    names(
        "TimeoutPolicy",
        "The consequence of a missed deadline. `default_command`: the service makes this one decision for "
        "the seat: it rolls one die, keeps the dice or the total, declines a trade, takes coins from the "
        "richest opponent, gives away the cheapest establishment, demolishes the cheapest landmark, closes "
        "the card of which the opponents have the most open copies beyond those of the seat, invests "
        "nothing, or passes. `strategy`: the built-in player `landmark_first` takes over the seat. "
        "`forfeit`: the seat is out, as if it had resigned.",
        "default_command",
        "strategy",
        "forfeit",
    ),
]
Visibility = Annotated[
    str,
    names(
        "Visibility",
        "`public`: listed for everybody. `unlisted`: visible to everybody who knows its id. `private`: "
        "visible to its creator, to all accounts that ever had a seat in it, and to invited accounts; others "
        "can join with its invitation code.",
        "public",
        "unlisted",
        "private",
    ),
]
CardCounts = Annotated[
    dict[str, int],
    counts(
        "CardCounts", "The number of copies of each card; cards without copies are left out.", 1, GREATEST
    ),
]
StackCounts = Annotated[
    dict[str, int], counts("StackCounts", "The number of cards in each stack; 0 if it is empty.", 0, GREATEST)
]
GivenCounts = Annotated[
    dict[str, int], counts("GivenCounts", "The number of copies of each card in a given position.", 0, 100)
]
CardPrices = Annotated[
    dict[str, int], counts("CardPrices", "Prices that differ from the catalogue, in coins.", 0, 100)
]
