"""What built-in players do with the choices of Millionaire's Row, where there is no network."""

import random

import pytest

from domain import MatchState, legal_commands, view
from domain.match import events as ev
from domain.match.commands import (
    Build,
    DeclineInvestment,
    Demolish,
    InvestCoin,
    MoveEstablishment,
    Pass,
    PlayCommand,
    Renovate,
    RollDice,
)
from players import PLAYERS
from players.choices import changes
from players.forecast import Forecast
from players.outlook import Outlook
from players.weight_files import has_weights
from tests.domain.kit import A, B, C, Scene, city, given, tokens

ROW = "millionaires_row"
THOUGHTFUL = ("greedy", "expected_value", "learned", "strong", "bakery")
"""Players that weigh these choices; the others take any answer."""


def chosen(name: str, state: MatchState) -> PlayCommand:
    return PLAYERS[name](view(state), legal_commands(state), random.Random(1))


def rolled(*dice: int, a: ev.PositionPlayer, others: tuple[ev.PositionPlayer, ...]) -> MatchState:
    return given(ROW, a, *others).when(RollDice(A, len(dice)), dice=[dice]).state


@pytest.mark.parametrize("name", [*THOUGHTFUL, "landmark_first"])
def test_players_demolish_what_is_cheap_to_build_again(name: str) -> None:
    state = rolled(4, a=city(0, "train_station", "amusement_park", demolition_company=1), others=(city(),))
    assert chosen(name, state) == Demolish(A, "train_station")


@pytest.mark.parametrize("name", [*THOUGHTFUL, "landmark_first"])
def test_players_give_the_card_they_need_least_to_who_is_furthest_from_winning(name: str) -> None:
    owner = city(0, "train_station", moving_company=1, loan_office=1, mine=1)
    state = rolled(4, 5, a=owner, others=(city(0, "radio_tower"), city(9)))
    found = chosen(name, state)
    assert isinstance(found, MoveEstablishment)
    assert found.card == "loan_office"
    assert found.to_seat == C or name == "landmark_first"


def test_the_income_that_a_landmark_adds_to_cards_of_rich_rollers_counts_in_their_turns() -> None:
    """The Shopping Mall raises what a French Restaurant takes, which acts on rollers with two landmarks."""
    others = (city(30, "train_station", "radio_tower"),)
    before = given(ROW, city(9, french_restaurant=2), *others).state
    after = given(ROW, city(9, "shopping_mall", french_restaurant=2), *others).state
    outlook, mall = Outlook(before, A), before.rules.index["shopping_mall"]
    gained = Outlook(after, A).income(A) - outlook.income(A)
    assert gained > 0
    assert outlook.change({mall: 1}) == pytest.approx(gained)


@pytest.mark.parametrize("name", THOUGHTFUL)
def test_players_close_what_costs_the_others_most_and_themselves_least(name: str) -> None:
    owner = city(0, "train_station", renovation_company=1, mine=1)
    state = rolled(3, 5, a=owner, others=(city(5, mine=1, apple_orchard=2, wheat_field=1),))
    assert chosen(name, state) == Renovate(A, "apple_orchard")


@pytest.mark.parametrize("name", THOUGHTFUL)
def test_players_invest_where_the_startup_can_be_rolled_and_opponents_are_enough(name: str) -> None:
    rich = city(9, "train_station", tech_startup=1)
    many = given(ROW, rich, city(), city(), city(), phase="build").when(Pass(A)).state
    few_dice = given(ROW, city(9, tech_startup=1), city(), city(), city(), phase="build").when(Pass(A)).state

    assert chosen(name, many) == InvestCoin(A)
    assert chosen(name, few_dice) == DeclineInvestment(A)


def test_a_forecast_takes_off_what_is_lost_for_the_coins_and_leaves_the_table_as_it_was() -> None:
    owner = city(0, "train_station", demolition_company=1, moving_company=1, ranch=1, loan_office=2)
    scene = given(ROW, tokens(owner, ranch=1), city(3))
    forecast, before = Forecast(view(scene.state)), scene.state.copy()

    assert forecast.payments(A, (4,))[A] == 8 - 4
    assert forecast.payments(A, (4, 5))[A] == 4 - 0
    assert forecast.payments(A, (5,))[A] == -4
    assert forecast.payments(A, (2,))[A] == 0
    assert (forecast.table.cities, forecast.table.closed) == (before.cities, before.closed)
    assert forecast.table.landmarks == before.landmarks


def test_a_forecast_with_another_landmark_knows_which_cards_it_turns_off() -> None:
    scene = given(ROW, city(0, "train_station", general_store=1, corn_field=1), city())
    forecast = Forecast(view(scene.state))
    more = changes(scene.state, Build(A, "shopping_mall"))

    assert forecast.payments(A, (2,))[A] == 2
    with forecast.changed(A, more):
        assert forecast.payments(A, (2,))[A] == 0
        assert forecast.payments(B, (3,))[A] == 0
    assert forecast.payments(B, (3,))[A] == 1


def test_a_forecast_with_another_card_knows_what_answers_would_choose_then() -> None:
    owner = city(0, "train_station", demolition_company=1, moving_company=1, renovation_company=1, mine=1)
    scene = given(ROW, owner, city(9, forest=1))
    forecast = Forecast(view(scene.state))
    radio_tower, ranch, forest = (
        changes(scene.state, Build(A, card)) for card in ("radio_tower", "ranch", "forest")
    )

    assert forecast.payments(A, (4,))[A] == 8 - 4
    assert forecast.payments(A, (4, 5))[A] == 5 + 4 - 2
    assert forecast.payments(A, (4, 4))[A] == 1
    with forecast.changed(A, ranch):
        assert forecast.payments(A, (4, 5))[A] == 5 + 4 - 1
    with forecast.changed(B, forest):
        assert forecast.payments(A, (4, 4))[A] == 2
    with forecast.changed(A, {scene.state.rules.index["train_station"]: -1}):
        assert forecast.payments(A, (4,))[A] == 0
    with forecast.changed(A, radio_tower):
        assert forecast.payments(A, (4,))[A] == 8 - 4


def test_a_forecast_takes_an_open_copy_before_a_closed_one() -> None:
    """Otherwise there would be fewer copies than closed ones, and a card that is gone would demolish."""
    owner = tokens(city(0, "train_station", demolition_company=1, ranch=2), demolition_company=1, ranch=1)
    scene = given(ROW, owner, city())
    forecast, index = Forecast(view(scene.state)), scene.state.rules.index

    with forecast.changed(A, {index["demolition_company"]: -1}):
        assert forecast.payments(A, (4,))[A] == 0
    with forecast.changed(A, {index["ranch"]: -1}):
        assert forecast.payments(A, (2,))[A] == 0
    with forecast.changed(A, {index["ranch"]: 1}):
        assert forecast.payments(A, (2,))[A] == 2
    assert forecast.table.closed == scene.state.closed


@pytest.mark.parametrize("ruleset", [ROW, "harbor_millionaires_row"])
def test_without_a_network_its_players_choose_as_expected_value(ruleset: str) -> None:
    home = {"town_hall": 1} if ruleset.startswith("harbor") else {}
    scene = given(ruleset, city(12, "train_station", bakery=2, **home), city(3, **home), phase="build")
    assert not has_weights(ruleset)
    assert chosen("learned", scene.state) == chosen("strong", scene.state) == _expected(scene)


def _expected(scene: Scene) -> PlayCommand:
    return chosen("expected_value", scene.state)
