"""Who a match waits for after each append, as the relay sees it."""

from random import Random

from domain.match.commands import AbortMatch, Resign, TakeSeat
from events import Loaded, Matches
from events.matches.projections import deadline_ms
from events.store.records import Precedence
from tests.events.example_matches import NOW_MS, SEEDS, Kit, creation, finished_match, play, roll, with_clock


def new_matches(kit: Kit) -> Matches:
    return Matches(kit.store, SEEDS, lambda: NOW_MS, ai_grace_ms=10_000)


def test_an_open_match_waits_for_nobody_in_particular(kit: Kit) -> None:
    new_matches(kit).create(creation("ao"))
    assert [pointer.next for pointer in kit.log()] == ["human"]
    assert kit.due() == []


def test_a_built_in_player_is_looked_after_when_it_takes_too_long(kit: Kit) -> None:
    matches = new_matches(kit)
    created = matches.create(creation("so"))
    matches.execute(created.match_id, TakeSeat(1, "account", "acc_1", "b"), "account:acc_1")
    assert [pointer.next for pointer in kit.log()] == ["human", "ai"]
    assert kit.due() == [(created.match_id, NOW_MS + 10_000)]


def test_a_match_in_a_workers_hands_is_not_given_to_another_but_is_found_if_the_worker_dies(kit: Kit) -> None:
    matches = new_matches(kit)
    created = matches.create(creation("ss"))
    play(matches, matches.load(created.match_id), Random(1), 3, is_held=True)
    assert kit.log()[-1].next == "held"
    assert kit.due() == [(created.match_id, NOW_MS + 10_000)]


def test_a_turn_comes_first_as_long_as_an_account_plays_that_has_not_resigned(kit: Kit) -> None:
    matches = new_matches(kit)
    alone = matches.create(creation("ss"))
    match = matches.create(creation("ssa"))
    matches.execute(match.match_id, Resign(2), "account:acc_2")

    def told(match_id: str) -> list[tuple[str, Precedence]]:
        return [(one.next, one.precedence) for one in kit.log() if one.match_id == match_id]

    assert told(alone.match_id) == [("ai", Precedence("acc_0"))]
    assert told(match.match_id) == [("ai", Precedence("acc_0", has_people=True)), ("ai", Precedence("acc_0"))]


def test_a_held_match_goes_to_a_person_whose_turn_comes(kit: Kit) -> None:
    matches = new_matches(kit)
    created = matches.create(creation("sa"))
    loaded = matches.load(created.match_id)
    while loaded.state.active == 0:
        loaded = play(matches, loaded, Random(1), 1, is_held=True)
    assert kit.log()[-1].next == "human"
    assert kit.due() == []


def test_a_person_with_a_clock_is_due_when_it_runs_out(kit: Kit) -> None:
    matches = new_matches(kit)
    created = matches.create(with_clock(decision_ms=30_000))
    assert deadline_ms(created.state, created.at_ms) == NOW_MS + 30_000
    assert kit.due() == [(created.match_id, NOW_MS + 30_000)]


def test_a_person_without_a_clock_is_never_due(kit: Kit) -> None:
    matches = new_matches(kit)
    created = matches.create(creation())
    roll(matches, created.match_id)
    assert deadline_ms(created.state, created.at_ms) is None
    assert kit.due() == []


def test_a_match_that_is_over_is_never_due(kit: Kit) -> None:
    matches = new_matches(kit)
    loaded = finished_match(matches)
    assert isinstance(loaded, Loaded)
    aborted = matches.create(with_clock())
    matches.execute(aborted.match_id, AbortMatch(), "account:acc_0")
    over = [pointer.match_id for pointer in kit.log() if pointer.next == "over"]
    assert over == [loaded.match_id, aborted.match_id]
    assert kit.due() == []
