"""What holds in every match, played by random legal players over all rulesets, options and seat counts."""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given

from domain import MatchState, advance, decide, evolve, fold, legal_commands
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.commands import PLAY_COMMANDS, Command
from domain.match.decide import HANDLERS, advance_turn
from domain.match.events import REGISTRY, Event, type_name
from domain.match.evolve import APPLY
from domain.match.legal import unbuildable
from tests.domain.invariants import card_totals, problems
from tests.domain.matches import (
    CASES,
    Case,
    Played,
    Step,
    bounded,
    candidates,
    chance_of,
    is_accepted,
    play,
    played_matches,
)

SEEDS = range(6)

CHOICES = ("reroll", "add_two", "take_coins", "swap", "give", "demolish", "move", "renovate", "invest")
"""The phases in which a card asks for a choice."""


@lru_cache(maxsize=1)
def matches() -> tuple[Played, ...]:
    return tuple(play(case, seed) for case in CASES for seed in SEEDS)


def steps() -> Iterator[tuple[Played, Step]]:
    for played in matches():
        for step in played.steps:
            yield played, step


def running_states(every: int = 1) -> Iterator[tuple[Played, MatchState]]:
    """States of running matches: all that wait for a choice, and some of the others."""
    for i, (played, step) in enumerate(steps()):
        state = step.after
        if state.status == "running" and (i % every == 0 or state.phase not in ("roll", "build")):
            yield played, state


def test_random_matches_see_every_event_every_command_and_every_phase() -> None:
    """Else the properties below say less than they seem to. Lobby, branches and banks have other tests."""
    seen = {type(event) for played in matches() for event in played.events}
    sent = {type(step.command) for _, step in steps()}
    phases = {step.after.phase for _, step in steps()}
    orders = {step.after.result for _, step in steps()}

    seeds = {ev.SeatSeedCommitted, ev.SeatSeedForgone, ev.SeatSeedOpened, ev.SeatSeedWithheld}
    guests = {ev.SeatReserved, ev.ReservationEnded}
    lobby = {cmd.TakeSeat, cmd.CommitSeatSeed, cmd.OpenSeatSeed, cmd.ExpireSeatSeeds, cmd.AbortMatch}
    rare = {ev.MatchAborted, ev.BranchStarted, ev.BankChanged, ev.ChoiceLapsed}
    assert set(REGISTRY.values()) - seen == rare | seeds | guests
    assert set(HANDLERS) - sent == {*lobby, cmd.EndReservation, cmd.ChangeController}
    assert phases == {"setup", "roll", *CHOICES, "build", ""}
    assert orders == {"", "landmarks", "resignation"}


def test_every_event_type_is_applied_and_nothing_else() -> None:
    assert {ev.MatchCreated, *APPLY} == set(REGISTRY.values()) == set(get_args(Event))


def test_every_command_type_is_decided_and_nothing_else() -> None:
    assert set(HANDLERS) == set(get_args(Command))
    assert set(PLAY_COMMANDS.values()) == set(get_args(cmd.PlayCommand))


def test_a_command_is_legal_if_and_only_if_it_is_accepted() -> None:
    """`resign` is always open and is no move; the number of dice of a legal throw is part of the command."""
    choices = Random(5)
    for played, state in running_states(every=8):
        legal, place = legal_commands(state), f"{played}, version {state.version}"
        chance = chance_of(played.case, played.seed)
        for command in legal:
            assert is_accepted(state.copy(), command, chance), f"{command} at {place}"
        assert len(legal) == len(set(legal))
        twin = state.copy()
        for command in {*candidates(state, choices)} - {*legal}:
            assert not is_accepted(twin, command, chance), f"{command} at {place}"
        assert twin == state, f"a refused command has changed the state at {place}"


def test_a_running_match_always_has_a_legal_command_and_another_none() -> None:
    for played, step in steps():
        assert bool(legal_commands(step.after)) == (step.after.status == "running"), played


def test_every_card_of_the_ruleset_either_can_be_built_or_has_a_reason_why_not() -> None:
    for played, state in running_states(every=8):
        if state.phase not in ("build", "setup"):
            continue
        can = {command.card for command in legal_commands(state) if isinstance(command, cmd.Build)}
        cannot = {id for id, _, _ in unbuildable(state)}
        offered = {state.rules.ids[card] for card in state.rules.offers}
        assert (can & cannot, can | cannot) == (set(), offered), played


def test_nothing_is_ever_wrong_with_a_state() -> None:
    for played, step in steps():
        assert problems(step.after) == [], played


