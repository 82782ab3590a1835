"""The review of an exported match, computed here: the same bytes as those of the service.

The players and their network are imported only where they are needed, so that other commands start without
them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from domain.audit.files import Unreadable, read_exports
from domain.audit.order import check_chain, check_sequence, read_events
from domain.audit.report import Findings
from machi.answers import decoded
from machi.cli.audits.exports import Broken, Group, parts_of
from machi.cli.session import Unusable, WrongUse
from machi.requests.reviews import Review

if TYPE_CHECKING:
    from review.reviewer import Reviewer

MISSING: Final = (
    "to compute a review, this command needs the package {name}; in a checkout, run: "
    "pip install '.[review]' './client[review]'"
)

_OF_THE_HASHES: Final = ("schema", "sequence", "chain")


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
        (evidence,) = read_exports(group.lines)
    except Unreadable as error:
        raise Unusable(f"{group.file}: {error}") from None
    findings = Findings()
    events = read_events(evidence, findings)
    check_sequence(evidence, events, findings)
    check_chain(evidence, events, findings)
    if findings.has_failed(*_OF_THE_HASHES):
        raise Unusable(f"{group.file} is damaged; `machi verify` says where")
    try:
        return Reviewer(evidence.match_id, [one.event for one in events], events[-1].true_hash, engine())
    except NotReviewable as error:
        raise Unusable(f"{evidence.match_id} has no review: {error}") from None
    except Exception:
        raise Unusable(f"{group.file} does not follow from the rules; `machi verify` says where") from None
