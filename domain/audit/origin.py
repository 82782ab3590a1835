"""The check of a branch against its origin (`origin`)."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from domain.audit.envelopes import ReadEvent
from domain.audit.report import Check
from domain.errors import RuleViolation
from domain.match import events as ev
from domain.match.branches import branch_dice, branch_started, branch_tokens, require_decision
from domain.match.rated import without_rating
from domain.match.state import MatchState

FindOrigin: TypeAlias = Callable[[str, int], tuple[MatchState, str] | None]
"""Returns the state of a match at a version and the hash of that event; None if they are unavailable."""


def check_origin(events: Sequence[ReadEvent], find_origin: FindOrigin) -> list[Check]:
    """Check the beginning and the dice of a branch against its origin; other matches have no check."""
    created = events[0].event if events else None
    if not isinstance(created, ev.MatchCreated) or created.origin is None:
        return []
    begun = next((one for one in events if isinstance(one.event, ev.BranchStarted)), None)
    tokens = next((one.event for one in events if isinstance(one.event, ev.TokensPlaced)), None)
    if begun is None:
        return [Check("origin", "failed", 1, "the branch has no beginning")]
    found = find_origin(created.origin.match_id, created.origin.version)
    if found is None:
        return [Check("origin", "pending", None, f"match {created.origin.match_id} is not at hand")]
    return [_compared(created, created.origin, begun, tokens, *found)]


def _compared(
    created: ev.MatchCreated,
    origin: ev.Origin,
    begun: ReadEvent,
    tokens: ev.TokensPlaced | None,
    state: MatchState,
    head_hash: str,
) -> Check:
    if head_hash != origin.head_hash:
        return Check("origin", "failed", 1, "the origin has another history: its hash differs")
    try:
        require_decision(state)
    except RuleViolation as refusal:
        return Check("origin", "failed", 1, f"nobody decides there in the origin: {refusal.code}")
    of_origin = state.created
    same_rules = (of_origin.rules_version, without_rating(of_origin.options))
    if same_rules != (created.rules_version, created.options):
        return Check("origin", "failed", 1, "the origin is played by other rules")
    is_same = origin.dice == "same"
    if is_same and branch_dice(state, origin) != created.dice:
        return Check("origin", "failed", 1, "the dice are not those of the origin")
    if branch_started(state, keeps_orders=is_same) != begun.event:
        return Check("origin", "failed", begun.place, "the branch does not begin as its origin stood")
    if branch_tokens(state) != tokens:
        return Check("origin", "failed", begun.place, "other tokens lie on the cards than in the origin")
    return Check("origin", "passed")
