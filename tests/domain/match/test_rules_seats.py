"""Who may act, resigning, clocks, and seats that change hands."""

import pytest

from domain.match import events as ev
from domain.match.commands import (
    AddTwo,
    Build,
    ChangeController,
    Command,
    DeclineSwap,
    ExpireClock,
    GiveEstablishment,
    KeepDice,
    KeepTotal,
    Pass,
    RerollDice,
    Resign,
    RollDice,
    SeatPlan,
    SwapEstablishments,
    TakeCoins,
)
from domain.match.legal import unbuildable
from tests.domain.kit import (
    A,
    B,
    C,
    D,
    Scene,
    city,
    given,
    new_match,
    row,
    seat_plan,
)

OPEN = SeatPlan("open")


# Turn order and phases


@pytest.mark.parametrize(
    "command",
    [
        RollDice(B, 1),
        Pass(B),
        Build(B, "cafe"),
        RerollDice(B),
        KeepDice(B),
        AddTwo(B),
        KeepTotal(B),
        TakeCoins(B, A),
        SwapEstablishments(B, "bakery", A, "bakery"),
        DeclineSwap(B),
        GiveEstablishment(B, "bakery"),
        ExpireClock(B),
        RollDice(-1, 1),
        RollDice(10**30, 1),
    ],
)
def test_only_the_seat_to_act_may_act(command: Command) -> None:
    new_match("base").when(command).then_rejected("not_your_turn", "/seat")


@pytest.mark.parametrize(
    "command",
    [
        Pass(A),
        Build(A, "cafe"),
        RerollDice(A),
        KeepDice(A),
        AddTwo(A),
        KeepTotal(A),
        TakeCoins(A, B),
        SwapEstablishments(A, "bakery", B, "bakery"),
        DeclineSwap(A),
        GiveEstablishment(A, "bakery"),
    ],
)
def test_before_the_throw_nothing_but_the_throw_is_open(command: Command) -> None:
    new_match("base").when(command).then_rejected("wrong_phase")


def test_nothing_is_thrown_twice_in_a_turn() -> None:
    new_match("base").when(RollDice(A, 1), dice=[(6,)]).when(RollDice(A, 1)).then_rejected("wrong_phase")


def test_the_cards_that_cannot_be_built_are_named_with_price_and_first_reason() -> None:
    scene = given(
        "machi_koro_2",
        city(2, "forge"),
        city(),
        phase="build",
        rows=[row("low", cafe=1, forest=1), row("high"), row("landmarks", park=1, loan_office=1)],
    )
    reasons = {id: (price, code) for id, price, code in unbuildable(scene.state)}

    assert "cafe" not in reasons
    assert reasons["forest"] == (3, "insufficient_coins")
    assert reasons["mine"] == (4, "card_not_available")
    assert reasons["park"] == (16, "insufficient_coins")
    assert reasons["forge"] == (16, "landmark_already_built")
    assert reasons["loan_office"] == (10, "loan_office_condition")
    assert len(reasons) == 39


# Resigning


def test_the_last_seat_in_play_wins() -> None:
    new_match("base", 2).when(Resign(A)).then(
        ev.SeatResigned(A, "command"), ev.MatchFinished(B, "resignation")
    )
    new_match("base", 3).when(Resign(C), Resign(B)).then(
        ev.SeatResigned(C, "command"), ev.SeatResigned(B, "command"), ev.MatchFinished(A, "resignation")
    )


def test_a_seat_may_resign_on_anybodys_turn_and_the_turn_goes_on() -> None:
    new_match("base", 3).when(Resign(C), RollDice(A, 1), dice=[(6,)]).then(
        ev.SeatResigned(C, "command"), ev.DiceRolled("roll", (6,), 6)
    )


def test_the_turn_of_a_seat_that_resigns_is_over() -> None:
    new_match("base", 3).when(Resign(A)).then(
        ev.SeatResigned(A, "command"), ev.TurnEnded(1, A), ev.TurnStarted(2, B)
    )


