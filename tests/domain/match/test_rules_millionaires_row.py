"""The rules of the box Millionaire's Row, card by card, with the base game and with Harbor."""

import pytest
from msgspec.structs import replace

from domain import fold
from domain.match import events as ev
from domain.match.branches import branch_command
from domain.match.commands import (
    AddTwo,
    Build,
    DeclineInvestment,
    Demolish,
    ExpireClock,
    InvestCoin,
    KeepDice,
    MoveEstablishment,
    Pass,
    Renovate,
    Resign,
    RollDice,
    SwapEstablishments,
)
from domain.match.rulesets import CURRENT
from tests.domain.kit import A, B, C, Scene, city, creation, given, new_match, seat_plan, tokens

ROW = "millionaires_row"
BOTH = "harbor_millionaires_row"
TWO = ("train_station", "shopping_mall")

PRINTED = """
general_store       2         green   bread      0  6
corn_field          3,4       blue    wheat      2  6
demolition_company  4         green   briefcase  2  6
french_restaurant   5         red     cup        3  6
loan_office         5,6       green   briefcase  0  6
vineyard            7         blue    wheat      3  6
renovation_company  8         purple  tower      4  5
winery              9         green   factory    3  6
moving_company      9,10      green   briefcase  2  6
tech_startup        10        purple  tower      1  5
soda_bottling_plant 11        green   factory    5  6
park                11,12,13  purple  tower      3  5
members_only_club   12,13,14  red     cup        4  6
"""


def rolled(*dice: int, row: str = ROW, a: ev.PositionPlayer, others: tuple[ev.PositionPlayer, ...]) -> Scene:
    """A rolls these dice; with two of them it must have the Train Station."""
    return given(row, a, *others).when(RollDice(A, len(dice)), dice=[dice])


# The box


@pytest.mark.parametrize("ruleset", [ROW, BOTH])
def test_the_box_adds_ten_kinds_six_times_and_three_purple_kinds_five_times(ruleset: str) -> None:
    cards = {card.id: card for card in CURRENT[ruleset].establishments}
    for line in PRINTED.strip().splitlines():
        id, totals, colour, symbol, cost, copies = line.split()
        card = cards.pop(id)
        (started,) = [event for event in new_match(ruleset, 2).events if isinstance(event, ev.MatchStarted)]

        assert card.activation == tuple(map(int, totals.split(",")))
        assert (card.colour, card.symbol, card.cost) == (colour, symbol, (int(cost),))
        assert started.supply[id] == int(copies)
        assert card.unique == (colour == "purple") == (not card.tradable)
    assert list(cards) == [card.id for card in CURRENT[{ROW: "base", BOTH: "harbor"}[ruleset]].establishments]


@pytest.mark.parametrize(("ruleset", "like", "goal"), [(ROW, "base", 4), (BOTH, "harbor", 6)])
def test_start_landmarks_and_goal_are_those_of_the_game_that_the_box_is_added_to(
    ruleset: str, like: str, goal: int
) -> None:
    found, base = CURRENT[ruleset], CURRENT[like]

    assert (found.landmarks, found.starters, found.start_coins) == (
        base.landmarks,
        base.starters,
        base.start_coins,
    )
    assert (found.goal, found.options, list(found.markets)) == (goal, base.options, list(base.markets))
    assert [box.id for box in found.boxes] == ["five_player"]


# General Store and Corn Field: only below two landmarks


@pytest.mark.parametrize(("landmarks", "coins"), [((), 2), (("train_station",), 2), (TWO, 0)])
def test_a_general_store_pays_two_while_its_owner_has_fewer_than_two_landmarks(
    landmarks: tuple[str, ...], coins: int
) -> None:
    scene = rolled(2, a=city(0, *landmarks, general_store=1), others=(city(),))
    scene.then_purses(coins, 0)


def test_a_shopping_mall_adds_to_a_general_store_that_fires() -> None:
    rolled(2, a=city(0, "shopping_mall", general_store=2), others=(city(),)).then_paid(
        ev.IncomeReceived(A, "general_store", 2, 6)
    )


