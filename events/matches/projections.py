"""The writes of an append beside the stream of a match: pointer on the log, next step, summary and indexes.

An index is a set of match ids. These are ULIDs, so the order is that of creation. A match is in `all`, in
`status:<status>`, in `ruleset:<id>`, and for each player that ever had a seat in it in `player:<account id>`
or `player:strategy:<name>`. Rated matches are in `rated`, and in `rated:<ruleset>:<seats>` once their result
counts. While a seat of an open match is reserved, the match is in `invited:<account id>` for the account that
may take the seat, and in `inviting:<account id>` for its creator. No index has names that people choose.
"""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Struct

from domain.match.events import ControllerChanged, SeatTaken
from domain.match.rated import has_rated_result
from domain.match.seat_seeds import due_step, seat_seeds_of
from domain.match.state import RUNNING, MatchState, decision_time_ms
from events.store import keys
from events.store.chain import rfc3339
from events.store.fields import pointer_to
from events.store.records import NO_PRECEDENCE, NextKind, Precedence, Write

RATED: Final = "rated"
"""The index of all rated matches."""


class NextStep(Struct, frozen=True):
    """Who acts next in a match, and when it is due."""

    kind: NextKind
    due_ms: int | None
    """When the sweep has to act on the match; None for never."""
    precedence: Precedence = NO_PRECEDENCE
    """Of a turn that the relay dispatches."""


def next_step(state: MatchState, at_ms: int, ai_grace_ms: int, is_held: bool = False) -> NextStep:
    """The next step after an append at `at_ms`.

    With `is_held`, the process that appends continues with the match itself as long as built-in players are
    to act.
    """
    if state.status in ("finished", "aborted"):
        return NextStep("over", None)
    if state.status == RUNNING and controller_kind(state) == "strategy":
        due_ms = at_ms + ai_grace_ms
        return NextStep("held", due_ms) if is_held else NextStep("ai", due_ms, precedence(state))
    return NextStep("human", deadline_ms(state, at_ms))


def precedence(state: MatchState) -> Precedence:
    """The precedence of a built-in player's turn."""
    return Precedence(state.created.creator, has_people(state))


def has_people(state: MatchState) -> bool:
    """Whether an account plays in the match that has not resigned."""
    return any(
        taken is not None and taken.kind == "account" and not has_resigned
        for taken, has_resigned in zip(state.controllers, state.resigned, strict=True)
    )


def deadline_ms(state: MatchState, at_ms: int) -> int | None:
    """When the clock of the person to act runs out, or the time for the seeds of the seats; None without
    either.

    The last event was at `at_ms`.
    """
    if state.status != RUNNING:
        seeds = seat_seeds_of(state)
        return at_ms + seeds.within_ms if seeds is not None and due_step(state) is not None else None
    if controller_kind(state) == "strategy":
        return None
    allowed_ms = decision_time_ms(state)
    return None if allowed_ms is None else at_ms + allowed_ms


def account_to_act(state: MatchState) -> str:
    """The account that a running match waits for; empty without one."""
    if state.status != RUNNING:
        return ""
    controller = state.controllers[state.active]
    return controller.id if controller and controller.kind == "account" else ""


def controller_kind(state: MatchState) -> str:
    """`account` or `strategy`: the kind of player at the seat to act of a running match."""
    controller = state.controllers[state.active]
    return controller.kind if controller else ""


class SummaryPlayer(Struct, frozen=True):
    """The current player of a seat."""

    seat: int
    kind: str
    id: str
    name: str


class SummaryInvitation(Struct, frozen=True):
    """The account that a seat is reserved for."""

    seat: int
    name: str


class RatedEnd(Struct, frozen=True):
    """The end of a rated match whose result counts."""

    at_ms: int
    """In ms since 1970."""
    first_seat: int
    """The seat that had the first turn."""


class Summary(Struct, frozen=True, omit_defaults=True):
    """The form of a match in lists."""

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
    """By seat; only reserved seats."""
    rated: bool = False
    """Whether the match was created as a rated one."""
    rated_end: RatedEnd | None = None
    """None if its result does not count, or not yet."""


class IndexChange(Struct, frozen=True):
    """The changes of the summary, the indexes and the turns with an append."""

    summary: bytes | None = None
    joins: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    turn_begins: str = ""
    turn_ends: str = ""
    invites: tuple[str, ...] = ()


