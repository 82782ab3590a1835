"""Playing built-in seats: several matches at a time, each turn of the loop one write to disk for all.

A decision takes from microseconds to seconds. Quick players fill a turn of the loop with many; slow ones make
one, which is written at once. When the time is up, or people wait for a worker, the matches that were not
reached are left to another job.
"""

import random
import time
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from msgspec import Struct
from msgspec.structs import replace

from domain import legal_commands, view
from domain.errors import RuleViolation
from domain.match.chance import MatchChance, TapeChance
from domain.match.commands import AbortMatch, PlayCommand
from domain.match.decide import advance, decide
from domain.match.evolve import fold
from domain.match.state import RUNNING, MatchState
from events import Batch, Loaded, Matches, Move, StoreError
from events.matches.projections import controller_kind
from workers.metrics import note_choice, note_only_move
from workers.players import PLAYERS
from workers.queueing import Turn

TAPE_ENDS: Final = ("dice_tape_exhausted", "dice_tape_mismatch")
"""Why a built-in player cannot throw: no other command would help, so the match is called off."""

log = structlog.get_logger("workers.playing")


class Limits(Struct, frozen=True):
    """How much one job does before it hands on."""

    seconds: float = 0.5
    """No decision begins after that but the first of the job: it would get nowhere without."""
    decisions: int = 64
    """Of one match in one turn of the loop."""
    share_s: float = 0.1
    """No further decision of one match begins after that in one turn of the loop: others wait."""
    write_s: float = 0.05
    """No further match is decided on after that in one turn of the loop: what was decided is written."""


REPLIES: Final = Limits(seconds=0.25)
"""Of a job for people: others may be waiting."""


def nobody_waits() -> bool:
    """For jobs that need not hand back before their time is up."""
    return False


class Counts(Struct):
    """What a job did."""

    appended: int = 0
    """Writes to a match."""
    decisions: int = 0
    stale: int = 0
    """Matches that were not, or no longer, where the job was to go on."""
    failed: int = 0
    left: list[Loaded] = []
    """Matches that a built-in player is still to act in and that nothing but the due set leads to: the job
    was over before their next decision."""


class Held(Struct):
    """A match that this job goes on with."""

    loaded: Loaded
    chance: MatchChance


def play(
    matches: Matches,
    turns: Sequence[Turn],
    limits: Limits = Limits(),  # noqa: B008  # frozen
    clock: Callable[[], float] = time.monotonic,
    must_end: Callable[[], bool] = nobody_waits,
) -> Counts:
    """Decide for built-in players until a person is to act, a match is over, the time is up, or the job is to
    end for others' sake.

    `clock` gives seconds. What `left` of the counts names is for the caller to hand back.

    Raises:
        StoreUnavailable: the sweep hands the matches out again.
    """
    counts = Counts()
    held = _taken_up(matches, turns, counts)
    ends_s = clock() + limits.seconds
    while held:
        reached, moves = _moves(held, limits, ends_s, clock, must_end, counts)
        rest = held[reached:]
        is_last = clock() >= ends_s or must_end()
        if not is_last:
            moves = [replace(move, is_held=True) for move in moves]
        after = _appended(matches, moves, counts)
        if is_last:
            counts.left = [one.loaded for one in rest]
            return counts
        held = rest + _going_on(held[:reached], after)
    return counts


def _taken_up(matches: Matches, turns: Sequence[Turn], counts: Counts) -> list[Held]:
    """The matches that still are where they were when the job was handed out."""
    held = []
    found = matches.load_many([match_id for match_id, _ in turns])
    for (match_id, version), loaded in zip(turns, found, strict=True):
        if isinstance(loaded, StoreError):
            counts.failed += 1
            log.error("match_not_loaded", match_id=match_id, error=str(loaded))
        elif loaded.version != version or not is_for_a_strategy(loaded.state):
            counts.stale += 1
        elif one := _held(matches, loaded, counts):
            held.append(one)
    return held


