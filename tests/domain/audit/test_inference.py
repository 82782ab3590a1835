"""Each command is found again in the events that it causes, with the actor who must have given it."""

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from domain.audit.inference import actor_of, command_of, creation_of
from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.branches import branch_started
from domain.match.commands import Command, SeatPlan
from domain.match.events import Event
from domain.match.state import MatchState
from tests.domain.kit import A, B, C, D, Scene, creation, given, new_match
from tests.domain.kit import city as player

STARTED = ev.TurnStarted(9, D)
"""An event that says nothing of the command before it."""

INFERRED: list[tuple[list[Event], Command, str]] = [
    (
        [ev.SeatTaken(B, "account", "acc_1", "ann", "", "mine"), STARTED],
        cmd.TakeSeat(B, "account", "acc_1", "ann", "", "mine"),
        "account:acc_1",
    ),
    (
        [ev.SeatTaken(C, "strategy", "greedy", "Greedy", "3"), STARTED],
        cmd.TakeSeat(C, "strategy", "greedy", "Greedy", "3"),
        "",
    ),
    ([ev.SeatSeedCommitted(B, "sha-256:1")], cmd.CommitSeatSeed(B, "sha-256:1"), "seat:1"),
    ([ev.SeatSeedOpened(B, "mine"), STARTED], cmd.OpenSeatSeed(B, "mine"), "seat:1"),
    ([ev.SeatSeedForgone(B), STARTED], cmd.ExpireSeatSeeds(), "service"),
    ([ev.SeatSeedWithheld(B), STARTED], cmd.ExpireSeatSeeds(), "service"),
    ([ev.MatchAborted("dice_tape_exhausted")], cmd.AbortMatch("dice_tape_exhausted"), ""),
    ([ev.ClockExpired(B, "default_command"), STARTED], cmd.ExpireClock(B), "service"),
    ([ev.ClockExpired(B, "default_command")], cmd.ExpireClock(B), "service"),
    (
        [ev.ClockExpired(B, "strategy"), ev.ControllerChanged(B, "strategy", "greedy", "Greedy", "3")],
        cmd.ExpireClock(B, "greedy", "3"),
        "service",
    ),
    (
        [
            ev.ClockExpired(B, "forfeit"),
            STARTED,
            ev.ControllerChanged(C, "strategy", "greedy", "Greedy", "3"),
        ],
        cmd.ExpireClock(B),
        "service",
    ),
    (
        [ev.ControllerChanged(B, "strategy", "greedy", "Greedy", "3")],
        cmd.ChangeController(B, "strategy", "greedy", "Greedy", "3"),
        "",
    ),
    ([ev.DiceRolled("roll", (4,), 4)], cmd.RollDice(C, 1), "seat:2"),
    ([ev.DiceRolled("roll", (4, 1), 5), STARTED], cmd.RollDice(C, 2), "seat:2"),
    ([ev.DiceRolled("reroll", (4, 1), 5), STARTED], cmd.RerollDice(C), "seat:2"),
    ([ev.DiceKept(B, "reroll", 5)], cmd.KeepDice(B), "seat:1"),
    ([ev.DiceKept(B, "add_two", 10)], cmd.KeepTotal(B), "seat:1"),
    ([ev.TwoAdded(B, 12), STARTED], cmd.AddTwo(B), "seat:1"),
    ([ev.TargetChosen(B, "tv_station", D), STARTED], cmd.TakeCoins(B, D), "seat:1"),
    (
        [ev.EstablishmentsSwapped(B, "mine", D, "cafe")],
        cmd.SwapEstablishments(B, "mine", D, "cafe"),
        "seat:1",
    ),
    ([ev.SwapDeclined(B)], cmd.DeclineSwap(B), "seat:1"),
    ([ev.EstablishmentGiven(B, "mine", A)], cmd.GiveEstablishment(B, "mine"), "seat:1"),
    ([ev.LandmarkDemolished(B, "demolition_company", "harbor")], cmd.Demolish(B, "harbor"), "seat:1"),
    ([ev.EstablishmentsClosed(B, "renovation_company", "cafe", (1, 0))], cmd.Renovate(B, "cafe"), "seat:1"),
    ([ev.CoinInvested(B, "tech_startup", 2), STARTED], cmd.InvestCoin(B), "seat:1"),
    ([ev.InvestmentDeclined(B), STARTED], cmd.DeclineInvestment(B), "seat:1"),
    ([ev.EstablishmentBuilt(B, "mine", 6), STARTED], cmd.Build(B, "mine"), "seat:1"),
    ([ev.LandmarkBuilt(B, "harbor", 2), STARTED], cmd.Build(B, "harbor"), "seat:1"),
    ([ev.BuildPassed(B), STARTED], cmd.Pass(B), "seat:1"),
    ([ev.SeatResigned(B, "command"), STARTED], cmd.Resign(B), "seat:1"),
]


