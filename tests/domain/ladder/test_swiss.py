"""Swiss pairing: by points, without rematches while there is a way, and with at most one bye for each."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from domain.ladder.tournament.matching import pair_count
from domain.ladder.tournament.meetings import Meeting, meetings
from domain.ladder.tournament.scores import met, scores
from domain.ladder.tournament.swiss import Candidate, most_rounds, paired, usual_rounds
from tests.domain.ladder.tournaments import Cup, better, by_chance, pairs


def candidates(*points: int) -> list[Candidate]:
    return [Candidate(entry, each, 0) for entry, each in enumerate(points)]


def pairings(members: tuple[int, ...]) -> list[list[tuple[int, int]]]:
    """Every way to pair an even number of entries."""
    if not members:
        return [[]]
    first, *others = members
    return [
        [(first, other), *rest]
        for other in others
        for rest in pairings(tuple(one for one in others if one != other))
    ]


@pytest.mark.parametrize("entries", [4, 5, 6])
def test_nobody_meets_again_while_a_pairing_without_exists(entries: int) -> None:
    """All ways in which entries can have met before, for 4 and 5 entries, and every 7th of them for 6."""
    known = [*combinations(range(entries), 2)]
    order = candidates(*range(entries, 0, -1))
    for history in range(0, 1 << len(known), 7 if entries == 6 else 1):
        met = {pair: 1 for at, pair in enumerate(known) if history >> at & 1}
        byes: list[tuple[int, ...]] = [()] if entries % 2 == 0 else [(one,) for one in range(entries)]
        left = [tuple(one for one in range(entries) if one not in bye) for bye in byes]
        least = min(sum(pair in met for pair in way) for each in left for way in pairings(each))

        found = paired(order, met, 2)

        assert sum(pair in met for table in found.tables for pair in pairs(table)) == least
        assert sorted([*sum(found.tables, ()), *found.byes]) == [*range(entries)]


@pytest.mark.parametrize("entries", range(2, 10))
@pytest.mark.parametrize("seed", range(4))
def test_a_whole_tournament_has_no_rematch_while_one_can_be_avoided_and_nobody_a_second_bye(
    entries: int, seed: int
) -> None:
    cup = Cup("swiss", entries, rounds=min(usual_rounds(entries, 2) + 1, most_rounds(entries, 2))).start()
    met: set[tuple[int, int]] = set()
    byes: Counter[int] = Counter()
    while not cup.is_over:
        tables = [tuple(sorted(table)) for table in cup.tables()]
        byes.update(cup.round.byes)
        left = tuple(one for one in range(entries) if one not in cup.round.byes)
        least = min(sum(pair in met for pair in way) for way in pairings(left))
        assert sum(pair in met for pair in tables) == least
        met.update(tables)
        cup.play(by_chance(seed))

    assert all(count == 1 for count in byes.values())
    assert len(cup.state.rounds) == cup.tournament.rounds


def test_the_upper_half_meets_the_lower_half_in_the_first_round() -> None:
    assert Cup("swiss", 8).start().tables() == [{0, 4}, {1, 5}, {2, 6}, {3, 7}]


def test_winners_meet_winners() -> None:
    cup = Cup("swiss", 8).start().play(better)

    assert cup.tables() == [{0, 2}, {1, 3}, {4, 6}, {5, 7}]


def test_the_first_of_three_with_equal_points_meets_the_second() -> None:
    assert paired(candidates(4, 4, 4, 2), {}, 2).tables == ((0, 1), (2, 3))


def test_the_odd_one_of_a_group_meets_the_best_of_the_next() -> None:
    assert paired(candidates(4, 4, 4, 2, 2, 2), {(0, 1): 1, (0, 2): 1}, 2).tables[0] == (0, 3)


def test_the_bye_goes_to_the_last_without_one() -> None:
    order = [Candidate(0, 4, 0), Candidate(1, 2, 0), Candidate(2, 0, 1)]

    assert paired(order, {}, 2).byes == (1,)


def test_a_bye_that_leads_to_a_rematch_goes_to_the_next_one() -> None:
    """If 2 had it, 0 and 1 would meet again."""
    assert paired(candidates(4, 2, 0), {(0, 1): 1}, 2).byes == (1,)


def test_a_bye_that_no_other_would_better_goes_to_the_last_one() -> None:
    """Whoever has it, two of the three meet again."""
    assert paired(candidates(4, 2, 0), {(0, 1): 1, (0, 2): 1, (1, 2): 1}, 2).byes == (2,)


@pytest.mark.parametrize("entries", [2, 3, 4, 5, 8, 9, 16, 17, 100])
def test_by_default_there_are_log2_rounds_rounded_up(entries: int) -> None:
    assert usual_rounds(entries, 2) == (entries - 1).bit_length()


def test_at_larger_tables_there_are_as_many_rounds_as_a_knock_out_with_one_winner_per_table_has() -> None:
    assert [usual_rounds(entries, 4) for entries in (4, 5, 16, 17, 64, 65)] == [1, 2, 2, 3, 3, 4]


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("entries", range(5, 21))
def test_at_larger_tables_nobody_has_two_byes_and_all_others_play(seats: int, entries: int) -> None:
    cup = Cup("swiss", entries, seats, rounds=min(3, most_rounds(entries, seats))).start()
    byes: Counter[int] = Counter()
    while not cup.is_over:
        assert len(cup.round.byes) == entries % seats
        assert sorted([*cup.round.byes, *set().union(*cup.tables())]) == [*range(entries)]
        byes.update(cup.round.byes)
        cup.play(by_chance(entries))

    assert all(count == 1 for count in byes.values())


@pytest.mark.parametrize("seats", [3, 4])
def test_at_larger_tables_nobody_meets_again_in_the_second_round_of_a_large_field(seats: int) -> None:
    cup = Cup("swiss", seats**3, seats, rounds=2).start()
    first = {pair for table in cup.tables() for pair in pairs([*table])}
    cup.play(by_chance(seats))

    assert first.isdisjoint({pair for table in cup.tables() for pair in pairs([*table])})


def test_at_larger_tables_the_best_are_spread_over_the_tables_first_and_then_meet() -> None:
    cup = Cup("swiss", 9, 3, rounds=2).start()
    assert cup.tables() == [{0, 3, 6}, {1, 4, 7}, {2, 5, 8}]
    cup.play(better)

    assert cup.tables() == [{0, 1, 2}, {3, 5, 7}, {4, 6, 8}]


def test_at_larger_tables_an_entry_alone_with_its_points_meets_the_best_of_the_next() -> None:
    assert paired(candidates(4, 2, 2, 2, 2, 2), {}, 3).tables[0] == (0, 1, 2)


def test_at_larger_tables_who_meets_without_a_rematch_has_as_many_points_as_there_can_be() -> None:
    """1 could meet 2, 3 and 4 only again, and has more points than they have."""
    again = {(1, 2): 1, (1, 3): 1, (1, 4): 1}

    assert paired(candidates(4, 4, 2, 1, 0, 0), again, 3).tables[0] == (0, 1, 5)


def test_points_then_buchholz_then_sonneborn_berger_then_wins_decide() -> None:
    """Both win twice and lose once; the opponents of one have more points."""
    cup = Cup("swiss", 8).start().play_out(better)
    found = scores(cup.state, cup.tournament)
    reached = [(one.points, one.buchholz, one.sonneborn_berger, one.wins) for one in found]
    assert reached == sorted(reached, reverse=True)
    assert [one.place for one in found] == [reached.index(one) + 1 for one in reached]
    assert (found[0].entry, found[0].points, found[0].place) == (0, 6, 1)
    by_entry = {one.entry: one for one in found}
    opponents: dict[int, list[int]] = {entry: [] for entry in range(8)}
    for round in cup.state.rounds:
        for block in round.blocks:
            a, b = block.table
            opponents[a].append(b)
            opponents[b].append(a)
    for entry, one in by_entry.items():
        assert one.buchholz == sum(by_entry[other].points for other in opponents[entry])
        beaten = [other for other in opponents[entry] if other > entry]
        assert one.sonneborn_berger == 2 * sum(by_entry[other].points for other in beaten)
        assert (one.points, one.wins) == (2 * len(beaten), 2 * len(beaten))


def test_a_bye_counts_as_a_win_with_two_seats_and_as_a_draw_at_larger_tables() -> None:
    for seats, wanted in ((2, 2), (3, 2), (4, 3), (5, 4)):
        cup = Cup("swiss", seats + 1, seats, rounds=1).start()
        (bye,) = cup.round.byes
        cup.play_out(better)
        (score,) = [one for one in scores(cup.state, cup.tournament) if one.entry == bye]
        assert (score.points, score.byes, score.buchholz) == (wanted, 1, wanted * (seats - 1))
        assert score.sonneborn_berger == wanted * wanted


def test_a_bye_adds_to_the_points_that_an_entry_has() -> None:
    cup = Cup("swiss", 3, rounds=3).start().play_out(better)

    assert {one.entry: one.points for one in scores(cup.state, cup.tournament)} == {0: 6, 1: 4, 2: 2}


def test_whoever_has_two_byes_because_others_have_left_gets_both() -> None:
    cup = Cup("swiss", 6, rounds=5).start()
    cup.leave(3, 4, 5)
    cup.play_out(better)

    byes = [one.byes for one in scores(cup.state, cup.tournament)]
    assert (max(byes), sum(byes)) == (2, 4)


def results(wins: tuple[int, int], finished: int, given_up: int, *absent: int) -> tuple[int, int]:
    """What two entries have from each other, in half points."""
    blocks = finished + given_up
    meeting = Meeting(1, (0, 1), wins, (0, 0), blocks, finished, given_up, frozenset(absent))
    return meeting.result(0, 1), meeting.result(1, 0)


def test_a_meeting_has_the_matches_and_turns_of_all_its_blocks() -> None:
    cup = Cup("swiss", 4, blocks=2).start().play_blocks(better)
    first, second = meetings(cup.round)

    assert (first.first_block, second.first_block) == (1, 2)
    assert (first.members, first.wins, first.turns) in [
        ((0, 2), (4, 0), (120, 0)),
        ((2, 0), (0, 4), (0, 120)),
    ]
    assert (first.blocks, first.finished, first.given_up) == (2, 2, 0)


def test_two_that_both_left_have_what_they_played_and_nothing_for_the_rest() -> None:
    assert results((0, 0), 0, 2, 0, 1) == (0, 0)
    assert results((2, 0), 1, 1, 0, 1) == (2, 0)
    assert results((1, 1), 1, 1, 0, 1) == (1, 1)


def test_two_that_stayed_and_could_not_play_are_equal() -> None:
    assert results((0, 0), 0, 1) == (1, 1)


def test_an_entry_that_leaves_loses_what_it_did_not_play_and_is_paired_no_more() -> None:
    cup = Cup("swiss", 4).start()
    cup.leave(0)
    cup.play(better)
    assert all(0 not in table for table in cup.tables())
    cup.play_out(better)

    by_entry = {one.entry: one for one in scores(cup.state, cup.tournament)}
    assert {entry: one.points for entry, one in by_entry.items()} == {0: 0, 1: 4, 2: 2, 3: 2}


def test_an_entry_that_leaves_after_its_last_match_keeps_what_it_has_won() -> None:
    cup = Cup("swiss", 4).start().play_blocks(better)
    cup.leave(0)
    cup.end_round()

    by_entry = {one.entry: one for one in scores(cup.state, cup.tournament)}
    assert (by_entry[0].points, by_entry[2].points) == (2, 0)


def test_entries_that_played_nothing_against_each_other_have_not_met() -> None:
    cup = Cup("swiss", 4).start()
    cup.leave(0)
    cup.play(better)

    assert met(cup.state, cup.tournament) == {(1, 3): 1}


def test_a_tournament_with_too_few_left_for_a_table_ends_early() -> None:
    cup = Cup("swiss", 4).start()
    cup.leave(0, 1, 2)
    cup.end_round()

    assert cup.is_over
    assert cup.places()[3] == 1


@pytest.mark.parametrize("vertices", range(1, 7))
def test_a_matching_is_as_large_as_the_best_of_all(vertices: int) -> None:
    known = [*combinations(range(vertices), 2)]
    for graph in range(0, 1 << len(known), 1 if vertices < 6 else 5):
        edges = [pair for at, pair in enumerate(known) if graph >> at & 1]
        neighbours = [[sum(pair) - one for pair in edges if one in pair] for one in range(vertices)]

        assert pair_count(neighbours) == _largest(edges)


@pytest.mark.parametrize("length", [7, 9, 11])
def test_a_matching_covers_an_odd_cycle_and_what_hangs_on_it(length: int) -> None:
    for seed in range(60):
        names = [*range(length + 1)]
        Random(seed).shuffle(names)
        known = [(names[i], names[(i + 1) % length]) for i in range(length)] + [(names[0], names[length])]
        neighbours = [[sum(pair) - one for pair in known if one in pair] for one in range(length + 1)]

        assert pair_count(neighbours) == (length + 1) // 2


def _largest(edges: list[tuple[int, int]]) -> int:
    if not edges:
        return 0
    (a, b), *others = edges
    apart = [pair for pair in others if a not in pair and b not in pair]
    return max(1 + _largest(apart), _largest(others))
