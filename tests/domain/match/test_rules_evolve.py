"""The fold is arithmetic on recorded facts: it follows events that no rule would cause, too."""

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
from tests.domain.kit import TEN_KINDS, A, B, city, given, new_match, row, seat_plan


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