def at_seat_c() -> MatchState:
    """A running match in which seat C is to act."""
    return given("base", *[player(5) for _ in range(4)], active=C).state


@pytest.mark.parametrize(("events", "command", "actor"), INFERRED)
def test_the_events_of_a_command_determine_it_and_its_actor(
    events: list[Event], command: Command, actor: str
) -> None:
    found = command_of(at_seat_c(), events)

    assert found == command
    assert found is not None
    assert actor_of(found) == actor


def test_whoever_moves_an_establishment_chooses_who_gets_it() -> None:
    state = at_seat_c()
    state.phase = "move"

    assert command_of(state, [ev.EstablishmentGiven(C, "mine", A)]) == cmd.MoveEstablishment(C, "mine", A)


@pytest.mark.parametrize(
    "event",
    [
        STARTED,
        ev.DiceRolled("boats", (4, 1), 5),
        ev.MatchFinished(B, "landmarks"),
        ev.SeatReserved(B, "a", "b"),
    ],
)
def test_no_command_begins_with_what_only_follows(event: Event) -> None:
    assert command_of(at_seat_c(), [event]) is None


def test_nothing_is_created_twice() -> None:
    with pytest.raises(RuleViolation) as refused:
        command_of(at_seat_c(), new_match("base").events)
    assert refused.value.code == "validation_failed"


def test_a_reservation_is_declined_by_its_account_and_withdrawn_by_the_creator() -> None:
    plans = [SeatPlan("account", "acc_0", "ada"), SeatPlan("reserved", "acc_9", "nina"), SeatPlan("open")]
    state = new_match("base", plans=plans).state
    found = [command_of(state, [ev.ReservationEnded(B, reason)]) for reason in ("declined", "withdrawn")]

    assert found == [cmd.EndReservation(B, "acc_9"), cmd.EndReservation(B, "acc_0")]
    assert [actor_of(command) for command in found if command] == ["account:acc_9", "account:acc_0"]
    for seat in (A, C, 7):
        with pytest.raises(RuleViolation) as refused:
            command_of(state, [ev.ReservationEnded(seat, "declined")])
        assert refused.value.code == "invitation_not_found"


PLANS = [
    SeatPlan("account", "acc_0", "ada", "", "mine"),
    SeatPlan("open"),
    SeatPlan("reserved", "acc_9", "nina"),
    SeatPlan("strategy", "greedy", "Greedy", "3"),
]


def test_the_creation_of_a_match_is_found_again_in_its_events() -> None:
    dice = ev.Dice("scripted", throws=((1,), (2, 3)))
    command = replace(
        creation("harbor", plans=PLANS, first_seat=2, clock=ev.Clock(1000, "forfeit")),
        dice=dice,
        visibility="private",
        tags=("cup", "final"),
    )
    events = Scene(None).when(command).events

    assert isinstance(events[0], ev.MatchCreated)
    assert creation_of(events[0], events) == command
    assert actor_of(command) == "account:acc_0"


def test_the_creation_from_a_position_is_found_again_in_its_events() -> None:
    scene = given(
        "base", player(7, "radio_tower", mine=2), player(), active=B, phase="build", market="limited"
    )
    created = scene.state.created
    found = creation_of(created, [created])

    assert (found.position, found.options, found.rules_version) == (
        created.position,
        created.options,
        "base@1",
    )
    assert [plan.kind for plan in found.seats] == ["open", "open"]


@pytest.mark.parametrize("seat", [A, B])
def test_each_seat_of_a_new_match_may_be_reserved(seat: int) -> None:
    created = new_match("base", plans=PLANS[:2]).state.created
    found = creation_of(created, [created, ev.SeatReserved(seat, "acc_9", "nina")])

    assert found.seats[seat] == SeatPlan("reserved", "acc_9", "nina")


def test_seats_that_are_not_there_are_passed_over() -> None:
    created = new_match("base", plans=PLANS[:2]).state.created
    events = [created]
    for seat in (-1, 2):
        events += [ev.SeatTaken(seat, "account", "acc_7", "eve"), ev.SeatReserved(seat, "acc_8", "ron")]  # type: ignore[list-item]

    assert [plan.kind for plan in creation_of(created, events).seats] == ["open", "open"]


def test_the_tokens_of_a_branch_are_those_placed_after_its_beginning() -> None:
    created = new_match("base", plans=PLANS[:2]).state.created
    table = given("base", player(5), player(5)).state
    begun, placed = branch_started(table, keeps_orders=False), ev.TokensPlaced(({}, {}), (0, 1))
    found = creation_of(created, [created, begun, placed])

    assert (found.branch, found.tokens) == (begun, placed)
    assert creation_of(created, [created, placed]).tokens is UNSET
    assert creation_of(created, [created, begun]).tokens is UNSET
