"""The audit continues from forged events as far as the rules terminate on the table that they leave."""

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from domain.audit.envelopes import ReadEvent, read
from domain.audit.recorded_state import folded, is_playable
from domain.match import events as ev
from domain.match.events import Event
from domain.match.state import MatchState
from tests.audited import EVENT
from tests.domain.kit import A, city, given, new_match, row

Change = Callable[[MatchState], None]


def batch(*events: Event, first: int = 1) -> Sequence[ReadEvent]:
    one = read(1, EVENT)
    return [replace(one, place=place, event=event) for place, event in enumerate(events, first)]


def table() -> MatchState:
    """Two seats, and a deck whose order is given."""
    market = row("market", deck=("cafe", "mine", "mine"), ranch=1)
    return given("base", city(5, mine=2), city(7), rows=[market], market="limited").state.copy()


def test_events_that_the_rules_would_refuse_are_applied_to_a_copy() -> None:
    state = table()
    after = folded(state, batch(ev.IncomeReceived(A, "mine", 1, 500), ev.BuildPassed(A), first=9))

    assert after is not None
    assert (after.coins, state.coins) == ([505, 7], [5, 7])
    assert after.version == state.version + 2


def test_the_first_event_makes_a_match() -> None:
    created = new_match("base").state.created
    after = folded(None, batch(created))

    assert after is not None
    assert (after.version, after.created) == (1, created)


@pytest.mark.parametrize("seats", [1, 6, 10**9, -1])
def test_no_match_is_made_for_more_or_fewer_seats_than_the_ruleset_allows(seats: int) -> None:
    created = new_match("base").state.created
    assert folded(None, batch(replace(created, seats=seats))) is None


@pytest.mark.parametrize("seats", [2, 5])
def test_a_match_is_made_for_the_fewest_and_the_most_seats(seats: int) -> None:
    created = new_match("base").state.created
    assert folded(None, batch(replace(created, seats=seats))) is not None


def test_no_match_is_made_by_unknown_rules_or_by_a_later_event() -> None:
    created = new_match("base").state.created
    assert folded(None, batch(replace(created, rules_version="base@99"))) is None
    assert folded(None, batch(created, first=2)) is None
    assert folded(table(), batch(ev.BuildPassed(A), created, first=9)) is None


@pytest.mark.parametrize(
    "event",
    [
        ev.EstablishmentBuilt(A, "no_such_card", 1),
        ev.IncomeReceived(99, "mine", 1, 5),
        ev.MarketRefilled("market", ("no_such_card",)),
        ev.IncomeReceived(A, "mine", 1, 2 * 10**9),
    ],
)
def test_events_that_cannot_be_applied_or_leave_no_table_have_no_state_after_them(event: Event) -> None:
    assert folded(table(), batch(event, first=9)) is None


def _changed(change: Change) -> bool:
    """Whether the rules could continue from the table after the change."""
    state = table()
    assert is_playable(state)
    change(state)
    return is_playable(state)


@pytest.mark.parametrize(("coins", "playable"), [(10**9, True), (-(10**9), True), (10**9 + 1, False)])
def test_a_purse_holds_at_most_a_billion_coins(coins: int, playable: bool) -> None:
    assert _changed(lambda state: state.coins.__setitem__(1, coins)) == playable
    assert not _changed(lambda state: state.coins.__setitem__(1, -(10**9) - 1))


PLACES: list[Callable[[MatchState], list[int]]] = [
    lambda state: state.supply,
    lambda state: state.decks,
    lambda state: state.cities[0],
    lambda state: state.cities[1],
]


@pytest.mark.parametrize("place", PLACES, ids=["supply", "decks", "first city", "second city"])
def test_no_more_than_a_thousand_copies_lie_in_one_place(place: Callable[[MatchState], list[int]]) -> None:
    assert _changed(lambda state: place(state).__setitem__(3, 1000))
    assert _changed(lambda state: place(state).__setitem__(3, -1000))
    assert not _changed(lambda state: place(state).__setitem__(3, 1001))
    assert not _changed(lambda state: place(state).__setitem__(3, -1001))


def test_a_deck_in_a_given_order_has_at_most_a_thousand_cards() -> None:
    assert _changed(lambda state: state.deck_orders.update(market=["cafe"] * 1000))
    assert not _changed(lambda state: state.deck_orders.update(market=["cafe"] * 1001))


def test_somebody_is_left_to_play() -> None:
    assert _changed(lambda state: state.resigned.__setitem__(0, True))
    assert not _changed(lambda state: state.resigned.__setitem__(slice(None), [True, True]))


@pytest.mark.parametrize("name", ["coins", "cities", "resigned", "seat_turns"])
def test_every_seat_has_its_part_of_the_table(name: str) -> None:
    assert not _changed(lambda state: getattr(state, name).pop())
    assert not _changed(lambda state: getattr(state, name).append(getattr(state, name)[0]))


def test_before_the_start_there_is_nothing_to_terminate_on() -> None:
    created = new_match("base").state.created
    state = folded(None, batch(created))
    assert state is not None
    state.supply = [5000]
    assert is_playable(state)
