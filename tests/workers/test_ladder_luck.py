"""The luck of a match as results tell it."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from bench.matches import committed, new_match, play_out
from domain.events import Event
from domain.ladder.events import RoundStopped
from domain.luck import in_coins, luck_of
from domain.rulesets import CURRENT
from domain.state import MatchState
from events.strategies import VALUE_FUNCTIONS
from tests.workers.kit import Place
from tests.workers.ladder_kit import Ladder, recorded
from workers.ladders.luck import Floats, coin_luck, win_luck
from workers.ladders.values import value_function


class ByWealth:
    """The chances by coins and landmarks alone: some fixed function of the table."""

    digest = "sha-256:" + "77" * 32

    def values(self, states: Sequence[MatchState]) -> Floats:
        worth = np.array([np.array(state.coins) / 10 + np.array(state.landmarks) for state in states])
        odds = np.exp(worth - worth.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float64)


def a_match(number: int, seats: int) -> tuple[MatchState, list[Event]]:
    chance, dice = committed(number)
    return play_out(new_match("base", ("random",) * seats, dice), chance, random.Random(number))


def won_by_luck(events: list[Event]) -> tuple[int, ...]:
    return win_luck(events, luck_of(events), ByWealth())


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_coin_luck_is_that_of_the_match_to_the_nearest_thousandth(seats: int) -> None:
    luck = luck_of(a_match(seats, seats)[1])
    exact = [in_coins(units) for units in luck.totals.luck]
    told = coin_luck(luck)
    assert sum(told) == 0
    assert all(abs(one - other * 1000) <= 3 for one, other in zip(told, exact, strict=True))


def test_win_luck_is_nothing_on_average_whatever_the_values_are() -> None:
    """Of each seat, over many matches, within three standard errors."""
    found = np.array([won_by_luck(a_match(number, 2)[1]) for number in range(150)])
    assert np.all(found.sum(axis=1) == 0)
    error = found.std(axis=0) / np.sqrt(len(found))
    assert np.all(error > 1000)
    assert np.all(np.abs(found.mean(axis=0)) < 3 * error)


def test_whoever_wins_had_luck_as_a_rule() -> None:
    """That is what can be taken out of a score."""
    found = [(state.winner == 0, won_by_luck(events)[0]) for state, events in map(two, range(100))]
    won, luck = zip(*found, strict=True)
    assert np.corrcoef(won, luck)[0, 1] > 0.1


def two(number: int) -> tuple[MatchState, list[Event]]:
    return a_match(number, 2)


def test_a_season_with_win_luck_has_it_in_its_results(place: Place) -> None:
    ladder = Ladder(place, luck="wins", luck_version=ByWealth.digest)
    ladder.enter("random", "landmark_first")
    ladder.open((0, 1))
    ladder.play(values=lambda ruleset: ByWealth())
    for result in ladder.round().blocks[0].results:
        assert result.luck_wins is not None and result.luck_coins is not None
        assert any(result.luck_wins)
        assert sum(result.luck_wins) == 0


def test_a_season_whose_value_function_is_no_more_is_stopped_and_says_why(place: Place) -> None:
    ladder = Ladder(place, luck="wins", luck_version="sha-256:" + "00" * 32)
    ladder.enter("random", "landmark_first")
    ladder.open((0, 1))
    ladder.play(values=lambda ruleset: ByWealth())
    assert [one.reason for one in recorded(ladder, RoundStopped)] == ["value_function_gone"]
    assert ladder.matches() == set()


def test_the_service_names_the_value_functions_that_the_workers_have() -> None:
    assert {ruleset: value_function(ruleset).digest for ruleset in CURRENT} == VALUE_FUNCTIONS
