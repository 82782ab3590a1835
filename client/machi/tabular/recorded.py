"""The recorded events of a match: read from the lines of an export, checked, and followed state by state."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, cast

from domain.audit.envelopes import ReadEvent, batches
from domain.audit.files import Unreadable, read_exports
from domain.audit.inference import command_of
from domain.audit.order import check_chain, check_sequence, read_events
from domain.audit.recorded_state import folded
from domain.audit.report import Findings
from domain.match.commands import PLAY_COMMANDS, PlayCommand, Resign
from domain.match.events import ClockExpired, Event
from domain.match.evolve import apply, begin
from domain.match.state import MatchState

_OF_THE_HASHES: Final = ("schema", "sequence", "chain")


class Damaged(Exception):
    """The lines are not the record of one match; the message says why."""


class RecordedMatch(NamedTuple):
    """A match whose events form one unbroken chain of hashes."""

    match_id: str
    events: Sequence[ReadEvent]


class Step(NamedTuple):
    """An event, and the states around it."""

    recorded: ReadEvent
    before: MatchState | None
    """The state before it if the event records a decision of the seat to act; otherwise None."""
    command: PlayCommand | None
    """That decision; None for other events."""
    by_clock: bool
    """Whether the clock made it, because its time had run out."""
    after: MatchState
    """The state after the event. It changes with the next step: take from it what is needed."""


def recorded_match(lines: Iterable[bytes]) -> RecordedMatch:
    """The match of an export with exactly one, after checking its hashes and their order.

    Signatures, dice and payments are not checked: `machi verify` does that.

    Raises:
        Damaged.
    """
    try:
        (evidence,) = read_exports(lines)
    except (Unreadable, ValueError) as error:
        raise Damaged(str(error)) from None
    findings = Findings()
    events = read_events(evidence, findings)
    check_sequence(evidence, events, findings)
    check_chain(evidence, events, findings)
    if findings.has_failed(*_OF_THE_HASHES):
        raise Damaged("it is damaged; `machi verify` says where")
    return RecordedMatch(evidence.match_id, events)


def steps(match: RecordedMatch) -> Iterator[Step]:
    """All events but the first in order, each with the decision that it records.

    Raises:
        Damaged: the events cannot follow each other.
    """
    _require_foldable(match)
    state = begin(match.events[0].event)
    command_id, by_clock = match.events[0].envelope.command_id, False
    for one in match.events[1:]:
        starts = one.envelope.command_id != command_id or by_clock
        command_id = one.envelope.command_id
        # The event after an expired clock begins the command that the clock gives for the seat.
        command = _decision(state, one.event) if starts else None
        before = state.copy() if command is not None else None
        apply(state, one.event)
        yield Step(one, before, command, by_clock, state)
        by_clock = isinstance(one.event, ClockExpired)


def _decision(state: MatchState, event: Event) -> PlayCommand | None:
    """The decision that begins with the event. Resigning is none: `legal_commands` does not list it."""
    command = command_of(state, (event,))
    if isinstance(command, Resign) or type(command) not in PLAY_COMMANDS.values():
        return None
    return cast(PlayCommand, command)


def _require_foldable(match: RecordedMatch) -> None:
    """Apply all events once with the limits for untrusted ones.

    Raises:
        Damaged.
    """
    state: MatchState | None = None
    for batch in batches(match.events):
        state = folded(state, batch)
        if state is None:
            raise Damaged(f"event {batch[0].place} cannot follow; `machi verify` says why")
