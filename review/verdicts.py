"""The verdict on a decision, by what it cost in chance of winning: the only definition of a mistake."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from review.judging import JudgedDecision

INACCURACY: Final = 0.05
"""The least loss that is a fault."""
VERDICTS: Final = ((0.15, "blunder"), (0.10, "mistake"), (INACCURACY, "inaccuracy"), (0.0, "small"))
"""By the least loss that counts."""
FAULTS: Final = ("blunder", "mistake", "inaccuracy")
"""The verdicts that the list of the dearest mistakes has."""


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
