"""The matches in which a remote bot was late or answered wrongly, with what is known of each fault."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from contract import ladders as contract
from contract.values import Timestamp
from domain.ladder.events import MatchResult
from domain.ladder.state import Block, Entry, LadderState, Round
from domain.match.events import ClockExpired
from events.ladders.entries import Ladder
from events.matches import refusals
from events.matches.refusals import TTL_S, Refusal
from events.store.chain import checked
from events.store.errors import MatchNotFound, RulesChanged, StreamCorrupt
from service.context import services

SHOWN_MATCHES: Final = 20
"""As many of the last matches with a fault are shown."""


class _Faulted(Struct, frozen=True):
    round: Round
    block: Block
    result: MatchResult
    seat: int


def present_faults(ladder: Ladder, entry: Entry) -> contract.EntryFaults:
    """The entry's last matches with a fault, the newest first.

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


def _faulted(state: LadderState, entry: Entry) -> Iterator[_Faulted]:
    for round in reversed(state.rounds):
        for block in reversed(round.blocks):
            if block.results and entry.number in block.table:
                yield from _of_block(round, block, entry.number)


def _of_block(round: Round, block: Block, number: int) -> Iterator[_Faulted]:
    for rotation, result in reversed([*enumerate(block.results)]):
        seat = block.seats(rotation).index(number)
        if result.timeouts[seat] or result.errors[seat]:
            yield _Faulted(round, block, result, seat)


def _match_faults(one: _Faulted, known: Sequence[Refusal]) -> contract.MatchFaults:
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
    """The sequences of the events that tell of the seat's time-outs; none if the match cannot be read."""
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