@pytest.mark.parametrize("total", [3, 4])
def test_a_corn_field_pays_each_owner_who_has_fewer_than_two_landmarks(total: int) -> None:
    poor, rich = city(0, "train_station", corn_field=2), city(0, *TWO, corn_field=2)
    rolled(total, a=poor, others=(rich, poor)).then_purses(2, 0, 2)


# Demolition Company


def test_a_demolition_company_asks_which_landmark_goes_and_pays_eight_for_it() -> None:
    scene = rolled(4, a=city(0, *TWO, demolition_company=1), others=(city(),))
    scene.then_asked(A, "demolish", "demolition_company").then_legal(
        Demolish(A, "train_station"), Demolish(A, "shopping_mall")
    )
    scene.when(Demolish(A, "shopping_mall")).then(
        ev.LandmarkDemolished(A, "demolition_company", "shopping_mall"),
        ev.IncomeReceived(A, "demolition_company", 1, 8),
    ).when(Build(A, "train_station")).then_rejected("landmark_already_built", "/card").when(Pass(A))


def test_a_demolished_landmark_no_longer_counts_and_can_be_built_again() -> None:
    scene = rolled(4, a=city(2, "train_station", demolition_company=1), others=(city(),))
    demolished = scene.when(Demolish(A, "train_station"))

    assert demolished.state.landmarks == [0, 0]
    built = demolished.when(Build(A, "train_station"))
    built.then_includes(ev.LandmarkBuilt(A, "train_station", 4))
    assert built.state.landmarks == [1, 0]


def test_a_seat_that_demolished_needs_one_more_landmark_to_win() -> None:
    three = ("train_station", "shopping_mall", "amusement_park")
    scene = given(ROW, city(30, *three, demolition_company=1), city())
    lost = scene.when(RollDice(A, 1), Demolish(A, "train_station"), Build(A, "radio_tower"), dice=[(4,)])

    assert lost.state.status == "running"


def test_each_demolition_company_demolishes_another_landmark_while_there_is_one() -> None:
    scene = rolled(4, a=city(0, *TWO, demolition_company=3), others=(city(),))
    scene.then_asked(A, "demolish", "demolition_company", 3)
    second = scene.when(Demolish(A, "train_station")).then_asked(A, "demolish", "demolition_company", 2)
    second.when(Demolish(A, "shopping_mall")).then_purses(16, 0)
    assert second.when(Demolish(A, "shopping_mall")).state.phase == "build"


def test_a_demolition_company_does_nothing_for_an_owner_without_landmarks_or_on_others_turns() -> None:
    rolled(4, a=city(demolition_company=1), others=(city(0, *TWO, demolition_company=1),)).then_nothing()


def test_the_town_hall_cannot_be_demolished() -> None:
    scene = given(BOTH, city(0, "harbor", demolition_company=1, town_hall=1), city(town_hall=1))
    asked = scene.when(RollDice(A, 1), dice=[(4,)])
    asked.then_legal(Demolish(A, "harbor"))
    asked.when(Demolish(A, "town_hall")).then_rejected("card_not_owned", "/card")
    asked.when(Demolish(A, "train_station")).then_rejected("card_not_owned", "/card")
    asked.when(Demolish(A, "castle")).then_rejected("unknown_card", "/card")


def test_a_park_that_is_demolished_gives_no_turn_for_the_double() -> None:
    scene = given(ROW, city(0, "train_station", "amusement_park", demolition_company=1), city())
    asked = scene.when(RollDice(A, 2), dice=[(2, 2)])
    asked.when(Demolish(A, "amusement_park")).then_lacks(ev.ExtraTurnGranted)
    asked.when(Demolish(A, "train_station")).then_includes(ev.ExtraTurnGranted(A, "amusement_park"))


# French Restaurant and Member's Only Club: only from rollers with landmarks


@pytest.mark.parametrize(("landmarks", "paid"), [(("train_station",), 0), (TWO, 5)])
def test_a_french_restaurant_takes_five_from_a_roller_with_two_landmarks(
    landmarks: tuple[str, ...], paid: int
) -> None:
    scene = rolled(5, a=city(20, *landmarks), others=(city(0, french_restaurant=1),))
    scene.then_purses(20 - paid, paid)


def test_the_landmarks_of_the_roller_decide_not_those_of_the_owner_of_a_french_restaurant() -> None:
    rolled(5, a=city(20), others=(city(0, *TWO, french_restaurant=1),)).then_nothing()


