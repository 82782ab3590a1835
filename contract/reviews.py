"""Reviews: who was how likely to win after every event of a finished match, by luck and by skill.

Chances of winning, and their changes, are whole numbers of millionths, so that they add up exactly.
"""

from typing import Annotated

from contract.names import Phase, RulesetId, names
from contract.states import Command
from contract.values import (
    Answer,
    Count,
    Hash,
    Percent,
    Positive,
    SeatNumber,
    TurnNumber,
    integer,
    length,
    text,
)

MILLIONTHS = 1_000_000

ReviewStage = Annotated[
    str,
    names(
        "ReviewStage",
        "The stage of the match for a seat. `one_die`: it rolls one die. `two_dice`: it may roll two. "
        "`race`: only landmarks are left to build for anybody, and chances are exact.",
        "one_die",
        "two_dice",
        "race",
    ),
]
ReviewStatus = Annotated[
    str,
    names(
        "ReviewStatus",
        "`failed`: the review cannot be computed, because the recorded events do not follow from the rules.",
        "queued",
        "running",
        "finished",
        "failed",
    ),
]
ReviewStepKind = Annotated[
    str,
    names(
        "ReviewStepKind",
        "What changed the chances. Luck: `roll`, `reroll`, `boats` (a roll for the Tuna Boats), `card` (a "
        "card that was turned over). Skill: `decision`, `resignation`.",
        "roll",
        "reroll",
        "boats",
        "card",
        "decision",
        "resignation",
    ),
]
Verdict = Annotated[
    str,
    names(
        "Verdict",
        "What a decision cost in chance of winning. `best`: nothing. `too_close`: the interval of its loss "
        "includes zero. Otherwise by the loss: `small` below 5 percentage points, `inaccuracy` from 5, "
        "`mistake` from 10, `blunder` from 15.",
        "best",
        "too_close",
        "small",
        "inaccuracy",
        "mistake",
        "blunder",
    ),
]
ReviewId = Annotated[str, text(r"rev_[0-9a-f]{32}")]
Chance = Annotated[int, integer(0, MILLIONTHS)]
"""A probability of winning, in millionths."""
Change = Annotated[int, integer(-MILLIONTHS, MILLIONTHS)]
"""A change of a probability of winning, in millionths."""
Sum = Annotated[int, integer(-1_000 * MILLIONTHS, 1_000 * MILLIONTHS)]
"""A sum of such changes over a match, in millionths."""
Chances = Annotated[tuple[Chance, ...], length(2, 5)]
"""By seat; they sum to 1,000,000."""
Changes = Annotated[tuple[Change, ...], length(2, 5)]
"""By seat; they sum to 0."""


class ChancesAt(Answer, frozen=True):
    """The chances of winning after an event."""

    version: Positive
    chances: Chances


class ChanceCurve(Answer, frozen=True):
    """The chances of winning of all seats, by the value network alone, wherever they change."""

    match_id: str
    version: Positive
    value_function: Hash
    """The digest of the network."""
    items: tuple[ChancesAt, ...]
    """In the order of the events, from the first decision on. Between two items the chances stay."""


class Judge(Answer, frozen=True):
    """What the numbers of a review come from. The same judge finds the same numbers for the same match."""

    version: Positive
    """The version of the method; another one may find other numbers."""
    value_function: Hash
    """The digest of the network."""
    seed: Hash
    """The seed of the simulated rolls, which is the hash of the match's last event."""


class ReviewStep(Answer, frozen=True):
    """An event that changed the chances: by luck (a roll or a card that was turned over), or by skill (a
    decision). `chances` are those after it; until the next step they stay."""

    version: Positive
    turn: TurnNumber
    seat: SeatNumber
    """The seat whose turn it was; for a resignation, the seat that resigned."""
    kind: ReviewStepKind
    change: Changes
    chances: Chances


class Candidate(Answer, frozen=True):
    """A command that was simulated for a decision."""

    command: Command
    chances: Chances
    loss: Count
    """How much less likely than with the best command the seat is to win, in millionths."""
    low: Count
    high: Count
    """The 95 % interval of the loss: what the sampling and the method may have got wrong."""
    rollouts: Count
    """The number of simulated continuations; 0 if the chances are exact, or follow from the network alone."""
    is_exact: bool


class ReviewedDecision(Answer, frozen=True):
    """A decision among at least two legal commands."""

    version: Positive
    """The event that recorded the decision."""
    turn: TurnNumber
    seat: SeatNumber
    phase: Phase
    stage: ReviewStage
    command: Command
    """The command of the seat."""
    best: Command
    loss: Count
    low: Count
    high: Count
    verdict: Verdict
    candidates: tuple[Candidate, ...]
    """The best by the network, those close to it, and the command of the seat; the best first. All other
    legal commands are worse by the network."""


class StageReview(Answer, frozen=True):
    """One seat in one stage of the match."""

    stage: ReviewStage
    decisions: Count
    lost: Count
    """The sum of the losses that the review counts."""
    rolls: Count
    luck: Change
    """What the seat's own rolls added to its chance."""


class SeatReview(Answer, frozen=True):
    """One seat: result = start + luck + skill + others."""

    seat: SeatNumber
    name: str
    start: Chance
    luck: Sum
    """What all rolls and cards added to the seat's chance."""
    skill: Sum
    """What its own decisions added, compared to the best ones: at most 0."""
    others: Sum
    """What the decisions of the other seats added."""
    result: Chance
    """1,000,000 for the winner, otherwise 0."""
    adjusted: Sum
    """The luck-adjusted result: the result less the luck."""
    accuracy: Percent | None
    """The share of its decisions without a counted loss; null without decisions."""
    stages: tuple[StageReview, ...]


class Review(Answer, frozen=True):
    """The review of a finished match. Everything in it can be recomputed from the export of the match."""

    match_id: str
    version: Positive
    head_hash: Hash
    ruleset: RulesetId
    rules_version: str
    judge: Judge
    first: Positive
    """The version from which on there are chances: the beginning of the first turn."""
    start: Chances
    steps: tuple[ReviewStep, ...]
    result: Chances
    seats: tuple[SeatReview, ...]
    decisions: tuple[ReviewedDecision, ...]
    turning_point: Positive | None
    """The step from which on the winner was always the most likely to win; null if that was so from the
    start."""
    mistakes: tuple[Positive, ...]
    """The dearest inaccuracies, mistakes and blunders by version: at most three for each seat, the dearest
    first."""
    rollouts: Count
    """The number of simulated continuations that the chances of all candidates come from."""


class ReviewProgress(Answer, frozen=True):
    """How much of a review is computed."""

    done: Count
    total: Count
    percent: Percent


class ReviewJob(Answer, frozen=True):
    """A review that was requested."""

    review_id: ReviewId
    match_id: str
    version: Positive
    status: ReviewStatus
    progress: ReviewProgress


class ReviewList(Answer, frozen=True):
    """The reviews of a match."""

    items: tuple[ReviewJob, ...]
    next: str | None
