"""The commitment to and opening of seat seeds, and the expiry of their time limits."""

import re
from typing import Final

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.chance import SEAT_SEED, StartChance, seat_commitment
from domain.match.decide.draft import Draft, DraftWith, require_not_over
from domain.match.decide.lobby import start_when_ready
from domain.match.decide.turns import call_off
from domain.match.seat_seeds import due_step, seat_seeds_of, seats_due
from domain.match.state import OPEN, MatchState

_COMMITMENT: Final = re.compile(r"sha-256:[0-9a-f]{64}", re.ASCII)


def commit_seat_seed(draft: Draft, command: cmd.CommitSeatSeed) -> None:
    """Record the commitment of a seat; other seats may still be open."""
    state, seat = draft.state, command.seat
    _require_account_seat(state, seat)
    if not _COMMITMENT.fullmatch(command.commitment):
        detail = "a commitment must be sha-256: and 64 hex digits in lower case"
        raise RuleViolation("validation_failed", detail, "/commitment")
    if state.status != OPEN:
        raise RuleViolation("seat_seed_not_due", "the match has started")
    if seat in state.seed_commitments:
        reason = "has already committed" if state.seed_commitments[seat] else "did not commit in time"
        raise RuleViolation("seat_seed_not_due", f"seat {seat} {reason}")
    draft.emit(ev.SeatSeedCommitted(seat, command.commitment))


def open_seat_seed(draft: DraftWith[StartChance], command: cmd.OpenSeatSeed) -> None:
    """Record the seed of a seat when every seat has committed; the last one starts the match."""
    state, seat = draft.state, command.seat
    _require_account_seat(state, seat)
    if not SEAT_SEED.fullmatch(command.seed):
        detail = "a seed must have 32 to 64 characters: letters, digits, - and _"
        raise RuleViolation("validation_failed", detail, "/seed")
    if state.status != OPEN:
        raise RuleViolation("seat_seed_not_due", "the match has started")
    if due_step(state) != "open":
        raise RuleViolation("seat_seed_not_due", "not every seat has committed")
    if seat not in seats_due(state):
        raise RuleViolation("seat_seed_not_due", f"seat {seat} has no seed to open")
    if seat_commitment(state.created.dice.commitment, seat, command.seed) != state.seed_commitments[seat]:
        raise RuleViolation("seat_seed_mismatch", f"seat {seat} committed to another seed", "/seed")
    draft.emit(ev.SeatSeedOpened(seat, command.seed))
    start_when_ready(draft)


def expire_seat_seeds(draft: DraftWith[StartChance], command: cmd.ExpireSeatSeeds) -> None:
    """Continue without seeds that nobody committed to; abort the match if a committed seed is withheld.

    The last seat to open its seed knows all others. If the match continued without its seed, that seat could
    choose between two sets of dice.
    """
    state = draft.state
    due = seats_due(state)
    if not due:
        raise RuleViolation("wrong_phase", "no seat has a seed to commit to or open")
    if due_step(state) == "commit":
        for seat in due:
            draft.emit(ev.SeatSeedForgone(seat))
        start_when_ready(draft)
        return
    for seat in due:
        draft.emit(ev.SeatSeedWithheld(seat))
    call_off(draft, "seat_seed_withheld")


def _require_account_seat(state: MatchState, seat: int) -> None:
    require_not_over(state)
    if seat_seeds_of(state) is None:
        raise RuleViolation("seat_seed_not_due", "the seats of this match do not commit to seeds")
    if not 0 <= seat < len(state.controllers):
        raise RuleViolation("validation_failed", f"the match has no seat {seat}", "/seat")
    held = state.controllers[seat]
    if held is None or held.kind != "account":
        raise RuleViolation("seat_seed_not_due", f"seat {seat} does not belong to an account")