def test_a_choice_is_pending_only_while_its_phase_is_on() -> None:
    for played, step in steps():
        waits = step.after.phase in CHOICES
        assert bool(step.after.pending_card) == waits, f"{played}, after {step.command}"


def test_cards_are_conserved() -> None:
    for played in matches():
        started = next(step.after for step in played.steps if step.after.coins)
        totals = card_totals(started)
        if started.rules.ruleset.id == "machi_koro_2":
            assert sum(totals.values()) == 106
        elif not played.case.rich:
            starters = 2 * played.case.seats
            assert sum(totals.values()) == sum(started.rules.copies) - _own(started) + starters
        for step in played.steps:
            assert card_totals(step.after) == totals, played


def _own(state: MatchState) -> int:
    """Landmarks of one's own lie beside the reserve."""
    return sum(state.rules.copies[state.rules.establishments :])


def test_coins_are_conserved() -> None:
    """Purses change by what the bank gives and gets; what a seat pays, a seat gets."""
    for played, step in steps():
        from_bank = sum([_from_bank(event) for event in step.events])
        if step.before and step.before.coins:
            assert sum(step.after.coins) - sum(step.before.coins) == from_bank, f"{played}, {step.command}"


def _from_bank(event: Event) -> int:
    if isinstance(event, ev.IncomeReceived | ev.HelpReceived):
        return event.coins
    if isinstance(event, ev.CoinsLevelled):
        return event.from_bank
    if isinstance(event, ev.FeePaid):
        return -event.paid
    if isinstance(event, ev.CoinInvested):
        return -event.coins
    if isinstance(event, ev.EstablishmentBuilt | ev.LandmarkBuilt):
        return -event.price
    return 0


def test_every_event_says_what_really_moved() -> None:
    """Purses and cities are worked out from the stored events alone, without the code that applies them."""
    for played in matches():
        coins: list[int] = []
        cities: list[Counter[str]] = []
        for step in played.steps:
            for event in step.events:
                record = dict(
                    zip(
                        event.__struct_fields__,
                        msgspec.json.decode(msgspec.json.encode(event))[1:],
                        strict=True,
                    )
                )
                if isinstance(event, ev.MatchStarted):
                    coins, cities = record["coins"], [Counter(city) for city in record["cities"]]
                _move(type_name(event), record, coins, cities)
            assert coins == step.after.coins, f"{played}, {step.command}"
            assert [+city for city in cities] == _cities(step.after), f"{played}, {step.command}"


def _cities(state: MatchState) -> list[Counter[str]]:
    ids = state.rules.ids
    return [Counter({ids[card]: count for card, count in enumerate(city) if count}) for city in state.cities]


def _move(name: str, record: dict[str, Any], coins: list[int], cities: list[Counter[str]]) -> None:
    if name == "payment_made":
        assert record["paid"] == min(record["owed"], coins[record["from_seat"]])
        coins[record["from_seat"]] -= record["paid"]
        coins[record["to_seat"]] += record["paid"]
    elif name == "fee_paid":
        assert record["paid"] == min(record["owed"], coins[record["seat"]])
        coins[record["seat"]] -= record["paid"]
    elif name == "coin_invested":
        coins[record["seat"]] -= record["coins"]
    elif name == "landmark_demolished":
        cities[record["seat"]][record["landmark"]] -= 1
    elif name in ("income_received", "help_received"):
        coins[record["seat"]] += record["coins"]
    elif name == "coins_levelled":
        assert record["from_bank"] == sum(record["coins"]) - sum(coins)
        coins[:] = record["coins"]
    elif name in ("establishment_built", "landmark_built"):
        coins[record["seat"]] -= record["price"]
        cities[record["seat"]][record["card"]] += 1
    elif name == "establishments_swapped":
        _hand_over(cities, record["give"], record["seat"], record["with_seat"])
        _hand_over(cities, record["take"], record["with_seat"], record["seat"])
    elif name == "establishment_given":
        _hand_over(cities, record["card"], record["seat"], record["to_seat"])


def _hand_over(cities: list[Counter[str]], card: str, giver: int, taker: int) -> None:
    cities[giver][card] -= 1
    cities[taker][card] += 1
    assert cities[giver][card] >= 0


def test_a_seat_that_resigned_moves_no_more() -> None:
    for played, step in steps():
        if step.before is None:
            continue
        gone = [seat for seat, resigned in enumerate(step.before.resigned) if resigned]
        for seat in gone:
            assert step.after.coins[seat] == step.before.coins[seat], played
            assert step.after.cities[seat] == step.before.cities[seat], played


def test_the_fold_of_the_log_is_the_live_state() -> None:
    for played in matches():
        assert fold(None, played.events) == played.steps[-1].after, played


