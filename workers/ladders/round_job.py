"""A job that plays a round: blocks of built-in players, one after the other, until the time is up.

While a chunk of blocks is played, a thread sends the one before to the store, which is then recorded. A block
that has begun is played to its end and counts even if an entry leaves, so nobody escapes a loss.
"""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Final, NamedTuple

import structlog
from msgspec import Struct
from rq.timeouts import JobTimeoutException

from domain.ladder import decide
from domain.ladder.events import Event, MatchResult
from domain.ladder.state import (
    ACTIVE,
    REMOVED,
    RULES_GONE,
    RUNNING,
    VALUE_FUNCTION_GONE,
    Block,
    LadderState,
    Round,
)
from domain.match.rulesets import VERSIONS, digest
from events.ladders.ladders import Ladder
from events.store.records import Reply
from runtime.strategies import versions
from workers.ladders import bots, claims, table_job
from workers.ladders.blocks import (
    BlockPlayer,
    ClaimedBlock,
    PlayedMatch,
    all_events,
    begun_matches,
    continue_blocks,
    match_ids,
    note_appended,
    result_of,
    unstored,
)
from workers.ladders.context import Change, Context, finished, stopped, voided
from workers.queue.claims import Claims
from workers.queue.play_job import ENDS_JOB

WARNING_S: Final = 600.0
"""The interval of warnings that this process is outdated, over all jobs of a round."""

log = structlog.get_logger(__name__)


class BlocksPlayed(Struct):
    """The result of a job that plays a round."""

    matches: int = 0
    """Finished matches of built-in players."""
    blocks: int = 0
    """Finished blocks."""
    voided: int = 0


def play_round(context: Context, ladder_id: str, round: int) -> BlocksPlayed:
    """Play blocks of the round for about a second.

    Raises:
        LadderNotFound: the ladder does not exist (any more).
        StoreUnavailable, JobTimeoutException: another job finds and records what this one did not.
    """
    job = RoundJob(context, ladder_id, round)
    if round <= len(job.ladder.state.rounds):
        job.play()
        table_job.want_if_stopped(context, job.ladder, job.round)
    return job.counts


class Chunk(NamedTuple):
    """Blocks that are stored together."""

    blocks: list[ClaimedBlock]
    matches: list[PlayedMatch]
    """The matches of these blocks that are not stored yet."""


