"""What lists show of matches: a summary and a few indexes of each, written in the append that changes them.

An index is a set of match ids; they are ULIDs, so their order is that of creation. A match is in `all`, in
`status:<status>`, in `ruleset:<id>`, and for everybody who ever sat in it in `player:<account id>` or
`player:strategy:<name>`. As long as a seat of an open match is reserved, it is in `invited:<account id>` for
whoever may take the seat, and in `inviting:<account id>` for its creator. Names that people choose are in no
index.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from domain.match.events import ControllerChanged, SeatTaken
from domain.match.state import MatchState
from events.matches.waiting import account_to_act
from events.store import keys
from events.store.clock import rfc3339
from events.store.records import Store

_SCANNED_LIMIT: Final = 2000
"""As many matches are looked at for one page; a page may be short though there is more behind it."""


class SummaryPlayer(Struct, frozen=True):
    """Who holds a seat now."""

    seat: int
    kind: str
    id: str
    name: str


class SummaryInvitation(Struct, frozen=True):
    """Who alone may take a seat."""

    seat: int
    name: str


class Summary(Struct, frozen=True, omit_defaults=True):
    """What lists show of a match."""

    match_id: str
    ruleset: str
    rules_version: str
    status: str
    created_at: str
    visibility: str
    creator: str
    seats: int
    players: tuple[SummaryPlayer, ...]
    """By seat; open seats are left out."""
    winner: int | None
    tags: tuple[str, ...]
    invited: tuple[SummaryInvitation, ...] = ()
    """By seat: seats that are reserved."""


class Page(Struct, frozen=True):
    """Some matches of a list."""

    items: tuple[Summary, ...]
    next: str | None
    """The cursor of the next page; None at the end."""


class IndexChange(Struct, frozen=True):
    """What an append changes beside the stream."""

    summary: bytes | None = None
    joins: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    turn_begins: str = ""
    turn_ends: str = ""
    invites: tuple[str, ...] = ()


_NO_CHANGE: Final = IndexChange()
_decoder: Final = msgspec.json.Decoder(Summary)


def summary_of(match_id: str, state: MatchState, created_at_ms: int) -> Summary:
    """The summary of a match."""
    created = state.created
    return Summary(
        match_id,
        created.ruleset,
        created.rules_version,
        state.status,
        rfc3339(created_at_ms),
        created.visibility,
        created.creator,
        created.seats,
        tuple(
            SummaryPlayer(seat, taken.kind, taken.id, taken.name)
            for seat, taken in enumerate(state.controllers)
            if taken
        ),
        state.winner if state.winner >= 0 else None,
        created.tags,
        tuple(SummaryInvitation(seat, one.name) for seat, one in sorted(state.reservations.items())),
    )


def index_change(
    match_id: str, before: MatchState | None, after: MatchState, created_at_ms: int
) -> IndexChange:
    """What the lists have to learn of the way from one state to the other; mostly nothing.

    `before` is None for a match that is new.
    """
    if before is not None and _shows_the_same(before, after):
        return (
            _NO_CHANGE if before.active == after.active else IndexChange(None, (), (), *_turn(before, after))
        )
    summary = summary_of(match_id, after, created_at_ms)
    joins = indexes_of(summary) | player_indexes(after.controllers)
    leaves: set[str] = set()
    if before is not None:
        joins -= player_indexes(before.controllers) | {"all", f"ruleset:{summary.ruleset}"}
        leaves = {f"status:{before.status}"} - indexes_of(summary)
    invited, is_invited = invitation_indexes(before), invitation_indexes(after)
    joins |= is_invited - invited
    leaves |= invited - is_invited
    return IndexChange(
        msgspec.json.encode(summary),
        tuple(sorted(joins)),
        tuple(sorted(leaves)),
        *_turn(before, after),
        tuple(sorted(_invited(after) - _invited(before))),
    )


def _shows_the_same(before: MatchState, after: MatchState) -> bool:
    return (
        before.status == after.status
        and before.controllers == after.controllers
        and before.reservations == after.reservations
    )


def invitation_indexes(state: MatchState | None) -> set[str]:
    """The indexes that tell of seats which are reserved and not taken yet."""
    if state is None or not (invited := _invited(state)):
        return set()
    return {inviting_index(state.created.creator), *map(invited_index, invited)}


def invited_index(account_id: str) -> str:
    """The index of the matches that the account is invited to."""
    return f"invited:{account_id}"


def inviting_index(account_id: str) -> str:
    """The index of the matches of the account that wait for somebody who is invited."""
    return f"inviting:{account_id}"


def _invited(state: MatchState | None) -> set[str]:
    return {one.id for one in state.reservations.values()} if state is not None else set()


def _turn(before: MatchState | None, after: MatchState) -> tuple[str, str]:
    """Which account's turn begins, and whose ends; empty where it is none's, or the same account's."""
    acted, acts = account_to_act(before) if before is not None else "", account_to_act(after)
    return ("", "") if acted == acts else (acts, acted)


