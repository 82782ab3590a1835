"""The fold is arithmetic on recorded facts: it follows events that no rule would cause, too."""

import pytest
from msgspec.structs import replace

from domain import evolve, fold
from domain.match import events as ev
from domain.match.branches import branch_started
from domain.match.commands import (
    AbortMatch,
    AddTwo,
    Build,
    ChangeController,
    Pass,
    Resign,
    RollDice,
    SeatPlan,
)
from domain.match.evolve import begin
from tests.domain.kit import TEN_KINDS, A, B, city, given, new_match, row, seat_plan


def test_what_does_not_create_a_match_is_named() -> None:
    with pytest.raises(ValueError, match="seat_resigned creates no match"):
        begin(ev.SeatResigned(A, "player"))


def test_help_is_added_to_what_the_purse_holds() -> None:
    state = evolve(given("base", city(3), city(0)).state, ev.HelpReceived(A, 1))

    assert state.coins == [4, 0]


def test_the_draws_from_each_row_are_counted() -> None:
    scene = new_match("machi_koro_2", 2)
    refills = [event for event in scene.events if isinstance(event, ev.MarketRefilled)]
    drawn = {event.row: len(event.cards) for event in refills}
    assert scene.state.draws == [drawn["low"], drawn["high"], drawn["landmarks"]]

    state = fold(scene.state.copy(), [ev.MarketRefilled("high", ("mine", "mine"))])
    assert state.draws == [drawn["low"], drawn["high"] + 2, drawn["landmarks"]]


def test_a_deck_in_a_given_order_goes_on_where_the_last_refill_stopped() -> None:
    market = row("market", deck=("tv_station", "business_center", "cafe"), **{**TEN_KINDS, "mine": 1})
    scene = given("base", city(20), city(20), phase="build", rows=[market], market="limited")

    first = scene.when(Build(A, "mine")).then_includes(ev.MarketRefilled("market", ("tv_station",)))
    assert first.state.deck_orders == {"market": ["business_center", "cafe"]}
    assert scene.state.deck_orders == {"market": ["tv_station", "business_center", "cafe"]}


def test_a_state_tells_what_was_added_to_the_dice_until_the_next_roll() -> None:
    scene = given("harbor", city(5, "train_station", "harbor"), city(5)).when(
        RollDice(A, 2), AddTwo(A), dice=[(5, 6)]
    )
    assert (scene.state.dice, scene.state.total, scene.state.added) == ((5, 6), 13, 2)

    rolled = scene.when(Pass(A), RollDice(B, 1), dice=[(2,)])
    assert (rolled.state.total, rolled.state.added) == (2, 0)


def test_a_row_that_a_branch_does_not_name_has_had_no_draws() -> None:
    origin = new_match("machi_koro_2", 2).state
    begun = replace(branch_started(origin, keeps_orders=False), draws={"high": 7})

    assert fold(None, [origin.created, begun]).draws == [0, 7, 0]


def test_an_account_that_takes_a_seat_over_has_had_a_seat() -> None:
    scene = new_match("base", 2).when(ChangeController(A, "account", "acc_9", "nina"))
    assert scene.state.accounts == {"acc_0", "acc_1", "acc_9"}

    scene = scene.when(ChangeController(A, "strategy", "greedy", "greedy", "1"))
    assert scene.state.accounts == {"acc_0", "acc_1", "acc_9"}


def test_a_player_who_is_put_on_an_open_seat_has_no_seed() -> None:
    state = new_match("base", plans=[seat_plan(A), SeatPlan("open")]).state
    state = evolve(state, ev.ControllerChanged(B, "account", "acc_9", "nina", ""))

    assert state.controllers[B] == ev.SeatTaken(B, "account", "acc_9", "nina")


def test_the_state_says_why_the_match_is_over() -> None:
    left = new_match("base", 2).when(Resign(A)).state
    assert (left.status, left.winner, left.result) == ("finished", B, "resignation")

    own = "train_station", "shopping_mall", "radio_tower"
    won = given("base", city(16, *own), city(), phase="build").when(Build(A, "amusement_park")).state
    assert (won.status, won.winner, won.result) == ("finished", A, "landmarks")


def test_a_match_that_is_over_waits_for_nobody() -> None:
    plans = [seat_plan(A), SeatPlan("reserved", "acc_9", "nina")]
    off = new_match("base", plans=plans).when(AbortMatch()).state
    assert (off.status, off.result, off.phase, off.reservations) == ("aborted", "creator", "", {})

    left = given("base", city(0, tv_station=1), city(9)).when(RollDice(A, 1), Resign(A), dice=[(6,)]).state
    assert (left.phase, left.pending_card, left.pending_copies) == ("", "", 0)


def test_a_turn_begins_without_a_roll_and_is_an_extra_turn_only_if_it_is_recorded_so() -> None:
    used = given("base", city(3), city(3)).state
    used.dice, used.total, used.added = (6, 6), 14, 2
    used.rerolled = used.extra_turn_due = True
    used.received = 7

    began = evolve(used, ev.TurnStarted(2, A, extra=True))
    assert (began.dice, began.total, began.added, began.received) == ((), 0, 0, 0)
    assert (began.rerolled, began.extra_turn_due, began.extra_turn) == (False, False, True)

    assert evolve(began, ev.TurnStarted(3, B)).extra_turn is False


def test_dice_are_rerolled_from_the_reroll_to_the_next_roll() -> None:
    state = given("base", city(3), city(3)).state
    assert state.rerolled is False

    state = evolve(state, ev.DiceRolled("reroll", (4,), 4))
    assert state.rerolled is True

    state = evolve(state, ev.DiceRolled("boats", (1, 2), 3))
    assert state.rerolled is True

    state = evolve(state, ev.DiceRolled("roll", (5,), 5))
    assert state.rerolled is False


def test_what_the_active_player_receives_from_the_bank_and_from_others_adds_up() -> None:
    state = given("base", city(3), city(9)).state
    state = fold(
        state,
        [
            ev.IncomeReceived(A, "wheat_field", 1, 1),
            ev.IncomeReceived(A, "mine", 1, 5),
            ev.PaymentMade(B, A, "stadium", 1, 2, 2),
            ev.PaymentMade(B, A, "tv_station", 1, 5, 4),
        ],
    )
    assert (state.received, state.coins) == (12, [15, 3])

    state = fold(state, [ev.IncomeReceived(B, "wheat_field", 1, 1), ev.PaymentMade(A, B, "cafe", 1, 1, 1)])
    assert (state.received, state.coins) == (12, [14, 5])


def test_a_landmark_that_is_built_again_counts_again() -> None:
    state = given("base", city(50), city(0), phase="build").state
    station = state.rules.index["train_station"]

    state = fold(state, [ev.LandmarkBuilt(A, "train_station", 4)] * 2)
    assert (state.cities[A][station], state.landmarks[A], state.coins[A]) == (2, 2, 42)
