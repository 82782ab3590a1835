"""What is to be recorded in a ladder, as functions of its latest state: several go into one append."""

from collections.abc import Callable, Sequence

from domain.ladder import decide
from domain.ladder.events import Event, Fault, MatchResult
from domain.ladder.evolve import fold
from domain.ladder.state import Block, LadderState

Change = Callable[[LadderState], list[Event]]
"""The events that follow on the state at hand; none if there is nothing to do (any more)."""


def together(changes: Sequence[Change]) -> Change:
    """One after the other, each on the state that those before lead to."""

    def change(state: LadderState) -> list[Event]:
        moving = state.copy()
        found: list[Event] = []
        for one in changes:
            events = one(moving)
            fold(moving, events)
            found += events
        return found

    return change


def finished(block: Block, results: Sequence[MatchResult]) -> Change:
    """All matches of that attempt are over."""
    return lambda state: decide.finish_block(state, block.number, block.attempt, results)


def voided(block: Block, reason: str, detail: str, matches: Sequence[str]) -> Change:
    """That attempt does not count."""
    return lambda state: decide.void_block(state, block.number, block.attempt, reason, detail, matches)


def given_up(block: Block, purpose: str, matches: Sequence[str]) -> Change:
    """The block is given up if somebody at its table may not be seated."""

    def change(state: LadderState) -> list[Event]:
        reason = decide.unseatable(state, block.table, purpose)
        if not reason:
            return []
        return decide.void_block(state, block.number, block.attempt, reason, "", matches)

    return change


def abandoned(block: Block, purpose: str, matches: Sequence[str]) -> Change:
    """The block is given up as nobody at its table answers any more."""

    def change(state: LadderState) -> list[Event]:
        reason = decide.unseatable(state, block.table, purpose) or "entry_suspended"
        return decide.void_block(state, block.number, block.attempt, reason, "nobody answers", matches)

    return change


def suspended(entry_id: str, fault: Fault) -> Change:
    """The entry is not seated before it was probed."""
    return lambda state: decide.suspend(state, entry_id, fault)


def removed(entry_id: str, reason: str) -> Change:
    """The entry is seated no more."""
    return lambda state: decide.remove_entry(state, entry_id, reason)


def stopped(round: int, reason: str) -> Change:
    """The round cannot go on."""
    return lambda state: decide.stop_round(state, round, reason)


def over(round: int, decision: str = "", seed: str = "") -> Change:
    """The round is over; `seed` is that of a round with a public value, in hex."""
    return lambda state: decide.finish_round(state, round, decision, seed)
