"""Reviews of matches. Each keeps its original JSON."""

import contract.reviews
from machi.answers import HasRaw


class Review(contract.reviews.Review, HasRaw, frozen=True, dict=True):
    """The review of a finished match. `raw` has the bytes that anybody can compute from its export."""


class ReviewJob(contract.reviews.ReviewJob, HasRaw, frozen=True, dict=True):
    """A review that was requested, and its progress."""


class ChanceCurve(contract.reviews.ChanceCurve, HasRaw, frozen=True, dict=True):
    """The chances of winning of all seats, wherever they change."""
