"""The verdict on a decision by its loss in chance of winning. Nothing else defines what a mistake is."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from review.judging import JudgedDecision

INACCURACY: Final = 0.05
"""The least loss that is a fault."""
VERDICTS: Final = ((0.15, "blunder"), (0.10, "mistake"), (INACCURACY, "inaccuracy"), (0.0, "small"))
"""The verdicts with the least loss of each, as a probability of winning, the largest first."""
FAULTS: Final = ("blunder", "mistake", "inaccuracy")
"""The verdicts of the decisions that the list of the dearest mistakes can have."""


def counted_loss(judged: "JudgedDecision") -> float:
    """The loss of the seat's command if its interval excludes zero, else 0: it is too close to call."""
    if not judged.candidates:
        return 0.0
    chosen = judged.candidates[judged.chosen]
    return chosen.loss if chosen.low > 0 else 0.0


def verdict_of(judged: "JudgedDecision") -> str:
    """The verdict on the seat's command."""
    if judged.chosen == 0:
        return "best"
    loss = counted_loss(judged)
    return next(verdict for least, verdict in VERDICTS if loss >= least) if loss else "too_close"
