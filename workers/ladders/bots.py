"""Blocks with remote bots: a job creates their matches, which are ordinary ones, and monitors them.

While rounds are played, suspended bots are probed: they play a few matches against stand-ins.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec
import redis
import structlog

from domain.ladder import decide
from domain.ladder.events import Event as LadderEvent
from domain.ladder.events import MatchFaults
from domain.ladder.state import FINISHED as FINISHED_ROUND
from domain.ladder.state import RUNNING as RUNNING_ROUND
from domain.ladder.state import SUSPENDED, Block, LadderState, Round
from domain.match.events import ClockExpired, Event
from domain.match.state import ABORTED, FINISHED, RUNNING
from events import StoreError, StoreUnavailable
from events.ladders.ladders import Ladder
from events.matches import refusals
from events.matches.entries import checked
from events.matches.projections import Summary
from events.store import keys, outages
from events.store.keys import new_id
from events.store.records import Entry
from workers.ladders import blocks
from workers.ladders.claims import bots_at, has_newcomer
from workers.ladders.context import Change, Context, finished, voided
from workers.queue.claims import Claims
from workers.queue.play_job import ENDS_JOB

AT_A_TIME: Final = 4
"""Most concurrent blocks of one bot."""

PROBED_AT_A_TIME: Final = 8
"""Most bots that one round probes."""

MOST_LATE: Final = 20
"""Most time-outs in a match; a bot with more counts as absent."""

EntryEvents: TypeAlias = tuple[Entry, tuple[Event, ...]]
"""An entry of a match's stream with its events."""

log = structlog.get_logger(__name__)
_status: Final = msgspec.json.Decoder(Summary).decode


def advance(context: Context, ladder: Ladder, round: Round) -> list[Change]:
    """Create the matches of blocks that may begin, and record blocks that are over.

    Nothing begins while the round is stopped or waits for its public value.

    Raises:
        StoreUnavailable.
    """
    found: list[Change] = []
    for block in under_way(ladder.state, round):
        match_ids = blocks.match_ids(ladder.id, round, block)
        statuses = _statuses(context, match_ids)
        if ABORTED in statuses:
            reason, detail = "match_aborted", match_ids[statuses.index(ABORTED)]
            found.append(voided(block, reason, detail, match_ids))
        elif "" in statuses:
            has_left = bool(decide.unseatable(ladder.state, block.table, round.purpose))
            if round.may_begin and (any(statuses) or not has_left):
                wanted = [rotation for rotation, one in enumerate(statuses) if not one]
                _create_matches(context, ladder, round, block, wanted)
        elif {*statuses} == {FINISHED}:
            found.append(_outcome(context, ladder.state, round, block, match_ids))
    return found


def silent(context: Context, ladder: Ladder, round: Round) -> list[Change]:
    """Suspend bots with more than `MOST_LATE` time-outs in a match that nobody has won.

    While anybody else at the table plays on, the match still ends and counts: a bot cannot escape a loss by
    falling silent. If nobody at the table answers, nothing is built and the match would take very long, so
    the block is given up.

    Raises:
        StoreUnavailable.
    """
    found: list[Change] = []
    for block in under_way(ladder.state, round):
        match_ids = blocks.match_ids(ladder.id, round, block)
        for rotation, status in enumerate(_statuses(context, match_ids)):
            if status not in (RUNNING, ABORTED):
                continue
            quiet = _silent_bots(context, ladder.state, block, rotation, match_ids[rotation])
            found += [_suspension(ladder.state.entries[number].id, fault) for number, fault in quiet]
            if len(quiet) == len(block.table):
                found.append(_abandoned(block, round.purpose, match_ids))
    return found


def _silent_bots(
    context: Context, state: LadderState, block: Block, rotation: int, match_id: str
) -> list[tuple[int, MatchFaults]]:
    """The bots that no longer answer in a match: the number of each entry, and its time-outs."""
    late = _timeouts(context, match_id, len(block.table))
    bots = bots_at(state, block)
    return [
        (number, MatchFaults(match_id, late[seat], 0))
        for seat, number in enumerate(block.seats(rotation))
        if late[seat] > MOST_LATE and number in bots
    ]


def under_way(state: LadderState, round: Round) -> list[Block]:
    """The open blocks with bots that are played now: those among the first `AT_A_TIME` of each of their bots.

    Blocks with strategies that this process does not know are left to other workers. A finished round has
    none.
    """
    seen: Counter[int] = Counter()
    found = []
    for number in sorted(round.left) if round.status != FINISHED_ROUND else ():
        block = round.blocks[number - round.first_block]
        bots = bots_at(state, block)
        seen.update(bots)
        is_first = bool(bots) and all(seen[bot] <= AT_A_TIME for bot in bots)
        if is_first and not has_newcomer(state, block):
            found.append(block)
    return found


def _statuses(context: Context, match_ids: Sequence[str]) -> list[str]:
    """The status of each match; empty if it does not exist."""
    summaries = context.matches.store.values([keys.summary(match_id) for match_id in match_ids])
    return [_status(summary).status if summary else "" for summary in summaries]


