"""The blocks that a job plays: the ids and seats of their matches, the play in memory, and the results.

`workers.turns.decisions` makes the decisions. A match is appended as one move, with an entry for its creation
and one for every decision. If a match is not over when the time is up, its entries so far are appended, and
another job continues it.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import structlog
from msgspec import Struct
from msgspec.structs import replace
from rq.timeouts import JobTimeoutException

from domain.canonical import hash_text
from domain.ladder.config import LadderConfig
from domain.ladder.derivation import match_id, round_of, seat_seed
from domain.ladder.events import STAND_IN, MatchResult
from domain.ladder.state import Block, LadderState, Round
from domain.match.commands import CreateMatch, SeatPlan
from domain.match.events import Clock, ClockExpired, Dice, Event
from domain.match.state import ABORTED, FINISHED, MatchState
from events import Batch, Loaded, Matches, Move, StaleVersion, StoreError, StoreUnavailable
from events.ladders.ladders import Ladder
from events.matches.entries import checked
from events.store import keys
from events.store.aggregates import Decided
from events.store.records import Reply
from runtime import strategies
from workers.ladders.claims import has_bot
from workers.ladders.luck import ValueFunction, match_luck
from workers.turns.decisions import decision, is_for_a_strategy, nobody_waits

CREATION = "create"
"""The command id of a match's creation, unique within the match."""
ON_TIMEOUT = "default_command"
"""The policy after a remote bot's time-out: a default command is executed, and the bot plays on. A time-out
never ends a match."""

log = structlog.get_logger(__name__)


def match_ids(ladder_id: str, round: Round, block: Block) -> list[str]:
    """By rotation: the ids of the matches of the block's current attempt.

    A job that begins a match again finds the same match.
    """
    return [
        match_id(ladder_id, round.opened_at_ms, block.number, block.attempt, rotation)
        for rotation in range(len(block.table))
    ]


def creation(state: LadderState, ladder_id: str, round: Round, block: Block, rotation: int) -> CreateMatch:
    """The command that creates a match of the block."""
    config = state.configs[round.season - 1]
    seed = seat_seed(round.value) if round.public_value else ""
    seats = tuple([replace(_seat(state, number), seed=seed) for number in block.seats(rotation)])
    clock = Clock(config.clock_ms, ON_TIMEOUT) if has_bot(state, block) else None
    return CreateMatch(
        config.rules_version,
        config.options,
        seats,
        _dice(ladder_id, round),
        state.owner,
        # The rotations put every entry on every seat, and the ratings have a factor for each seat.
        first_seat=0,
        clock=clock,
        tags=(ladder_id,),
    )


def _dice(ladder_id: str, round: Round) -> Dice:
    """The dice; in a round with a public value they derive from the round's seed."""
    if round.public_value is None:
        return Dice("committed")
    assert round.value, "no match begins before the value is recorded"
    bound = round.public_value
    name = round_of(ladder_id, round.number, bound.at_ms)
    return Dice("committed", key_id=bound.key_id, round_of=name)


def _seat(state: LadderState, number: int) -> SeatPlan:
    if number == STAND_IN:
        name = strategies.STAND_IN
        return SeatPlan("strategy", name, name, strategies.STRATEGIES[name].version)
    player = state.entries[number].player
    if player.kind == "bot":
        return SeatPlan("account", player.account, player.name)
    return SeatPlan("strategy", player.name, player.name, player.version)


def begun_matches(matches: Matches, ladder_id: str, round: Round, block: Block) -> list[str]:
    """The ids of the existing matches of the block's current attempt.

    Raises:
        StoreUnavailable.
    """
    wanted = match_ids(ladder_id, round, block)
    known = matches.store.values([keys.summary(match_id) for match_id in wanted])
    return [match_id for match_id, summary in zip(wanted, known, strict=True) if summary]


class BlockMatch:
    """One match of a block that a job plays."""

    def __init__(self, match_id: str, loaded: Loaded, state: MatchState, made: Sequence[Batch]) -> None:
        self.match_id = match_id
        self.loaded = loaded
        """The stored match."""
        self.state = state
        """The state with the decisions that are not stored yet."""
        self.batches: list[Batch] = [*made]
        """The decisions that are not stored yet."""
        self.events: list[Event] | None = None
        """All events of the match; None if they were not kept in memory."""

    @property
    def is_over(self) -> bool:
        """Whether the match has ended, stored or not."""
        return self.state.status in (FINISHED, ABORTED)