_NO_CHANGE: Final = IndexChange()


def summary_of(match_id: str, state: MatchState, created_at_ms: int, last_at_ms: int) -> Summary:
    """The summary of a match whose last event was at `last_at_ms`."""
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
        bool(created.options.rated),
        RatedEnd(last_at_ms, state.first_seat) if has_rated_result(state) else None,
    )


def index_change(
    match_id: str, before: MatchState | None, after: MatchState, created_at_ms: int, at_ms: int
) -> IndexChange:
    """The changes for lists between two states; usually none.

    `before` is None for a new match. `after` was reached at `at_ms`.
    """
    if before is not None and _shows_the_same(before, after):
        return (
            _NO_CHANGE if before.active == after.active else IndexChange(None, (), (), *_turn(before, after))
        )
    summary = summary_of(match_id, after, created_at_ms, at_ms)
    joins = indexes_of(summary) | player_indexes(after.controllers)
    leaves: set[str] = set()
    if before is not None:
        joins -= player_indexes(before.controllers) | {"all", f"ruleset:{summary.ruleset}", RATED}
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
    """The indexes of the seats that are reserved and not taken yet."""
    if state is None or not (invited := _invited(state)):
        return set()
    return {inviting_index(state.created.creator), *map(invited_index, invited)}


def invited_index(account_id: str) -> str:
    """The index of the matches that the account is invited to."""
    return f"invited:{account_id}"


def inviting_index(account_id: str) -> str:
    """The index of the matches created by the account that wait for an invited one."""
    return f"inviting:{account_id}"


def _invited(state: MatchState | None) -> set[str]:
    return {one.id for one in state.reservations.values()} if state is not None else set()


def _turn(before: MatchState | None, after: MatchState) -> tuple[str, str]:
    """The account whose turn begins, and the one whose turn ends; empty if there is none, or they are the
    same."""
    acted, acts = account_to_act(before) if before is not None else "", account_to_act(after)
    return ("", "") if acted == acts else (acts, acted)


def indexes_of(summary: Summary) -> set[str]:
    """The indexes that the match is in, except those of players."""
    found = {"all", f"status:{summary.status}", f"ruleset:{summary.ruleset}"}
    if summary.rated:
        found.add(RATED)
    if summary.rated_end is not None:
        found.add(rated_index(summary.ruleset, summary.seats))
    return found


def rated_index(ruleset: str, seats: int) -> str:
    """The index of the rated matches of a ruleset and a number of seats whose results count."""
    return f"{RATED}:{ruleset}:{seats}"


def player_indexes(controllers: Iterable[SeatTaken | ControllerChanged | None]) -> set[str]:
    """The indexes of the players of a match."""
    return {f"player:{player_id(taken.kind, taken.id)}" for taken in controllers if taken}


def player_id(kind: str, id: str) -> str:
    """The id of a player for `list_matches`: that of an account, or `strategy:` and the name of a strategy.

    `kind` is `account` or `strategy`.
    """
    return id if kind == "account" else f"{kind}:{id}"


def writes_beside(
    match_id: str, version: int, time_ms: int, step: NextStep, change: IndexChange
) -> tuple[Write, ...]:
    """The writes beside the stream of a match that has reached a version: the pointer on the log, the due
    set, the turns of accounts, the summary and the indexes.
    """
    pointer = pointer_to(
        match_id, version, step.kind, change.turn_begins, step.precedence, ",".join(change.invites)
    )
    found = [pointer, _due(match_id, step.due_ms)]
    if change.turn_begins:
        found.append(Write("ZADD", keys.turns(change.turn_begins), (time_ms, match_id)))
    if change.turn_ends:
        found.append(Write("ZREM", keys.turns(change.turn_ends), (match_id,)))
    if change.summary is not None:
        found.append(Write("SET", keys.summary(match_id), (change.summary,)))
    found += [Write("ZADD", keys.index(name), (0, match_id)) for name in change.joins]
    found += [Write("ZREM", keys.index(name), (match_id,)) for name in change.leaves]
    return tuple(found)


def _due(match_id: str, due_ms: int | None) -> Write:
    if due_ms is None:
        return Write("ZREM", keys.DUE, (match_id,))
    return Write("ZADD", keys.DUE, (due_ms, match_id))
