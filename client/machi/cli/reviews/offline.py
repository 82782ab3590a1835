"""The review of an exported match, computed here: the same bytes as those of the service.

The players and their network are imported only where they are needed, so that other commands start without
them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from machi.answers import decoded
from machi.cli.audits.exports import Broken, Group, parts_of
from machi.cli.session import Unusable, WrongUse
from machi.requests.reviews import Review
from machi.tabular.recorded import Damaged, recorded_match

if TYPE_CHECKING:
    from review.reviewer import Reviewer

MISSING: Final = (
    "to compute a review, this command needs the package {name}; in a checkout, run: "
    "pip install '.[review]' './client[review]'"
)


def computed(file: str) -> Iterator[tuple[int, int] | Review]:
    """The review of the only match in a file; before that, how many items are done of how many.

    Raises:
        Unusable: the file cannot be read, its events are not those of one history, or the match has no
            review.
        WrongUse: the file contains several matches.
    """
    reviewer = _reviewer(_only_match(file))
    while reviewer.done < reviewer.total:
        yield reviewer.done, reviewer.total
        reviewer.advance()
    from review.reviewer import encode

    yield decoded(Review, encode(reviewer.review()))


def _only_match(file: str) -> Group:
    found: list[Group] = []
    for part in parts_of(file):
        if isinstance(part, Broken):
            raise Unusable(f"{file}: {part.detail}")
        found.append(part)
        if len(found) > 1:
            raise WrongUse(f"{file} contains several matches; export the one to review")
    return found[0]


def _reviewer(group: Group) -> "Reviewer":
    try:
        from kernel.engine import engine
        from review import NotReviewable
        from review.reviewer import Reviewer
    except ImportError as error:
        raise Unusable(MISSING.format(name=error.name)) from None
    try:
        match = recorded_match(group.lines)
    except Damaged as error:
        raise Unusable(f"{group.file}: {error}") from None
    events = match.events
    try:
        return Reviewer(match.match_id, [one.event for one in events], events[-1].true_hash, engine())
    except NotReviewable as error:
        raise Unusable(f"{match.match_id} has no review: {error}") from None
    except Exception:
        raise Unusable(f"{group.file} does not follow from the rules; `machi verify` says where") from None
