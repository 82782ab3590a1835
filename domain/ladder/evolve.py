"""From event to state: what each event of a ladder changes. No rule is asked here."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec.structs import replace

from domain.ladder import events as ev
from domain.ladder.events import Event, Fault
from domain.ladder.state import (
    ACTIVE,
    FINISHED,
    REMOVED,
    RUNNING,
    STOPPED,
    SUSPENDED,
    Block,
    Entry,
    LadderState,
    Round,
)


def fold(state: LadderState, events: Iterable[Event]) -> LadderState:
    """Apply the events to the state that is given, and give it back."""
    for event in events:
        APPLY[type(event)](state, event)
        state.version += 1
    return state


def _ladder_created(state: LadderState, event: ev.LadderCreated) -> None:
    state.name = event.name
    state.owner = event.owner
    state.config = event.config


def _entry_added(state: LadderState, event: ev.EntryAdded) -> None:
    state.numbers[event.entry] = len(state.entries)
    entry = Entry(len(state.entries), event)
    # Whoever plays is judged by its last matches, under whatever version.
    before = [one for one in state.entries if entry.is_bot and one.player.account == entry.player.account]
    if before:
        entry.recent, entry.judged = before[-1].recent, before[-1].judged
    state.entries.append(entry)


def _entry_removed(state: LadderState, event: ev.EntryRemoved) -> None:
    entry = state.entries[state.numbers[event.entry]]
    entry.status = REMOVED
    entry.removed_for = event.reason


def _season_opened(state: LadderState, event: ev.SeasonOpened) -> None:
    state.season = event.season
    state.config = event.config
    state.configs.append(event.config)
    state.digests.append(event.digest)


def _round_opened(state: LadderState, event: ev.RoundOpened) -> None:
    state.rounds.append(Round(event))
    state.next_block = event.first_block + len(event.tables)


def _public_value_recorded(state: LadderState, event: ev.PublicValueRecorded) -> None:
    state.rounds[event.round - 1].value = event.value


def _block_finished(state: LadderState, event: ev.BlockFinished) -> None:
    round, block = _at(state, event.block)
    round.put(replace(block, attempt=event.attempt, results=event.results))
    for rotation, result in enumerate(event.results):
        for seat, number in enumerate(block.seats(rotation)):
            if number != ev.STAND_IN and state.entries[number].is_bot:
                fault = Fault(result.match_id, result.timeouts[seat], result.errors[seat])
                _note_match(state, state.entries[number], round, fault)


def _note_match(state: LadderState, entry: Entry, round: Round, fault: Fault) -> None:
    if round.purpose == "probe":
        is_good = not (fault.timeouts or fault.errors)
        entry.good_probes = [*entry.good_probes, fault.match_id] if is_good else []
        return
    entry = state.current(entry)
    if not entry.evidence and fault.match_id not in entry.judged:
        entry.recent = [*entry.recent, fault][-state.config.suspension.window :]


def _block_voided(state: LadderState, event: ev.BlockVoided) -> None:
    round, block = _at(state, event.block)
    attempt = event.attempt + (not event.is_final)
    round.put(replace(block, attempt=attempt, is_given_up=event.is_final))


def _at(state: LadderState, number: int) -> tuple[Round, Block]:
    round = state.round_of(number)
    assert round is not None, "every block belongs to a round"
    return round, round.blocks[number - round.first_block]


def _round_stopped(state: LadderState, event: ev.RoundStopped) -> None:
    round = state.rounds[event.round - 1]
    round.status = STOPPED
    round.stopped_for = event.reason


def _round_resumed(state: LadderState, event: ev.RoundResumed) -> None:
    round = state.rounds[event.round - 1]
    round.status = RUNNING
    round.stopped_for = ""


def _round_finished(state: LadderState, event: ev.RoundFinished) -> None:
    round = state.rounds[event.round - 1]
    round.status = FINISHED
    round.decision = event.decision


def _round_seed_revealed(state: LadderState, event: ev.RoundSeedRevealed) -> None:
    # Recorded together with `round_finished`, so no other state shares the round yet.
    state.rounds[event.round - 1].seed = event.seed


def _entry_suspended(state: LadderState, event: ev.EntrySuspended) -> None:
    entry = state.entries[state.numbers[event.entry]]
    entry.status = SUSPENDED
    entry.evidence = event.faults
    entry.judged |= {fault.match_id for fault in event.faults}
    entry.good_probes = []


def _entry_reinstated(state: LadderState, event: ev.EntryReinstated) -> None:
    entry = state.entries[state.numbers[event.entry]]
    entry.status = ACTIVE
    entry.evidence = ()
    entry.recent = []
    entry.good_probes = []


APPLY: Final[dict[type, Callable[[LadderState, Any], None]]] = {
    ev.LadderCreated: _ladder_created,
    ev.EntryAdded: _entry_added,
    ev.EntryRemoved: _entry_removed,
    ev.SeasonOpened: _season_opened,
    ev.RoundOpened: _round_opened,
    ev.PublicValueRecorded: _public_value_recorded,
    ev.BlockFinished: _block_finished,
    ev.BlockVoided: _block_voided,
    ev.RoundStopped: _round_stopped,
    ev.RoundResumed: _round_resumed,
    ev.RoundFinished: _round_finished,
    ev.RoundSeedRevealed: _round_seed_revealed,
    ev.EntrySuspended: _entry_suspended,
    ev.EntryReinstated: _entry_reinstated,
}
"""How each event changes the state; a test compares the keys with the event types."""
