"""`expected_value` weighs prices against what every throw would bring for as long as the match may last."""

import random

import pytest

from bench.matches import committed, new_match, play_out
from domain import decide, fold, legal_commands, view
from domain.match.commands import (
    AddTwo,
    Build,
    GiveEstablishment,
    KeepDice,
    KeepTotal,
    Pass,
    RerollDice,
    SwapEstablishments,
    TakeCoins,
)
from domain.match.decide import advance
from domain.match.state import RUNNING, MatchState
from players import PLAYERS
from players.distance import still_to_pay
from players.outlook import Outlook
from tests.workers.boards import POOR, board, choice

NAME = "expected_value"

HARBOR_THREE = ("harbor", "train_station", "amusement_park")


class NoLuck(random.Random):
    """Whoever asks it for luck is caught."""

    def random(self) -> float:
        raise AssertionError("asked for luck")

    def getrandbits(self, k: int, /) -> int:
        raise AssertionError("asked for luck")


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_it_plays_without_luck_of_its_own(ruleset: str) -> None:
    chance, dice = committed(2)
    state = fold(None, decide(None, new_match(ruleset, (NAME,) * 2, dice), chance))
    while state.status == RUNNING:
        advance(state, PLAYERS[NAME](view(state), legal_commands(state), NoLuck()), chance)
    assert state.winner >= 0


def test_the_landmark_that_wins_is_built_whatever_else_could_be() -> None:
    three = ("train_station", "shopping_mall", "amusement_park")
    state = board("base", (40, {"bakery": 3}, three), (90, {"mine": 6}))
    assert choice(NAME, state) == Build(0, "radio_tower")


def test_early_it_builds_what_pays_back() -> None:
    state = board("base", (3, {"wheat_field": 1, "bakery": 1}), (3, {"wheat_field": 1, "bakery": 1}))
    assert choice(NAME, state) == Build(0, "convenience_store")


def test_late_it_saves_for_the_last_landmark() -> None:
    three = ("train_station", "shopping_mall", "amusement_park")
    city = {"bakery": 6, "convenience_store": 4}
    state = board("base", (19, city, three), (15, {"bakery": 1, "mine": 1}, three))
    assert choice(NAME, state) == Pass(0)


def test_a_landmark_that_costs_what_it_is_worth_is_built_at_once() -> None:
    """Coins that lie in the purse can be taken away."""
    three = ("train_station", "shopping_mall", "amusement_park")
    state = board("base", (4, {"bakery": 1}), (21, {"convenience_store": 4, "bakery": 5}, three))
    assert choice(NAME, state) == Build(0, "train_station")


def test_a_double_is_kept_for_its_extra_turn_where_another_throw_that_pays_as_much_is_not() -> None:
    city = {"mine": 3, "bakery": 1}
    state = board("base", (0, city, ("train_station", "amusement_park", "radio_tower")), phase="roll")
    assert type(choice(NAME, _thrown(state, "reroll", 1, 1))) is KeepDice
    assert type(choice(NAME, _thrown(state, "reroll", 1, 2))) is RerollDice


def test_two_are_added_where_the_higher_total_pays_more() -> None:
    landmarks = ("train_station", "harbor")
    state = board("harbor", (0, {"tuna_boat": 1}, landmarks), phase="roll")
    assert type(choice(NAME, _thrown(state, "add_two", 6, 4))) is AddTwo
    state = board("harbor", (0, {"apple_orchard": 1}, landmarks), phase="roll")
    assert type(choice(NAME, _thrown(state, "add_two", 6, 4))) is KeepTotal


def test_coins_are_taken_from_the_richest() -> None:
    state = board("base", (0, {"tv_station": 1}), POOR, (3, {"bakery": 1}), (9, {"mine": 1}), phase="roll")
    state.dice, state.total = (6,), 6
    state.phase, state.pending_card, state.pending_copies = "take_coins", "tv_station", 1
    assert choice(NAME, state) == TakeCoins(0, 3)