def test_a_members_only_club_takes_all_coins_of_a_roller_with_three_landmarks() -> None:
    three = ("train_station", "radio_tower", "shopping_mall")
    scene = given(BOTH, city(17, *three, town_hall=1), city(0, members_only_club=2, town_hall=1))
    roll = scene.when(RollDice(A, 2), dice=[(6, 6)])
    roll.when(KeepDice(A)).then_includes(
        ev.PaymentMade(A, B, "members_only_club", 2, 17, 17), ev.HelpReceived(A, 1)
    )


def test_a_members_only_club_fires_on_a_raised_total_too_and_not_below_three_landmarks() -> None:
    club = city(0, members_only_club=1, town_hall=1)
    three = city(9, "train_station", "harbor", "shopping_mall", town_hall=1)
    scene = given(BOTH, three, club).when(RollDice(A, 2), AddTwo(A), dice=[(6, 6)])
    scene.then_purses(1, 9)
    two = city(9, "train_station", "harbor", town_hall=1)
    given(BOTH, two, club).when(RollDice(A, 2), AddTwo(A), dice=[(6, 6)]).then_purses(9, 0)


# Loan Office


def test_a_loan_office_costs_nothing_and_brings_its_builder_five() -> None:
    given(ROW, city(0), city(), phase="build").when(Build(A, "loan_office")).then_includes(
        ev.EstablishmentBuilt(A, "loan_office", 0), ev.IncomeReceived(A, "loan_office", 1, 5)
    ).then_purses(5, 0)


@pytest.mark.parametrize("total", [5, 6])
def test_a_loan_office_costs_its_owner_two_on_the_owners_turn_as_far_as_there_are_coins(total: int) -> None:
    scene = rolled(total, a=city(3, loan_office=2), others=(city(4, loan_office=1),))
    scene.then_includes(ev.FeePaid(A, "loan_office", 2, 4, 3)).then_purses(0, 4)


def test_income_of_the_roll_comes_before_the_payment_of_a_loan_office() -> None:
    rolled(5, a=city(0, forest=1, loan_office=1), others=(city(),)).then_includes(
        ev.IncomeReceived(A, "forest", 1, 1), ev.FeePaid(A, "loan_office", 1, 2, 1)
    )


# Vineyard and Winery


def test_a_vineyard_pays_three_on_anybodys_turn_and_has_the_wheat_symbol() -> None:
    both = city(0, "train_station", vineyard=1, fruit_and_vegetable_market=1)
    scene = given(ROW, both, city(0, vineyard=2))
    scene.when(RollDice(A, 2), dice=[(3, 4)]).then_purses(3, 6)
    scene.when(RollDice(A, 2), dice=[(5, 6)]).then_purses(2, 0)


def test_wineries_pay_six_for_each_vineyard_and_close() -> None:
    owner = city(0, "train_station", winery=2, vineyard=3)
    rolled(4, 5, a=owner, others=(city(),)).then(
        ev.DiceRolled("roll", (4, 5), 9),
        ev.IncomeReceived(A, "winery", 2, 36),
        ev.EstablishmentsClosed(A, "winery", "winery", (2, 0)),
    )


def test_a_closed_winery_opens_on_the_next_roll_that_it_waits_for_and_pays_on_the_one_after() -> None:
    owner = tokens(city(0, "train_station", winery=2, vineyard=1), winery=1)
    scene = rolled(4, 5, a=owner, others=(city(),))
    scene.then_includes(
        ev.EstablishmentsReopened(A, "winery", 1),
        ev.IncomeReceived(A, "winery", 1, 6),
        ev.EstablishmentsClosed(A, "winery", "winery", (1, 0)),
    )
    assert scene.state.closed[A][scene.state.rules.index["winery"]] == 1


def test_vineyards_that_are_closed_still_count_for_a_winery() -> None:
    owner = tokens(city(0, "train_station", winery=1, vineyard=2), vineyard=2)
    rolled(4, 5, a=owner, others=(city(),)).then_includes(ev.IncomeReceived(A, "winery", 1, 12))


# Renovation Company