class ClaimedBlock:
    """A block that a job has claimed, and plays."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.matches: list[BlockMatch] = []
        """By rotation: the matches that were begun."""
        self.fault: tuple[str, str] | None = None
        """Why the block does not count: the reason and detail of `block_voided`."""

    @property
    def is_over(self) -> bool:
        """Whether all matches are over and stored, or the block does not count."""
        if self.fault is not None:
            return True
        is_whole = len(self.matches) == len(self.block.table)
        over = [one.is_over and not one.batches for one in self.matches]
        return self.aborted != "" or (is_whole and all(over))

    @property
    def aborted(self) -> str:
        """The id of an aborted match; empty if there is none."""
        stored = [one for one in self.matches if not one.batches]
        return next((one.match_id for one in stored if one.state.status == ABORTED), "")


class BlockPlayer(Struct, frozen=True):
    """What a job needs to play the matches of blocks for a while."""

    matches: Matches
    ladder: Ladder
    round: Round
    end_by_s: float
    """Monotonic time in seconds after which no further decision begins."""
    decisions: int
    """Most decisions of one match."""
    must_end: Callable[[], bool] = nobody_waits
    """Whether to begin no further decision, because people wait."""

    def play_on(self, claimed: ClaimedBlock) -> None:
        """Play the block's matches in order until they are over or the time is up; skip a block that does not
        count.

        Raises:
            StoreUnavailable.
            JobTimeoutException: a decision took too long, so the block does not count.
        """
        if claimed.fault is not None:
            return
        try:
            for rotation in range(len(claimed.block.table)):
                if rotation == len(claimed.matches):
                    claimed.matches.append(self._begun(claimed.block, rotation))
                match = claimed.matches[rotation]
                self._play(match)
                if match.state.status != FINISHED:
                    return
        except StoreUnavailable:
            raise
        except Exception as error:
            # A faulty player or key must not stop other blocks.
            log.exception("block_not_played", ladder_id=self.ladder.id, block=claimed.block.number)
            claimed.fault = ("service_fault", f"it could not be played: {type(error).__name__}")
            if isinstance(error, JobTimeoutException):
                raise

    def _begun(self, block: Block, rotation: int) -> BlockMatch:
        command = creation(self.ladder.state, self.ladder.id, self.round, block, rotation)
        match_id = match_ids(self.ladder.id, self.round, block)[rotation]
        move = self.matches.creation(command, match_id, CREATION)
        assert move.state is not None, "the match was just created"
        match = BlockMatch(match_id, move.loaded, move.state, move.batches)
        match.events = [*move.batches[0].events]
        return match

    def _play(self, match: BlockMatch) -> None:
        if not is_for_a_strategy(match.state):
            return
        chance = self.matches.chance_for(match.state, match.match_id)
        left = self.decisions
        while left and is_for_a_strategy(match.state) and time.monotonic() < self.end_by_s:
            batch = decision(match.state, chance)
            match.batches.append(batch)
            if match.events is not None:
                match.events += batch.events
            left = 0 if self.must_end() else left - 1


def continue_blocks(
    matches: Matches, blocks: Sequence[ClaimedBlock], match_ids: Sequence[Sequence[str]]
) -> None:
    """Continue the matches of each block that exist already, up to the first that does not.

    Raises:
        StoreUnavailable.
    """
    exist = iter(matches.store.are_members(keys.index("all"), [one for ids in match_ids for one in ids]))
    there = [[next(exist) for _ in ids] for ids in match_ids]
    for claimed, ids, known in zip(blocks, match_ids, there, strict=True):
        begun = ids[: known.index(False)] if False in known else ids
        if begun:
            _continue(matches, claimed, begun)


def _continue(matches: Matches, claimed: ClaimedBlock, begun: Sequence[str]) -> None:
    for found in matches.load_many(begun):
        if isinstance(found, StoreError):
            claimed.fault = ("match_damaged", str(found))
            return
        claimed.matches.append(BlockMatch(found.match_id, found, found.state.copy(), ()))


class PlayedMatch(NamedTuple):
    """The decisions of a match, ready to be stored."""

    claimed: ClaimedBlock
    match: BlockMatch
    move: Decided[Loaded]


def unstored(matches: Matches, claimed: ClaimedBlock) -> list[PlayedMatch]:
    """The decisions of a block that are not stored, encoded and hashed."""
    changed = [match for match in claimed.matches if match.batches]
    moves = matches.prepare([Move(one.loaded, one.batches, one.state, is_held=True) for one in changed])
    return [PlayedMatch(claimed, *one) for one in zip(changed, moves, strict=True)]


def note_appended(matches: Matches, played: Sequence[PlayedMatch], replies: Sequence[Reply]) -> None:
    """Note what the store replied to the decisions; a match that somebody else moved is reloaded.

    Raises:
        StoreUnavailable.
    """
    found = matches.appended([one.move for one in played], replies)
    for (claimed, match, _), after in zip(played, found, strict=True):
        match.batches = []
        if isinstance(after, Loaded):
            match.loaded, match.state = after, after.state.copy() if not match.is_over else after.state
        else:
            _catch_up(matches, claimed, match, after)


def _catch_up(matches: Matches, claimed: ClaimedBlock, match: BlockMatch, error: StoreError) -> None:
    """Continue from the stored match."""
    try:
        if not isinstance(error, StaleVersion):
            raise error
        match.loaded = matches.load(match.match_id)
        match.state, match.events = match.loaded.state.copy(), None
    except StoreUnavailable:
        raise
    except StoreError as damage:
        claimed.fault = ("match_damaged", str(damage))


def all_events(matches: Matches, match: BlockMatch) -> list[Event]:
    """All events of the match.

    Raises:
        StreamCorrupt, StoreUnavailable.
    """
    if match.events is not None:
        return match.events
    entries = checked(match.match_id, matches.store.read(match.match_id))
    return [event for _, events in entries for event in events]


def result_of(
    loaded: Loaded,
    events: Sequence[Event],
    config: LadderConfig,
    values: ValueFunction | None,
    errors: tuple[int, ...] | None = None,
) -> MatchResult:
    """The result of a match that was won.

    `values` measures luck in wins, if the ladder wants that. `errors` are refused commands by seat; None for
    a match without bots.
    """
    state = loaded.state
    luck = match_luck(state, events, values) if config.luck != "off" else None
    return MatchResult(
        loaded.match_id,
        state.winner,
        state.turn,
        loaded.version,
        hash_text(loaded.head_hash),
        timeouts(len(state.controllers), events),
        errors or (0,) * len(state.controllers),
        luck.coins if luck else None,
        luck.wins if luck else None,
    )


def timeouts(seats: int, events: Iterable[Event]) -> tuple[int, ...]:
    """By seat: the number of time-outs."""
    found = Counter([event.seat for event in events if isinstance(event, ClockExpired)])
    return tuple([found[seat] for seat in range(seats)])
