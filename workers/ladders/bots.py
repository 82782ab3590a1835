"""The tables of remote bots: their matches are ordinary ones, made here and looked at from time to time."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec
import redis
import structlog

from domain.ladder import decide
from domain.ladder.events import Fault
from domain.ladder.state import FINISHED as FINISHED_ROUND
from domain.ladder.state import Block, LadderState, Round
from domain.match.events import ClockExpired, Event
from domain.match.state import ABORTED, FINISHED, RUNNING
from events import StoreError, StoreUnavailable
from events.ladders.entries import Ladder
from events.matches import refusals
from events.matches.listing import Summary
from events.store import keys, outages
from events.store.chain import checked
from events.store.records import Entry
from workers.ladders import outcomes, seating
from workers.ladders.changes import Change, abandoned, finished, suspended, voided
from workers.ladders.place import Place
from workers.ladders.whole import CREATION

AT_A_TIME: Final = 4
"""Blocks of one bot that are played at the same time at most."""

MOST_LATE: Final = 20
"""Time-outs in one match: more, and nobody is there."""

Told: TypeAlias = tuple[Entry, tuple[Event, ...]]
"""An entry of a match's stream, and its events."""

log = structlog.get_logger("workers.ladders.bots")
_status: Final = msgspec.json.Decoder(Summary).decode


def look_after(place: Place, ladder: Ladder, round: Round) -> list[Change]:
    """Begin what may be begun, and see what is over; none while the round is stopped
    or waits for its public value.

    Raises:
        StoreUnavailable.
    """
    found: list[Change] = []
    for block in under_way(ladder.state, round):
        match_ids = seating.match_ids(ladder.id, round, block)
        statuses = _statuses(place, match_ids)
        if ABORTED in statuses:
            reason, detail = "match_aborted", match_ids[statuses.index(ABORTED)]
            found.append(voided(block, reason, detail, match_ids))
        elif "" in statuses:
            has_left = bool(decide.unseatable(ladder.state, block.table, round.purpose))
            if round.may_begin and (any(statuses) or not has_left):
                wanted = [rotation for rotation, one in enumerate(statuses) if not one]
                _make(place, ladder, round, block, wanted)
        elif {*statuses} == {FINISHED}:
            found.append(_over(place, ladder.state, round, block, match_ids))
    return found


def silent(place: Place, ladder: Ladder, round: Round) -> list[Change]:
    """Suspend who let its clock run out again and again in a match that is not won.

    Where anybody else at the table plays on, the match is won in the end, and counts: nobody drops a loss by
    falling silent. Where nobody answers, nothing is built and the match would not end for long, so that the
    block is given up.

    Raises:
        StoreUnavailable.
    """
    found: list[Change] = []
    for block in under_way(ladder.state, round):
        match_ids = seating.match_ids(ladder.id, round, block)
        for rotation, status in enumerate(_statuses(place, match_ids)):
            if status not in (RUNNING, ABORTED):
                continue
            quiet = _quiet(place, ladder.state, block, rotation, match_ids[rotation])
            found += [suspended(ladder.state.entries[number].id, fault) for number, fault in quiet]
            if len(quiet) == len(block.table):
                found.append(abandoned(block, round.purpose, match_ids))
    return found


def _quiet(
    place: Place, state: LadderState, block: Block, rotation: int, match_id: str
) -> list[tuple[int, Fault]]:
    """The bots that no longer answer in a match, by number, and how often each was late."""
    late = _late(place, match_id, len(block.table))
    bots = seating.bots_at(state, block)
    return [
        (number, Fault(match_id, late[seat], 0))
        for seat, number in enumerate(block.seats(rotation))
        if late[seat] > MOST_LATE and number in bots
    ]


def under_way(state: LadderState, round: Round) -> list[Block]:
    """The open blocks with bots that are played now: those among the first few of each of their bots.

    Those of strategies that are not known here are left to others. Nothing of a round that is over counts,
    or is held against anybody.
    """
    seen: Counter[int] = Counter()
    found = []
    for number in sorted(round.left) if round.status != FINISHED_ROUND else ():
        block = round.blocks[number - round.first_block]
        bots = seating.bots_at(state, block)
        seen.update(bots)
        is_first = bool(bots) and all(seen[bot] <= AT_A_TIME for bot in bots)
        if is_first and not seating.has_newcomer(state, block):
            found.append(block)
    return found