def _create_matches(
    context: Context, ladder: Ladder, round: Round, block: Block, rotations: Sequence[int]
) -> None:
    match_ids = blocks.match_ids(ladder.id, round, block)
    moves = []
    for rotation in rotations:
        command = blocks.creation(ladder.state, ladder.id, round, block, rotation)
        moves.append(context.matches.creation(command, match_ids[rotation], blocks.CREATION))
    # A match that existed already is refused here and found by the next job.
    context.matches.append_many(moves)
    log.info("block_begun", ladder_id=ladder.id, block=block.number, attempt=block.attempt)


def _outcome(
    context: Context, state: LadderState, round: Round, block: Block, match_ids: Sequence[str]
) -> Change:
    """The outcome of a block whose matches are all won."""
    results = []
    config = state.configs[round.season - 1]
    values = context.value_function(config)
    for rotation, found in enumerate(context.matches.load_many(match_ids)):
        match_id = match_ids[rotation]
        try:
            if isinstance(found, StoreError):
                raise found
            history = _history(context, match_id)
        except StoreUnavailable:
            raise
        except StoreError as error:
            return voided(block, "match_damaged", f"{match_id}: {error}", match_ids)
        if outage := _excusing_outage(context, history):
            detail = f"{match_id}: a time-out in the outage of {outage.first_ms} to {outage.last_ms}"
            return voided(block, "service_fault", detail, match_ids)
        errors = _errors(context, state, block, rotation, match_id)
        try:
            results.append(blocks.result_of(found, _events(history), config, values, errors))
        except ENDS_JOB:
            raise
        except Exception as error:
            # A match whose luck cannot be computed must not keep other blocks from being recorded.
            log.exception("results_not_computed", block=block.number)
            detail = f"{match_id}: its result cannot be computed: {type(error).__name__}"
            return voided(block, "service_fault", detail, match_ids)
    return finished(block, results)


def _history(context: Context, match_id: str) -> list[EntryEvents]:
    """All entries of the match.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    return [*checked(match_id, context.matches.store.read(match_id))]


def _events(history: Sequence[EntryEvents]) -> list[Event]:
    return [event for _, events in history for event in events]


def _timeouts(context: Context, match_id: str, seats: int) -> tuple[int, ...]:
    """By seat: the number of time-outs; zeros if the stream is damaged, which is detected elsewhere."""
    try:
        return blocks.timeouts(seats, _events(_history(context, match_id)))
    except StoreUnavailable:
        raise
    except StoreError:
        return (0,) * seats


def _excusing_outage(context: Context, history: Sequence[EntryEvents]) -> outages.Outage | None:
    """The outage that excuses a time-out of the match, if there is one."""
    begun_ms = since_ms = history[0][0].time_ms
    late = []
    for entry, events in history:
        if any(isinstance(event, ClockExpired) for event in events):
            late.append((since_ms, entry.time_ms))
        since_ms = entry.time_ms
    if not late:
        return None
    known = outages.since(context.events, begun_ms - outages.GRACE_MS, context.clock())
    return next((one for one in known if any(one.excuses(*period) for period in late)), None)


def _errors(
    context: Context, state: LadderState, block: Block, rotation: int, match_id: str
) -> tuple[int, ...]:
    """By seat: the number of refused commands; 0 for seats without bots."""
    seated = block.seats(rotation)
    try:
        found = refusals.count(context.queue, match_id, len(seated))
    except redis.RedisError as error:
        log.warning("refusals_unknown", match_id=match_id, error=str(error))
        return (0,) * len(seated)
    bots = bots_at(state, block)
    return tuple([count if number in bots else 0 for number, count in zip(seated, found, strict=True)])


def _suspension(entry_id: str, fault: MatchFaults) -> Change:
    """The change that suspends an entry."""
    return lambda state: decide.suspend(state, entry_id, fault)


def _abandoned(block: Block, purpose: str, matches: Sequence[str]) -> Change:
    """The change that gives up a block at whose table nobody answers."""

    def change(state: LadderState) -> list[LadderEvent]:
        reason = decide.unseatable(state, block.table, purpose) or "entry_suspended"
        return decide.void_block(state, block.number, block.attempt, reason, "nobody answers", matches)

    return change


def probe(context: Context, claims: Claims, ladder: Ladder, round: Round) -> Ladder:
    """Open a round that probes suspended bots, when a round begins and then at intervals.

    Raises:
        StoreUnavailable.
    """
    is_wanted = round.purpose != "probe" and round.status == RUNNING_ROUND and bool(_suspended(ladder.state))
    name = f"{ladder.id}:{round.number}:probes"
    if not is_wanted or not claims.take(name, int(context.limits.probes_s * 1000)):
        return ladder
    at_ms, job = context.clock(), new_id("job")
    return context.record(ladder, [lambda state: probe_round(state, at_ms, job)])


def probe_round(state: LadderState, at_ms: int, job: str) -> list[LadderEvent]:
    """The events that open a round of probes; none if no bot is suspended or a probe is running."""
    if any(round.purpose == "probe" and round.status != FINISHED_ROUND for round in state.rounds):
        return []
    tables = [
        table
        for number in _suspended(state)[:PROBED_AT_A_TIME]
        for table in decide.probe_tables(state, number)
    ]
    return decide.open_round(state, "probe", tables, at_ms, job) if tables else []


def _suspended(state: LadderState) -> list[int]:
    return [entry.number for entry in state.entries if entry.is_bot and entry.status == SUSPENDED]
