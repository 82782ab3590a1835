"""The list of matches filtered by ladder: the matches of its finished blocks."""

from collections.abc import Mapping

from domain.ladder.state import LadderState
from events.matches.lists import SummaryPage, summaries_of
from events.matches.projections import Summary, player_id
from events.store.errors import LadderNotFound
from service.context import services
from service.ladders.ladders import ladder_named


def listed(ladder_id: str, player: str | None, query: Mapping[str, str], limit: int) -> SummaryPage:
    """The matches that pass all filters, newest first; none if the ladder does not exist.

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