def indexes_of(summary: Summary) -> set[str]:
    """The indexes that the match is in, those of players apart."""
    return {"all", f"status:{summary.status}", f"ruleset:{summary.ruleset}"}


def player_indexes(controllers: Iterable[SeatTaken | ControllerChanged | None]) -> set[str]:
    """The indexes of those who sit in a match."""
    return {f"player:{player_id(taken.kind, taken.id)}" for taken in controllers if taken}


def player_id(kind: str, id: str) -> str:
    """What `list_matches` knows a player by: an account's id, and `strategy:` with a strategy's name.

    `kind` is `account` or `strategy`.
    """
    return id if kind == "account" else f"{kind}:{id}"


def list_matches(
    store: Store,
    *,
    status: str | None = None,
    ruleset: str | None = None,
    player: str | None = None,
    tag: str | None = None,
    viewer: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page:
    """Matches that fit all that is given, newest first; unlisted and private ones only for those who made
    them, ever sat in them or are invited.

    `player` is a `player_id`, `viewer` the account that asks. `cursor` is the `next` of the page before.
    """
    index = _narrowest_index(status, ruleset, player)
    found: list[Summary] = []
    scanned = 0
    while scanned < _SCANNED_LIMIT:
        count = max(limit, 50)
        ids = store.members(keys.index(index), cursor, count)
        fitting = [one for one in summaries_of(store, ids) if _fits(one, status, ruleset, tag)]
        for summary in _visible(store, fitting, viewer):
            found.append(summary)
            if len(found) == limit:
                is_end = len(ids) < count and summary.match_id == ids[-1]
                return Page(tuple(found), None if is_end else summary.match_id)
        if len(ids) < count:
            return Page(tuple(found), None)
        cursor = ids[-1]
        scanned += count
    return Page(tuple(found), cursor)


def summaries_of(store: Store, match_ids: Sequence[str]) -> list[Summary]:
    """What lists show of these matches, in the same order; those that there are not are left out.

    Raises:
        StoreUnavailable.
    """
    return _decoded(store.values([keys.summary(match_id) for match_id in match_ids]))


def _narrowest_index(status: str | None, ruleset: str | None, player: str | None) -> str:
    if player is not None:
        return f"player:{player}"
    if status is not None:
        return f"status:{status}"
    return f"ruleset:{ruleset}" if ruleset is not None else "all"


def _fits(summary: Summary, status: str | None, ruleset: str | None, tag: str | None) -> bool:
    return (
        (status is None or summary.status == status)
        and (ruleset is None or summary.ruleset == ruleset)
        and (tag is None or tag in summary.tags)
    )


def _visible(store: Store, summaries: Sequence[Summary], viewer: str | None) -> list[Summary]:
    """Those that the viewer may see; whoever lost a seat to a strategy is asked for in the player's index."""
    hidden = [one.match_id for one in summaries if one.visibility != "public" and one.creator != viewer]
    if hidden and viewer is not None:
        for index in (f"player:{viewer}", invited_index(viewer)):
            is_in = store.are_members(keys.index(index), hidden)
            hidden = [match_id for match_id, is_there in zip(hidden, is_in, strict=True) if not is_there]
    return [one for one in summaries if one.match_id not in set(hidden)]


def is_for(store: Store, match_id: str, viewer: str | None) -> bool:
    """Whether the viewer may see a match whose own record cannot tell, by its summary; True without one.

    Raises:
        StoreUnavailable.
    """
    found = summaries_of(store, [match_id])
    if not found or found[0].visibility != "private":
        return True
    return bool(_visible(store, found, viewer))


def _decoded(summaries: Sequence[bytes | None]) -> list[Summary]:
    return [_decoder.decode(summary) for summary in summaries if summary is not None]
