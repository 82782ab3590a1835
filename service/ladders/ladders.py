"""Access to ladders: the ladder, round or season of a request, the matches of a ladder, and changes, once per
Idempotency-Key.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from contract.values import JOB, LADDER
from domain.errors import RuleViolation
from domain.ladder.decide import remove_outdated
from domain.ladder.events import Event
from domain.ladder.state import LadderState, Round, fold
from events.ladders.ladders import Decide, Ladder, LadderOutcome, as_of
from events.matches.lists import SummaryPage, summaries_of
from events.matches.projections import Summary, player_id
from events.store.errors import LadderNotFound
from runtime.strategies import versions
from service.accounts.tokens import Token
from service.context import services
from service.edge.problems import Problem
from service.edge.requests import canonical_body, idempotency_key
from service.matches.access import command_id

ABOUT_LADDER: Final = ("ladder_not_found", "stream_corrupt")
OPERATES: Final = (*ABOUT_LADDER, "idempotency_key_reused", "too_busy", "not_ladder_owner")
"""The refusals of endpoints that show a ladder, and of those that change one."""

PUBLIC: Final = {"Cache-Control": "public, no-cache"}

_LADDER_ID: Final = re.compile(LADDER, re.ASCII)
_JOB_ID: Final = re.compile(JOB, re.ASCII)
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


def path_of(ladder_id: str) -> str:
    """The address of the ladder."""
    return f"/v1/ladders/{ladder_id}"


def is_ladder_id(text: str) -> bool:
    """Whether the text has the form of a ladder id."""
    return _LADDER_ID.fullmatch(text) is not None


def ladder_named(ladder_id: str) -> Ladder:
    """The current ladder.

    Raises:
        LadderNotFound, StreamCorrupt, StoreUnavailable.
    """
    if not is_ladder_id(ladder_id):
        raise LadderNotFound(ladder_id)
    return services().ladders.load(ladder_id)


def is_owner(account_id: str, ladder_id: str) -> bool:
    """Whether the account owns the ladder; False if the text is not the id of a ladder.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    try:
        return ladder_named(ladder_id).state.owner == account_id
    except LadderNotFound:
        return False


def job_named(job_id: str) -> tuple[Ladder, Round]:
    """The ladder and the round of a job.

    Raises:
        Problem: `job_not_found`.
        StreamCorrupt, StoreUnavailable.
    """
    ladder_id = services().ladders.of_job(job_id) if _JOB_ID.fullmatch(job_id) else None
    if ladder_id is None:
        raise Problem("job_not_found")
    ladder = services().ladders.load(ladder_id)
    return ladder, next(round for round in ladder.state.rounds if round.job == job_id)


def numbered(text: str) -> int:
    """The number of a round in an address; 0 if the text is not a number."""
    return int(text) if _NUMBER.fullmatch(text) else 0


def test_named(ladder: Ladder, test_id: str) -> Round:
    """The sequential test of that number.

    Raises:
        Problem: `test_not_found`.
    """
    number = numbered(test_id)
    if not 1 <= number <= len(ladder.state.rounds) or ladder.state.rounds[number - 1].test is None:
        raise Problem("test_not_found")
    return ladder.state.rounds[number - 1]


def season_of(state: LadderState, query: dict[str, int]) -> int:
    """The requested season, by default the open one; 0 before the first.

    Raises:
        Problem: `season_not_found`.
    """
    season = query.get("season", state.season)
    if season > state.season:
        raise Problem("season_not_found", f"the open season is {state.season}")
    return season


def require_owner(state: LadderState, caller: Token) -> None:
    """Refuse a caller that does not own the ladder.

    Raises:
        Problem: `not_ladder_owner`.
    """
    if state.owner != caller.account_id:
        raise Problem("not_ladder_owner")


def changed(ladder_id: str, caller: Token, kind: str, decide: Decide) -> LadderOutcome:
    """Execute the decision on the ladder, once per Idempotency-Key.

    `kind` separates the keys of requests to different addresses below the ladder.

    Raises:
        Problem, RuleViolation: `decide` raises it.
        CommandReused, LadderNotFound, StaleVersion, StreamCorrupt, StoreUnavailable.
    """
    if not is_ladder_id(ladder_id):
        raise LadderNotFound(ladder_id)
    key = idempotency_key()
    return services().ladders.execute(
        ladder_id,
        decide,
        f"account:{caller.account_id}",
        command_id(caller, key, kind) if key else None,
        b"%b\n%b" % (kind.encode(), canonical_body()),
    )


def changed_by_owner(ladder_id: str, caller: Token, kind: str, decide: Decide) -> LadderOutcome:
    """The same for decisions of the owner.

    Raises:
        Problem: also `not_ladder_owner`.
        All errors of `changed`.
    """

    def decide_for_owner(state: LadderState) -> Sequence[Event]:
        require_owner(state, caller)
        return decide(state)

    return changed(ladder_id, caller, kind, decide_for_owner)


def without_outdated(decide: Decide) -> Decide:
    """The decision, once the built-in players have been removed of which there is a newer version.

    If `decide` refuses, nothing is removed, and the detail names these players.
    """

    def decided(state: LadderState) -> Sequence[Event]:
        removed = remove_outdated(state, versions())
        if not removed:
            return decide(state)
        try:
            return [*removed, *decide(fold(state.copy(), removed))]
        except RuleViolation as violation:
            names = ", ".join([state.entries[state.numbers[event.entry]].name for event in removed])
            detail = f"{violation.detail}; there is a newer version of {names}, to be entered again"
            raise RuleViolation(violation.code, detail, violation.pointer) from None

    return decided


def as_it_was(outcome: LadderOutcome) -> Ladder:
    """The ladder right after the command, whatever has happened since."""
    ladder = outcome.ladder
    if outcome.last == ladder.version:
        return ladder
    return as_of(ladder, outcome.last)


def matches_of(ladder_id: str, player: str | None, query: Mapping[str, str], limit: int) -> SummaryPage:
    """The matches of finished blocks that pass all filters, newest first; none if the ladder does not exist.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    try:
        state = ladder_named(ladder_id).state
    except LadderNotFound:
        return SummaryPage((), None)
    below = query.get("cursor", "~")
    ids = sorted([match_id for match_id in _ids(state) if match_id < below], reverse=True)
    found: list[Summary] = []
    for first in range(0, len(ids), limit):
        for summary in summaries_of(services().matches.store, ids[first : first + limit]):
            if _fits(summary, player, query):
                found.append(summary)
                if len(found) == limit:
                    return SummaryPage(
                        tuple(found), None if summary.match_id == ids[-1] else summary.match_id
                    )
    return SummaryPage(tuple(found), None)


def _ids(state: LadderState) -> list[str]:
    blocks = [block for round in state.rounds for block in round.blocks]
    return [result.match_id for block in blocks for result in block.results]


def _fits(summary: Summary, player: str | None, query: Mapping[str, str]) -> bool:
    return (
        summary.status == query.get("status", summary.status)
        and summary.ruleset == query.get("ruleset", summary.ruleset)
        and query.get("tag", "") in ("", *summary.tags)
        and (player is None or player in [player_id(one.kind, one.id) for one in summary.players])
    )
