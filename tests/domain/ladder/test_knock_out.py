"""Knock-outs: one winner and places for any field, byes for the best seeds, and ties that are played on."""

from collections import Counter

import pytest

from domain.ladder import decide
from domain.ladder.tournament.knock_out import MOST_REPLAYS, bracket, plan, stage_count
from tests.domain.ladder.tournaments import Cup, better, by_chance, first_seat


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("entries", range(2, 34))
def test_any_field_has_exactly_one_winner_and_a_place_for_everybody(entries: int, seats: int) -> None:
    if entries < seats:
        return
    cup = Cup("knock_out", entries, seats).start().play_out(by_chance(entries))
    places = Counter(cup.places().values())

    assert {*cup.places()} == {*range(entries)}
    assert places[1] == 1
    # Those who share a place take up the ones after it.
    assert all(place == 1 + sum(places[other] for other in places if other < place) for place in places)
    assert len(bracket(cup.state, cup.tournament).stages) == stage_count(entries, seats)


@pytest.mark.parametrize("entries", range(2, 34))
def test_with_two_seats_only_the_best_seeds_have_a_bye_and_only_in_the_first_stage(entries: int) -> None:
    first = plan(entries, 2)
    full = 1 << (entries - 1).bit_length()

    assert first.byes == full - entries
    assert stage_count(entries, 2) == (entries - 1).bit_length()
    left = entries - len(first.tables)
    while left > 1:
        assert plan(left, 2).byes == 0
        left //= 2


def test_the_best_two_seeds_can_only_meet_in_the_final() -> None:
    for entries in range(2, 34):
        cup = Cup("knock_out", entries).start().play_out(better)
        assert cup.tables() == [{0, 1}]
        assert [cup.places()[entry] for entry in range(min(entries, 2))] == [1, 2][: min(entries, 2)]


def test_eight_entries_play_the_usual_bracket() -> None:
    cup = Cup("knock_out", 8).start()
    assert cup.tables() == [{0, 7}, {1, 6}, {2, 5}, {3, 4}]
    assert bracket(cup.state, cup.tournament).lines == (*range(8),)
    cup.play(better)
    assert cup.tables() == [{0, 3}, {1, 2}]
    cup.play(better)
    assert cup.tables() == [{0, 1}]
    cup.play(better)

    assert cup.places() == {0: 1, 1: 2, 2: 3, 3: 3, 4: 5, 5: 5, 6: 5, 7: 5}


def test_places_are_told_from_the_first_on_and_those_who_share_one_by_seed() -> None:
    cup = Cup("knock_out", 8).start().play_out(lambda seats: seats.index(max(seats)))

    assert [*cup.places().items()] == [(7, 1), (6, 2), (4, 3), (5, 3), (0, 5), (1, 5), (2, 5), (3, 5)]


def test_a_winner_takes_over_the_line_of_the_better_seed() -> None:
    cup = Cup("knock_out", 8).start()
    cup.play(lambda seats: seats.index(7) if 7 in seats else better(seats))

    assert cup.tables() == [{7, 3}, {1, 2}]


def test_a_tied_table_plays_on_and_the_others_do_not() -> None:
    cup = Cup("knock_out", 4).start()
    cup.play(lambda seats: 0 if 0 in seats else better(seats))
    assert cup.tables() == [{0, 3}]
    assert cup.round.byes == ()
    cup.play(better)

    assert cup.tables() == [{0, 1}]


def test_a_table_that_stays_tied_is_decided_by_fewer_turns_of_the_matches_won() -> None:
    cup = Cup("knock_out", 2).start()
    for replay in range(MOST_REPLAYS + 1):
        assert len(cup.state.rounds) == replay + 1
        cup.play(first_seat, turns=lambda entry: 30 - entry)

    assert cup.places() == {1: 1, 0: 2}


def test_a_table_that_nothing_separates_is_decided_by_the_better_seed() -> None:
    cup = Cup("knock_out", 2).start().play_out(first_seat)

    assert (len(cup.state.rounds), cup.places()) == (1 + MOST_REPLAYS, {0: 1, 1: 2})


