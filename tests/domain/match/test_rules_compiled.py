"""What the rules of a match are compiled to: the players and the kernel read it, too."""

import pytest
from msgspec.structs import replace

from domain.match.cards import from_bank
from domain.match.events import Options
from domain.match.rules import Firing, PayoutStage, Rules, rules_for
from domain.match.rulesets import CURRENT, VERSIONS, Ruleset, digest, resolve_options

GAMES = list(VERSIONS.values())


def _rules(ruleset: Ruleset) -> Rules:
    return rules_for(ruleset.version, Options(market=next(iter(ruleset.markets))), 4)


def _named(rules: Rules, id: str) -> Firing:
    return rules.firings[rules.index[id]]


def _helps(rules: Rules) -> list[PayoutStage]:
    return [stage for plan in rules.plans for stage in plan if stage.kind == "help"]


@pytest.mark.parametrize("ruleset", GAMES, ids=lambda ruleset: ruleset.version)
def test_rules_know_what_they_were_made_of(ruleset: Ruleset) -> None:
    options = resolve_options(ruleset, 4)
    rules = rules_for(ruleset.version, options, 4)

    assert rules.ruleset is ruleset
    assert rules.digest == digest(ruleset)
    assert (rules.options, rules.seats) == (options, 4)


def test_a_power_that_no_landmark_of_the_game_has_is_minus_one() -> None:
    first, second = _rules(CURRENT["base"]), _rules(CURRENT["machi_koro_2"])

    assert (first.add_two, first.income_on_pass, first.loan_office) == (-1, -1, -1)
    assert (second.two_dice, second.reroll, second.add_two) == (-1, -1, -1)


def test_a_power_is_the_index_of_its_landmark() -> None:
    rules, second = _rules(CURRENT["harbor"]), _rules(CURRENT["machi_koro_2"])
    powers = rules.two_dice, rules.reroll, rules.add_two, rules.income_on_pass

    assert [rules.ids[card] for card in powers] == ["train_station", "radio_tower", "harbor", "airport"]
    assert second.ids[second.loan_office] == "loan_office"


def test_a_card_that_no_row_sells_has_row_minus_one() -> None:
    rules = _rules(CURRENT["base"])
    assert rules.row_of == [0] * rules.establishments + [-1] * (rules.size - rules.establishments)


def test_a_card_that_needs_no_landmark_needs_minus_one() -> None:
    rules = _rules(CURRENT["harbor"])

    assert _named(rules, "mine").needs == -1
    assert _named(rules, "mackerel_boat").needs == rules.index["harbor"]


def test_only_the_cards_that_say_so_depend_on_landmarks_close_or_pay_for_being_built() -> None:
    rules = _rules(CURRENT["millionaires_row"])
    below = {firing.id: firing.below_landmarks for firing in rules.firings if firing.below_landmarks != 0}
    roller = {firing.id: firing.roller_landmarks for firing in rules.firings if firing.roller_landmarks != 0}

    assert below == {"general_store": 2, "corn_field": 2}
    assert roller == {"french_restaurant": 2, "members_only_club": 3}
    assert {firing.id: firing.closes for firing in rules.firings if firing.closes is not False} == {
        "winery": True
    }
    assert {id: bonus for id, bonus in zip(rules.ids, rules.bonuses, strict=True) if bonus != 0} == {
        "loan_office": 5
    }


@pytest.mark.parametrize("closing", ["winery", "renovation_company"])
def test_establishments_can_close_where_one_card_closes_itself_or_others(closing: str) -> None:
    game = CURRENT["millionaires_row"]
    cards = [
        card if card.id == closing else replace(card, effect=from_bank(1)) for card in game.establishments
    ]
    only = replace(game, establishments=tuple(cards))

    assert Rules(only, resolve_options(game, 4), 4).renovates


@pytest.mark.parametrize("ruleset", GAMES, ids=lambda ruleset: ruleset.version)
def test_no_discount_is_for_establishments_or_for_its_own_landmark(ruleset: Ruleset) -> None:
    rules = _rules(ruleset)
    for discount in rules.discounts:
        assert min(discount.targets) >= rules.establishments
        assert discount.landmark not in discount.targets
    for card in range(rules.establishments):
        assert rules.lowest_prices[card] == min(rules.prices[card])


@pytest.mark.parametrize("ruleset", GAMES, ids=lambda ruleset: ruleset.version)
def test_only_establishments_pay_more_through_landmarks_and_only_landmarks_make_them(
    ruleset: Ruleset,
) -> None:
    rules = _rules(ruleset)
    for firing in rules.firings:
        assert firing.card < rules.establishments or firing.boosts == ()
        assert all(boost >= rules.establishments for boost in firing.boosts)


@pytest.mark.parametrize("ruleset", GAMES, ids=lambda ruleset: ruleset.version)
def test_each_total_to_14_has_a_plan_where_each_activated_card_is_once(ruleset: Ruleset) -> None:
    rules = _rules(ruleset)
    assert len(rules.plans) == 15
    for total, plan in enumerate(rules.plans):
        paid = [firing.card for stage in plan if stage.kind != "help" for firing in stage.firings]
        cards = [card for card in paid if card < rules.establishments]
        activated = [card for card in range(rules.establishments) if total in rules.cards[card].activation]
        assert sorted(cards) == activated


def test_boats_are_a_stage_of_their_own_behind_the_income() -> None:
    rules = _rules(CURRENT["harbor"])
    stages = {stage.kind: [firing.id for firing in stage.firings] for stage in rules.plans[12]}

    assert stages["boats"] == ["tuna_boat"]
    assert "tuna_boat" not in stages["income"]


@pytest.mark.parametrize(("game", "needs"), [("harbor", "town_hall"), ("machi_koro_2", "")])
def test_the_help_is_the_last_stage_of_every_plan_and_pays_one_coin(game: str, needs: str) -> None:
    rules = _rules(CURRENT[game])
    helps = _helps(rules)

    assert [plan[-1] for plan in rules.plans] == helps
    assert len(helps) == len(rules.plans)
    for stage in helps:
        (one,) = stage.firings
        card = rules.index[needs] if needs else -1
        assert (one.card, one.id, one.kind, one.amount, one.needs) == (card, needs, "help", 1, card)
        assert (one.counted, one.boosts, one.boost_per_counted, one.threshold) == ((), (), False, 0)
        assert one.own_turn_only is True
        assert (one.below_landmarks, one.roller_landmarks, one.closes) == (0, 0, False)


def test_the_first_game_helps_nobody() -> None:
    assert _helps(_rules(CURRENT["base"])) == []