def test_a_renovation_company_closes_a_kind_in_all_cities_and_takes_a_coin_for_each_copy_of_the_others() -> (
    None
):
    owner = city(0, "train_station", renovation_company=1, cafe=1)
    scene = rolled(3, 5, a=owner, others=(city(1, cafe=3), city(9, cafe=2)))
    scene.then_asked(A, "renovate", "renovation_company")
    scene.when(Renovate(A, "cafe")).then(
        ev.EstablishmentsClosed(A, "renovation_company", "cafe", (1, 3, 2)),
        ev.PaymentMade(B, A, "renovation_company", 1, 3, 1),
        ev.PaymentMade(C, A, "renovation_company", 1, 2, 2),
    )


def test_only_open_establishments_without_the_tower_symbol_can_be_closed() -> None:
    owner = tokens(city(0, "train_station", renovation_company=1, ranch=1), ranch=1)
    scene = rolled(3, 5, a=owner, others=(tokens(city(2, mine=2, stadium=1), mine=1),))
    scene.then_legal(Renovate(A, "mine"))
    scene.when(Renovate(A, "ranch")).then_rejected("card_not_owned", "/card")
    scene.when(Renovate(A, "stadium")).then_rejected("card_not_tradable", "/card")
    scene.when(Renovate(A, "radio_tower")).then_rejected("card_not_tradable", "/card")
    scene.when(Renovate(A, "castle")).then_rejected("unknown_card", "/card")
    closed = scene.when(Renovate(A, "mine")).then_includes(
        ev.EstablishmentsClosed(A, "renovation_company", "mine", (0, 1)),
        ev.PaymentMade(B, A, "renovation_company", 1, 1, 1),
    )
    assert closed.state.closed[B][closed.state.rules.index["mine"]] == 2


def test_the_city_of_a_seat_that_has_left_is_not_renovated() -> None:
    owner = city(0, "train_station", renovation_company=1)
    scene = given(ROW, owner, city(9, cafe=1), city(9, cafe=2))
    scene.when(Resign(C), RollDice(A, 2), Renovate(A, "cafe"), dice=[(3, 5)]).then_includes(
        ev.EstablishmentsClosed(A, "renovation_company", "cafe", (0, 1, 0)),
        ev.PaymentMade(B, A, "renovation_company", 1, 1, 1),
    ).then_purses(1, 8, 9)


def test_a_renovation_company_does_nothing_if_no_establishment_can_close() -> None:
    scene = rolled(3, 5, a=city(0, "train_station", renovation_company=1), others=(city(2, stadium=1),))
    assert scene.state.phase == "build"


@pytest.mark.parametrize(
    ("roller", "owner", "total"),
    [
        (city(9), tokens(city(0, cafe=2), cafe=2), 3),
        (city(9), tokens(city(0, forest=1), forest=1), 5),
        (tokens(city(9, convenience_store=1), convenience_store=1), city(), 4),
    ],
    ids=["red", "blue", "green"],
)
def test_a_closed_establishment_opens_instead_of_acting(
    roller: ev.PositionPlayer, owner: ev.PositionPlayer, total: int
) -> None:
    scene = rolled(total, a=roller, others=(owner,)).then_nothing()
    assert not any(any(closed) for closed in scene.state.closed)
    assert [type(event) for event in scene.events] == [ev.DiceRolled, ev.EstablishmentsReopened]


def test_a_closed_green_card_stays_closed_on_others_turns_and_a_red_one_on_its_owners() -> None:
    waits = tokens(city(0, convenience_store=1), convenience_store=1)
    scene = rolled(4, a=city(), others=(waits,)).then_lacks(ev.EstablishmentsReopened)
    assert scene.state.closed[B][scene.state.rules.index["convenience_store"]] == 1
    rolled(3, a=tokens(city(cafe=1), cafe=1), others=(city(),)).then_lacks(ev.EstablishmentsReopened)


def test_a_closed_card_opens_even_if_its_condition_fails() -> None:
    owner = tokens(city(0, *TWO, general_store=1), general_store=1)
    rolled(2, a=owner, others=(city(),)).then_includes(ev.EstablishmentsReopened(A, "general_store", 1))