def test_seats_that_resigned_are_passed_over() -> None:
    new_match("base", 4).when(
        Resign(B), Resign(C), RollDice(A, 1), Pass(A), RollDice(D, 1), Pass(D), dice=[(6,), (6,)]
    ).then_includes(ev.TurnStarted(2, D), ev.TurnStarted(3, A))


def test_the_extra_turn_of_a_seat_that_resigns_is_lost() -> None:
    given("base", city(1, "train_station", "amusement_park"), city(1), city(1)).when(
        RollDice(A, 2), Resign(A), dice=[(1, 1)]
    ).then_ends_with(ev.SeatResigned(A, "command"), ev.TurnEnded(1, A), ev.TurnStarted(2, B))


def test_the_airport_pays_a_seat_that_resigns_nothing() -> None:
    given("harbor", city(1, "airport"), city(1), city(1), phase="build").when(Resign(A)).then_nothing()


def test_a_choice_that_is_open_lapses_with_its_seat() -> None:
    scene = given("base", city(1, tv_station=1), city(9), city(9)).when(
        RollDice(A, 1), Resign(A), dice=[(6,)]
    )

    scene.then_nothing().then_ends_with(ev.TurnEnded(1, A), ev.TurnStarted(2, B))
    assert (scene.state.pending_card, scene.state.pending_copies) == ("", 0)


def test_no_choice_is_open_in_a_match_that_ended_by_resigning() -> None:
    scene = given("base", city(1, tv_station=1), city(9)).when(RollDice(A, 1), Resign(A), dice=[(6,)])

    scene.then_ends_with(ev.MatchFinished(B, "resignation"))
    assert (scene.state.pending_card, scene.state.pending_copies) == ("", 0)


@pytest.mark.parametrize("seat", [-1, 3, 10**30])
def test_only_a_seat_of_the_match_can_resign(seat: int) -> None:
    new_match("base", 3).when(Resign(seat)).then_rejected("validation_failed", "/seat")


def test_a_seat_resigns_once() -> None:
    new_match("base", 3).when(Resign(B)).when(Resign(B)).then_rejected("wrong_phase", "/seat")


def test_the_establishments_of_a_seat_that_resigned_do_not_return_to_the_market() -> None:
    given("base", city(9), city(0, cafe=3), city(9), phase="build", rows=[row("supply", cafe=0)]).when(
        Resign(B)
    ).when(Build(A, "cafe")).then_rejected("card_not_available", "/card")


# Clocks


def _clocked(ruleset: str, policy: str, *players: ev.PositionPlayer, **table: object) -> Scene:
    clock = ev.Clock(30_000, policy)
    return given(ruleset, *players, clock=clock, **table)  # type: ignore[arg-type]  # passed on as they are


def test_a_match_without_clock_never_runs_out_of_time() -> None:
    new_match("base").when(ExpireClock(A)).then_rejected("wrong_phase")


def test_the_clock_of_the_seat_to_act_runs_alone() -> None:
    _clocked("base", "default_command", city(1), city(1)).when(ExpireClock(B)).then_rejected(
        "not_your_turn", "/seat"
    )


def test_the_default_is_to_throw_one_die() -> None:
    _clocked("base", "default_command", city(1, "train_station"), city(1)).when(
        ExpireClock(A), dice=[(6,)]
    ).then(ev.ClockExpired(A, "default_command"), ev.DiceRolled("roll", (6,), 6))


def test_the_default_is_to_build_nothing() -> None:
    _clocked("base", "default_command", city(9), city(1), phase="build").when(ExpireClock(A)).then(
        ev.ClockExpired(A, "default_command"), ev.BuildPassed(A), ev.TurnEnded(1, A), ev.TurnStarted(2, B)
    )


def test_the_default_in_a_building_round_is_to_build_nothing() -> None:
    _clocked("machi_koro_2", "default_command", city(9), city(1), phase="setup").when(
        ExpireClock(A)
    ).then_includes(ev.ClockExpired(A, "default_command"), ev.BuildPassed(A))