def test_at_larger_tables_as_many_advance_as_leave_a_table_for_the_final() -> None:
    assert [(len(plan(n, 4).tables), plan(n, 4).byes, plan(n, 4).advance) for n in (4, 5, 7, 8, 9, 16)] == [
        (1, 0, 1),
        (1, 1, 3),
        (1, 3, 1),
        (2, 0, 2),
        (2, 1, 2),
        (4, 0, 1),
    ]


def test_tables_are_filled_in_rows_that_run_forth_and_back() -> None:
    assert plan(8, 4).tables == ((0, 3, 4, 7), (1, 2, 5, 6))
    assert plan(10, 3).tables == ((1, 6, 7), (2, 5, 8), (3, 4, 9))


@pytest.mark.parametrize(("entries", "seats", "left"), [(6, 2, 4), (8, 4, 4), (9, 4, 5), (10, 5, 6)])
def test_if_the_better_always_wins_whoever_is_left_keeps_its_line(
    entries: int, seats: int, left: int
) -> None:
    cup = Cup("knock_out", entries, seats).start()
    while len(bracket(cup.state, cup.tournament).stages) == 1:
        cup.play(better)

    assert bracket(cup.state, cup.tournament).stages[1].lines == (*range(left),)


def test_at_larger_tables_the_final_gives_each_of_its_entries_a_place() -> None:
    cup = Cup("knock_out", 4, 4, blocks=2).start()
    cup.play(lambda seats: seats.index(2) if seats[0] == 3 else better(seats))

    assert cup.places() == {0: 1, 2: 2, 1: 3, 3: 4}


def test_only_a_tie_over_who_advances_is_played_on() -> None:
    """Two of four advance: the first two are tied, and so are the last two."""
    cup = Cup("knock_out", 8, 4).start()
    cup.play(lambda seats: seats.index(sorted(seats)[seats.index(min(seats)) % 2]))

    assert len(bracket(cup.state, cup.tournament).stages) == 2


def test_whoever_leaves_loses_the_table() -> None:
    cup = Cup("knock_out", 4).start()
    cup.leave(0)
    cup.play(better)

    assert cup.tables() == [{1, 3}]
    assert cup.play_out(better).places() == {1: 1, 3: 2, 0: 3, 2: 3}


def test_a_tied_table_plays_on_though_somebody_has_left_another_one() -> None:
    cup = Cup("knock_out", 4).start()
    cup.leave(3)
    cup.play(first_seat)

    assert cup.tables() == [{1, 2}]


def test_a_tie_is_not_played_on_if_one_has_left_since() -> None:
    cup = Cup("knock_out", 2).start().play_blocks(first_seat, turns=lambda entry: 30 - entry)
    cup.leave(0)
    cup.end_round()

    assert cup.places() == {1: 1, 0: 2}


def test_what_was_played_before_a_replay_counts_with_it() -> None:
    """All replays are tied, too, and as long: only the first matches were not."""
    cup = Cup("knock_out", 2).start()
    cup.play(first_seat, turns=lambda entry: 30 - entry)
    for _ in range(MOST_REPLAYS):
        cup.play(first_seat)

    assert cup.places() == {1: 1, 0: 2}


def test_whoever_leaves_between_stages_makes_room_in_the_next() -> None:
    cup = Cup("knock_out", 6).start()
    assert cup.round.byes == (0, 1)
    cup.add(*decide.remove_entry(cup.state, "e0", "command"))
    cup.play(better)

    assert (cup.round.byes, cup.tables()) == ((1,), [{2, 3}])
    assert cup.play_out(better).places()[0] == 4


def test_the_last_one_left_wins() -> None:
    cup = Cup("knock_out", 4).start()
    cup.leave(0, 1, 3)
    cup.end_round()

    assert cup.is_over
    assert cup.places()[2] == 1
    assert Counter(cup.places().values())[1] == 1
