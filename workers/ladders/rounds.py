"""One job's share of a round: blocks of built-in players, one after the other, until the time is up.

What was played is stored by a thread of its own while the next blocks are played, so nobody waits for a disk.
"""

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple

import structlog
from msgspec import Struct

from domain.ladder.state import ACTIVE, REMOVED, RUNNING, Block, Entry, Round
from domain.rulesets import VERSIONS, digest
from events.ladder_entries import Ladder
from events.strategies import STRATEGIES
from workers.ladders import claims as claimed
from workers.ladders import finishing, outcomes, probing, seating, whole
from workers.ladders.bots import look_after, silent
from workers.ladders.changes import Change, finished, given_up, removed, stopped, voided
from workers.ladders.claims import Claims
from workers.ladders.luck import ValueFunction
from workers.ladders.place import Place
from workers.ladders.whole import Playing, Ready

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
        """Claims that this job has asked for."""
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
            self._record(self._obstacles())
            self.ladder = probing.look_after(self._place, self._claims, self.ladder, self.round)
            if self._is_due("bots", limits.bots_s):
                self._record(look_after(self._place, self.ladder, self.round))
            if self._is_due("silence", limits.silence_s):
                self._record(silent(self._place, self.ladder, self.round))
            begin_by_s = time.monotonic() + limits.seconds
            self._play_blocks(begin_by_s)
            self.ladder = finishing.look_after(self._place, self._claims, self.ladder, self._number)
        finally:
            for playing in self._left:
                self._claims.release(self._claim(playing.block))
        return self.counts

    def _may_begin(self, begin_by_s: float) -> bool:
        return self.round.status == RUNNING and time.monotonic() < begin_by_s

    def _is_due(self, task: str, pause_s: float) -> bool:
        """Whether nobody has done that for so long, for this round."""
        return self._claims.take(f"{self.ladder.id}:{self._number}:{task}", round(pause_s * 1000))

    def _claim(self, block: Block) -> str:
        return claimed.block(self.ladder.id, block.number, block.attempt)

    def _record(self, changes: list[Change]) -> None:
        self.ladder = self._place.record(self.ladder, changes)

    def _obstacles(self) -> list[Change]:
        """What keeps blocks from being played, or the round: to be recorded before anything is begun."""
        state, this = self.ladder.state, self.round
        if this.status != RUNNING:
            return []
        if reason := self._why_not():
            return [stopped(this.number, reason)]
        gone = [entry for entry in state.entries if _is_gone(entry)]
        bad = {entry.number for entry in state.entries if entry.status != ACTIVE} | {e.number for e in gone}
        blocks = [this.blocks[number - this.first_block] for number in sorted(this.left)] if bad else []
        return [
            *[removed(entry.id, "version_gone") for entry in gone],
            *[
                given_up(block, this.purpose, self._begun(block))
                for block in blocks
                if not bad.isdisjoint(block.table)
            ],
        ]

    def _begun(self, block: Block) -> list[str]:
        """The matches of the block that there are."""
        match_ids = seating.match_ids(self.ladder.id, self.round, block)
        known = self._place.matches.store.summaries(match_ids)
        return [match_id for match_id, summary in zip(match_ids, known, strict=True) if summary]

    def _why_not(self) -> str:
        """Why matches cannot be played as the season has it; empty if they can."""
        config = self.ladder.state.configs[self.round.season - 1]
        ruleset = VERSIONS.get(config.rules_version)
        if ruleset is None or digest(ruleset) != config.rules_digest:
            return "rules_gone"
        values = self._values
        if config.luck == "wins" and (values is None or values.digest != config.luck_version):
            return "value_function_gone"
        return ""

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
            self._forget(settling)

    def _forget(self, settling: Future[list[Playing]] | None) -> None:
        """Wait until a chunk is recorded, and keep of it what is not over."""
        for playing in settling.result() if settling else []:
            self._left.remove(playing)

    def _played(self, begin_by_s: float) -> Chunk:
        """Blocks played for a while, in memory; without any if there are none."""
        limits = self._place.limits
        until_s = min(begin_by_s, time.monotonic() + limits.chunk_s)
        stint = whole.Stint(
            self._place.matches, self.ladder, self.round, begin_by_s + limits.overtime_s, limits.decisions
        )
        chunk = Chunk([], [])
        for playing in self._blocks():
            stint.play_on(playing)
            chunk.blocks.append(playing)
            chunk.matches.extend(whole.ready(stint.matches, playing))
            if time.monotonic() >= until_s:
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
        """The open blocks of built-in players that this job has not asked for."""
        ladder, this = self.ladder, self.round
        for number in sorted(this.left):
            block = this.blocks[number - this.first_block]
            if self._claim(block) not in self._tried and not seating.has_bot(ladder.state, block):
                yield block

    def _outcome(self, playing: Playing) -> Change:
        """What became of a block that is over."""
        block = playing.block
        if playing.fault is not None or playing.called_off:
            self.counts.voided += 1
            reason, detail = playing.fault or ("match_aborted", playing.called_off)
            match_ids = seating.match_ids(self.ladder.id, self.round, block)
            return voided(block, reason, detail, match_ids)
        config = self.ladder.state.configs[self.round.season - 1]
        matches, values = self._place.matches, self._values
        results = [
            outcomes.result_of(match.loaded, whole.all_events(matches, match), config, values)
            for match in playing.matches
        ]
        self.counts.blocks += 1
        self.counts.matches += len(results)
        return finished(block, results)


def _is_gone(entry: Entry) -> bool:
    """Whether nobody plays that version of a strategy any more."""
    if entry.is_bot or entry.status == REMOVED:
        return False
    strategy = STRATEGIES.get(entry.player.name)
    return strategy is None or strategy.version != entry.player.version
