"""The state itself: copies, comparison, and what is asked of it."""

import re
from pathlib import Path

from domain import fold
from domain.match import events as ev
from domain.match.commands import AbortMatch, RollDice, SeatPlan
from domain.match.state import MatchState, facts, seat_seeds, seat_to_act, view
from tests.domain.kit import A, city, given, new_match, row, seat_plan


def _full() -> MatchState:
    """A state in which as many members as possible are not as at the beginning."""
    market = row("market", deck=("cafe", "mine"), ranch=1)
    players = city(9, "train_station", "radio_tower", tv_station=1), city(5, mine=2)
    scene = given("base", *players, rows=[market], market="limited").when(RollDice(A, 2), dice=[(3, 3)])
    assert scene.state.phase == "reroll"
    return scene.state


def test_a_copy_has_all_that_the_state_has_and_shares_nothing_that_is_changed_in_place() -> None:
    state = _full()
    twin = state.copy()

    assert facts(twin) == facts(state)
    assert twin.rules is state.rules
    replaced = {"reservations", "seed_commitments"}
    for name, value in facts(twin).items():
        if isinstance(value, list | dict) and name not in replaced:
            assert value is not getattr(state, name), name
    assert all(one is not other for one, other in zip(twin.cities, state.cities, strict=True))
    assert all(one is not other for one, other in zip(twin.closed, state.closed, strict=True))
    assert twin.deck_orders["market"] is not state.deck_orders["market"]


def test_a_copy_of_a_match_that_is_over_knows_its_end() -> None:
    plans = [seat_plan(A), SeatPlan("reserved", "acc_9", "nina")]
    opened = new_match("base", plans=plans)
    for state in (opened.state, opened.when(AbortMatch()).state):
        assert facts(state.copy()) == facts(state)


def test_a_match_that_was_just_created_has_no_table_no_turn_and_no_result() -> None:
    scene = new_match("base", plans=[SeatPlan("open")] * 3)
    (created,) = scene.events

    assert facts(scene.state) == {
        "version": 1,
        "status": "open",
        "created": created,
        "controllers": [None, None, None],
        "reservations": {},
        "accounts": frozenset(),
        "seed_commitments": {},
        "coins": [],
        "cities": [],
        "landmarks": [],
        "closed": [],
        "invested": [],
        "resigned": [],
        "supply": [],
        "decks": [],
        "deck_orders": {},
        "draws": [],
        "first_seat": -1,
        "turn": 0,
        "round": 0,
        "active": -1,
        "banks": [],
        "phase": "",
        "extra_turn": False,
        "seat_turns": [],
        "dice": (),
        "total": 0,
        "added": 0,
        "rerolled": False,
        "received": 0,
        "extra_turn_due": False,
        "pending_card": "",
        "pending_copies": 0,
        "throws": 0,
        "winner": -1,
        "result": "",
    }


def test_states_are_equal_if_all_their_facts_are() -> None:
    state, twin = _full(), _full()
    assert state == twin

    twin.received += 1
    assert state != twin
    assert state != facts(state)


def test_the_facts_are_all_members_but_the_rules() -> None:
    source = Path(__file__).parents[3] / "domain" / "match" / "state.py"  # a compiled class has no `vars`
    members = {*re.findall(r"^        self\.(\w+)[: ]", source.read_text(), re.MULTILINE)}
    assert {*facts(_full())} == members - {"rules"}


def test_a_match_waits_for_a_seat_from_its_first_turn_to_its_end() -> None:
    opened = new_match("base", plans=[seat_plan(A), SeatPlan("open")]).state
    running = new_match("base", 2, first_seat=A)
    laid = fold(None, running.events[:-1])  # before the first turn
    over = running.when(AbortMatch()).state

    assert [seat_to_act(state) for state in (opened, laid, over)] == [None, None, None]
    assert seat_to_act(running.state) == A
    assert isinstance(running.events[-1], ev.TurnStarted)


def test_a_player_sees_no_deck_in_a_given_order_and_no_scripted_throw() -> None:
    state = _full()
    seen = view(state)

    assert (seen.deck_orders, seen.created.position) == ({}, None)
    assert (seen.coins, seen.cities, seen.decks) == (state.coins, state.cities, state.decks)
    assert state.deck_orders == {"market": []}

    scripted = new_match("base", 2, throws=[(3,), (4,)]).state
    assert view(scripted).created.dice.throws == ()
    assert scripted.created.dice.throws == ((3,), (4,))


def test_a_state_with_nothing_to_hide_is_seen_as_it_is() -> None:
    state = new_match("base", 2).state
    assert view(state) is state


def test_a_seat_that_nobody_has_taken_yet_adds_no_seed() -> None:
    plans = [SeatPlan("account", "acc_0", "ada", seed="s0"), SeatPlan("reserved", "acc_9", "nina")]

    assert seat_seeds(new_match("base", plans=plans).state) == ("s0", "")
