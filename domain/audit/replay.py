"""The replay of a match: each command is inferred, decided by the rules and compared with the record."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from domain.audit.envelopes import ReadEvent, time_ms
from domain.audit.inference import actor_of, command_of, creation_of
from domain.audit.recorded_chance import FACES, NotRecorded, RecordedChance
from domain.audit.recorded_state import folded, is_playable
from domain.audit.report import Findings
from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.commands import Command
from domain.match.decide import advance, create
from domain.match.events import MOST_BANKED_MS, Event
from domain.match.rulesets import VERSIONS, resolve_options
from domain.match.seat_seeds import seat_seeds_of
from domain.match.state import MatchState, decision_time_ms

_CHECK_OF: Final[dict[type, str]] = {
    ev.SeatSeedCommitted: "dice",
    ev.SeatSeedForgone: "dice",
    ev.SeatSeedOpened: "dice",
    ev.SeatSeedWithheld: "dice",
    ev.DiceRolled: "dice",
    ev.MarketRefilled: "draws",
    ev.IncomeReceived: "payments",
    ev.PaymentMade: "payments",
    ev.CoinsLevelled: "payments",
    ev.HelpReceived: "payments",
    ev.MatchFinished: "result",
    ev.MatchAborted: "result",
    ev.DiceRevealed: "result",
}
"""The check that an event belongs to; all others belong to `decisions`."""

_OF_SEAT_SEEDS: Final = (ev.SeatSeedCommitted, ev.SeatSeedForgone, ev.SeatSeedOpened, ev.SeatSeedWithheld)
"""First events of commands about seat seeds: a violation there fails the check `dice`."""

_POLICIES: Final = ("default_command", "strategy", "forfeit")
_SITTING: Final = ("account", "strategy")
_PLANNED: Final = (*_SITTING, "open", "reserved")
_ABORT_REASONS: Final = ("creator", "dice_tape_exhausted", "dice_tape_mismatch")
"""Reasons of the command; at the turn limit, the end of a turn aborts the match instead."""
_VISIBILITIES: Final = ("public", "unlisted", "private")


class Replay:
    """The progress of a replay."""

    _last_time: str
    """The time of the last event; not set before the first one."""

    def __init__(self, chance: RecordedChance, findings: Findings) -> None:
        self.state: MatchState | None = None
        """None before the first event."""
        self._chance = chance
        self._findings = findings
        self.is_stuck = False
        """Whether the following events cannot be applied."""

    def play(self, batch: Sequence[ReadEvent]) -> None:
        """Check the events of one command, and continue from the recorded ones."""
        events = [one.event for one in batch]
        first = batch[0].place
        decided, state = self._decided(batch, events, first)
        found = state
        if decided is None or not self._agrees(decided, events, first):
            found = folded(self.state, batch)
        if found is None or not _is_sound_beginning(found, events):
            self._findings.fail("decisions", batch[-1].place, "nobody could play on from there")
            self.is_stuck = True
            return
        self.state = found
        self._last_time = batch[-1].envelope.time

    def _decided(
        self, batch: Sequence[ReadEvent], events: Sequence[Event], first: int
    ) -> tuple[list[Event] | None, MatchState | None]:
        """The events that the rules decide for the command, and the state after it; None after a refusal."""
        try:
            if self.state is None:
                return self._created(batch, events)
            state = self.state.copy()
            command = command_of(state, events)
            if command is None:
                raise RuleViolation("unknown_command", f"no command begins with {ev.type_name(events[0])}")
            _require_sound(command, batch)
            self._require_expired(state, command, batch)
            taken_ms = self._taken_ms(state, batch)
            return advance(state, command, self._chance.begin(batch), taken_ms), state
        except RuleViolation as refusal:
            name = "dice" if isinstance(events[0], _OF_SEAT_SEEDS) else "decisions"
            self._findings.fail(name, first, f"{refusal.code}: {refusal.detail}")
        except NotRecorded:
            self._findings.fail("decisions", first, "the luck that the command needs is not recorded")
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
            # Forged events can name cards, seats and totals that the rules never produce.
            self._findings.fail("decisions", first, f"no such command is possible: {type(error).__name__}")
        return None, None

    def _created(self, batch: Sequence[ReadEvent], events: Sequence[Event]) -> tuple[list[Event], MatchState]:
        """The events that the rules decide for the first command, and the state after it.

        Raises:
            RuleViolation: the rules refuse it.
        """
        first = events[0]
        assert isinstance(first, ev.MatchCreated), "the replay begins with the creation"
        command = creation_of(first, events)
        _require_sound_creation(command)
        _require_sound(command, batch)
        state, decided = create(command, self._chance.begin(batch))
        return decided, state

    def _require_expired(self, state: MatchState, command: Command, batch: Sequence[ReadEvent]) -> None:
        """Refuse a clock that expires too early.

        Raises:
            RuleViolation: `clock_not_expired`.
        """
        if isinstance(command, cmd.ExpireClock | cmd.ExpireSeatSeeds):
            allowed_ms = _allowed_ms(state, command)
            passed_ms = time_ms(batch[0].envelope.time) - time_ms(self._last_time)
            if allowed_ms is not None and passed_ms < allowed_ms:
                raise RuleViolation("clock_not_expired", "the clock had not run out")

    def _taken_ms(self, state: MatchState, batch: Sequence[ReadEvent]) -> int:
        """The time that the decision took, from what is recorded as spent of a bank.

        The record does not tell how long the service was out, so what was spent can be too little, but not
        more than has passed.

        Raises:
            RuleViolation: `bank_overcharged`.
        """
        last, clock = batch[-1].event, state.created.clock
        if not isinstance(last, ev.BankChanged) or clock is None or last.spent_ms <= 0:
            return 0
        taken_ms = clock.decision_ms + last.spent_ms
        if taken_ms > time_ms(batch[0].envelope.time) - time_ms(self._last_time):
            raise RuleViolation("bank_overcharged", "the bank was charged for more time than had passed")
        return taken_ms

    def _agrees(self, decided: Sequence[Event], events: Sequence[Event], first: int) -> bool:
        """Whether the recorded events are the decided ones; reports the first difference."""
        for sequence, (should, found) in enumerate(zip_longest(decided, events), first):
            if should != found:
                self._note(should, found, sequence)
                return False
        return True

    def _note(self, should: Event | None, found: Event | None, sequence: int) -> None:
        of = found if found is not None and (should is None or type(found) in _CHECK_OF) else should
        name = _CHECK_OF.get(type(of), "decisions")
        if isinstance(found, ev.EstablishmentBuilt | ev.LandmarkBuilt) and type(found) is type(should):
            name = "payments"
        if should is None or found is None:
            odd, what = (found, "too much") if should is None else (should, "missing")
            assert odd is not None
            self._findings.fail(name, sequence, f"{ev.type_name(odd)} is {what}")
        else:
            self._findings.fail(name, sequence, f"it should be {should!r}, not {found!r}")


def _require_sound(command: Command, batch: Sequence[ReadEvent]) -> None:
    """Check what the service checks before it calls the rules.

    Raises:
        RuleViolation: `validation_failed` or `not_your_seat`.
    """
    if isinstance(command, cmd.TakeSeat | cmd.ChangeController) and command.kind not in _SITTING:
        raise RuleViolation("validation_failed", f"nobody of kind {command.kind!r} has a seat")
    if isinstance(command, cmd.AbortMatch) and command.reason not in _ABORT_REASONS:
        raise RuleViolation("validation_failed", f"nobody calls off for {command.reason!r}")
    expected = actor_of(command)
    if expected and any(one.envelope.actor != expected for one in batch):
        raise RuleViolation("not_your_seat", f"the actor is {batch[0].envelope.actor!r}, not {expected!r}")


def _allowed_ms(state: MatchState, command: cmd.ExpireClock | cmd.ExpireSeatSeeds) -> int | None:
    """The time limit in ms since the last event; None if none was set."""
    seeds = seat_seeds_of(state)
    if isinstance(command, cmd.ExpireSeatSeeds):
        return seeds.within_ms if seeds else None
    return decision_time_ms(state)


def _is_sound_beginning(state: MatchState, events: Sequence[Event]) -> bool:
    """False for a branch that does not begin at a playable table, which another match determined."""
    return is_playable(state) or not any(isinstance(event, ev.BranchStarted) for event in events)


def _require_sound_creation(command: cmd.CreateMatch) -> None:
    """Refuse a creation that the service would never accept, before a table is laid out from it.

    Raises:
        RuleViolation: `validation_failed`.
    """
    options = command.options
    ruleset = VERSIONS[command.rules_version]
    resolved = resolve_options(
        ruleset,
        len(command.seats),
        options.box or None,
        options.market,
        options.max_copies,
        options.card_costs,
        bool(options.commentary),
        bool(options.rated),
    )
    if resolved != options:
        raise RuleViolation("validation_failed", "the options are not those of the ruleset")
    odd = next((plan.kind for plan in command.seats if plan.kind not in _PLANNED), None)
    if odd is not None:
        raise RuleViolation("validation_failed", f"nobody of kind {odd!r} has a seat")
    if command.visibility not in _VISIBILITIES:
        raise RuleViolation("validation_failed", f"no match is {command.visibility!r}")
    if not _is_dice(command.dice, command.origin):
        raise RuleViolation("validation_failed", "no match has such dice")
    clock = command.clock
    if clock is not None and not _is_clock(clock):
        raise RuleViolation("validation_failed", "no match has such a clock")


def _is_clock(clock: ev.Clock) -> bool:
    """Whether a match can have such a clock."""
    return (
        clock.decision_ms >= 1
        and clock.on_timeout in _POLICIES
        and 0 <= clock.bank_ms <= MOST_BANKED_MS
        and 0 <= clock.increment_ms <= MOST_BANKED_MS
    )


def _is_dice(dice: ev.Dice, origin: ev.Origin | None) -> bool:
    """Whether a match can have such dice."""
    if dice.mode not in ("committed", "scripted") or (dice.throws and dice.mode != "scripted"):
        return False
    if bool(dice.seed_of) != (origin is not None and origin.dice == "same"):
        return False
    return all(len(throw) in (1, 2) and FACES.issuperset(throw) for throw in dice.throws)
