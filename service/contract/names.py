"""The closed sets of names in requests and answers. Each stands in the document once."""

from typing import Final

from domain.audit.report import NAMES
from domain.ladder.config import METHOD
from domain.languages.names import LANGUAGES
from domain.match.decide.building import REFUSALS
from domain.match.events import REGISTRY
from domain.match.rulesets import CURRENT
from domain.match.state import ABORTED, FINISHED
from runtime.strategies import STAND_IN
from service.accounts.seating import POLICIES
from service.contract.fields import Names
from service.edge.problems import KINDS

AUDIT_CHECK: Final = Names("AuditCheckName", "What an audit checks.", NAMES)
AUDIT_STATUS: Final = Names(
    "AuditStatus",
    "How a check came out. `pending`: what it needs is not there yet, or not at hand. `skipped`: after an "
    "earlier failure there is nothing left to check.",
    ("passed", "failed", "pending", "skipped"),
)
AUDIT_VERDICT: Final = Names(
    "AuditVerdict",
    "`failed` if any check failed, `verified` if all passed, else `incomplete`.",
    ("verified", "failed", "incomplete"),
)
BOX: Final = Names("Box", "For how many players the box is.", ("four_player", "five_player"))
BRANCH_DICE: Final = Names(
    "BranchDice",
    "The dice of a branch. `same`: those of its origin, so that who does the same throws the same. `fresh`: "
    "from a secret seed of its own. `scripted`: a tape of throws.",
    ("same", "fresh", "scripted"),
)
CARD_COLOUR: Final = Names(
    "CardColour", "When a card pays, and to whom.", ("blue", "green", "red", "purple", "orange")
)
CARD_KIND: Final = Names("CardKind", "What is built with the card.", ("establishment", "landmark"))
COMMAND_STATUS: Final = Names("CommandStatus", "What became of a command.", ("accepted",))
DICE_MODE: Final = Names(
    "DiceMode", "A secret seed that is committed to, or a tape of throws.", ("committed", "scripted")
)
ENTRY_STATUS: Final = Names(
    "EntryStatus",
    "`active`: seated in further rounds. `suspended`: a bot that was too often late or wrong; good probes "
    "bring it back. `removed`: not seated any more.",
    ("active", "suspended", "removed"),
)
END_REASON: Final = Names(
    "EndReason",
    "Why a match is over.",
    (
        "landmarks",
        "resignation",
        "creator",
        "turn_limit",
        "dice_tape_exhausted",
        "dice_tape_mismatch",
        "seat_seed_withheld",
    ),
)
EVENT_TYPE: Final = Names("EventTypeName", "The types of events, as they come in a match.", (*REGISTRY,))
HEALTH: Final = Names("HealthStatus", "Of the process, or of all that a match needs.", ("ok", "ready"))
JOB_KIND: Final = Names("JobKind", "What a job plays.", ("ladder_round", "sequential_test", "probe"))
JOB_STATUS: Final = Names(
    "JobStatus",
    "`queued`: no block is over yet. `stopped`: nothing further is begun until it is resumed.",
    ("queued", "running", "stopped", "finished"),
)
LADDER_LUCK: Final = Names(
    "LadderLuck",
    "How the luck of each match is measured: not at all, in coins, or in wins by a value function.",
    ("off", "coins", "wins"),
)
LANGUAGE: Final = Names("Language", "The languages that cards and matches are told in.", LANGUAGES)
MARKET_KIND: Final = Names(
    "MarketKind",
    "All cards face up, ten kinds of them, or the three rows of machi_koro_2.",
    ("open", "limited", "rows"),
)
MATCH_END: Final = Names("MatchEnd", "How a match ended.", (FINISHED, ABORTED))
MATCH_STATUS: Final = Names("MatchStatus", "How far a match is.", ("open", "running", "finished", "aborted"))
NAME_SOURCE: Final = Names(
    "NameSource",
    "`rulebook`: the game is printed with this name. `service`: no printed name is known in this language, "
    "and the service has chosen one.",
    ("rulebook", "service"),
)
PATCH_OPERATION: Final = Names(
    "PatchOperationName", "What an operation of a patch does.", ("add", "remove", "replace")
)
PHASE: Final = Names(
    "Phase",
    "What the seat to act is asked for.",
    ("setup", "roll", "reroll", "add_two", "take_coins", "swap", "give", "build"),
)
POSITION_PHASE: Final = Names(
    "PositionPhase", "The phases that a given table can start in.", ("roll", "build", "setup")
)
RATING_METHOD: Final = Names("RatingMethod", "How official ratings are computed.", (METHOD,))
PROBLEM_CODE: Final = Names("ProblemCode", "What is wrong. Stable; made for programs.", (*KINDS,))
REFUSAL: Final = Names("BuildRefusal", "Why a card cannot be built.", (*REFUSALS,))
REPLAY_STATES: Final = Names(
    "ReplayStates",
    "How a replay tells the state after each event: whole, or as a patch of the one before.",
    ("full", "patch"),
)
RULESET: Final = Names("RulesetId", "The games that can be played.", (*CURRENT,))
ROUND_PURPOSE: Final = Names(
    "RoundPurpose",
    "`rated`: counts for the ratings. `test`: compares two entries. `probe`: a suspended bot may come back.",
    ("rated", "test", "probe"),
)
ROUND_STATUS: Final = Names(
    "RoundStatus",
    "How far a round is. `awaiting_value`: nothing is begun until its public value is recorded.",
    ("awaiting_value", "running", "stopped", "finished"),
)
SCOPE: Final = Names(
    "Scope",
    "What a token can be allowed to do.",
    ("play", "match:create", "ladder:operate", "account:write", "admin"),
)
SEAT_KIND: Final = Names("SeatKind", "Who plays a seat.", ("open", "account", "strategy"))
SEATING: Final = Names(
    "SeatingPolicy",
    "Who may seat the account in a match. `nobody`: only itself. `allowed`: the accounts on its list; others "
    "can invite it. `anybody`: everybody but those that it blocks, as bots like it.",
    POLICIES,
)
SEAT_SEED_STATUS: Final = Names(
    "SeatSeedStatus",
    "What a seat has done about its seed. `none`: the seat is open, or a built-in player has it, which adds "
    "no seed. `awaited`: it has not committed yet. `forgone`: it did not commit in time, and adds no seed. "
    "`withheld`: it did not open in time what it had committed to, and the match was called off.",
    ("none", "awaited", "committed", "opened", "forgone", "withheld"),
)
SEAT_SEED_STEP: Final = Names(
    "SeatSeedStep", "What a match waits for from its seats before it starts.", ("commit", "open")
)
TEST_DECISION: Final = Names(
    "TestDecision",
    "What a sequential test found of A. `undecided`: all its blocks were played.",
    ("better", "not_better", "undecided"),
)
THROW_PURPOSE: Final = Names(
    "ThrowPurpose",
    "The throw of a turn, the one of the Radio Tower in its place, or the one for the Tuna Boats.",
    ("roll", "reroll", "boats"),
)
TIMEOUT: Final = Names(
    "TimeoutPolicy",
    "What happens when a decision takes too long. `default_command`: this one decision is answered for the "
    "seat, by throwing one die, keeping the dice or the total, declining a trade, taking coins from the "
    "richest opponent, giving away the cheapest establishment, or passing. `strategy`: the built-in player "
    f"`{STAND_IN}` has the seat from then on. `forfeit`: the seat is out, as if it had resigned.",
    ("default_command", "strategy", "forfeit"),
)
VISIBILITY: Final = Names(
    "Visibility",
    "`public`: in every list. `unlisted`: for all who know its id. `private`: for its creator, all who "
    "ever sat in it and those who are invited; with its code others can join it.",
    ("public", "unlisted", "private"),
)