def test_the_default_is_to_keep_the_dice() -> None:
    _clocked("base", "default_command", city(9, "radio_tower"), city(1)).when(
        RollDice(A, 1), ExpireClock(A), dice=[(6,)]
    ).then_ends_with(ev.ClockExpired(A, "default_command"), ev.DiceKept(A, "reroll", 6))


def test_the_default_is_to_keep_the_total() -> None:
    _clocked("harbor", "default_command", city(9, "train_station", "harbor"), city(1)).when(
        RollDice(A, 2), ExpireClock(A), dice=[(5, 6)]
    ).then_ends_with(ev.ClockExpired(A, "default_command"), ev.DiceKept(A, "add_two", 11))


@pytest.mark.parametrize(("purses", "target"), [((3, 7, 5), C), ((7, 7, 5), B), ((1, 1, 1), B)])
def test_the_default_is_to_take_coins_from_the_richest_opponent_the_next_in_turn_of_equals(
    purses: tuple[int, int, int], target: int
) -> None:
    _clocked("base", "default_command", city(0, tv_station=1), *[city(coins) for coins in purses]).when(
        RollDice(A, 1), ExpireClock(A), dice=[(6,)]
    ).then_includes(ev.ClockExpired(A, "default_command"), ev.TargetChosen(A, "tv_station", target))


def test_the_default_is_to_decline_a_trade() -> None:
    _clocked("base", "default_command", city(0, business_center=1, bakery=1), city(0, mine=1)).when(
        RollDice(A, 1), ExpireClock(A), dice=[(6,)]
    ).then_ends_with(ev.ClockExpired(A, "default_command"), ev.SwapDeclined(A))


def test_the_default_is_to_give_the_cheapest_establishment_away() -> None:
    _clocked(
        "machi_koro_2", "default_command", city(1, "moving_company", sushi_bar=1, cafe=1, mine=1), city(1)
    ).when(RollDice(A, 2), ExpireClock(A), dice=[(4, 4)]).then_ends_with(
        ev.ClockExpired(A, "default_command"), ev.EstablishmentGiven(A, "cafe", B)
    )


def test_a_forfeit_is_a_resignation() -> None:
    _clocked("base", "forfeit", city(1), city(1), city(1)).when(ExpireClock(A)).then(
        ev.ClockExpired(A, "forfeit"),
        ev.SeatResigned(A, "clock"),
        ev.TurnEnded(1, A),
        ev.TurnStarted(2, B),
    )
    _clocked("base", "forfeit", city(1), city(1)).when(ExpireClock(A)).then(
        ev.ClockExpired(A, "forfeit"), ev.SeatResigned(A, "clock"), ev.MatchFinished(B, "resignation")
    )


def test_a_strategy_takes_the_seat_over_and_the_decision_stays_open() -> None:
    scene = _clocked("base", "strategy", city(1), city(1)).when(ExpireClock(A, "random", "1"))

    scene.then(
        ev.ClockExpired(A, "strategy"), ev.ControllerChanged(A, "strategy", "random", "random", "1")
    ).then_legal(RollDice(A, 1))


def test_no_clock_runs_in_a_match_that_is_over() -> None:
    _clocked("base", "forfeit", city(1), city(1)).when(Resign(B)).when(ExpireClock(A)).then_rejected(
        "match_finished"
    )


# Changing hands


def test_a_seat_changes_hands_and_keeps_its_seed() -> None:
    plans = [SeatPlan("account", "acc_0", "nought", seed="s0"), seat_plan(B)]
    scene = new_match("base", plans=plans).when(ChangeController(A, "strategy", "random", "Random", "2"))

    scene.then(ev.ControllerChanged(A, "strategy", "random", "Random", "2"))
    taken = scene.state.controllers[A]
    assert taken == ev.SeatTaken(A, "strategy", "random", "Random", "2", "s0")


@pytest.mark.parametrize("seat", [-1, 1, 2, 10**30])
def test_only_a_seat_that_is_taken_changes_hands(seat: int) -> None:
    new_match("base", plans=[seat_plan(A), OPEN]).when(
        ChangeController(seat, "account", "x", "x")
    ).then_rejected("validation_failed", "/seat")
