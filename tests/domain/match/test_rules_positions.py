"""Starting from a given table: what may be given and what the match makes of it."""

import pytest

from domain.match import events as ev
from domain.match.commands import Build, DeclineSwap, GiveEstablishment, KeepTotal, Pass, RerollDice, RollDice
from domain.match.events import Position
from tests.domain.kit import A, B, C, Scene, city, creation, given, row
from tests.domain.positions import start, started


def test_the_match_starts_with_the_given_purses_cities_and_active_seat() -> None:
    scene = start("harbor", city(7, "harbor", town_hall=1, mine=2), city(0, cafe=1), active=B)

    assert started(scene).coins == (7, 0)
    assert started(scene).cities == ({"town_hall": 1, "mine": 2, "harbor": 1}, {"cafe": 1})
    scene.then_ends_with(ev.TurnStarted(1, B))


def test_the_position_is_recorded_in_the_first_event() -> None:
    position = Position(A, "roll", (city(7), city(1)), None)
    scene = Scene(None).when(creation("base", 2, position=position))

    first = scene.events[0]
    assert isinstance(first, ev.MatchCreated)
    assert first.position == position


def test_a_position_may_start_in_the_phase_of_building_with_no_dice_thrown() -> None:
    scene = start("base", city(1), city(1), phase="build")

    scene.then_ends_with(ev.TurnStarted(1, A, "build"))
    scene.then_legal(Pass(A), *[Build(A, id) for id in ("wheat_field", "ranch", "bakery")])
    scene.when(RollDice(A, 1)).then_rejected("wrong_phase")
    assert scene.state.dice == ()


def test_a_position_in_the_phase_of_building_grants_no_extra_turn() -> None:
    start("base", city(1, "amusement_park"), city(1), phase="build").when(Pass(A)).then_ends_with(
        ev.TurnEnded(1, A), ev.TurnStarted(2, B)
    )


def test_a_position_in_a_building_round_is_followed_by_the_rest_of_the_three() -> None:
    scene = start("machi_koro_2", city(5), city(5), active=B, phase="setup")

    scene.then_ends_with(ev.TurnStarted(1, B, "setup", False, 1))
    scene.when(*[Pass(B), Pass(A)] * 3).then_ends_with(ev.TurnStarted(7, B, "roll", False, 0))


def test_without_a_market_the_supply_is_the_box_less_what_the_cities_hold_beyond_starter_cards() -> None:
    supply = started(start("base", city(0, wheat_field=1, mine=2), city(0, wheat_field=3), city())).supply

    assert (supply["mine"], supply["wheat_field"], supply["cafe"]) == (4, 5, 6)


def test_cities_without_starter_cards_leave_the_reserve_at_its_six_copies() -> None:
    supply = started(start("base", city(), city())).supply

    assert (supply["wheat_field"], supply["bakery"]) == (6, 6)


def test_without_a_market_the_decks_hold_the_box_less_what_the_cities_hold() -> None:
    decks = started(start("machi_koro_2", city(0, "forge", mine=2), city(0, mine=1))).decks

    assert (decks["mine"], decks["forge"], decks["temple"], sum(decks.values())) == (2, 0, 1, 102)


def test_a_given_supply_replaces_these_stacks_and_leaves_the_rest_as_in_the_box() -> None:
    supply = started(start("base", city(), city(0, mine=1), rows=[row("supply", cafe=0, forest=2)])).supply

    assert (supply["cafe"], supply["forest"], supply["mine"], supply["ranch"]) == (0, 2, 5, 6)


def test_a_given_limited_market_shows_its_cards_and_draws_its_deck_from_the_top() -> None:
    market = row("market", deck=("cafe", "mine", "cafe", "bakery"), ranch=1, forest=2)
    scene = start("base", city(9), city(), phase="build", rows=[market], market="limited")

    assert started(scene).supply == {"ranch": 1, "forest": 2}
    scene.then_includes(ev.MarketRefilled("market", ("cafe", "mine", "cafe", "bakery")))


def test_a_limited_market_without_given_deck_draws_from_what_is_left_in_the_box() -> None:
    market = row("market", deck=None, ranch=6, forest=2)
    decks = started(start("base", city(0, forest=1), city(), rows=[market], market="limited")).decks

    assert (decks["ranch"], decks["forest"], decks["mine"]) == (0, 3, 6)


def test_a_row_that_shows_fewer_kinds_than_its_number_is_refilled_at_the_start() -> None:
    rows = [row("low", deck=("cafe", "cafe", "bakery", "forest", "vineyard"), sushi_bar=1, cafe=1)]

    start("machi_koro_2", city(), city(), rows=rows).then_includes(
        ev.MarketRefilled("low", ("cafe", "cafe", "bakery", "forest", "vineyard"))
    )


def test_a_row_may_show_more_kinds_than_its_number() -> None:
    six = {"sushi_bar": 1, "cafe": 1, "bakery": 1, "forest": 1, "vineyard": 1, "wheat_field": 1}
    scene = start("machi_koro_2", city(9), city(9), phase="build", rows=[row("low", deck=None, **six)])
    assert "low" not in [event.row for event in scene.events if isinstance(event, ev.MarketRefilled)]

    scene.when(Build(A, "cafe")).then_lacks(ev.MarketRefilled)


def test_rows_that_are_not_given_are_filled_from_the_box() -> None:
    scene = start("machi_koro_2", city(), city(), rows=[row("landmarks", park=1)])

    filled = [event.row for event in scene.events if isinstance(event, ev.MarketRefilled)]
    assert filled == ["low", "high"]


def test_landmarks_of_a_position_count_for_victory() -> None:
    start("base", city(4, "shopping_mall", "radio_tower", "amusement_park"), city(), phase="build").when(
        Build(A, "train_station")
    ).then_ends_with(ev.MatchFinished(A, "landmarks"))


def test_the_box_may_lie_in_the_cities_up_to_the_last_copy() -> None:
    supply = started(start("base", city(0, mine=6, wheat_field=8), city())).supply

    assert (supply["mine"], supply["wheat_field"]) == (0, 0)


def test_a_purse_may_hold_a_thousand_coins_or_none() -> None:
    assert started(start("base", city(1000), city(0))).coins == (1000, 0)


@pytest.mark.parametrize("landmark", ["train_station", "radio_tower"])
def test_in_the_first_game_every_player_may_have_the_same_landmark(landmark: str) -> None:
    cities = started(start("base", city(0, landmark), city(0, landmark), city(0, landmark))).cities
    assert cities == ({landmark: 1},) * 3


def test_several_copies_of_a_purple_card_are_fine_in_the_second_game() -> None:
    assert started(start("machi_koro_2", city(0, stadium=3), city())).cities[A] == {"stadium": 3}


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_the_phases_of_choices_cannot_be_answered_before_they_are_asked(ruleset: str) -> None:
    scene = given(ruleset, city(5), city(5), city(5), active=C)

    for command in (RerollDice(C), KeepTotal(C), DeclineSwap(C), GiveEstablishment(C, "bakery"), Pass(C)):
        scene.when(command).then_rejected("wrong_phase")
