"""The rules that all rulesets share: rules reference, section 2."""

import pytest

from domain import decide, fold
from domain.match import events as ev
from domain.match.commands import Build, CreateMatch, GiveEstablishment, KeepTotal, Pass, RollDice
from domain.match.events import IncomeReceived, PaymentMade
from tests.domain.kit import A, B, C, D, E, Scene, ScriptedChance, city, creation, given, new_match, row


def _started(scene: Scene) -> ev.MatchStarted:
    return next(event for event in scene.events if isinstance(event, ev.MatchStarted))


# Section 2


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_seats_play_clockwise_in_seat_order(ruleset: str) -> None:
    scene = given(ruleset, *[city(1) for _ in range(5)], active=D)
    seats = []
    for _ in range(6):
        seats.append(scene.state.active)
        scene = scene.when(RollDice(scene.state.active, 1), Pass(scene.state.active), dice=[(6,)])

    assert seats == [D, E, A, B, C, D]


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
@pytest.mark.parametrize("seat", [A, C])
def test_the_dice_choose_the_first_seat_unless_it_is_named(ruleset: str, seat: int) -> None:
    chosen = _create(creation(ruleset, 3), ScriptedChance(first_seat=seat))
    named = _create(creation(ruleset, 3, first_seat=B), ScriptedChance(first_seat=seat))

    phase, round = ("setup", 1) if ruleset == "machi_koro_2" else ("roll", 0)
    assert _started(chosen).first_seat == seat
    assert _started(named).first_seat == B
    assert chosen.events[-1] == ev.TurnStarted(1, seat, phase, False, round)


def _create(command: CreateMatch, chance: ScriptedChance) -> Scene:
    events = decide(None, command, chance)
    return Scene(fold(None, events), events)


@pytest.mark.parametrize("ruleset", ["base", "harbor"])
def test_starter_cards_leave_the_six_copies_of_the_reserve_untouched(ruleset: str) -> None:
    supply = _started(new_match(ruleset, 4)).supply

    assert (supply["wheat_field"], supply["bakery"]) == (6, 6)
    assert "town_hall" not in supply


def test_a_roll_of_two_dice_counts_as_its_sum_only() -> None:
    everything = {"wheat_field": 1, "ranch": 1, "bakery": 1, "forest": 1, "mine": 1}

    given("base", city(0, "train_station", **everything), city(0, wheat_field=1, ranch=1)).when(
        RollDice(A, 2), dice=[(1, 2)]
    ).then_paid(IncomeReceived(A, "bakery", 1, 1))


def test_a_payer_gives_what_it_has_and_the_rest_lapses() -> None:
    scene = given("base", city(1), city(0, cafe=3)).when(RollDice(A, 1), dice=[(3,)])
    scene.then_paid(PaymentMade(A, B, "cafe", 3, 3, 1)).then_purses(0, 1)

    scene.when(Pass(A), RollDice(B, 1), Pass(B), RollDice(A, 1), dice=[(5,), (1,)]).then_nothing()


def test_an_opponent_gives_what_it_has_to_a_purple_card() -> None:
    given("base", city(0, stadium=1), city(1), city(0), city(5)).when(RollDice(A, 1), dice=[(6,)]).then_paid(
        PaymentMade(B, A, "stadium", 1, 2, 1),
        PaymentMade(C, A, "stadium", 1, 2, 0),
        PaymentMade(D, A, "stadium", 1, 2, 2),
    ).then_purses(3, 0, 0, 3)


def test_red_comes_before_blue_and_green() -> None:
    given("base", city(0, bakery=1, wheat_field=1), city(0, cafe=1, ranch=1)).when(
        RollDice(A, 1), dice=[(3,)]
    ).then_paid(PaymentMade(A, B, "cafe", 1, 1, 0), IncomeReceived(A, "bakery", 1, 1))
    given("base", city(1, "train_station", mine=1), city(0, family_restaurant=1)).when(
        RollDice(A, 2), dice=[(4, 5)]
    ).then_paid(PaymentMade(A, B, "family_restaurant", 1, 2, 1), IncomeReceived(A, "mine", 1, 5))


def test_blue_and_green_come_before_purple() -> None:
    given(
        "harbor",
        city(0, "train_station", furniture_factory=1, tax_office=1, mackerel_boat=1),
        city(9, "harbor", mackerel_boat=1),
    ).when(RollDice(A, 2), dice=[(3, 5)]).then_paid(
        IncomeReceived(B, "mackerel_boat", 1, 3), PaymentMade(B, A, "tax_office", 1, 6, 6)
    )


def test_purple_comes_before_the_orange_landmarks() -> None:
    given("machi_koro_2", city(0, shopping_district=1), city(12, "temple")).when(
        RollDice(A, 2), dice=[(4, 4)]
    ).then_paid(PaymentMade(B, A, "shopping_district", 1, 6, 6), PaymentMade(B, A, "temple", 1, 2, 2))


@pytest.mark.parametrize("active", [A, B, C, D])
def test_red_cards_are_paid_anticlockwise_from_the_active_seat(active: int) -> None:
    scene = given("base", *[city(9, cafe=1) for _ in range(4)], active=active).when(
        RollDice(active, 1), dice=[(3,)]
    )

    scene.then_paid(*[PaymentMade(active, (active - i) % 4, "cafe", 1, 1, 1) for i in (1, 2, 3)])