def _held(matches: Matches, loaded: Loaded, counts: Counts) -> Held | None:
    """The match with its luck; None if that is not to be had, as when its master key is gone."""
    try:
        return Held(loaded, matches.chance_for(loaded.state, loaded.match_id))
    except Exception:
        # One match must not stop the others.
        counts.failed += 1
        log.exception("match_not_taken_up", match_id=loaded.match_id, version=loaded.version)
        return None


def is_for_a_strategy(state: MatchState) -> bool:
    """Whether a built-in player is to act."""
    return state.status == RUNNING and controller_kind(state) == "strategy"


def _moves(
    held: Sequence[Held],
    limits: Limits,
    ends_s: float,
    clock: Callable[[], float],
    must_end: Callable[[], bool],
    counts: Counts,
) -> tuple[int, list[Move]]:
    """How many of the matches were reached before it was time to write, and the next decisions of these."""
    moves: list[Move] = []
    write_by_s = min(clock() + limits.write_s, ends_s)
    for reached, one in enumerate(held):
        now_s = clock()
        if moves and (now_s >= write_by_s or must_end()):
            return reached, moves
        if move := _decided(one, limits.decisions, min(now_s + limits.share_s, ends_s), clock):
            counts.decisions += len(move.batches)
            moves.append(move)
        else:
            counts.failed += 1
    return len(held), moves


def _decided(held: Held, limit: int, ends_s: float, clock: Callable[[], float]) -> Move | None:
    """The next decisions of one match; None if they could not be made, which is logged."""
    try:
        state = held.loaded.state.copy()
        return Move(held.loaded, _batches(state, held, limit, ends_s, clock), state)
    except Exception:
        # One match must not stop the others; the sweep hands it out again.
        log.exception("match_not_played", match_id=held.loaded.match_id, version=held.loaded.version)
        return None


def _batches(
    state: MatchState, held: Held, limit: int, ends_s: float, clock: Callable[[], float]
) -> list[Batch]:
    """One decision of a built-in player, and up to `limit` in a row while the time lasts; the state moves
    along.
    """
    batches = [decision(state, held)]
    while len(batches) < limit and is_for_a_strategy(state) and clock() < ends_s:
        batches.append(decision(state, held))
    return batches


def decision(state: MatchState, held: Held) -> Batch:
    """What the built-in player to act does; the state moves along. Of `held` only the luck counts."""
    seat = state.active
    command = _choice(state, held)
    if isinstance(held.chance, TapeChance):
        return _decision_on_tape(state, command, held.chance)
    return Batch(advance(state, command, held.chance), f"seat:{seat}")


def _decision_on_tape(state: MatchState, command: PlayCommand, chance: TapeChance) -> Batch:
    """As any decision, but a throw that the tape has not calls the match off."""
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


def _choice(state: MatchState, held: Held) -> PlayCommand:
    """What the seat's player does; its luck follows from the match's secret and the version."""
    legal = legal_commands(state)
    controller = state.controllers[state.active]
    assert controller is not None, "a running match has no empty seat"
    if len(legal) == 1:
        note_only_move(controller.id)
        return legal[0]
    rng = random.Random(held.chance.secret(f"ai|{state.version}"))
    begun_s = time.perf_counter()
    chosen = PLAYERS[controller.id](view(state), legal, rng)
    note_choice(controller.id, time.perf_counter() - begun_s)
    return chosen


def _appended(matches: Matches, moves: Sequence[Move], counts: Counts) -> dict[str, Loaded]:
    """The matches after their moves; those that somebody else moved, or that failed, are left out."""
    found = {}
    for move, result in zip(moves, matches.append_many(moves), strict=True):
        if isinstance(result, Loaded):
            counts.appended += 1
            found[result.match_id] = result
        else:
            counts.stale += 1
            log.info("move_not_appended", match_id=move.loaded.match_id, reason=type(result).__name__)
    return found


def _going_on(held: Sequence[Held], after: dict[str, Loaded]) -> list[Held]:
    """The matches in which a built-in player is to act next."""
    return [
        Held(loaded, one.chance)
        for one in held
        if (loaded := after.get(one.loaded.match_id)) and is_for_a_strategy(loaded.state)
    ]
