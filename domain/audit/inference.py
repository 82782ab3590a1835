"""The inference of commands from recorded events: the events of a command determine it."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import UNSET, UnsetType

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.commands import Command
from domain.match.events import Event
from domain.match.state import MatchState


def command_of(state: MatchState, events: Sequence[Event]) -> Command | None:
    """The command that caused the events in that state; None if no command begins with such an event.

    Raises:
        RuleViolation: no command that begins with such an event was possible.
    """
    infer = _BY_FIRST.get(type(events[0]))
    return infer(state, events) if infer else None


def creation_of(made: ev.MatchCreated, events: Sequence[Event]) -> cmd.CreateMatch:
    """The command that created a match, given the first event and all events of its command."""
    plans = [cmd.SeatPlan("open")] * made.seats
    branch = None
    tokens: ev.TokensPlaced | UnsetType = UNSET
    for event in events[1:]:
        if isinstance(event, ev.BranchStarted):
            branch = event
        if isinstance(event, ev.TokensPlaced) and branch is not None:
            tokens = event
        if isinstance(event, ev.SeatTaken) and 0 <= event.seat < made.seats:
            plans[event.seat] = cmd.SeatPlan(event.kind, event.id, event.name, event.version, event.seed)
        if isinstance(event, ev.SeatReserved) and 0 <= event.seat < made.seats:
            plans[event.seat] = cmd.SeatPlan("reserved", event.id, event.name)
    return cmd.CreateMatch(
        made.rules_version,
        made.options,
        tuple(plans),
        made.dice,
        made.creator,
        made.first_seat,
        made.clock,
        made.position,
        made.visibility,
        made.tags,
        made.origin,
        branch,
        tokens,
    )


def _created_again(state: MatchState, events: Sequence[Event]) -> Command:
    raise RuleViolation("validation_failed", "the match was created already")


def _seat_taken(state: MatchState, events: Sequence[Event]) -> Command:
    taken = events[0]
    assert isinstance(taken, ev.SeatTaken)
    return cmd.TakeSeat(taken.seat, taken.kind, taken.id, taken.name, taken.version, taken.seed)


def _reservation_ended(state: MatchState, events: Sequence[Event]) -> Command:
    ended = events[0]
    assert isinstance(ended, ev.ReservationEnded)
    reserved = state.reservations.get(ended.seat)
    if reserved is None:
        raise RuleViolation("invitation_not_found", f"seat {ended.seat} is not reserved")
    account = reserved.id if ended.reason == "declined" else state.created.creator
    return cmd.EndReservation(ended.seat, account)


def _seed_committed(state: MatchState, events: Sequence[Event]) -> Command:
    committed = events[0]
    assert isinstance(committed, ev.SeatSeedCommitted)
    return cmd.CommitSeatSeed(committed.seat, committed.commitment)


def _seed_opened(state: MatchState, events: Sequence[Event]) -> Command:
    opened = events[0]
    assert isinstance(opened, ev.SeatSeedOpened)
    return cmd.OpenSeatSeed(opened.seat, opened.seed)


def _seeds_expired(state: MatchState, events: Sequence[Event]) -> Command:
    return cmd.ExpireSeatSeeds()


def _aborted(state: MatchState, events: Sequence[Event]) -> Command:
    aborted = events[0]
    assert isinstance(aborted, ev.MatchAborted)
    return cmd.AbortMatch(aborted.reason)


def _clock_expired(state: MatchState, events: Sequence[Event]) -> Command:
    expired = events[0]
    assert isinstance(expired, ev.ClockExpired)
    for event in events[1:2]:
        if isinstance(event, ev.ControllerChanged):
            return cmd.ExpireClock(expired.seat, event.id, event.version)
    return cmd.ExpireClock(expired.seat)


def _controller_changed(state: MatchState, events: Sequence[Event]) -> Command:
    changed = events[0]
    assert isinstance(changed, ev.ControllerChanged)
    return cmd.ChangeController(changed.seat, changed.kind, changed.id, changed.name, changed.version)


def _dice_rolled(state: MatchState, events: Sequence[Event]) -> Command | None:
    rolled = events[0]
    assert isinstance(rolled, ev.DiceRolled)
    if rolled.purpose == "reroll":
        return cmd.RerollDice(state.active)
    return cmd.RollDice(state.active, len(rolled.values)) if rolled.purpose == "roll" else None


def _dice_kept(state: MatchState, events: Sequence[Event]) -> Command:
    kept = events[0]
    assert isinstance(kept, ev.DiceKept)
    return cmd.KeepDice(kept.seat) if kept.declined == "reroll" else cmd.KeepTotal(kept.seat)


def _two_added(state: MatchState, events: Sequence[Event]) -> Command:
    added = events[0]
    assert isinstance(added, ev.TwoAdded)
    return cmd.AddTwo(added.seat)


def _target_chosen(state: MatchState, events: Sequence[Event]) -> Command:
    chosen = events[0]
    assert isinstance(chosen, ev.TargetChosen)
    return cmd.TakeCoins(chosen.seat, chosen.target)


def _swapped(state: MatchState, events: Sequence[Event]) -> Command:
    swap = events[0]
    assert isinstance(swap, ev.EstablishmentsSwapped)
    return cmd.SwapEstablishments(swap.seat, swap.give, swap.with_seat, swap.take)


def _swap_declined(state: MatchState, events: Sequence[Event]) -> Command:
    declined = events[0]
    assert isinstance(declined, ev.SwapDeclined)
    return cmd.DeclineSwap(declined.seat)


def _given(state: MatchState, events: Sequence[Event]) -> Command:
    given = events[0]
    assert isinstance(given, ev.EstablishmentGiven)
    if state.phase == "move":
        return cmd.MoveEstablishment(given.seat, given.card, given.to_seat)
    return cmd.GiveEstablishment(given.seat, given.card)


def _demolished(state: MatchState, events: Sequence[Event]) -> Command:
    demolished = events[0]
    assert isinstance(demolished, ev.LandmarkDemolished)
    return cmd.Demolish(demolished.seat, demolished.landmark)


def _closed(state: MatchState, events: Sequence[Event]) -> Command:
    closed = events[0]
    assert isinstance(closed, ev.EstablishmentsClosed)
    return cmd.Renovate(closed.seat, closed.establishment)


def _invested(state: MatchState, events: Sequence[Event]) -> Command:
    invested = events[0]
    assert isinstance(invested, ev.CoinInvested)
    return cmd.InvestCoin(invested.seat)


def _investment_declined(state: MatchState, events: Sequence[Event]) -> Command:
    declined = events[0]
    assert isinstance(declined, ev.InvestmentDeclined)
    return cmd.DeclineInvestment(declined.seat)


def _built(state: MatchState, events: Sequence[Event]) -> Command:
    built = events[0]
    assert isinstance(built, ev.EstablishmentBuilt | ev.LandmarkBuilt)
    return cmd.Build(built.seat, built.card)


def _passed(state: MatchState, events: Sequence[Event]) -> Command:
    passed = events[0]
    assert isinstance(passed, ev.BuildPassed)
    return cmd.Pass(passed.seat)


def _resigned(state: MatchState, events: Sequence[Event]) -> Command:
    resigned = events[0]
    assert isinstance(resigned, ev.SeatResigned)
    return cmd.Resign(resigned.seat)


_BY_FIRST: Final[dict[type, Callable[[MatchState, Sequence[Any]], Command | None]]] = {
    ev.MatchCreated: _created_again,
    ev.SeatTaken: _seat_taken,
    ev.ReservationEnded: _reservation_ended,
    ev.SeatSeedCommitted: _seed_committed,
    ev.SeatSeedOpened: _seed_opened,
    ev.SeatSeedForgone: _seeds_expired,
    ev.SeatSeedWithheld: _seeds_expired,
    ev.MatchAborted: _aborted,
    ev.ClockExpired: _clock_expired,
    ev.ControllerChanged: _controller_changed,
    ev.DiceRolled: _dice_rolled,
    ev.DiceKept: _dice_kept,
    ev.TwoAdded: _two_added,
    ev.TargetChosen: _target_chosen,
    ev.EstablishmentsSwapped: _swapped,
    ev.SwapDeclined: _swap_declined,
    ev.EstablishmentGiven: _given,
    ev.LandmarkDemolished: _demolished,
    ev.EstablishmentsClosed: _closed,
    ev.CoinInvested: _invested,
    ev.InvestmentDeclined: _investment_declined,
    ev.EstablishmentBuilt: _built,
    ev.LandmarkBuilt: _built,
    ev.BuildPassed: _passed,
    ev.SeatResigned: _resigned,
}
"""By the type of the first event of a command."""


def actor_of(command: Command) -> str:
    """The actor that must be recorded for the command; empty if any is possible."""
    if isinstance(command, cmd.CreateMatch):
        return f"account:{command.creator}"
    if isinstance(command, cmd.TakeSeat):
        return f"account:{command.id}" if command.kind == "account" else ""
    if isinstance(command, cmd.EndReservation):
        return f"account:{command.account}"
    if isinstance(command, cmd.ExpireClock | cmd.ExpireSeatSeeds):
        return "service"
    if isinstance(command, cmd.AbortMatch | cmd.ChangeController):
        return ""
    return f"seat:{command.seat}"
