"""Lists of matches, from the summaries and indexes that `events.matches.projections` writes."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from events.matches.projections import RATED, Summary, invited_index
from events.store import keys
from events.store.records import Store

_SCANNED_LIMIT: Final = 2000
"""The most matches that are examined for one page; a page can therefore be short although more follow."""


class SummaryPage(Struct, frozen=True):
    """A page of a list of matches."""

    items: tuple[Summary, ...]
    next: str | None
    """The cursor of the next page; None at the end."""


_decoder: Final = msgspec.json.Decoder(Summary)


def list_matches(
    store: Store,
    *,
    status: str | None = None,
    ruleset: str | None = None,
    player: str | None = None,
    tag: str | None = None,
    rated: bool | None = None,
    viewer: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> SummaryPage:
    """The matches that pass all filters, newest first.

    Unlisted and private ones are only listed for their creator, for accounts that ever had a seat in them,
    and for invited ones. `player` is a `player_id`, `viewer` the account that asks. `cursor` is the `next` of
    the previous page.
    """
    index = _narrowest_index(status, ruleset, player, rated)
    found: list[Summary] = []
    scanned = 0
    while scanned < _SCANNED_LIMIT:
        count = max(limit, 50)
        ids = store.members(keys.index(index), cursor, count)
        fitting = [one for one in summaries_of(store, ids) if _fits(one, status, ruleset, tag, rated)]
        for summary in _visible(store, fitting, viewer):
            found.append(summary)
            if len(found) == limit:
                is_end = len(ids) < count and summary.match_id == ids[-1]
                return SummaryPage(tuple(found), None if is_end else summary.match_id)
        if len(ids) < count:
            return SummaryPage(tuple(found), None)
        cursor = ids[-1]
        scanned += count
    return SummaryPage(tuple(found), cursor)


def summaries_of(store: Store, match_ids: Sequence[str]) -> list[Summary]:
    """The summaries of these matches in the same order, without those that do not exist.

    Raises:
        StoreUnavailable.
    """
    return _decoded(store.values([keys.summary(match_id) for match_id in match_ids]))


def _narrowest_index(status: str | None, ruleset: str | None, player: str | None, rated: bool | None) -> str:
    if player is not None:
        return f"player:{player}"
    if rated and status in (None, "finished"):
        return RATED
    if status is not None:
        return f"status:{status}"
    return f"ruleset:{ruleset}" if ruleset is not None else "all"


def _fits(
    summary: Summary, status: str | None, ruleset: str | None, tag: str | None, rated: bool | None
) -> bool:
    return (
        (status is None or summary.status == status)
        and (ruleset is None or summary.ruleset == ruleset)
        and (tag is None or tag in summary.tags)
        and (rated is None or rated == summary.rated)
    )


def _visible(store: Store, summaries: Sequence[Summary], viewer: str | None) -> list[Summary]:
    """The summaries that the viewer may see. The player index also has accounts that lost their seat to a
    strategy."""
    hidden = [one.match_id for one in summaries if one.visibility != "public" and one.creator != viewer]
    if hidden and viewer is not None:
        for index in (f"player:{viewer}", invited_index(viewer)):
            is_in = store.are_members(keys.index(index), hidden)
            hidden = [match_id for match_id, is_there in zip(hidden, is_in, strict=True) if not is_there]
    return [one for one in summaries if one.match_id not in set(hidden)]


def is_for(store: Store, match_id: str, viewer: str | None) -> bool:
    """Whether the viewer may see a match, judged by its summary since its record is damaged; True without
    one.

    Raises:
        StoreUnavailable.
    """
    found = summaries_of(store, [match_id])
    if not found or found[0].visibility != "private":
        return True
    return bool(_visible(store, found, viewer))


def _decoded(summaries: Sequence[bytes | None]) -> list[Summary]:
    return [_decoder.decode(summary) for summary in summaries if summary is not None]
