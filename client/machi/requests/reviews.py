"""Requests for reviews, chances of winning and puzzles. Answers keep their JSON."""

import time
from collections.abc import Callable, Iterator
from typing import Final

import contract.puzzles
import contract.reviews
from machi.answers import HasRaw, decoded
from machi.requests.subject import RequestGroup, match_path
from machi.table import Market
from machi.transport import segment
from machi.values import ListedPuzzle

PAUSE_S: Final = 1.0
"""Seconds between two requests for a review that is not finished."""

_ACCEPTED: Final = 202


class Review(contract.reviews.Review, HasRaw, frozen=True, dict=True):
    """The review of a finished match. `raw` has the bytes that anybody can compute from its export."""


class ReviewJob(contract.reviews.ReviewJob, HasRaw, frozen=True, dict=True):
    """A review that was requested, and its progress."""


class ChanceCurve(contract.reviews.ChanceCurve, HasRaw, frozen=True, dict=True):
    """The chances of winning of all seats, wherever they change."""


class Puzzle(contract.puzzles.Puzzle, HasRaw, frozen=True, kw_only=True, dict=True):
    """A position, and the commands to choose from."""

    market: Market  # type: ignore[assignment]


class PuzzleSolution(contract.puzzles.PuzzleSolution, HasRaw, frozen=True, dict=True):
    """The solution of a puzzle."""


class Reviews(RequestGroup):
    """Reviews of matches."""

    def request_review(self, match_id: str, *, key: str | None = None) -> ReviewJob:
        """Request the review of a finished match. It is the same one whoever requests it."""
        return decoded(ReviewJob, self._post(f"{match_path(match_id)}/reviews", {}, key).body)

    def reviews(self, match_id: str) -> Iterator[ReviewJob]:
        """The review of a match, if anybody has requested it."""
        for item in self._items(f"{match_path(match_id)}/reviews"):
            yield decoded(ReviewJob, item)

    def review(self, match_id: str, review_id: str) -> Review | ReviewJob:
        """The review, or its progress while it is not finished."""
        path = f"{match_path(match_id)}/reviews/{segment(review_id)}"
        answer = self._transport.request("GET", path)
        if answer.status == _ACCEPTED:
            return decoded(ReviewJob, answer.body)
        return decoded(Review, answer.body)

    def wait_for_review(
        self, match_id: str, on_progress: Callable[[ReviewJob], None] = lambda job: None
    ) -> Review:
        """Request the review of a finished match, and wait until it is computed.

        `on_progress` is called with the review each time that it is not finished.
        """
        job = self.request_review(match_id)
        while not isinstance(found := self.review(match_id, job.review_id), Review):
            on_progress(found)
            time.sleep(PAUSE_S)
        return found

    def chances(self, match_id: str) -> ChanceCurve:
        """The chances of winning of all seats throughout the match, by the value network alone."""
        return decoded(ChanceCurve, self._get(f"{match_path(match_id)}/chances"))

    def puzzles(self, ruleset: str | None = None, seats: int | None = None) -> Iterator[ListedPuzzle]:
        """The puzzles of a ruleset, a number of seats or both, in an order without meaning."""
        for item in self._items("/v1/puzzles", {"ruleset": ruleset, "seats": seats}):
            yield decoded(ListedPuzzle, item)

    def puzzle(self, puzzle_id: str) -> Puzzle:
        return decoded(Puzzle, self._get(f"/v1/puzzles/{segment(puzzle_id)}"))

    def puzzle_solution(self, puzzle_id: str) -> PuzzleSolution:
        return decoded(PuzzleSolution, self._get(f"/v1/puzzles/{segment(puzzle_id)}/solution"))
