"""Ratings of people: the same estimate as on ladders, from single matches, whatever order they come in."""

from hashlib import sha256
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.ladder import rated_matches
from domain.ladder.arithmetic import Vector, inverse, times
from domain.ladder.config import RatingRules
from domain.ladder.curvature import Curvature
from domain.ladder.likelihood import (
    Ascent,
    ascended,
    climbed,
    equal_strengths,
    fit,
    gradient,
    information,
)
from domain.ladder.rated_matches import (
    Board,
    BoardTable,
    RatedPlayer,
    RatedResult,
    counted,
    digest_of,
    rate,
    sampled,
    tabled,
)
from domain.ladder.ratings import Fits, drawn, is_whole, made, rated, whole
from domain.ladder.win_counts import WinCounts

LATER_MS = 10**9


def result(number: int, players: list[int], winner: int, ended_ms: int = 0) -> RatedResult:
    seated = tuple([RatedPlayer(f"acc_{player:03}", f"player {player}") for player in players])
    return RatedResult(f"mat_{number:06}", ended_ms or number, seated, winner)


def played(matches: int, people: int, seats: int, seed: int = 1) -> list[RatedResult]:
    """Matches between random people of known strengths; the first place wins more often."""
    chance = Random(seed)
    strengths = [1.7**player for player in range(people)]
    factors = [1.0, 0.8, 0.7, 0.6, 0.5][:seats]
    found = []
    for number in range(matches):
        players = chance.sample(range(people), seats)
        weights = [strengths[player] * factor for player, factor in zip(players, factors, strict=True)]
        found.append(result(number, players, chance.choices(range(seats), weights)[0]))
    return found


def counts_of(seats: int, matches: int = 60) -> WinCounts:
    return whole(sampled(Board("base", seats), played(matches, 7, seats)))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_at_the_estimate_the_likelihood_of_single_matches_is_flat(seats: int) -> None:
    counts = counts_of(seats)

    assert max(map(abs, gradient(counts, fit(counts)))) < 1e-9


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_curvature_is_the_information_matrix(seats: int) -> None:
    counts = counts_of(seats)
    point = climbed(counts, equal_strengths(counts), 0.5)
    matrix = information(counts, point)
    vector = [Random(i).uniform(-1, 1) for i in range(len(matrix))]
    curvature = Curvature(counts, point)

    assert curvature.times(vector) == pytest.approx(times(matrix, vector), rel=1e-12)
    assert curvature.diagonal() == pytest.approx([row[i] for i, row in enumerate(matrix)], rel=1e-12)
    step, exact = np.array(curvature.solved(vector)), np.array(times(inverse(matrix), vector))
    assert np.abs(step - exact).max() < 0.01 * np.abs(exact).max()


def test_the_curvature_leaves_out_an_anchor_that_has_played() -> None:
    of_all = counts_of(3)
    size = len(of_all.wins) - 1  # without the anchor that nobody is
    counts = replace(
        of_all,
        anchor=2,
        wins=of_all.wins[:size],
        prior_wins=of_all.prior_wins[:size],
        prior_losses=of_all.prior_losses[:size],
    )
    matrix = information(counts, fit(counts))
    curvature = Curvature(counts, fit(counts))

    for i, row in enumerate(matrix):
        column = curvature.times([float(i == j) for j in range(len(matrix))])
        assert column == pytest.approx(row, rel=1e-12, abs=1e-12)
    assert curvature.diagonal() == pytest.approx([row[i] for i, row in enumerate(matrix)], rel=1e-12)


def test_where_nobody_has_met_a_step_of_newtons_method_is_exact() -> None:
    """However different the entries are: conjugate gradients measure each by its own curvature."""
    prior = [10.0**i for i in range(-3, 4)]
    counts = WinCounts(6, (), [], [0] * 7, [0] * 2, prior, prior, [0.5] * 2, is_rotated=False)
    curvature = Curvature(counts, equal_strengths(counts))
    exact = [1 / value for value in curvature.diagonal()]

    assert curvature.solved([1.0] * 7) == pytest.approx(exact, rel=1e-12)


