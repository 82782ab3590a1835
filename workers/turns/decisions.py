"""The decisions of built-in players, in several matches at a time; each cycle appends them in one write.

A decision takes from microseconds to seconds. Fast players make many decisions in a cycle; a slow player
makes one, which is written at once. When the time is up or people wait for a worker, the matches that the job
has not reached are left to another job. The same happens when a decision exceeds the time limit of the job.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from msgspec import Struct
from msgspec.structs import replace
from rq.timeouts import JobTimeoutException

from domain import legal_commands, view
from domain.errors import RuleViolation
from domain.match.chance import MatchChance, TapeChance
from domain.match.commands import AbortMatch, PlayCommand
from domain.match.decide import advance, decide
from domain.match.evolve import fold
from domain.match.state import RUNNING, MatchState
from events import Batch, Loaded, Matches, Move, StoreError
from events.matches.projections import controller_kind
from players import PLAYERS
from workers.operations.metrics import count_choice, count_only_move
from workers.queue.client import DueTurn
from workers.queue.play_job import ENDS_JOB

TAPE_ENDS: Final = ("dice_tape_exhausted", "dice_tape_mismatch")
"""Refusals after which a built-in player has no legal command: the match is aborted."""

log = structlog.get_logger(__name__)


class TurnLimits(Struct, frozen=True):
    """Limits of one job that plays turns."""

    seconds: float = 0.5
    """No decision begins after that, except the first of the job, so that each job makes progress."""
    decisions: int = 64
    """Most decisions of one match in a cycle."""
    share_s: float = 0.1
    """No further decision of a match begins after that in a cycle, because other matches wait."""
    write_s: float = 0.05
    """No further match is decided on after that in a cycle: the decisions made so far are written."""


REPLIES: Final = TurnLimits(seconds=0.25)
"""The limits of a job for people, since other people may be waiting."""


def nobody_waits() -> bool:
    """Always false: a `must_end` for jobs that use all of their time."""
    return False


class TurnsPlayed(Struct):
    """The result of a job that plays turns."""

    appended: int = 0
    """Moves appended."""
    decisions: int = 0
    stale: int = 0
    """Matches whose version differed from the one that the job was for, or that somebody else moved."""
    failed: int = 0
    left: list[Loaded] = []
    """Matches in which a built-in player is still to act: the job ended before their next decision. Only the
    due set refers to them."""
    timeout: JobTimeoutException | None = None
    """The job's time limit, if a decision exceeded it; that match is not in `left`, because it may be what
    keeps the workers."""


class MatchInPlay(Struct):
    """A match that this job plays, with its source of chance."""

    loaded: Loaded
    chance: MatchChance


def play(
    matches: Matches,
    turns: Sequence[DueTurn],
    limits: TurnLimits = TurnLimits(),  # noqa: B008  # frozen
    clock: Callable[[], float] = time.monotonic,
    must_end: Callable[[], bool] = nobody_waits,
) -> TurnsPlayed:
    """Decide for built-in players until people are to act, the matches are over, the time is up or
    `must_end` is true.

    `clock` returns seconds. The caller puts the matches in `left` back on the log, and then raises `timeout`.

    Raises:
        StoreUnavailable, JobTimeoutException: the turns are lost, and dispatched again.
    """
    counts = TurnsPlayed()
    playing = _loaded(matches, turns, counts)
    ends_s = clock() + limits.seconds
    while playing:
        reached, moves = _moves(playing, limits, ends_s, clock, must_end, counts)
        rest = playing[reached:]
        is_last = counts.timeout is not None or clock() >= ends_s or must_end()
        if not is_last:
            moves = [replace(move, is_held=True) for move in moves]
        after = _appended(matches, moves, counts)
        if is_last:
            counts.left = [one.loaded for one in rest]
            return counts
        playing = rest + _continuing(playing[:reached], after)
    return counts


def _loaded(matches: Matches, turns: Sequence[DueTurn], counts: TurnsPlayed) -> list[MatchInPlay]:
    """The matches that are still at the version that the job was for."""
    playing = []
    found = matches.load_many([match_id for match_id, _ in turns])
    for (match_id, version), loaded in zip(turns, found, strict=True):
        if isinstance(loaded, StoreError):
            counts.failed += 1
            log.error("match_not_loaded", match_id=match_id, error=str(loaded))
        elif loaded.version != version or not is_for_a_strategy(loaded.state):
            counts.stale += 1
        elif one := _with_chance(matches, loaded, counts):
            playing.append(one)
    return playing


def _with_chance(matches: Matches, loaded: Loaded, counts: TurnsPlayed) -> MatchInPlay | None:
    """The match with its chance; None, which is logged, if that cannot be derived (a missing key)."""
    try:
        return MatchInPlay(loaded, matches.chance_for(loaded.state, loaded.match_id))
    except ENDS_JOB:
        raise
    except Exception:
        # One match must not stop the others.
        counts.failed += 1
        log.exception("match_not_taken_up", match_id=loaded.match_id, version=loaded.version)
        return None


def is_for_a_strategy(state: MatchState) -> bool:
    """Whether a built-in player is to act."""
    return state.status == RUNNING and controller_kind(state) == "strategy"


def _moves(
    playing: Sequence[MatchInPlay],
    limits: TurnLimits,
    ends_s: float,
    clock: Callable[[], float],
    must_end: Callable[[], bool],
    counts: TurnsPlayed,
) -> tuple[int, list[Move]]:
    """How many of the matches were reached before it was time to write, and their moves."""
    moves: list[Move] = []
    write_by_s = min(clock() + limits.write_s, ends_s)
    for reached, one in enumerate(playing):
        now_s = clock()
        if reached and (now_s >= write_by_s or must_end()):
            return reached, moves
        try:
            move = _decided(one, limits.decisions, min(now_s + limits.share_s, ends_s), clock)
        except JobTimeoutException as timeout:
            # What was decided is written before the job ends: the next one may come no further than this.
            log.exception("decision_timed_out", match_id=one.loaded.match_id, version=one.loaded.version)
            counts.failed += 1
            counts.timeout = timeout
            return reached + 1, moves
        if move:
            counts.decisions += len(move.batches)
            moves.append(move)
        else:
            counts.failed += 1
    return len(playing), moves


def _decided(match: MatchInPlay, limit: int, ends_s: float, clock: Callable[[], float]) -> Move | None:
    """The next decisions of one match; None, which is logged, if a player fails."""
    try:
        state = match.loaded.state.copy()
        return Move(match.loaded, _batches(state, match.chance, limit, ends_s, clock), state)
    except ENDS_JOB:
        raise
    except Exception:
        # One match must not stop the others; the sweep retries it.
        log.exception("match_not_played", match_id=match.loaded.match_id, version=match.loaded.version)
        return None


def _batches(
    state: MatchState, chance: MatchChance, limit: int, ends_s: float, clock: Callable[[], float]
) -> list[Batch]:
    """One decision, and up to `limit` in a row before `ends_s`; they are applied to `state`."""
    batches = [decision(state, chance)]
    while len(batches) < limit and is_for_a_strategy(state) and clock() < ends_s:
        batches.append(decision(state, chance))
    return batches


def decision(state: MatchState, chance: MatchChance) -> Batch:
    """The decision of the built-in player to act, applied to `state`."""
    seat = state.active
    command = _choice(state, chance)
    if isinstance(chance, TapeChance):
        return _decision_on_tape(state, command, chance)
    return Batch(advance(state, command, chance), f"seat:{seat}")


def _decision_on_tape(state: MatchState, command: PlayCommand, chance: TapeChance) -> Batch:
    """As `decision`, but the match is aborted if the tape has no fitting roll."""
    actor = f"seat:{state.active}"
    try:
        events = decide(state, command, chance)
    except RuleViolation as violation:
        if violation.code not in TAPE_ENDS:
            raise
        actor = "service"
        events = decide(state, AbortMatch(violation.code), chance)
    fold(state, events)
    return Batch(events, actor)


def _choice(state: MatchState, chance: MatchChance) -> PlayCommand:
    """The player's command; its random numbers derive from the match's seed and the version."""
    legal = legal_commands(state)
    controller = state.controllers[state.active]
    assert controller is not None, "a running match has no empty seat"
    if len(legal) == 1:
        count_only_move(controller.id)
        return legal[0]
    rng = chance.random_numbers(state.version)
    begun_s = time.perf_counter()
    chosen = PLAYERS[controller.id](view(state), legal, rng)
    count_choice(controller.id, time.perf_counter() - begun_s)
    return chosen


def _appended(matches: Matches, moves: Sequence[Move], counts: TurnsPlayed) -> dict[str, Loaded]:
    """The matches after their moves, without those whose append failed."""
    found = {}
    for move, result in zip(moves, matches.append_many(moves), strict=True):
        if isinstance(result, Loaded):
            counts.appended += 1
            found[result.match_id] = result
        else:
            counts.stale += 1
            log.info("move_not_appended", match_id=move.loaded.match_id, reason=type(result).__name__)
    return found


def _continuing(played: Sequence[MatchInPlay], after: dict[str, Loaded]) -> list[MatchInPlay]:
    """The matches in which a built-in player is to act next."""
    return [
        MatchInPlay(loaded, one.chance)
        for one in played
        if (loaded := after.get(one.loaded.match_id)) and is_for_a_strategy(loaded.state)
    ]
