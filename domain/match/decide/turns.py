"""The order of turns, and the end of a match."""

from typing import Final

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.chance import Reveal
from domain.match.decide.draft import Draft, DraftWith, require_running

TURN_LIMIT: Final = 2000
"""A match without a winner after this turn is aborted. Players who try to win need about a tenth of it;
without a limit, two players who only pass could fill the store."""


def end_turn(draft: Draft) -> None:
    """End the active seat's turn and begin the next: an extra one, or that of the next seat in play."""
    state = draft.state
    draft.emit(ev.TurnEnded(state.turn, state.active))
    if state.turn >= TURN_LIMIT:
        call_off(draft, "turn_limit")
        return
    if state.extra_turn_due and not state.resigned[state.active]:
        draft.emit(ev.TurnStarted(state.turn + 1, state.active, "roll", True))
        return
    seat = _next_seat(draft)
    round = _next_round(draft, seat)
    phase = "setup" if round else "roll"
    draft.emit(ev.TurnStarted(state.turn + 1, seat, phase, False, round))


def _next_seat(draft: Draft) -> int:
    state = draft.state
    seats = len(state.coins)
    seat = (state.active + 1) % seats
    while state.resigned[seat]:
        seat = (seat + 1) % seats
    return seat


def _next_round(draft: Draft, seat: int) -> int:
    """The building round of the next turn; 0 after the last one."""
    state = draft.state
    if not state.round:
        return 0
    seats = len(state.coins)
    went_round = (seat - state.first_seat) % seats <= (state.active - state.first_seat) % seats
    round = state.round + went_round
    return round if round <= draft.rules.ruleset.building_rounds else 0


def finish(draft: Draft, winner: int, reason: str) -> None:
    """End the match."""
    draft.emit(ev.MatchFinished(winner, reason))


def call_off(draft: Draft, reason: str) -> None:
    """End the match without a winner."""
    draft.emit(ev.MatchAborted(reason))


def reveal_seed(draft: DraftWith[Reveal]) -> None:
    """Reveal the match seed, in the last event of the match."""
    key_id, seed = draft.chance.reveal()
    if seed:
        draft.emit(ev.DiceRevealed(key_id, seed))


def resign(draft: Draft, command: cmd.Resign) -> None:
    """Leave the match, at any time and on anybody's turn."""
    state = draft.state
    require_running(state)
    if not 0 <= command.seat < len(state.coins):
        raise RuleViolation("validation_failed", f"the match has no seat {command.seat}", "/seat")
    if state.resigned[command.seat]:
        raise RuleViolation("wrong_phase", f"seat {command.seat} has already resigned", "/seat")
    leave(draft, command.seat, "command")


def leave(draft: Draft, seat: int, reason: str) -> None:
    """Take a seat out of play: it has no turns, income or payments. The last seat in play wins.

    If it was the active seat, its turn ends at once.
    """
    state = draft.state
    draft.emit(ev.SeatResigned(seat, reason))
    left = [other for other, gone in enumerate(state.resigned) if not gone]
    if len(left) == 1:
        finish(draft, left[0], "resignation")
    elif state.active == seat:
        end_turn(draft)