class RoundJob:
    """One job's work on a round."""

    def __init__(self, context: Context, ladder_id: str, number: int) -> None:
        self._context = context
        self._claims = Claims(context.queue)
        self._number = number
        self._left: list[ClaimedBlock] = []
        """Blocks that this job has claimed and not recorded."""
        self._tried: set[str] = set()
        """Claims that this job has tried, or does not need."""
        self._ahead: deque[ClaimedBlock] = deque()
        """Blocks that were claimed and not played."""
        self._claim_size = 1
        """Blocks claimed at once: as many as the last chunk had, so that slow players' blocks stay free."""
        self._timeout: JobTimeoutException | None = None
        """The job's time limit, if a decision exceeded it."""
        self.ladder: Ladder = context.ladders.load(ladder_id)
        self.counts = BlocksPlayed()

    @property
    def round(self) -> Round:
        """The current state of the round."""
        return self.ladder.state.rounds[self._number - 1]

    def play(self) -> BlocksPlayed:
        """Do the round's work for about as long as the limits allow.

        Raises:
            StoreUnavailable, JobTimeoutException: another job does what was not recorded.
        """
        try:
            self._record(_obstacles(self._context, self.ladder, self.round))
            self._warn_of_newcomers()
            if any(entry.is_bot for entry in self.ladder.state.entries):
                self._attend_to_bots()
            begin_by_s = time.monotonic() + self._context.limits.seconds
            self._play_blocks(begin_by_s)
        finally:
            for claimed in self._left:
                self._claims.release(self._claim(claimed.block))
        return self.counts

    def _attend_to_bots(self) -> None:
        """Probe suspended bots; advance the blocks of bots and look for silent ones if that is due."""
        context, limits = self._context, self._context.limits
        self.ladder = bots.probe(context, self._claims, self.ladder, self.round)
        if self._is_due("bots", limits.bots_s):
            self._record(bots.advance(context, self.ladder, self.round))
        if self._is_due("silence", limits.silence_s):
            self._record(bots.silent(context, self.ladder, self.round))

    def _may_begin(self, begin_by_s: float) -> bool:
        return self.round.may_begin and time.monotonic() < begin_by_s

    def _is_due(self, task: str, pause_s: float) -> bool:
        """Whether no job has done the task for this round within that time."""
        return self._claims.take(f"{self.ladder.id}:{self._number}:{task}", round(pause_s * 1000))

    def _claim(self, block: Block) -> str:
        return claims.block(self.ladder.id, block.number, block.attempt)

    def _record(self, changes: list[Change]) -> None:
        self.ladder = self._context.record(self.ladder, changes)

    def _play_blocks(self, begin_by_s: float) -> None:
        """Play blocks in chunks; each is stored while the next one is played, and then recorded.

        Raises:
            StoreUnavailable, StaleVersion, StreamCorrupt, JobTimeoutException: another job does what was not
                recorded.
        """
        store = self._context.matches.store
        with ThreadPoolExecutor(1, "store") as thread:
            last: tuple[Chunk, Future[list[Reply]]] | None = None
            while self._may_begin(begin_by_s) and (chunk := self._played(begin_by_s)).blocks:
                send = store.packed([one.move.append for one in chunk.matches])
                if last:
                    self._settle(*last)
                last = chunk, thread.submit(send)
                if self._timeout or self._context.people_wait():
                    break
            if last:
                self._settle(*last)
        if self._timeout:
            raise self._timeout

    def _played(self, begin_by_s: float) -> Chunk:
        """Play blocks in memory for a while; an empty chunk if there are none."""
        limits = self._context.limits
        now_s = time.monotonic()
        # The last chunk is short, because the job waits until it is stored.
        until_s = now_s + min(limits.chunk_s, (begin_by_s - now_s) / 2)
        player = BlockPlayer(
            self._context.matches,
            self.ladder,
            self.round,
            begin_by_s + limits.overtime_s,
            limits.decisions,
            self._context.people_wait,
        )
        chunk = Chunk([], [])
        for claimed in self._blocks():
            try:
                player.play_on(claimed)
            except JobTimeoutException as timeout:
                # What was played is recorded before the job ends: the next one may come no further than this.
                self._timeout = timeout
            chunk.blocks.append(claimed)
            chunk.matches.extend(unstored(player.matches, claimed))
            if self._timeout or time.monotonic() >= until_s or self._context.people_wait():
                break
        self._claim_size = max(1, len(chunk.blocks))
        return chunk

    def _settle(self, chunk: Chunk, replies: Future[list[Reply]]) -> None:
        """Wait until a chunk is stored, then record its finished blocks."""
        note_appended(self._context.matches, chunk.matches, replies.result())
        over = [claimed for claimed in chunk.blocks if claimed.is_over]
        outcomes: list[Change] = []
        try:
            for claimed in over:
                outcomes.append(self._outcome(claimed))  # noqa: PERF401  # those before an exception count
        finally:
            # Where luck takes more than the job's time, the next job begins with the blocks behind these.
            self._record(outcomes)
        for claimed in over:
            self._left.remove(claimed)

    def _blocks(self) -> Iterator[ClaimedBlock]:
        """Open blocks of built-in players that nobody else has claimed, in order."""
        while self._ahead or self._claim_more():
            yield self._ahead.popleft()

    def _claim_more(self) -> bool:
        """Claim as many blocks as the last chunk had; false if there are none."""
        ladder, this = self.ladder, self.round
        found: list[ClaimedBlock] = []
        untried = self._untried()
        while len(found) < self._claim_size and (begun := [*islice(untried, self._claim_size - len(found))]):
            names = [self._claim(block) for block in begun]
            self._tried.update(names)
            is_mine = self._claims.take_many(names)
            found += [ClaimedBlock(block) for block, mine in zip(begun, is_mine, strict=True) if mine]
        self._left += found
        wanted = [match_ids(ladder.id, this, claimed.block) for claimed in found]
        continue_blocks(self._context.matches, found, wanted)
        self._ahead.extend(found)
        return bool(found)

    def _untried(self) -> Iterator[Block]:
        """The open blocks that a job can play and that this one has not tried to claim."""
        this = self.round
        for number in sorted(this.left):
            block = this.blocks[number - this.first_block]
            claim = self._claim(block)
            if claim in self._tried:
                continue
            if self._is_to_be_played(block):
                yield block
            else:
                self._tried.add(claim)

    def _is_to_be_played(self, block: Block) -> bool:
        """Whether this job can play the block. With an entry that has left, only begun blocks are played."""
        state, this = self.ladder.state, self.round
        if not claims.is_for_jobs(state, block):
            return False
        if not decide.unseatable(state, block.table, this.purpose):
            return True
        return bool(begun_matches(self._context.matches, self.ladder.id, this, block))

    def _warn_of_newcomers(self) -> None:
        """Warn at intervals of strategies that this process does not know and leaves to newer workers."""
        ahead = [entry for entry in self.ladder.state.entries if claims.is_ahead(entry)]
        unknown = [
            f"{entry.player.name} {entry.player.version}" for entry in ahead if entry.status != REMOVED
        ]
        if unknown and self._is_due("newcomers", WARNING_S):
            log.warning("strategies_unknown", ladder_id=self.ladder.id, strategies=unknown)

    def _outcome(self, claimed: ClaimedBlock) -> Change:
        """The change that records a block that is over."""
        block = claimed.block
        results = [] if claimed.fault is not None or claimed.aborted else self._results(claimed)
        if not results:
            self.counts.voided += 1
            reason, detail = claimed.fault or ("match_aborted", claimed.aborted)
            return voided(block, reason, detail, match_ids(self.ladder.id, self.round, block))
        self.counts.blocks += 1
        self.counts.matches += len(results)
        return finished(block, results)

    def _results(self, claimed: ClaimedBlock) -> list[MatchResult]:
        """The results of a block that is over; none, and a fault, if they cannot be computed."""
        config = self.ladder.state.configs[self.round.season - 1]
        matches, values = self._context.matches, self._context.value_function(config)
        try:
            return [
                result_of(match.loaded, all_events(matches, match), config, values)
                for match in claimed.matches
            ]
        except ENDS_JOB:
            raise
        except Exception as error:
            # A match whose luck cannot be computed must not keep other blocks from being recorded.
            log.exception("results_not_computed", ladder_id=self.ladder.id, block=claimed.block.number)
            claimed.fault = ("service_fault", f"its results cannot be computed: {type(error).__name__}")
            return []