class InOtherUnits(Curvature):
    """The same information in other units, powers of 2, so that nothing is rounded differently."""

    def __init__(self, counts: WinCounts) -> None:
        super().__init__(counts, equal_strengths(counts))
        self.units = [2.0 ** (i % 9 - 4) for i in range(len(super().diagonal()))]

    def diagonal(self) -> Vector:
        return [value * unit * unit for value, unit in zip(super().diagonal(), self.units, strict=True)]

    def times(self, vector: Vector) -> Vector:
        inside = super().times([value * unit for value, unit in zip(vector, self.units, strict=True)])
        return [value * unit for value, unit in zip(inside, self.units, strict=True)]


@pytest.mark.parametrize("seats", [2, 4])
def test_the_units_of_the_strengths_do_not_matter_to_newtons_method(seats: int) -> None:
    counts = counts_of(seats)
    curvature, scaled = Curvature(counts, equal_strengths(counts)), InOtherUnits(counts)
    vector = [Random(i).uniform(-1, 1) for i in range(len(scaled.units))]

    steps = scaled.solved([value * unit for value, unit in zip(vector, scaled.units, strict=True)])
    assert [value * unit for value, unit in zip(steps, scaled.units, strict=True)] == curvature.solved(vector)


def test_at_the_maximum_newtons_method_stays_where_it_is() -> None:
    counts = counts_of(2)
    assert Curvature(counts, fit(counts)).solved([0.0] * 8) == [0.0] * 8


def test_the_climb_ends_with_a_step_below_the_tolerance_or_at_the_maximum() -> None:
    counts = counts_of(2)
    start = equal_strengths(counts)
    first = ascended(counts, Ascent(start))

    assert climbed(counts, start, first.length * 1.001) == first.point
    assert climbed(counts, start, first.length) == ascended(counts, first).point
    assert climbed(counts, start, 0.0) == fit(counts)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_all_rotations_as_single_matches_give_the_ratings_of_a_ladder(seats: int) -> None:
    """A block of a ladder is all its rotations: counted one by one, they have the same maximum."""
    chance = Random(seats)
    results = []
    for block in range(40):
        base = chance.sample(range(6), seats)
        for rotation in range(seats):
            table = base[rotation:] + base[:rotation]
            weights = [1.5**player for player in table]
            winner = chance.choices(range(seats), weights)[0]
            results.append(result(block * seats + rotation, table, winner))
    one_by_one = whole(sampled(Board("base", seats), results))
    orders = dict.fromkeys(one_by_one.orders, 0)
    for one in results:
        order = tuple([int(player.account_id[4:]) for player in one.players])
        first = order.index(min(order))
        orders[order[first:] + order[:first]] = orders.get(order[first:] + order[:first], 0) + 1
    cyclic = tuple(sorted([order for order, count in orders.items() if order[0] == min(order) and count]))
    together = replace(
        one_by_one,
        orders=cyclic,
        blocks=[orders[order] // seats for order in cyclic],
        is_rotated=True,
    )

    assert fit(one_by_one).strengths == pytest.approx(fit(together).strengths, abs=1e-9)
    assert fit(one_by_one).seats == pytest.approx(fit(together).seats, abs=1e-9)


def quickly_rated(board: Board, results: list[RatedResult]) -> BoardTable:
    """As `rate`, with few replicates."""
    counting = counted(results, LATER_MS)
    sample = replace(sampled(board, counting), rules=RatingRules(replicates=10))
    fits = Fits()
    for _ in made(sample, fits):
        pass
    return tabled(sample, fits, counting)


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(2, 4))
def test_the_order_in_which_matches_end_or_arrive_does_not_change_a_digit(chance: Random, seats: int) -> None:
    board, results = Board("harbor", seats), played(25, 6, seats)
    arrived = [*results, *chance.sample(results, 5)]
    chance.shuffle(arrived)

    assert quickly_rated(board, arrived) == quickly_rated(board, results)