def _statuses(place: Place, match_ids: Sequence[str]) -> list[str]:
    """The status of each match; empty where there is none."""
    summaries = place.matches.store.values([keys.summary(match_id) for match_id in match_ids])
    return [_status(summary).status if summary else "" for summary in summaries]


def _make(place: Place, ladder: Ladder, round: Round, block: Block, rotations: Sequence[int]) -> None:
    moves = []
    for rotation in rotations:
        command = seating.creation(ladder.state, ladder.id, round, block, rotation)
        match_id = seating.match_id(ladder.id, round, block, rotation)
        moves.append(place.matches.creation(command, match_id, CREATION))
    # What is not made now because it was made before is met the next time.
    place.matches.append_many(moves)
    log.info("block_begun", ladder_id=ladder.id, block=block.number, attempt=block.attempt)


def _over(place: Place, state: LadderState, round: Round, block: Block, match_ids: Sequence[str]) -> Change:
    """What became of a block whose matches are all won."""
    results = []
    config = state.configs[round.season - 1]
    values = place.values(config.ruleset) if config.luck == "wins" else None
    for rotation, found in enumerate(place.matches.load_many(match_ids)):
        match_id = match_ids[rotation]
        try:
            if isinstance(found, StoreError):
                raise found
            history = _history(place, match_id)
        except StoreUnavailable:
            raise
        except StoreError as error:
            return voided(block, "match_damaged", f"{match_id}: {error}", match_ids)
        if outage := _excuse(place, history):
            detail = f"{match_id}: a time-out in the outage of {outage.first_ms} to {outage.last_ms}"
            return voided(block, "service_fault", detail, match_ids)
        errors = _errors(place, state, block, rotation, match_id)
        try:
            results.append(outcomes.result_of(found, _events(history), config, values, errors))
        except Exception as error:
            # Luck that cannot be told of one match must not keep other blocks from being recorded.
            log.exception("block_not_told", block=block.number)
            detail = f"{match_id}: its result cannot be told: {type(error).__name__}"
            return voided(block, "service_fault", detail, match_ids)
    return finished(block, results)


def _history(place: Place, match_id: str) -> list[Told]:
    """All entries of the match.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    return [*checked(match_id, place.matches.store.read(match_id))]


def _events(history: Sequence[Told]) -> list[Event]:
    return [event for _, events in history for event in events]


def _late(place: Place, match_id: str, seats: int) -> tuple[int, ...]:
    """By seat: how often its clock ran out; never where the stream is damaged, which is found elsewhere."""
    try:
        return outcomes.timeouts(seats, _events(_history(place, match_id)))
    except StoreUnavailable:
        raise
    except StoreError:
        return (0,) * seats


def _excuse(place: Place, history: Sequence[Told]) -> outages.Outage | None:
    """The outage that a time-out of the match is owed to, if there is one."""
    begun_ms = since_ms = history[0][0].time_ms
    late = []
    for entry, events in history:
        if any(isinstance(event, ClockExpired) for event in events):
            late.append((since_ms, entry.time_ms))
        since_ms = entry.time_ms
    if not late:
        return None
    known = outages.since(place.events, begun_ms - outages.GRACE_MS, place.clock())
    return next((one for one in known if any(one.excuses(*period) for period in late)), None)


def _errors(place: Place, state: LadderState, block: Block, rotation: int, match_id: str) -> tuple[int, ...]:
    """By seat: refused commands of bots."""
    seats = block.seats(rotation)
    try:
        found = refusals.count(place.queue, match_id, len(seats))
    except redis.RedisError as error:
        log.warning("refusals_unknown", match_id=match_id, error=str(error))
        return (0,) * len(seats)
    bots = seating.bots_at(state, block)
    return tuple([count if number in bots else 0 for number, count in zip(seats, found, strict=True)])
