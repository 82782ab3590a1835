"""The faults of remote bots in matches of ladders: the count of refused commands, and the list of faults.

A command that comes too late does not count as refused: the clock may have moved the match on, and the
time-out counts by itself.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from flask import g, request
from msgspec import Struct
from redis.exceptions import RedisError

from contract import ladders as contract
from contract.problems import KINDS
from contract.values import Timestamp
from domain.ladder.events import MatchResult
from domain.ladder.state import Block, EntryState, LadderState, Round
from domain.match.events import ClockExpired
from events.ladders.ladders import Ladder
from events.matches import refusals
from events.matches.entries import Loaded, checked
from events.matches.refusals import TTL_S, Refusal
from events.store.errors import MatchNotFound, RulesChanged, StreamCorrupt
from events.store.keys import now_ms
from service.context import services
from service.edge.guard import identify
from service.edge.middleware import ROUTE
from service.edge.problems import Problem
from service.ladders.ladders import is_ladder_id
from service.matches.access import seats_of

SHOWN_MATCHES: Final = 20
"""The number of matches with a fault that are listed."""

_COMMANDS: Final = "/v1/matches/{match_id}/commands"
_WRONG: Final = frozenset(
    {"malformed_json", *[code for code, kind in KINDS.items() if kind.status == 422]}
) - {"idempotency_key_reused"}


class _FaultyMatch(Struct, frozen=True):
    round: Round
    block: Block
    result: MatchResult
    seat: int


def present_faults(ladder: Ladder, entry: EntryState) -> contract.EntryFaults:
    """The entry's last matches with a fault, newest first.

    Raises:
        RedisError, StoreUnavailable.
    """
    found = [one for one, _ in zip(_faulted(ladder.state, entry), range(SHOWN_MATCHES), strict=False)]
    kept = refusals.kept(services().queue_redis, [(one.result.match_id, one.seat) for one in found])
    return contract.EntryFaults(
        ladder_id=ladder.id,
        entry_id=entry.id,
        items=tuple([_match_faults(one, known) for one, known in zip(found, kept, strict=True)]),
    )


def _faulted(state: LadderState, entry: EntryState) -> Iterator[_FaultyMatch]:
    for round in reversed(state.rounds):
        for block in reversed(round.blocks):
            if block.results and entry.number in block.table:
                yield from _of_block(round, block, entry.number)


def _of_block(round: Round, block: Block, number: int) -> Iterator[_FaultyMatch]:
    for rotation, result in reversed([*enumerate(block.results)]):
        seat = block.seats(rotation).index(number)
        if result.timeouts[seat] or result.errors[seat]:
            yield _FaultyMatch(round, block, result, seat)


def _match_faults(one: _FaultyMatch, known: Sequence[Refusal]) -> contract.MatchFaults:
    result, seat = one.result, one.seat
    return contract.MatchFaults(
        match_id=result.match_id,
        round=one.round.number,
        purpose=one.round.purpose,
        block=one.block.number,
        seat=seat,
        timeouts=result.timeouts[seat],
        clock_expired=_clock_expired(result.match_id, seat) if result.timeouts[seat] else (),
        errors=result.errors[seat],
        refusals=tuple([_refused(each) for each in known]),
        kept_until=Timestamp.at(known[-1].time_ms + 1000 * TTL_S) if known else None,
        events=f"/v1/matches/{result.match_id}/events",
    )


def _refused(refusal: Refusal) -> contract.RefusedCommand:
    return contract.RefusedCommand(
        time=Timestamp.at(refusal.time_ms),
        code=refusal.code,
        pointer=refusal.pointer,
        version=refusal.version,
    )


def _clock_expired(match_id: str, seat: int) -> tuple[int, ...]:
    """The sequences of the seat's `clock_expired` events; none if the match cannot be read."""
    found: list[int] = []
    try:
        for entry, events in checked(match_id, services().matches.store.read(match_id)):
            found += [
                sequence
                for sequence, event in enumerate(events, entry.last - len(events) + 1)
                if isinstance(event, ClockExpired) and event.seat == seat
            ]
    except (MatchNotFound, RulesChanged, StreamCorrupt):
        return ()
    return tuple(found)


def record_refusal(problem: Problem) -> None:
    """Count the refusal if the request is a command in a match of a ladder; never fails."""
    # By the operation, since a path can end with a slash.
    if problem.code not in _WRONG or request.environ.get(ROUTE) != _COMMANDS:
        return
    loaded: Loaded | None = g.get("loaded")
    if loaded is None or request.args.get("validate_only") == "true" or not _is_of_ladder(loaded):
        return
    try:
        _count(loaded, problem)
    except (Problem, RedisError):
        return  # a lost count harms nobody


def _is_of_ladder(loaded: Loaded) -> bool:
    return any(is_ladder_id(tag) for tag in loaded.state.created.tags)


def _count(loaded: Loaded, problem: Problem) -> None:
    caller = identify()
    mine = seats_of(loaded.state, caller) if caller else []
    if mine:
        seat = loaded.state.active if loaded.state.active in mine else mine[0]
        pointer = problem.faults[0].pointer if problem.faults else ""
        refusal = Refusal(now_ms(), problem.code, pointer, loaded.version)
        refusals.record(services().brief_redis, loaded.match_id, seat, refusal)