def test_the_strongest_are_on_top_and_their_intervals_contain_what_is_true() -> None:
    table = rate(Board("base", 2), played(600, 6, 2), LATER_MS)

    assert [one.entry for one in table.ratings] == [f"acc_{player:03}" for player in reversed(range(6))]
    assert sum([one.rating for one in table.ratings]) / 6 == pytest.approx(1500, abs=0.1)
    true = [1500 + 400 * np.log10(1.7) * (player - 2.5) for player in reversed(range(6))]
    within = [
        low <= value <= high
        for value, (low, high) in zip(true, [one.rating_interval for one in table.ratings], strict=True)
    ]
    assert sum(within) >= 5
    assert table.seats[0] > 0 > table.seats[1]
    assert (table.results, table.groups) == (600, 1)
    assert sum([one.wins for one in table.ratings]) == 600
    assert sum([one.matches for one in table.ratings]) == 1200


def test_one_match_makes_two_provisional_ratings() -> None:
    table = rate(Board("base", 2), [result(1, [1, 2], 0)], LATER_MS)

    first, second = table.ratings
    assert (first.entry, second.entry) == ("acc_001", "acc_002")
    assert first.rating > 1500 > second.rating
    assert first.provisional
    assert second.provisional
    assert (first.matches, first.wins, second.wins, first.handle) == (1, 1, 0, "player 1")
    assert table.digest == digest_of([result(1, [1, 2], 0)])


def test_people_who_never_met_are_in_groups_of_their_own() -> None:
    results = [result(1, [1, 2], 0), result(2, [3, 4], 0), result(3, [4, 5], 1)]

    assert rate(Board("base", 2), results, LATER_MS).groups == 2


def test_results_count_once_the_time_has_come_and_only_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rated_matches, "MOST_COUNTED", 3)
    results = [result(number, [1, 2], 0, ended_ms=100 - number) for number in (4, 1, 3, 2, 5)]

    assert [one.match_id[-1] for one in counted(results, 99)] == ["3", "4", "5"]
    assert [one.match_id[-1] for one in counted(results, 96)] == ["4", "5"]


def test_the_digest_tells_results_apart_and_not_their_handles() -> None:
    one = result(1, [1, 2], 0)
    renamed = replace(one, players=tuple([replace(player, handle="x") for player in one.players]))

    assert digest_of([one]) == digest_of([renamed])
    assert len({digest_of([one]), digest_of([replace(one, winner=1)]), digest_of([])}) == 3


def test_fits_can_be_made_by_several_processes_in_turn() -> None:
    sample = sampled(Board("base", 3), played(30, 5, 3))
    at_once, in_turn = Fits(), Fits()
    for _ in made(sample, at_once):
        pass
    while not is_whole(sample, in_turn):
        next(made(sample, in_turn))

    assert rated(sample, in_turn) == rated(sample, at_once)


def test_the_fits_of_single_matches_hold_no_matrix() -> None:
    """It would be too large for thousands of people."""
    fits = Fits()
    for _ in made(replace(sampled(Board("base", 2), played(5, 3, 2)), rules=RatingRules(replicates=1)), fits):
        pass

    assert (fits.metric, len(fits.replicates)) == ([], 1)


def test_the_seed_of_a_board_is_what_anybody_can_compute() -> None:
    seed = sha256(b"ratings base 2").hexdigest()

    assert sampled(Board("base", 2), played(5, 3, 2)).seed == seed


def test_a_replicate_reweights_matches() -> None:
    sample = sampled(Board("base", 2), played(30, 5, 2))

    assert drawn(sample, 0) != whole(sample)
    assert drawn(sample, 0) != drawn(sample, 1)
    assert drawn(sample, 0).is_rotated is False
