"""Computing the review of a match, a step at a time, so that it can be interrupted and continued."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from contract.reviews import Review
from domain.canonical import canonical
from domain.match.events import Event
from kernel.engine import Engine
from players.weight_files import digest
from review import JUDGE_VERSION
from review.judging import Judge, Judged
from review.network import require_network
from review.puzzles import FoundPuzzle, puzzles_of
from review.report import report
from review.walk import require_finished, walk


class _Saved(Struct, frozen=True, array_like=True):
    """The computed part of a review, and the judge that computed it."""

    version: int
    value_function: str
    head_hash: str
    judged: tuple[Judged, ...]


_read: Final = msgspec.msgpack.Decoder(_Saved).decode


class Reviewer:
    """The review of one match."""

    def __init__(self, match_id: str, events: Sequence[Event], head_hash: str, kernel: Engine) -> None:
        """`head_hash` is that of the last event, as the API shows it.

        Raises:
            NotReviewable: the match is not finished, nobody had a turn, or its ruleset has no network.
            RuleViolation: an event does not follow from the rules.
        """
        self._match_id = match_id
        self._head_hash = head_hash
        self._walk = walk(events)
        require_finished(self._walk.end)
        rules = self._walk.end.rules
        require_network(rules.ruleset.id)
        self._value_function = digest(rules.ruleset.id)
        self._kernel = kernel
        self._judge = Judge(kernel, rules, head_hash)
        self._judged: list[Judged] = []

    @property
    def total(self) -> int:
        """The number of steps."""
        return len(self._walk.steps)

    @property
    def done(self) -> int:
        """The number of steps that are computed."""
        return len(self._judged)

    def advance(self) -> None:
        """Compute one more step."""
        self._judged.append(self._judge.judged(self._walk.steps[self.done]))

    def saved(self) -> bytes:
        """What is computed so far."""
        saved = _Saved(JUDGE_VERSION, self._value_function, self._head_hash, tuple(self._judged))
        return msgspec.msgpack.encode(saved)

    def restore(self, saved: bytes) -> None:
        """Continue from a saved part; one of another judge or of another history is ignored."""
        try:
            found = _read(saved)
        except msgspec.MsgspecError:
            return
        ours = (JUDGE_VERSION, self._value_function, self._head_hash)
        if (found.version, found.value_function, found.head_hash) == ours:
            self._judged = list(found.judged[: self.total])

    def review(self) -> Review:
        """The review, once all steps are computed."""
        assert self.done == self.total
        return report(self._match_id, self._head_hash, self._value_function, self._walk, self._judged)

    def puzzles(self, may_go_on: Callable[[], bool] = lambda: True) -> list[FoundPuzzle]:
        """The decisions that are puzzles, once all steps are computed, as far as time allows."""
        assert self.done == self.total
        return puzzles_of(self._kernel, self._walk.steps, self._judged, may_go_on)


def encode(review: Review) -> bytes:
    """The canonical JSON (RFC 8785) of a review: the same bytes wherever it is computed."""
    return canonical(review)
