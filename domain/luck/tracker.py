"""The tracker of luck, which follows the events of a match from roll to roll.

The value of a roll comes from the tree of the turn, which applies the rules. What a turn brought comes from
the recorded payments. The two must agree in every turn.
"""

from collections.abc import Callable, Iterable
from operator import sub
from typing import Any, Final

from msgspec.structs import replace

from domain.errors import RuleViolation
from domain.luck.records import Luck, Relative, Throw, luck_in, relative
from domain.luck.tree import SCALE, TurnTree, Value
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.commands import NonBuildCommand
from domain.match.events import Event
from domain.match.evolve import apply, begin
from domain.match.state import MatchState


class Unexplained(Exception):
    """The recorded events do not follow from the rules."""

    def __init__(self, sequence: int, detail: str) -> None:
        super().__init__(sequence, detail)
        self.sequence = sequence
        """The first event that cannot be explained."""
        self.detail = detail


class Tracker:
    """Computes the luck of the events that it follows."""

    state: MatchState
    """The recorded state; not set before the first event."""
    _thrown: Value
    """The value after the open roll under the best choices; not set before the first one."""

    def __init__(self) -> None:
        self._throws: list[Throw] = []
        self._turn: TurnTree | None = None
        """The tree of the turn whose dice are not settled."""
        self._branches: dict[int, MatchState] = {}
        """The current states in the tree, by total of a boats roll that is still to come."""
        self._open: Throw | None = None
        self._now: Value = []
        """The value after the choices made since the last roll."""

    def follow(self, events: Iterable[Event]) -> None:
        """Follow the next events of the match, which must be those of complete commands.

        Raises:
            Unexplained: the events do not follow from the rules. The tracker cannot be used afterwards.
        """
        for event in events:
            if isinstance(event, ev.MatchCreated):
                self.state = begin(event)
                continue
            handle = _HANDLERS.get(type(event))
            if handle is not None:
                self._explain(handle, event)
            apply(self.state, event)
            if isinstance(event, ev.BranchStarted | ev.TokensPlaced) and self.state.dice:
                self._resume_turn()
        if self._turn is not None and self._is_settled():
            self._settle()

    def luck(self) -> Luck:
        """The luck so far."""
        open = [self._open] if self._open is not None else []
        return luck_in((*self._throws, *open), len(self.state.controllers))

    def _explain(self, handle: Callable[["Tracker", Any], None], event: Event) -> None:
        try:
            handle(self, event)
        except RuleViolation as refusal:
            raise self._unexplained(str(refusal)) from refusal

    def _unexplained(self, detail: str) -> Unexplained:
        return Unexplained(self.state.version + 1, detail)

    def rolled(self, event: ev.DiceRolled) -> None:
        """Handle a roll: the first of a turn, a reroll, or that of the boats."""
        if event.purpose == "boats":
            after = self._branch(event.total)
            self._close_before_next()
            self._throw(event, self._now, {0: after})
            return
        seat = self.state.active
        command: NonBuildCommand
        if event.purpose == "reroll":
            before, command = self._branch(), cmd.RerollDice(seat)
            self._now = self._tree().mean(before, command)
            self._close_before_next()
        else:
            if self._turn is not None:
                raise self._unexplained("a second roll of the same turn")
            before, command = self.state.copy(), cmd.RollDice(seat, len(event.values))
            self._turn = TurnTree(before)
            self._now = self._turn.mean(before, command)
        self._throw(event, self._now, self._tree().branches(before, command, event.values))

    def _resume_turn(self) -> None:
        """Start a turn in the middle of which a branch begins: what the roll in the origin still brings
        counts towards the expectation of the next roll."""
        if self.state.phase in ("build", "invest"):
            return
        table = self.state.copy()
        self._turn = TurnTree(table)
        self._branches = {0: table}

    def _throw(self, event: ev.DiceRolled, expected: Value, branches: dict[int, MatchState]) -> None:
        turn = self._tree()
        self._branches = branches
        self._thrown = self._now = turn.value_of(branches)
        before = self._relative(expected)
        self._open = Throw(
            self.state.version + 1,
            self.state.turn,
            turn.active,
            event.purpose,
            event.values,
            before,
            _less(self._relative(self._thrown), before),
        )

    def chosen(self, event: Event) -> None:
        """Handle a choice of the active seat that rolls no dice."""
        turn = self._tree()
        self._branches = turn.branches(self._branch(), _command_of(event, self.state))
        self._now = turn.value_of(self._branches)

    def closed(self, event: ev.EstablishmentsClosed) -> None:
        """Handle the choice of what closes; a card that closes by itself is part of the roll."""
        if self.state.phase == "renovate":
            self.chosen(event)

    def left(self, event: ev.SeatResigned) -> None:
        """Handle a resignation. What it changes during a roll counts with the next choice.

        If the active seat resigns, its roll brings nothing more.
        """
        turn = self._turn
        if turn is None:
            return
        if self._is_settled():
            self._settle()
            return
        if event.seat == turn.active:
            self._cut_off()
            return
        turn.forget()
        self._branches = turn.branches(self._branch(), cmd.Resign(event.seat))
        if self._is_settled():  # no choice is left
            self._now = turn.value_of(self._branches)

    def passed_on(self, event: Event) -> None:
        """Handle the end of what the turn's dice determine."""
        if self._turn is not None:
            self._settle()

    def ended(self, event: Event) -> None:
        """Handle the end of the match."""
        if self._turn is None:
            return
        if self._is_settled():
            self._settle()
        else:
            self._cut_off()

    def _tree(self) -> TurnTree:
        if self._turn is None:
            raise self._unexplained("nothing was rolled")
        return self._turn

    def _branch(self, boats: int = 0) -> MatchState:
        """The current state in the tree."""
        if boats not in self._branches:
            raise self._unexplained(f"a boats' roll of {boats}" if boats else "no roll for the boats")
        return self._branches[boats]

    def _is_settled(self) -> bool:
        return self._branch().phase == "build"

    def _cut_off(self) -> None:
        """Close a roll that brings nothing more."""
        self._now = self._recorded()
        self._close(self._now)

    def _settle(self) -> None:
        """Close the turn's last roll with the recorded payments.

        Raises:
            Unexplained: the rules give other payments.
        """
        paid = self._recorded()
        if not self._is_settled() or paid != self._now:
            raise self._unexplained(f"the purses have gained {_whole(paid)}, not {_whole(self._now)}")
        self._close(paid)

    def _recorded(self) -> Value:
        """By seat: the recorded gain since before the turn's first roll."""
        return self._tree().gained(self.state)

    def _relative(self, value: Value) -> Relative:
        return relative(value, self._tree().playing)

    def _close_before_next(self) -> None:
        """Close a roll that is followed by another in the same turn."""
        if self._open is not None:
            self._close_throw(self._open, None)

    def _close(self, paid: Value) -> None:
        """Close the turn's last roll, if it has one: in a branch, all rolls may be the origin's."""
        if self._open is not None:
            self._close_throw(self._open, _whole(paid))
        self._turn = None

    def _close_throw(self, throw: Throw, coins: tuple[int, ...] | None) -> None:
        realised = self._relative(self._now)
        error = _less(self._relative(self._thrown), realised)
        self._throws.append(replace(throw, error=error, realised=realised, coins=coins))
        self._open = None