def test_closed_tuna_boats_open_without_a_roll_for_the_boats() -> None:
    boats = tokens(city(0, "harbor", "train_station", tuna_boat=2, town_hall=1), tuna_boat=2)
    roller = city(0, "train_station", town_hall=1)
    scene = given(BOTH, roller, boats).when(RollDice(A, 2), dice=[(6, 6)])
    scene.then_includes(ev.EstablishmentsReopened(B, "tuna_boat", 2)).then_purses(1, 0)


def test_a_closed_card_still_counts_where_symbols_are_counted() -> None:
    owner = tokens(city(0, "train_station", cheese_factory=1, ranch=2), ranch=2)
    rolled(3, 4, a=owner, others=(city(),)).then_purses(6, 0)


# Moving Company


def test_a_moving_company_asks_what_goes_to_whom_and_pays_four() -> None:
    owner = city(0, "train_station", moving_company=1, ranch=1, stadium=1)
    scene = rolled(4, 5, a=owner, others=(city(), city()))
    scene.then_asked(A, "move", "moving_company").then_legal(
        *[MoveEstablishment(A, card, to) for card in ("moving_company", "ranch") for to in (B, C)]
    )
    scene.when(MoveEstablishment(A, "ranch", C)).then(
        ev.EstablishmentGiven(A, "ranch", C), ev.IncomeReceived(A, "moving_company", 1, 4)
    )


def test_what_cannot_be_given_is_refused() -> None:
    owner = city(0, "train_station", moving_company=1, stadium=1)
    scene = rolled(4, 5, a=owner, others=(city(), city()))
    scene.when(MoveEstablishment(A, "stadium", B)).then_rejected("card_not_tradable", "/card")
    scene.when(MoveEstablishment(A, "train_station", B)).then_rejected("card_not_tradable", "/card")
    scene.when(MoveEstablishment(A, "ranch", B)).then_rejected("card_not_owned", "/card")
    scene.when(MoveEstablishment(A, "moving_company", A)).then_rejected("invalid_target", "/to_seat")
    scene.when(MoveEstablishment(A, "castle", B)).then_rejected("unknown_card", "/card")


def test_each_moving_company_moves_a_card_even_if_one_of_them_is_given() -> None:
    scene = rolled(4, 6, a=city(0, "train_station", moving_company=2), others=(city(),))
    again = scene.when(MoveEstablishment(A, "moving_company", B)).then_asked(A, "move", "moving_company")
    again.when(MoveEstablishment(A, "moving_company", B)).then_purses(8, 0)


def test_nothing_is_given_to_a_city_that_has_as_many_copies_as_the_option_allows() -> None:
    owner, full = city(0, "train_station", moving_company=1, ranch=1), city(ranch=2)
    scene = given(ROW, owner, full, city(), max_copies=2).when(RollDice(A, 2), dice=[(4, 5)])
    scene.when(MoveEstablishment(A, "ranch", B)).then_rejected("copy_limit_reached", "/card")
    scene.when(MoveEstablishment(A, "ranch", C)).then_purses(4, 0, 0)


def test_a_moving_company_does_nothing_if_no_city_may_take_anything() -> None:
    owner, full = city(0, "train_station", moving_company=1), city(moving_company=2)
    scene = given(ROW, owner, full, max_copies=2).when(RollDice(A, 2), dice=[(4, 5)])
    scene.then_nothing()
    assert scene.state.phase == "build"


def test_a_choice_lapses_if_the_last_seat_that_could_answer_it_leaves() -> None:
    owner, full = city(0, "train_station", moving_company=1), city(moving_company=2)
    scene = given(ROW, owner, full, city(), max_copies=2).when(RollDice(A, 2), dice=[(4, 5)])
    scene.when(Resign(C)).then(ev.SeatResigned(C, "command"), ev.ChoiceLapsed(A, "moving_company"))
    assert scene.when(Resign(C)).state.phase == "build"
    assert scene.when(Resign(B)).state.phase == "move"


def test_a_renovation_lapses_with_the_last_open_establishment() -> None:
    owner = city(0, "train_station", renovation_company=1)
    scene = rolled(3, 5, a=owner, others=(city(mine=1), city(mine=1)))
    left = scene.when(Resign(B)).then(ev.SeatResigned(B, "command"))
    assert left.state.phase == "renovate"
    scene = rolled(3, 5, a=owner, others=(city(mine=1), city()))
    left = scene.when(Resign(B)).then(ev.SeatResigned(B, "command"), ev.ChoiceLapsed(A, "renovation_company"))
    assert left.state.phase == "build"


