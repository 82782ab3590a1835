"""What is wrong with a state is found: the properties of all matches rest on that."""

from collections.abc import Callable

import pytest

from domain.match.commands import Resign, SeatPlan
from domain.match.state import MatchState
from tests.domain.invariants import card_totals, problems
from tests.domain.kit import A, B, C, city, given, new_match, row

Fault = Callable[[MatchState], None]


def _table(**options: object) -> MatchState:
    """In base, with the last copies on the table: each of these counts is as high as it may be."""
    players = city(0, "train_station", stadium=1, bakery=2), city(5), city(5)
    return given("base", *players, rows=[row("supply", cafe=0)], **options).state.copy()  # type: ignore[arg-type]


def _card(state: MatchState, id: str) -> int:
    return state.rules.index[id]


def _owes(state: MatchState) -> None:
    state.coins[A] = -1


def _sells_what_is_not_there(state: MatchState) -> None:
    state.supply[_card(state, "cafe")] = -1


def _draws_what_is_not_there(state: MatchState) -> None:
    state.decks[_card(state, "cafe")] = -1


def _gives_what_is_not_there(state: MatchState) -> None:
    state.cities[B][_card(state, "cafe")] = -1


def _holds_two_stadiums(state: MatchState) -> None:
    state.cities[A][_card(state, "stadium")] = 2


def _miscounts_landmarks(state: MatchState) -> None:
    state.landmarks[B] = 1


def _forgets_a_landmark(state: MatchState) -> None:
    state.landmarks[A] = 0


def _waits_for_who_has_left(state: MatchState) -> None:
    state.resigned[A] = True


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        (_owes, "seat 0 holds -1 coins"),
        (_sells_what_is_not_there, "fewer than no cafe"),
        (_draws_what_is_not_there, "fewer than no cafe"),
        (_gives_what_is_not_there, "fewer than no cafe"),
        (_holds_two_stadiums, "two stadium in one city"),
        (_miscounts_landmarks, "seat 1 has 1 landmarks counted"),
        (_forgets_a_landmark, "seat 0 has 0 landmarks counted"),
        (_waits_for_who_has_left, "a seat that resigned is to act"),
    ],
)
def test_whatever_is_wrong_with_a_table_is_named(fault: Fault, problem: str) -> None:
    state = _table()
    assert problems(state) == []

    fault(state)
    assert problems(state) == [problem]


def test_all_that_is_wrong_is_named() -> None:
    state = _table()
    for fault in (_owes, _holds_two_stadiums, _waits_for_who_has_left):
        fault(state)

    assert problems(state) == [
        "seat 0 holds -1 coins",
        "two stadium in one city",
        "a seat that resigned is to act",
    ]


def test_nothing_is_wrong_with_a_match_that_has_not_started() -> None:
    plans = [SeatPlan("account", "acc_0", "ada"), SeatPlan("open")]
    assert problems(new_match("base", plans=plans).state) == []


def test_a_third_copy_is_wrong_only_under_the_beginners_limit() -> None:
    limited, free = _table(max_copies=2), _table()
    assert problems(limited) == []

    for state in (limited, free):
        state.cities[A][_card(state, "bakery")] = 3
    assert problems(limited) == ["more bakery in one city than the option allows"]
    assert problems(free) == []


def test_the_beginners_limit_is_of_establishments() -> None:
    state = _table(max_copies=2)
    state.cities[A][_card(state, "train_station")] = 3
    state.landmarks[A] = 3

    assert problems(state) == ["two train_station in one city"]


def test_in_a_match_that_is_over_nobody_is_to_act() -> None:
    over = given("base", city(5), city(5), city(5)).when(Resign(A), Resign(B))

    assert (over.state.winner, over.state.resigned[over.state.active]) == (C, True)
    assert problems(over.state) == []


def test_a_row_is_short_while_its_deck_lasts_and_the_match_is_on() -> None:
    state = new_match("machi_koro_2", 2).state.copy()
    shown = [card for card in state.rules.row_cards[0] if state.supply[card]]
    state.supply[shown[0]] = 0
    assert problems(state) == ["row low shows 4 kinds"]

    over, sold_out = state.copy(), state.copy()
    over.status = "finished"
    for card in state.rules.row_cards[0]:
        sold_out.decks[card] = 0
    assert problems(over) == []
    assert problems(sold_out) == []


def test_a_card_of_the_market_is_counted_wherever_it_lies() -> None:
    totals = card_totals(new_match("harbor", 2, options={"market": "limited"}).state)

    assert totals["wheat_field"] == 6 + 2  # with the starter cards
    assert totals["stadium"] == 5
    assert "town_hall" not in totals  # it is never sold