def _obstacles(context: Context, ladder: Ladder, round: Round) -> list[Change]:
    """The changes to record before anything begins: a round that cannot continue, entries and blocks that
    cannot be played.

    Raises:
        StoreUnavailable.
    """
    state = ladder.state
    if round.status != RUNNING:
        return []
    if reason := _why_not(context, state, round):
        return [stopped(round.number, reason)]
    known = versions()
    gone = {state.numbers[event.entry] for event in decide.remove_outdated(state, known)}
    return [
        *([_without_outdated(known)] if gone else []),
        *_without_members(context, ladder, round, gone),
    ]


def _without_members(context: Context, ladder: Ladder, round: Round, gone: set[int]) -> list[Change]:
    """The changes that give up open blocks with entries that may not be seated any more: blocks that have not
    begun, that no worker can continue, or that are probes.
    """
    entries = ladder.state.entries
    lost = gone | {entry.number for entry in entries if entry.removed_for == decide.VERSION_GONE}
    away = gone | {entry.number for entry in entries if entry.status != ACTIVE}
    found = []
    for number in sorted(round.left) if away else ():
        block = round.blocks[number - round.first_block]
        if away.isdisjoint(block.table):
            continue
        begun = begun_matches(context.matches, ladder.id, round, block)
        if not begun or round.purpose == "probe" or not lost.isdisjoint(block.table):
            found.append(_given_up(block, round.purpose, begun))
    return found


def _why_not(context: Context, state: LadderState, round: Round) -> str:
    """Why the season's matches cannot be played here; empty if they can."""
    config = state.configs[round.season - 1]
    ruleset = VERSIONS.get(config.rules_version)
    if ruleset is None or digest(ruleset) != config.rules_digest:
        return RULES_GONE
    values = context.value_function(config)
    if config.luck == "wins" and (values is None or values.version != config.luck_version):
        return VALUE_FUNCTION_GONE
    return ""


def _without_outdated(versions: Mapping[str, str]) -> Change:
    """The change that removes the entries whose version no worker plays."""
    return lambda state: [*decide.remove_outdated(state, versions)]


def _given_up(block: Block, purpose: str, matches: Sequence[str]) -> Change:
    """The change that gives up a block if an entry at its table may not be seated."""

    def change(state: LadderState) -> list[Event]:
        reason = decide.unseatable(state, block.table, purpose)
        if not reason:
            return []
        return decide.void_block(state, block.number, block.attempt, reason, "", matches)

    return change