def test_what_still_pays_after_a_lapsed_choice_pays() -> None:
    owner = city(0, "train_station", moving_company=1, tax_office=1, town_hall=1)
    full = city(20, moving_company=2, town_hall=1)
    scene = given(BOTH, owner, full, city(town_hall=1), max_copies=2)
    left = scene.when(RollDice(A, 2), Resign(C), dice=[(4, 5)])
    left.then_includes(ev.ChoiceLapsed(A, "moving_company"), ev.PaymentMade(B, A, "tax_office", 1, 10, 10))


# Tokens that change hands


def test_an_open_copy_is_given_before_a_closed_one() -> None:
    owner = tokens(city(0, "train_station", moving_company=1, cafe=2), cafe=1)
    scene = rolled(4, 5, a=owner, others=(city(),))
    given_away = scene.when(MoveEstablishment(A, "cafe", B)).then_lacks(ev.RenovationMoved)
    cafe = given_away.state.rules.index["cafe"]
    assert [closed[cafe] for closed in given_away.state.closed] == [1, 0]


def test_a_closed_card_that_is_given_stays_closed() -> None:
    owner = tokens(city(0, "train_station", moving_company=1, cafe=1), cafe=1)
    scene = rolled(4, 5, a=owner, others=(city(),))
    moved = scene.when(MoveEstablishment(A, "cafe", B)).then_includes(
        ev.EstablishmentGiven(A, "cafe", B), ev.RenovationMoved(A, B, "cafe")
    )
    cafe = moved.state.rules.index["cafe"]
    assert [closed[cafe] for closed in moved.state.closed] == [0, 1]


def test_a_closed_card_joins_those_that_are_closed_already() -> None:
    owner = tokens(city(0, "train_station", moving_company=1, cafe=1), cafe=1)
    scene = rolled(4, 5, a=owner, others=(tokens(city(cafe=1), cafe=1),))
    moved = scene.when(MoveEstablishment(A, "cafe", B))
    cafe = moved.state.rules.index["cafe"]
    assert [closed[cafe] for closed in moved.state.closed] == [0, 2]


def test_closed_cards_that_are_traded_stay_closed() -> None:
    owner = tokens(city(0, business_center=1, cafe=1), cafe=1)
    scene = rolled(6, a=owner, others=(tokens(city(mine=1), mine=1),))
    scene.when(SwapEstablishments(A, "cafe", B, "mine")).then(
        ev.EstablishmentsSwapped(A, "cafe", B, "mine"),
        ev.RenovationMoved(A, B, "cafe"),
        ev.RenovationMoved(B, A, "mine"),
    )


# Tech Startup


def test_the_owner_of_a_tech_startup_may_invest_a_coin_after_building_or_passing() -> None:
    scene = given(ROW, city(3, tech_startup=1), city(), phase="build")
    for command in (Pass(A), Build(A, "ranch")):
        asked = scene.when(command).then_asked(A, "invest", "tech_startup")
        asked.then_legal(InvestCoin(A), DeclineInvestment(A))
    invested = scene.when(Pass(A)).when(InvestCoin(A))
    invested.then(ev.CoinInvested(A, "tech_startup", 1), ev.TurnEnded(1, A), ev.TurnStarted(2, B))
    assert (invested.state.invested, invested.state.coins) == ([1, 0], [2, 0])
    declined = scene.when(Pass(A), DeclineInvestment(A))
    declined.then_includes(ev.InvestmentDeclined(A), ev.TurnStarted(2, B))


def test_a_tech_startup_may_take_a_coin_in_the_turn_that_it_is_built() -> None:
    given(ROW, city(2), city(), phase="build").when(Build(A, "tech_startup")).then_asked(
        A, "invest", "tech_startup"
    )


def test_a_seat_without_a_coin_is_not_asked_to_invest() -> None:
    given(ROW, city(0, tech_startup=1), city(), phase="build").when(Pass(A)).then_ends_with(
        ev.TurnEnded(1, A), ev.TurnStarted(2, B)
    )