def test_the_card_that_brings_least_is_traded_for_the_one_that_brings_most() -> None:
    own, other = {"convenience_store": 1, "wheat_field": 1, "business_center": 1}, {"mine": 1, "ranch": 2}
    state = board("base", (0, own), (0, other, ("train_station",)), phase="roll")
    state.dice, state.total = (6,), 6
    state.phase, state.pending_card, state.pending_copies = "swap", "business_center", 1
    command = choice(NAME, state)
    assert isinstance(command, SwapEstablishments)
    assert command.give != "convenience_store"


def test_the_establishment_that_brings_least_is_given_away() -> None:
    state = board("machi_koro_2", (5, {"bakery": 1, "flower_shop": 1}, ("moving_company",)), phase="roll")
    state.dice, state.total, state.phase, state.pending_card = (4, 4), 8, "give", "moving_company"
    assert choice(NAME, state) == GiveEstablishment(0, "flower_shop")


def test_who_needs_a_landmark_for_its_cards_builds_it_first() -> None:
    """Mackerel boats pay nothing without the Harbor."""
    city = {"wheat_field": 1, "bakery": 1, "mackerel_boat": 3}
    state = board("harbor", (2, city, ("train_station",)))
    assert choice(NAME, state) == Build(0, "harbor")


@pytest.mark.parametrize(
    ("landmarks", "shown", "cost"),
    [((), 46, "all three"), (("forge",), 36, "two"), (("forge", "loan_office"), 20, "one, 2 cheaper")],
)
def test_what_is_still_to_pay_follows_prices_that_rise(
    landmarks: tuple[str, ...], shown: int, cost: str
) -> None:
    state = board("machi_koro_2", (5, {"bakery": 1}, landmarks))
    for card in range(state.rules.establishments, state.rules.size):
        state.supply[card] = state.rules.ids[card] in ("publisher", "museum", "temple")
    assert still_to_pay(state, 0) == shown, cost


def test_coins_that_a_round_may_take_count_less() -> None:
    """A Tax Office of another seat halves a purse of ten and more on 8 and 9."""
    state = board("harbor", (20, {}), (0, {"tax_office": 1}, ("train_station",)))
    state.cities[1][state.rules.index["mine"]] = 6
    outlook = Outlook(state, 0)
    assert outlook.gain_at_risk(20) == pytest.approx(-10 * (5 + 4) / 36)
    assert outlook.gain_at_risk(9) == 0


def test_of_two_landmarks_the_one_is_built_that_leaves_no_purse_to_halve() -> None:
    """The Shopping Mall would leave 20 of 30 coins, and a Tax Office halves ten and more."""
    city = {"bakery": 6, "convenience_store": 4}
    safe = board("harbor", (30, city, HARBOR_THREE), (15, {"mine": 6}, HARBOR_THREE))
    robbed = board("harbor", (30, city, HARBOR_THREE), (15, {"mine": 6, "tax_office": 1}, HARBOR_THREE))
    assert choice(NAME, safe) == Build(0, "shopping_mall")
    assert choice(NAME, robbed) == Build(0, "radio_tower")


def test_an_income_changes_as_if_the_card_were_there() -> None:
    for ruleset in ("base", "harbor", "machi_koro_2"):
        for state in _tables(ruleset):
            outlook = Outlook(state, 0)
            for card in range(state.rules.size):
                if not state.cities[0][card]:
                    built = state.copy()
                    built.cities[0][card] += 1
                    if not _others_gain(state, card):
                        rise = Outlook(built, 0).income(0) - outlook.income(0)
                        assert outlook.change({card: 1}) == pytest.approx(rise, abs=0.11)


def _others_gain(state: MatchState, card: int) -> bool:
    """An orange landmark changes how others throw; the outlook takes that as it was."""
    return state.rules.everybody[card]


def _tables(ruleset: str) -> list[MatchState]:
    chance, dice = committed(3)
    state, _ = play_out(new_match(ruleset, ("random",) * 3, dice), chance, random.Random(3))
    state.status = RUNNING
    state.active = 0
    return [state]


def _thrown(state: MatchState, phase: str, *values: int) -> MatchState:
    """The table after that throw, with a decision about it open."""
    thrown = state.copy()
    thrown.dice, thrown.total, thrown.phase = values, sum(values), phase
    return thrown
