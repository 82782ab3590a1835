"""A fixed plan builds the cards on its list, in their order, and nothing else while it can."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from bench.matches import committed, new_match
from domain import decide, fold, legal_commands, view
from domain.match.commands import Build, Pass, PlayCommand
from domain.match.decide import advance
from domain.match.rulesets import CURRENT
from domain.match.state import RUNNING, MatchState
from players import PLAYERS, plans
from players.choices import landmarks, winning_landmark
from players.plans import Plan
from tests.workers.boards import board, choice

PLANS: dict[str, Plan] = {
    "furniture": plans.FURNITURE,
    "fruit_market": plans.FRUIT_MARKET,
    "bakery": plans.BAKERY,
    "cheese": plans.CHEESE,
    "convenience_rush": plans.CONVENIENCE_RUSH,
}

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("base", {}),
    ("base", {"market": "limited", "max_copies": 2}),
    ("harbor", {}),
    ("machi_koro_2", {}),
]


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_lists_cards_of_every_ruleset_that_the_box_can_give(name: str) -> None:
    assert list(PLANS[name]) == list(CURRENT)
    for ruleset, listed in PLANS[name].items():
        cards = {card.id: card for card in (*CURRENT[ruleset].establishments, *CURRENT[ruleset].landmarks)}
        starters = CURRENT[ruleset].starters
        assert all(1 <= count <= cards[id].copies + starters.count(id) for id, count in listed)


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize(("ruleset", "options"), TABLES)
def test_a_plan_builds_the_first_card_on_its_list_that_it_can_pay_for(
    name: str, ruleset: str, options: dict[str, Any]
) -> None:
    seen = 0
    for state, command in _builds(name, ruleset, options):
        priced = landmarks(state, legal_commands(state))
        listed = _still_to_build(state, name)
        if listed and not winning_landmark(state, priced):
            assert command == listed[0]
            seen += 1
    assert seen


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("ruleset", ["base", "harbor"])
def test_a_plan_that_can_pay_for_nothing_on_its_list_builds_the_cheapest_landmark_or_nothing(
    name: str, ruleset: str
) -> None:
    for state, command in _builds(name, ruleset, {}):
        priced = landmarks(state, legal_commands(state))
        if not _still_to_build(state, name) and not winning_landmark(state, priced):
            cheapest = min(priced, key=lambda one: one[0])[1] if priced else Pass(state.active)
            assert command == cheapest


def test_a_plan_that_waits_for_its_cards_keeps_the_market_moving() -> None:
    shown = {"cafe": 1, "ranch": 1, "forest": 1}
    state = board("base", (5, {"wheat_field": 1}), shown=shown, deck=("bakery",))
    assert isinstance(choice("bakery", state), Build)


def test_a_plan_of_which_nothing_is_left_saves_for_a_landmark() -> None:
    state = board("base", (3, {"wheat_field": 1}), shown={"cafe": 1, "ranch": 1}, deck=())
    assert choice("bakery", state) == Pass(0)


def _still_to_build(state: MatchState, name: str) -> list[PlayCommand]:
    """The legal builds of cards that are missing, in the plan's order."""
    city, legal = state.cities[state.active], legal_commands(state)
    listed = PLANS[name][state.rules.ruleset.id]
    missing = [Build(state.active, id) for id, count in listed if city[state.rules.index[id]] < count]
    return [build for build in missing if build in legal]


def _builds(name: str, ruleset: str, options: dict[str, Any]) -> Iterator[tuple[MatchState, PlayCommand]]:
    """Every decision about building of one match, with the table before it."""
    chance, dice = committed(5)
    state = fold(None, decide(None, new_match(ruleset, (name,) * 2, dice, **options), chance))
    rng = random.Random(5)
    while state.status == RUNNING:
        command = PLAYERS[name](view(state), legal_commands(state), rng)
        if state.phase in ("build", "setup"):
            yield state.copy(), command
        advance(state, command, chance)
