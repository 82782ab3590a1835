"""The results of rated matches, in every kind of store: each once, in one order, as of any time."""

from domain.ladder.rated_matches import Board, RatedPlayer
from domain.match.commands import AbortMatch
from domain.match.rulesets import CURRENT
from events import Matches
from events.matches.rated_results import (
    board_named,
    boards,
    count_results,
    counted_results,
    results_page,
    table_name,
)
from tests.events.example_matches import SEEDS, Kit
from tests.events.rated import join, open_rated, rated_match, resign

BASE_2 = Board("base", 2)


def test_the_append_that_ends_a_rated_match_makes_it_a_result_of_its_board(kit: Kit) -> None:
    matches = Matches(kit.store, SEEDS, clock=lambda: 1_790_000_000_123)
    match_id = open_rated(matches, "acc_a", first_seat=1)
    join(matches, match_id, 1, "acc_b")
    assert results_page(kit.store, BASE_2, None, 10).items == ()

    resign(matches, match_id, 1)

    (found,) = results_page(kit.store, BASE_2, None, 10).items
    assert (found.match_id, found.ended_ms, found.winner) == (match_id, 1_790_000_000_123, 1)
    assert found.players == (RatedPlayer("acc_b", "acc_b"), RatedPlayer("acc_a", "acc_a"))


def test_a_command_that_is_sent_twice_makes_one_result(kit: Kit, matches: Matches) -> None:
    match_id = open_rated(matches, "acc_a")
    join(matches, match_id, 1, "acc_b")
    for _ in range(2):
        resign(Matches(kit.store, SEEDS), match_id, 1, command_id="resign-1")

    assert count_results(kit.store, [BASE_2]) == {BASE_2: 1}


def test_results_come_from_all_partitions_in_the_order_of_match_ids(kit: Kit, matches: Matches) -> None:
    ids = sorted([rated_match(matches, "acc_a", "acc_b") for _ in range(7)], reverse=True)

    first = results_page(kit.store, BASE_2, None, 4)
    second = results_page(kit.store, BASE_2, first.next, 4)

    assert [one.match_id for one in (*first.items, *second.items)] == ids
    assert (first.next, second.next) == (ids[3], None)
    assert [one.match_id for one in counted_results(kit.store, BASE_2, 2**52).results] == ids[::-1]


def test_results_count_as_of_any_time(kit: Kit) -> None:
    now = [1_790_000_000_000]
    matches = Matches(kit.store, SEEDS, clock=lambda: now[0])
    late = open_rated(matches, "acc_a")
    join(matches, late, 1, "acc_b")
    now[0] += 1000
    early = rated_match(matches, "acc_a", "acc_b")
    now[0] += 1000
    resign(matches, late, 1)

    found = counted_results(kit.store, BASE_2, now[0] - 1)
    assert ([one.match_id for one in found.results], found.known) == ([early], 1)
    found = counted_results(kit.store, BASE_2, now[0])
    assert ({one.match_id for one in found.results}, found.known) == ({early, late}, 2)


def test_nothing_else_is_a_result(kit: Kit, matches: Matches) -> None:
    lobby, begun = open_rated(matches, "acc_a"), open_rated(matches, "acc_a")
    join(matches, begun, 1, "acc_b")
    for match_id in (lobby, begun):
        matches.execute(match_id, AbortMatch(), "account:acc_a")
    three = open_rated(matches, "acc_a", seats=3)

    base_3 = Board("base", 3)
    assert count_results(kit.store, [BASE_2, base_3]) == {BASE_2: 0, base_3: 0}
    assert matches.load(three).state.status == "open"


def test_every_board_has_tables_of_its_own_name() -> None:
    found = list(boards())

    assert {board.ruleset for board in found} == {*CURRENT}
    assert [board_named(table_name(board)) for board in found] == found
    assert len({*map(table_name, found)}) == len(found)
    assert board_named("people-chess-2") is None