def _less(one: Relative, other: Relative) -> Relative:
    return tuple(map(sub, one, other))


def _whole(value: Value) -> tuple[int, ...]:
    return tuple([coins // SCALE for coins in value])


def _command_of(event: Event, state: MatchState) -> NonBuildCommand:
    """The command of the active seat that caused the event in that state."""
    seat = state.active
    match event:
        case ev.DiceKept(declined="reroll"):
            return cmd.KeepDice(seat)
        case ev.DiceKept():
            return cmd.KeepTotal(seat)
        case ev.TwoAdded():
            return cmd.AddTwo(seat)
        case ev.TargetChosen():
            return cmd.TakeCoins(seat, event.target)
        case ev.EstablishmentsSwapped():
            return cmd.SwapEstablishments(seat, event.give, event.with_seat, event.take)
        case ev.SwapDeclined():
            return cmd.DeclineSwap(seat)
        case ev.EstablishmentGiven() if state.phase == "move":
            return cmd.MoveEstablishment(seat, event.card, event.to_seat)
        case ev.EstablishmentGiven():
            return cmd.GiveEstablishment(seat, event.card)
        case ev.LandmarkDemolished():
            return cmd.Demolish(seat, event.landmark)
        case ev.EstablishmentsClosed():
            return cmd.Renovate(seat, event.establishment)
    raise AssertionError(f"{event!r} is no choice")


_HANDLERS: Final[dict[type, Callable[[Tracker, Any], None]]] = {
    ev.DiceRolled: Tracker.rolled,
    ev.DiceKept: Tracker.chosen,
    ev.TwoAdded: Tracker.chosen,
    ev.TargetChosen: Tracker.chosen,
    ev.EstablishmentsSwapped: Tracker.chosen,
    ev.SwapDeclined: Tracker.chosen,
    ev.EstablishmentGiven: Tracker.chosen,
    ev.LandmarkDemolished: Tracker.chosen,
    ev.EstablishmentsClosed: Tracker.closed,
    ev.SeatResigned: Tracker.left,
    ev.EstablishmentBuilt: Tracker.passed_on,
    ev.LandmarkBuilt: Tracker.passed_on,
    ev.BuildPassed: Tracker.passed_on,
    ev.TurnEnded: Tracker.passed_on,
    ev.MatchFinished: Tracker.ended,
    ev.MatchAborted: Tracker.ended,
}
"""Handlers that run before an event is applied; other events do not matter for luck."""


def luck_of(events: Iterable[Event]) -> Luck:
    """The luck of a match with these events, from the first on.

    Raises:
        Unexplained: the events do not follow from the rules.
    """
    tracker = Tracker()
    tracker.follow(events)
    return tracker.luck()
