"""What players expect of a throw is what the rules pay."""

import random

import pytest

from bench.matches import committed, new_match
from domain import decide, fold, legal_commands
from domain.match.commands import RollDice
from domain.match.decide import advance
from domain.match.state import RUNNING, MatchState
from players.forecast import ONE_DIE, TWO_DICE, Forecast, TypicalBoats, affected_totals

TABLES = [("base", 3), ("harbor", 4), ("machi_koro_2", 5)]


def _states(ruleset: str, seats: int) -> list[MatchState]:
    """Every eleventh state of a random match."""
    chance, dice = committed(seats)
    state = fold(None, decide(None, new_match(ruleset, ("random",) * seats, dice), chance))
    rng = random.Random(seats)
    found = []
    while state.status == RUNNING:
        advance(state, rng.choice(legal_commands(state)), chance)
        found.append(state.copy())
    return found[:-1:11]


class Thrown(TypicalBoats):
    """Dice that fall as they are told."""

    def __init__(self, values: tuple[int, ...]) -> None:
        self._values = values

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        return super().throw(state, purpose, dice) if purpose == "boats" else self._values


def test_the_throws_are_all_there_are() -> None:
    for throws in (ONE_DIE, TWO_DICE):
        assert sum(chance for _, chance in throws) == pytest.approx(1)
    assert sum(chance for values, chance in TWO_DICE if sum(values) == 7) == pytest.approx(6 / 36)
    assert sum(chance for values, chance in TWO_DICE if sum(values) == 4) == pytest.approx(3 / 36)


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_payments_are_those_of_a_real_throw(ruleset: str, seats: int) -> None:
    """Wherever a throw is paid out without a choice; with one, the forecast answers for itself."""
    compared = 0
    for state in _states(ruleset, seats):
        for values, _ in ONE_DIE:
            played = state.copy()
            played.phase = "roll"
            advance(played, RollDice(played.active, 1), Thrown(values))
            if played.phase == "build":
                gains = [now - before for now, before in zip(played.coins, state.coins, strict=True)]
                assert Forecast(state).payments(state.active, values) == gains
                compared += 1
    assert compared > 20


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_a_card_more_changes_the_forecast_as_if_it_were_there(ruleset: str, seats: int) -> None:
    for state in _states(ruleset, seats):
        forecast = Forecast(state)
        before = forecast.round_income(0)
        for card in range(state.rules.establishments):
            changed = state.copy()
            changed.cities[0][card] += 1
            with forecast.changed(0, {card: 1}):
                assert forecast.round_income(0) == pytest.approx(Forecast(changed).round_income(0))
        assert forecast.round_income(0) == before


@pytest.mark.parametrize(
    ("card", "own", "others"),
    [
        ("wheat_field", {1, 11, 12}, {1}),
        ("bakery", {2, 3, 7}, {7}),
        ("cafe", {7, 12, 13}, {3, 7}),
        ("stadium", {6}, set()),
        ("tuna_boat", {12, 13, 14}, {12, 13, 14}),
    ],
)
def test_a_card_is_looked_at_only_on_throws_on_which_it_may_count(
    card: str, own: set[int], others: set[int]
) -> None:
    """A Publisher counts bread and cups on 7, a Food Warehouse cups on 12 and 13. Every seat has all."""
    table = _states("harbor", 2)[0]
    for city in table.cities:
        city[:] = [1] * len(city)
    assert affected_totals(table, [table.rules.index[card]]) == (own, others)


def test_doubles_differ_from_other_throws_only_where_a_card_asks_for_them() -> None:
    state = _states("machi_koro_2", 2)[0]
    temple = state.rules.index["temple"]
    state.coins[:] = [9, 9]
    for city in state.cities:
        city[:] = [0] * len(city)
    assert Forecast(state).payments(0, (4, 4)) == Forecast(state).payments(0, (2, 6)) == [0, 0]
    forecast = Forecast(state)
    with forecast.changed(0, {temple: 1}):
        assert forecast.payments(0, (4, 4)) == [2, -2]
        assert forecast.payments(0, (2, 6)) == [0, 0]
    assert forecast.payments(0, (4, 4)) == [0, 0]