@bounded
@given(played_matches())
def test_a_fold_may_be_split_anywhere(played: Played) -> None:
    events = played.events
    whole = fold(None, events)
    for cut in range(1, len(events) + 1):
        head = fold(None, events[:cut])
        assert fold(head, events[cut:]) == whole


@bounded
@given(played_matches())
def test_evolve_leaves_the_given_state_as_it_is(played: Played) -> None:
    state = evolve(None, played.events[0])
    for event in played.events[1:]:
        before = state.copy()
        after = evolve(state, event)
        assert state == before
        assert after != state
        state = after


@bounded
@given(played_matches())
def test_decide_says_what_advance_does_in_place_and_leaves_the_state_as_it_is(played: Played) -> None:
    chance = chance_of(played.case, played.seed)
    for step in played.steps[1:]:
        assert step.before is not None
        advanced = step.before.copy()
        assert decide(step.before, step.command, chance) == step.events
        assert step.before == advanced
        assert tuple(advance(advanced, step.command, chance)) == step.events
        assert advanced == step.after == fold(step.before.copy(), step.events)


@bounded
@given(played_matches())
def test_a_simulation_plays_the_commands_of_seats_as_a_match_does_but_reveals_no_seed(played: Played) -> None:
    chance = chance_of(played.case, played.seed)
    for step in played.steps[1:]:
        if isinstance(step.command, get_args(cmd.PlayCommand)):
            assert step.before is not None
            state = step.before.copy()
            events = [event for event in step.events if not isinstance(event, ev.DiceRevealed)]
            assert advance_turn(state, step.command, chance) == events
            assert state == fold(step.before.copy(), events)


@bounded
@given(played_matches())
def test_stored_events_come_back_as_they_were(played: Played) -> None:
    for event in played.events:
        stored = msgspec.json.encode(event)
        assert msgspec.json.decode(stored, type=Event) == event
        assert msgspec.json.encode(msgspec.json.decode(stored, type=Event)) == stored
        assert REGISTRY[msgspec.json.decode(stored)[0]] is type(event)


@bounded
@given(played_matches(longest=200))
def test_the_same_seed_gives_the_same_match(played: Played) -> None:
    again = play(played.case, played.seed, len(played.steps))

    assert again.events == played.events


def test_versions_count_events() -> None:
    for played, step in steps():
        before = step.before.version if step.before else 0
        assert step.after.version - before == len(step.events), played


def test_turns_are_counted_without_a_gap_and_each_is_ended_before_the_next_starts() -> None:
    for played in matches():
        turns = [event for event in played.events if isinstance(event, ev.TurnStarted | ev.TurnEnded)]
        started = [event.turn for event in turns[::2]]
        ended = [event.turn for event in turns[1::2]]
        assert started == list(range(1, len(started) + 1)), played
        assert ended == started[: len(ended)], played
        assert [event.seat for event in turns[1::2]] == [event.seat for event in turns[::2]][: len(ended)]


def test_a_match_ends_with_its_winner_and_nothing_but_the_reveal_follows() -> None:
    for played in matches():
        state = played.steps[-1].after
        if state.status != "finished":
            continue
        last = [event for event in played.events if not isinstance(event, ev.DiceRevealed)][-1]
        assert last == ev.MatchFinished(state.winner, state.result), played
        if state.result == "landmarks":
            assert state.landmarks[state.winner] >= state.rules.goal or _has_launch_pad(state), played
        assert not state.resigned[state.winner], played


def _has_launch_pad(state: MatchState) -> bool:
    return state.cities[state.winner][state.rules.index["launch_pad"]] == 1


def test_no_row_of_a_running_match_is_short_while_its_deck_lasts() -> None:
    for played, step in steps():
        state = step.after
        if state.status != "running":
            continue
        for row, cards in zip(state.rules.rows, state.rules.row_cards, strict=True):
            kinds = sum([state.supply[card] > 0 for card in cards])
            assert kinds >= row.kinds or not any(state.decks[card] for card in cards), played


@pytest.mark.parametrize("case", CASES[::4], ids=str)
def test_seats_play_in_turn_but_for_extra_turns_and_seats_that_resigned(case: Case) -> None:
    for seed in SEEDS:
        for step in play(case, seed).steps:
            for event in step.events:
                if not isinstance(event, ev.TurnStarted) or event.turn == 1:
                    continue
                seat, seats = step.before.active, case.seats
                if not event.extra:
                    seat = (seat + 1) % seats
                    while step.after.resigned[seat]:
                        seat = (seat + 1) % seats
                assert event.seat == seat
