"""One job's share of a round: blocks of built-in players, one after the other, until the time is up.

What was played is stored by a thread of its own while the next blocks are played, so nobody waits for a disk.
"""

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Final, NamedTuple

import structlog
from msgspec import Struct

from domain.ladder import decide
from domain.ladder.events import MatchResult
from domain.ladder.state import REMOVED, Block, Round
from events import StoreUnavailable
from events.ladders.entries import Ladder
from workers.ladders import claims as claimed
from workers.ladders import finishing, outcomes, probing, seating, whole
from workers.ladders.bots import look_after, silent
from workers.ladders.changes import Change, finished, voided
from workers.ladders.claims import Claims
from workers.ladders.luck import ValueFunction
from workers.ladders.obstacles import obstacles
from workers.ladders.place import Place
from workers.ladders.whole import Playing, Ready

TOLD_S: Final = 600.0
"""What is wrong with this process is told as often, by all jobs of a round together."""

log = structlog.get_logger("workers.ladders.rounds")


class Counts(Struct):
    """What a job did."""

    matches: int = 0
    """Ended, those of built-in players alone."""
    blocks: int = 0
    """Finished."""
    voided: int = 0


class Chunk(NamedTuple):
    """What was played in one go."""

    blocks: list[Playing]
    matches: list[Ready]
    """Of these blocks, as far as they are not stored."""