def test_a_win_comes_before_any_investment() -> None:
    three = ("train_station", "shopping_mall", "amusement_park")
    scene = given(ROW, city(30, *three, tech_startup=1), city(), phase="build")
    scene.when(Build(A, "radio_tower")).then_lacks(ev.ChoiceRequested)


def test_a_tech_startup_takes_its_investment_from_every_opponent_and_keeps_it() -> None:
    owner = tokens(city(0, "train_station", tech_startup=1), invested=3)
    scene = rolled(4, 6, a=owner, others=(city(2), city(9)))
    scene.then_paid(
        ev.PaymentMade(B, A, "tech_startup", 1, 3, 2), ev.PaymentMade(C, A, "tech_startup", 1, 3, 3)
    )
    assert scene.state.invested == [3, 0, 0]


def test_help_comes_after_a_tech_startup_that_found_nothing() -> None:
    owner = tokens(city(0, "train_station", tech_startup=1, town_hall=1), invested=3)
    scene = given(BOTH, owner, city(0, town_hall=1)).when(RollDice(A, 2), dice=[(4, 6)])
    scene.then_includes(ev.PaymentMade(B, A, "tech_startup", 1, 3, 0), ev.HelpReceived(A, 1))


def test_a_tech_startup_without_investment_takes_nothing() -> None:
    rolled(4, 6, a=city(0, "train_station", tech_startup=1), others=(city(9),)).then_nothing()


def test_a_seat_that_resigns_instead_of_investing_ends_its_turn() -> None:
    scene = given(ROW, city(3, tech_startup=1), city(), city(), phase="build").when(Pass(A), Resign(A))
    scene.then_ends_with(ev.TurnEnded(1, A), ev.TurnStarted(2, B))


# Soda Bottling Plant and Park


def test_a_soda_bottling_plant_counts_the_cups_of_all_players_in_play_closed_ones_too() -> None:
    owner = city(0, "train_station", soda_bottling_plant=2, cafe=1)
    others = (tokens(city(0, french_restaurant=2), french_restaurant=1), city(0, family_restaurant=4))
    scene = given(ROW, owner, *others)
    scene.when(RollDice(A, 2), dice=[(5, 6)]).then_includes(
        ev.IncomeReceived(A, "soda_bottling_plant", 2, 14)
    )
    scene.when(Resign(C), RollDice(A, 2), dice=[(5, 6)]).then_includes(
        ev.IncomeReceived(A, "soda_bottling_plant", 2, 6)
    )


def test_a_park_shares_all_coins_and_the_bank_rounds_up() -> None:
    rolled(5, 6, a=city(10, "train_station", park=1), others=(city(3), city(0), city(4))).then_paid(
        ev.CoinsLevelled(A, "park", (5, 5, 5, 5), 3)
    )


def test_a_park_acts_on_its_owners_turn_alone() -> None:
    rolled(5, 6, a=city(10, "train_station"), others=(city(0, park=1),)).then_nothing()


# What the service decides for a seat


@pytest.mark.parametrize(
    ("owner", "dice", "answer"),
    [
        (
            city(0, *TWO, demolition_company=1),
            (4,),
            ev.LandmarkDemolished(A, "demolition_company", "train_station"),
        ),
        (
            city(0, *TWO, "harbor", demolition_company=1),
            (4,),
            ev.LandmarkDemolished(A, "demolition_company", "harbor"),
        ),
        (
            city(0, "train_station", moving_company=1, mine=1, ranch=1),
            (4, 5),
            ev.EstablishmentGiven(A, "ranch", B),
        ),
        (
            city(0, "train_station", moving_company=1, mine=1, loan_office=1),
            (4, 5),
            ev.EstablishmentGiven(A, "loan_office", B),
        ),
        (
            city(0, "train_station", renovation_company=1, ranch=3),
            (3, 5),
            ev.EstablishmentsClosed(A, "renovation_company", "cafe", (0, 2, 0)),
        ),
        (
            city(0, "train_station", renovation_company=1, cafe=3),
            (3, 5),
            ev.EstablishmentsClosed(A, "renovation_company", "ranch", (0, 2, 0)),
        ),
    ],
    ids=["demolish", "demolish_last", "move", "move_last", "renovate", "renovate_first"],
)
def test_an_expired_clock_answers_with_what_costs_least(
    owner: ev.PositionPlayer, dice: tuple[int, ...], answer: ev.Event
) -> None:
    clock = ev.Clock(1000, "default_command")
    scene = given(BOTH, owner, city(5, ranch=2, cafe=2), city(), clock=clock)
    asked = scene.when(RollDice(A, len(dice)), dice=[dice])
    asked.when(ExpireClock(A)).then_includes(ev.ClockExpired(A, "default_command"), answer)