def test_each_red_owner_is_paid_for_all_its_cards_before_the_next() -> None:
    given("harbor", city(3), city(0, "harbor", sushi_bar=1), city(0, "harbor", sushi_bar=2)).when(
        RollDice(A, 1), dice=[(1,)]
    ).then_paid(
        PaymentMade(A, C, "sushi_bar", 2, 6, 3),
        PaymentMade(A, B, "sushi_bar", 1, 3, 0),
    )


@pytest.mark.parametrize("active", [A, B, C])
def test_blue_cards_fire_for_every_owner_on_anybodys_turn(active: int) -> None:
    scene = given("base", *[city(0, wheat_field=1) for _ in range(3)], active=active).when(
        RollDice(active, 1), dice=[(1,)]
    )

    assert {event.seat for event in scene.events if isinstance(event, IncomeReceived)} == {A, B, C}


def test_the_bank_pays_clockwise_from_the_active_seat() -> None:
    towns = [city(0, wheat_field=1) for _ in range(4)]
    given("base", *towns, active=C).when(RollDice(C, 1), dice=[(1,)]).then_paid(
        *[IncomeReceived(seat, "wheat_field", 1, 1) for seat in (C, D, A, B)]
    )


def test_green_cards_fire_on_the_owners_turn_only() -> None:
    given("base", city(0, bakery=1), city(0, bakery=1)).when(RollDice(A, 1), dice=[(2,)]).then_paid(
        IncomeReceived(A, "bakery", 1, 1)
    )


def test_purple_cards_fire_on_the_owners_turn_only() -> None:
    given("base", city(5), city(5, stadium=1, tv_station=1, business_center=1)).when(
        RollDice(A, 1), dice=[(6,)]
    ).then(ev.DiceRolled("roll", (6,), 6))


def test_red_cards_fire_on_opponents_turns_only() -> None:
    given("base", city(5, cafe=2), city(5)).when(RollDice(A, 1), dice=[(3,)]).then_nothing()


def test_each_copy_fires_by_itself_and_one_event_names_card_copies_and_amount() -> None:
    given("base", city(0, ranch=3), city(0)).when(RollDice(A, 1), dice=[(2,)]).then(
        ev.DiceRolled("roll", (2,), 2), IncomeReceived(A, "ranch", 3, 3)
    )


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_one_build_ends_the_turn(ruleset: str) -> None:
    scene = given(ruleset, city(50), city(5), phase="build").when(Build(A, "wheat_field"))

    scene.then_ends_with(ev.TurnEnded(1, A), ev.TurnStarted(2, B))
    scene.when(Build(A, "wheat_field")).then_rejected("not_your_turn", "/seat")


def test_a_landmark_is_built_instead_of_an_establishment() -> None:
    given("base", city(50), city(5), phase="build").when(Build(A, "train_station")).then(
        ev.LandmarkBuilt(A, "train_station", 4), ev.TurnEnded(1, A), ev.TurnStarted(2, B)
    )


def test_building_nothing_ends_the_turn() -> None:
    given("base", city(50), city(5), phase="build").when(Pass(A)).then(
        ev.BuildPassed(A), ev.TurnEnded(1, A), ev.TurnStarted(2, B)
    )


def test_the_price_goes_to_the_bank() -> None:
    given("base", city(7), city(5), phase="build").when(Build(A, "mine")).then_purses(1, 5)


def test_nothing_is_built_for_more_than_the_purse_holds() -> None:
    scene = given("base", city(3), city(5), phase="build")

    scene.when(Build(A, "mine")).then_rejected("insufficient_coins", "/card")
    scene.when(Build(A, "train_station")).then_rejected("insufficient_coins", "/card")


def test_who_cannot_pay_is_told_the_card_its_price_and_what_the_purse_holds() -> None:
    refusal = given("base", city(3), city(5), phase="build").when(Build(A, "mine")).refusal

    assert refusal is not None
    assert refusal.detail == "mine costs 6, but the seat has 3"


def test_the_match_ends_the_moment_the_winning_landmark_is_built() -> None:
    """No refill, no effect of the landmark, no extra turn of the double and no next turn."""
    given(
        "machi_koro_2",
        city(40, "amusement_park", "forge"),
        city(30),
        rows=[row("landmarks", deck=None, exhibit_hall=1, park=1, museum=1, temple=1, publisher=1)],
    ).when(RollDice(A, 2), Build(A, "exhibit_hall"), dice=[(1, 1)]).then_ends_with(
        ev.LandmarkBuilt(A, "exhibit_hall", 22), ev.MatchFinished(A, "landmarks")
    )


def test_nothing_can_be_done_after_the_end() -> None:
    over = given(
        "base", city(16, "train_station", "shopping_mall", "radio_tower"), city(), phase="build"
    ).when(Build(A, "amusement_park"))

    over.then_legal()
    for command in (RollDice(A, 1), RollDice(B, 1), Pass(A), Build(B, "cafe"), KeepTotal(A)):
        over.when(command).then_rejected("match_finished")
    over.when(GiveEstablishment(A, "cafe")).then_rejected("match_finished")
