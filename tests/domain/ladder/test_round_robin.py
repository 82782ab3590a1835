"""Round robins: every table there can be meets once in each round, and seats and neighbours are balanced."""

from collections import Counter
from hashlib import shake_256
from itertools import combinations
from math import comb
from pathlib import Path

import msgspec
import pytest
from msgspec import UNSET

from domain.ladder.config import digest
from domain.ladder.events import SeasonOpened
from domain.ladder.tournament.round_robin import tables
from domain.ladder.tournament.scores import scores
from tests.domain.ladder.tournaments import Cup, better, by_chance, first_seat


@pytest.mark.parametrize("entries", range(2, 20))
def test_every_pair_meets_exactly_once(entries: int) -> None:
    found = tables(range(entries), 2)

    assert sorted(map(sorted, found)) == [[*pair] for pair in combinations(range(entries), 2)]


@pytest.mark.parametrize("entries", range(2, 20))
def test_on_each_day_of_the_circle_an_entry_plays_at_most_once(entries: int) -> None:
    found, a_day = tables(range(entries), 2), entries // 2

    days = [found[at : at + a_day] for at in range(0, len(found), a_day)]

    assert len(days) == entries - 1 + entries % 2
    assert all(len({*sum(day, ())}) == 2 * a_day for day in days)


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("entries", range(5, 9))
def test_at_larger_tables_every_set_of_entries_meets_once(seats: int, entries: int) -> None:
    cup = Cup("round_robin", entries, seats).start()

    assert sorted(map(sorted, cup.tables())) == [[*one] for one in combinations(range(entries), seats)]
    assert len(cup.round.blocks) == comb(entries, seats)


@pytest.mark.parametrize("kind", ["round_robin", "swiss", "knock_out"])
@pytest.mark.parametrize(("entries", "seats"), [(5, 2), (8, 2), (7, 3), (9, 4), (6, 5)])
def test_every_entry_sits_equally_often_on_every_seat(kind: str, entries: int, seats: int) -> None:
    cup = Cup(kind, entries, seats, blocks=2).start().play_out(by_chance(1))

    sat: dict[int, Counter[int]] = {entry: Counter() for entry in range(entries)}
    for round in cup.state.rounds:
        for block in round.blocks:
            for rotation in range(seats):
                for seat, entry in enumerate(block.seats(rotation)):
                    sat[entry][seat] += 1

    assert all(len({counts[seat] for seat in range(seats)}) == 1 for counts in sat.values())


def after_whom(cup: Cup) -> list[int]:
    """For each entry and each other one, how often it sits right after it, over the bases of the round."""
    after: Counter[tuple[int, int]] = Counter()
    for block in cup.round.blocks:
        after.update(zip(block.table, (*block.table[1:], block.table[0]), strict=True))
    field = cup.tournament.field
    return [after[a, b] for a in field for b in field if a != b]


@pytest.mark.parametrize(("seats", "blocks"), [(3, 2), (4, 6)])
@pytest.mark.parametrize("seed", range(20))
def test_at_a_table_of_three_or_four_everybody_comes_to_sit_after_everybody_equally_often(
    seats: int, blocks: int, seed: int
) -> None:
    cup = Cup("round_robin", seats, seats, seed=f"{seed:064x}", blocks=blocks).start()

    assert {*after_whom(cup)} == {blocks // (seats - 1)}


@pytest.mark.parametrize("seed", range(10))
def test_neighbours_are_balanced_over_all_rounds(seed: int) -> None:
    cup = Cup("round_robin", 3, 3, seed=f"{seed:064x}", rounds=2).start()
    first = cup.round.blocks[0].table
    cup.play(better)
    second = cup.round.blocks[0].table

    assert second[second.index(first[0]) - 2] == first[2]


@pytest.mark.parametrize("kind", ["round_robin", "swiss", "knock_out"])
def test_lots_from_the_seed_of_the_ladder_decide_who_sits_first(kind: str) -> None:
    cup = Cup(kind, 6, blocks=2).start()
    for block in cup.round.blocks:

        def lot(entry: int, number: int = block.number) -> bytes:
            return shake_256(f"{'ab' * 32} seat {number} e{entry}".encode()).digest(8)

        assert block.table == tuple(sorted(block.table, key=lot))


@pytest.mark.parametrize(("entries", "seats"), [(6, 3), (9, 3), (7, 4), (8, 4), (5, 5), (7, 5)])
@pytest.mark.parametrize("seed", range(5))
def test_how_often_two_sit_next_to_each_other_differs_by_three_at_most_over_a_round_robin(
    entries: int, seats: int, seed: int
) -> None:
    """Measured, not proven: the orders are chosen one after the other."""
    counts = after_whom(Cup("round_robin", entries, seats, seed=f"{seed:064x}").start())

    assert max(counts) - min(counts) <= 3


def test_rounds_repeat_the_round_robin_and_the_best_is_first() -> None:
    cup = Cup("round_robin", 4, rounds=3).start()
    first = sorted(map(sorted, cup.tables()))
    for _ in range(2):
        cup.play(better)
        assert sorted(map(sorted, cup.tables())) == first
    cup.play(better)

    assert cup.places() == {0: 1, 1: 2, 2: 3, 3: 4}
    assert len(cup.state.rounds) == 3


def test_entries_that_nothing_separates_share_a_place() -> None:
    cup = Cup("round_robin", 4).start().play_out(first_seat)

    assert cup.places() == dict.fromkeys(range(4), 1)
    assert [one.points for one in scores(cup.state, cup.tournament)] == [3] * 4
    assert (len(cup.state.rounds), cup.tournament.rounds) == (1, 1)


def test_whoever_left_is_not_seated_in_the_next_round_and_keeps_its_points() -> None:
    cup = Cup("round_robin", 4, rounds=3).start()
    cup.play(lambda seats: seats.index(max(seats)))
    cup.leave(3)
    cup.play(better)

    assert cup.tables() == [{1, 2}, {0, 2}, {0, 1}]
    cup.play(better)
    by_entry = {one.entry: one for one in scores(cup.state, cup.tournament)}
    assert (by_entry[3].points, by_entry[3].meetings) == (6, 6)


def test_a_season_without_a_schedule_has_the_digest_it_always_had() -> None:
    sample = Path(__file__).parents[2] / "golden" / "ladder_events" / "season_opened.v1.json"
    event = msgspec.json.decode(sample.read_bytes(), type=SeasonOpened)

    assert event.config.schedule is UNSET
    assert digest(event.config) == event.digest