def test_an_expired_clock_invests_nothing() -> None:
    clock = ev.Clock(1000, "default_command")
    scene = given(ROW, city(3, tech_startup=1), city(), phase="build", clock=clock).when(Pass(A))
    scene.when(ExpireClock(A)).then_includes(ev.InvestmentDeclined(A), ev.TurnEnded(1, A))


# Positions and branches


@pytest.mark.parametrize(
    ("player", "pointer", "code"),
    [
        (tokens(city(cafe=1), cafe=2), "closed/cafe", "validation_failed"),
        (tokens(city(cafe=1), cafe=-1), "closed/cafe", "validation_failed"),
        (tokens(city(stadium=1), stadium=1), "closed/stadium", "validation_failed"),
        (tokens(city(), castle=1), "closed/castle", "unknown_card"),
        (tokens(city(), cafe=1), "closed/cafe", "validation_failed"),
        (tokens(city(), train_station=1), "closed/train_station", "unknown_card"),
        (tokens(city(), invested=1), "invested", "validation_failed"),
        (tokens(city(tech_startup=1), invested=1001), "invested", "validation_failed"),
        (tokens(city(tech_startup=1), invested=-1), "invested", "validation_failed"),
    ],
)
def test_tokens_that_cannot_lie_there_are_refused(player: ev.PositionPlayer, pointer: str, code: str) -> None:
    scene = Scene(None).when(creation(ROW, 2, position=ev.Position(A, "roll", (player, city()))))
    scene.then_rejected(code, f"/position/players/0/{pointer}")


def test_all_coins_that_a_position_can_have_may_be_invested() -> None:
    assert given(ROW, tokens(city(tech_startup=1), invested=1000), city()).state.invested == [1000, 0]


def test_a_game_without_renovation_has_no_tokens() -> None:
    for player in (tokens(city(cafe=1), cafe=1), tokens(city(), invested=1)):
        scene = Scene(None).when(creation("base", 2, position=ev.Position(A, "roll", (player, city()))))
        assert scene.refusal is not None
        assert scene.refusal.code == "validation_failed"


def test_only_a_game_in_which_cards_close_or_take_coins_keeps_track_of_it() -> None:
    assert (new_match("base").state.closed, new_match("base").state.invested) == ([], [])
    assert (len(new_match(ROW).state.closed), new_match(ROW).state.invested) == (2, [0, 0])


def test_a_position_without_tokens_places_none() -> None:
    given(ROW, city(cafe=1), city()).then_lacks(ev.TokensPlaced)


def test_a_branch_begins_with_the_tokens_of_its_origin() -> None:
    owner = tokens(city(5, tech_startup=1, cafe=2), invested=2, cafe=1)
    scene = given(ROW, owner, city())
    assert ev.TokensPlaced(({"cafe": 1}, {}), (2, 0)) in scene.events
    origin = ev.Origin("mat_0", scene.state.version, "sha-256:" + "0" * 64, "fresh")
    plans = [seat_plan(A), seat_plan(B)]
    branched = Scene(None).when(branch_command(scene.state, origin, plans, "acc_0"))
    assert (branched.state.closed, branched.state.invested) == (scene.state.closed, [2, 0])
    assert fold(None, branched.events) == branched.state


def test_a_match_that_is_no_branch_begins_without_tokens() -> None:
    command = replace(creation(ROW, 2), tokens=ev.TokensPlaced(({"cafe": 1}, {}), (0, 0)))
    Scene(None).when(command).then_rejected("validation_failed")


def test_a_branch_without_tokens_places_none() -> None:
    scene = given("base", city(5), city())
    origin = ev.Origin("mat_0", scene.state.version, "sha-256:" + "0" * 64, "fresh")
    branched = Scene(None).when(branch_command(scene.state, origin, [seat_plan(A), seat_plan(B)], "acc_0"))
    branched.then_lacks(ev.TokensPlaced)