class Share:
    """A round in the hands of one job."""

    def __init__(self, place: Place, ladder_id: str, number: int) -> None:
        self._place = place
        self._claims = Claims(place.queue)
        self._number = number
        self._left: list[Playing] = []
        """Blocks that this job has begun and nobody has recorded."""
        self._tried: set[str] = set()
        """Claims that this job has asked for, or has no use for."""
        self._ahead: deque[Playing] = deque()
        """Blocks that were claimed and not begun."""
        self._pace = 1
        """As many blocks are claimed in one go: what a chunk played, so nobody keeps many of slow players."""
        self.ladder: Ladder = place.ladders.load(ladder_id)
        self.counts = Counts()

    @property
    def round(self) -> Round:
        """As the ladder says now."""
        return self.ladder.state.rounds[self._number - 1]

    def play(self) -> Counts:
        """Do what there is to do for about as long as the limits say.

        Raises:
            StoreUnavailable: what was recorded is recorded, the rest will be found.
        """
        limits = self._place.limits
        try:
            self._record(obstacles(self._place, self.ladder, self.round))
            self._tell_of_newcomers()
            self.ladder = probing.look_after(self._place, self._claims, self.ladder, self.round)
            if self._is_due("bots", limits.bots_s):
                self._record(look_after(self._place, self.ladder, self.round))
            if self._is_due("silence", limits.silence_s):
                self._record(silent(self._place, self.ladder, self.round))
            begin_by_s = time.monotonic() + limits.seconds
            self._play_blocks(begin_by_s)
        finally:
            for playing in self._left:
                self._claims.release(self._claim(playing.block))
        # A table may take a while: others can have the blocks that were claimed and not begun.
        self.ladder = finishing.look_after(self._place, self._claims, self.ladder, self._number)
        return self.counts

    def _may_begin(self, begin_by_s: float) -> bool:
        return self.round.may_begin and time.monotonic() < begin_by_s

    def _is_due(self, task: str, pause_s: float) -> bool:
        """Whether nobody has done that for so long, for this round."""
        return self._claims.take(f"{self.ladder.id}:{self._number}:{task}", round(pause_s * 1000))

    def _claim(self, block: Block) -> str:
        return claimed.block(self.ladder.id, block.number, block.attempt)

    def _record(self, changes: list[Change]) -> None:
        self.ladder = self._place.record(self.ladder, changes)

    @property
    def _values(self) -> ValueFunction | None:
        config = self.ladder.state.configs[self.round.season - 1]
        return self._place.values(config.ruleset) if config.luck == "wins" else None

    def _play_blocks(self, begin_by_s: float) -> None:
        """Play what there is, a chunk at a time; each is stored and recorded while the next one is played.

        Raises:
            StoreUnavailable, StaleVersion, StreamCorrupt: what is not recorded will be found.
        """
        settling: Future[list[Playing]] | None = None
        with ThreadPoolExecutor(1, "settling") as thread:
            while self._may_begin(begin_by_s) and (chunk := self._played(begin_by_s)).blocks:
                self._forget(settling)
                settling = thread.submit(self._settled, chunk)
                if self._place.people_wait():
                    break
            self._forget(settling)

    def _forget(self, settling: Future[list[Playing]] | None) -> None:
        """Wait until a chunk is recorded, and keep of it what is not over.

        To tell the luck of many matches in wins may take longer than claims last.
        """
        while settling and wait([settling], claimed.TTL_MS / 3000).not_done:
            for playing in self._left:
                self._claims.keep(self._claim(playing.block), claimed.TTL_MS)
        for playing in settling.result() if settling else []:
            self._left.remove(playing)

    def _played(self, begin_by_s: float) -> Chunk:
        """Blocks played for a while, in memory; without any if there are none."""
        limits = self._place.limits
        until_s = min(begin_by_s, time.monotonic() + limits.chunk_s)
        stint = whole.Stint(
            self._place.matches,
            self.ladder,
            self.round,
            begin_by_s + limits.overtime_s,
            limits.decisions,
            self._place.people_wait,
        )
        chunk = Chunk([], [])
        for playing in self._blocks():
            stint.play_on(playing)
            chunk.blocks.append(playing)
            chunk.matches.extend(whole.ready(stint.matches, playing))
            if time.monotonic() >= until_s or self._place.people_wait():
                break
        self._pace = max(1, len(chunk.blocks))
        return chunk

    def _settled(self, chunk: Chunk) -> list[Playing]:
        """Store what was played, then record what became of it; the blocks that are over.

        Runs beside the play of the next blocks. It shares with that only the ladder as of now, which is
        replaced whole.
        """
        whole.append(self._place.matches, chunk.matches)
        over = [playing for playing in chunk.blocks if playing.is_over]
        self._record([self._outcome(playing) for playing in over])
        return over

    def _blocks(self) -> Iterator[Playing]:
        """Open blocks of built-in players that nobody else has, the first of the round first."""
        while self._ahead or self._claim_more():
            yield self._ahead.popleft()

    def _claim_more(self) -> bool:
        """Claim as many further blocks as were played in the last chunk; false if there are none."""
        ladder, this = self.ladder, self.round
        found: list[Playing] = []
        untried = self._untried()
        while len(found) < self._pace and (blocks := [*islice(untried, self._pace - len(found))]):
            claims = [self._claim(block) for block in blocks]
            self._tried.update(claims)
            is_mine = self._claims.take_many(claims)
            found += [Playing(block) for block, mine in zip(blocks, is_mine, strict=True) if mine]
        self._left += found
        match_ids = [seating.match_ids(ladder.id, this, playing.block) for playing in found]
        whole.taken_up(self._place.matches, found, match_ids)
        self._ahead.extend(found)
        return bool(found)

    def _untried(self) -> Iterator[Block]:
        """The open blocks that are for a job and that this one has not asked for."""
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
        """Whether it is for a job to play, and this one can. Who has left begins nothing new."""
        state, this = self.ladder.state, self.round
        if seating.has_bot(state, block) or seating.has_newcomer(state, block):
            return False
        if not decide.unseatable(state, block.table, this.purpose):
            return True
        return bool(seating.begun(self._place.matches, self.ladder.id, this, block))

    def _tell_of_newcomers(self) -> None:
        """Say from time to time what this process leaves to others, as it is behind."""
        ahead = [entry for entry in self.ladder.state.entries if seating.is_ahead(entry)]
        told = [f"{entry.player.name} {entry.player.version}" for entry in ahead if entry.status != REMOVED]
        if told and self._is_due("newcomers", TOLD_S):
            log.warning("strategies_unknown", ladder_id=self.ladder.id, strategies=told)

    def _outcome(self, playing: Playing) -> Change:
        """What became of a block that is over."""
        block = playing.block
        results = [] if playing.fault is not None or playing.called_off else self._results(playing)
        if not results:
            self.counts.voided += 1
            reason, detail = playing.fault or ("match_aborted", playing.called_off)
            match_ids = seating.match_ids(self.ladder.id, self.round, block)
            return voided(block, reason, detail, match_ids)
        self.counts.blocks += 1
        self.counts.matches += len(results)
        return finished(block, results)

    def _results(self, playing: Playing) -> list[MatchResult]:
        """Those of a block that is over; none, and a fault, where they cannot be told."""
        config = self.ladder.state.configs[self.round.season - 1]
        matches, values = self._place.matches, self._values
        try:
            return [
                outcomes.result_of(match.loaded, whole.all_events(matches, match), config, values)
                for match in playing.matches
            ]
        except StoreUnavailable:
            raise
        except Exception as error:
            # Luck that cannot be told of one match must not keep other blocks from being recorded.
            log.exception("block_not_told", ladder_id=self.ladder.id, block=playing.block.number)
            playing.fault = ("service_fault", f"its results cannot be told: {type(error).__name__}")
            return []
