"""The official ratings, held against another implementation, against known strengths and against order."""

from random import Random

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.canonical import canonical, sha256
from domain.ladder.arithmetic import POINTS, exp, inverse, log, times
from domain.ladder.intervals import interval, percentage_above
from domain.ladder.likelihood import (
    Ascent,
    Point,
    WinCounts,
    ascended,
    equal_strengths,
    fit,
    gradient,
    information,
    refit,
)
from domain.ladder.ratings import (
    Fits,
    Rating,
    Ratings,
    Sample,
    is_whole,
    made,
    rate,
    rated,
    sampled,
    whole,
)
from domain.ladder.results import Line, rotated
from tests.domain.ladder.simulated import collect, config, entry, ladder, match, season, winner

EIGHT = {"expected_value": 4.0, "a": 9.0, "b": 6.0, "c": 3.0, "d": 2.0, "e": 1.0, "f": 0.5, "g": 0.1}
OFFSETS = {2: (1.0, 0.8), 3: (1.0, 0.8, 0.6), 4: (1.0, 0.7, 0.6, 0.4), 5: (1.0, 0.9, 0.8, 0.7, 0.6)}


def by_entry(table: Ratings) -> dict[str, Rating]:
    return {rating.entry.removeprefix("ent_"): rating for rating in table.entries}


def random_tally(seats: int, seed: int, prior: float = 0.5) -> WinCounts:
    """Tables of six entries, of which the first is the anchor, won by chance."""
    chance = Random(seed)
    orders = sorted({tuple(sorted(chance.sample(range(6), seats))) for _ in range(12)})
    blocks = [chance.randrange(4) for _ in orders]
    wins, seat_wins = [0] * 6, [0] * seats
    for order, count in zip(orders, blocks, strict=True):
        for rotation in range(seats * count):
            table = rotated([str(i) for i in order], rotation % seats)
            seat = chance.randrange(seats)
            wins[int(table[seat])] += 1
            seat_wins[seat] += 1
    virtual = [0.0, *[prior] * 5]
    return WinCounts(0, tuple(orders), blocks, wins, seat_wins, virtual, virtual, [prior] * seats)


def test_the_exponential_and_the_logarithm_are_right_to_the_last_digits() -> None:
    for i in range(-4000, 4001):
        assert exp(i / 10) == pytest.approx(float(np.exp(i / 10)), rel=2e-13)
        assert log(float(np.exp(i / 10))) == pytest.approx(i / 10, rel=1e-14, abs=1e-15)


def test_the_logarithm_has_the_digits_that_every_machine_finds() -> None:
    """At half the root of two, where its series begins anew, and where the series is most exact."""
    assert log(0.7071067811865476) == -0.3465735902799726
    assert log(1.4189096697897157) == 0.34988873849819385


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_without_seat_offset_and_prior_the_strengths_are_those_of_choix(seats: int) -> None:
    chance = Random(seats)
    strengths = {str(i): 1.5**i for i in range(6)}
    tables, orders = [], []
    for _ in range(60):
        base = chance.sample(sorted(strengths), seats)
        orders.append(tuple(map(int, base)))
        for rotation in range(seats):
            table = rotated(base, rotation)
            won = winner(table, strengths, [1.0] * seats, chance)
            tables.append((int(table[won]), tuple([int(each) for each in table if each != table[won]])))
    wins = [sum(won == i for won, _ in tables) for i in range(6)]
    # With enormous virtual wins of each seat alike the offsets are nothing.
    tally = WinCounts(0, tuple(orders), [1] * 60, wins, [0] * seats, [0.0] * 6, [0.0] * 6, [1e12] * seats)

    found = np.array(fit(tally).strengths)

    import choix  # slow to import: scipy comes with it

    expected = choix.opt_top1(6, tables, alpha=0, method="BFGS", tol=1e-7)
    assert found == pytest.approx(expected - expected[0], abs=1e-4)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_at_the_estimate_the_likelihood_is_flat(seats: int) -> None:
    for seed in range(5):
        tally = random_tally(seats, seed)

        assert max(map(abs, gradient(tally, fit(tally)))) < 1e-9


@pytest.mark.parametrize(
    ("seats", "slope"),
    [
        (2, 1.103701259432576),
        (3, -0.45699197509956424),
        (4, 0.5325252802698514),
        (5, 5.288374562134548),
    ],
)
def test_the_slope_has_the_digits_of_the_sums_for_so_many_seats(seats: int, slope: float) -> None:
    """Up to four seats have sums of their own, which round otherwise than the general one."""
    point = Point([i / 7 for i in range(6)], [i / 9 for i in range(seats)])
    assert gradient(random_tally(seats, 7), point)[0] == slope


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_information_is_minus_the_derivative_of_the_slope(seats: int) -> None:
    tally, step = random_tally(seats, 7), 1e-6
    start = fit(tally)
    before, matrix = np.array(gradient(tally, start)), np.array(information(tally, start))
    moved = [
        msgspec.structs.replace(start, strengths=[v + step * (i == k) for i, v in enumerate(start.strengths)])
        for k in range(1, 6)
    ] + [
        msgspec.structs.replace(start, seats=[v + step * (i == k) for i, v in enumerate(start.seats)])
        for k in range(1, seats)
    ]

    for column, point in zip(matrix.T, moved, strict=True):
        assert (before - np.array(gradient(tally, point))) / step == pytest.approx(column, abs=1e-4)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_the_faster_way_of_the_replicates_leads_to_the_same_maximum(seats: int, seed: int) -> None:
    near, tally = random_tally(seats, seed), random_tally(seats, seed + 1)
    start = fit(near)

    found = refit(tally, start, inverse(information(near, start)), 1e-10)

    assert found.strengths == pytest.approx(fit(tally).strengths, abs=1e-7)
    assert found.seats == pytest.approx(fit(tally).seats, abs=1e-7)


def test_a_strong_start_far_away_is_no_hindrance() -> None:
    tally = WinCounts(
        0, ((0, 1),), [100_000], [0, 200_000], [100_000] * 2, [0.0, 0.001], [0.0, 0.001], [0.5] * 2
    )

    assert max(map(abs, gradient(tally, fit(tally)))) < 1e-6
    assert fit(tally).strengths[1] == pytest.approx(log(200_000 / 0.001), abs=0.1)
    assert equal_strengths(tally) == Point([0.0, 0.0], [0.0, 0.0])


def test_an_ascent_is_over_with_a_short_step_that_is_more_than_half_of_the_one_before() -> None:
    tally = random_tally(3, 1)
    found = fit(tally)
    near = msgspec.structs.replace(found, strengths=[0.0, *[value + 5e-5 for value in found.strengths[1:]]])
    length = ascended(tally, Ascent(near)).length

    assert 4e-5 < length < 6e-5
    before = [length * factor for factor in (0.4, 1.9, 2.0, 2.1, 2.9)]
    assert [ascended(tally, Ascent(near, one)).is_over for one in before] == [True, True, False, False, False]


def test_without_a_maximum_it_is_said_so() -> None:
    tally = WinCounts(0, ((0, 1),), [5], [0, 10], [5, 5], [0.0, float("nan")], [0.0, 0.0], [0.5] * 2)

    with pytest.raises(ArithmeticError, match="the likelihood has no maximum"):
        ascended(tally, Ascent(equal_strengths(tally)))


def test_the_faster_way_ends_with_a_step_below_the_tolerance() -> None:
    start, tally = fit(random_tally(3, 1)), random_tally(3, 2)
    metric = inverse(information(random_tally(3, 1), start))
    exact = fit(tally)

    found = [refit(tally, start, metric, tolerance) for tolerance in (1e-1, 1e-2, 1e-3)]

    off = [max(abs(a - b) for a, b in zip(one.strengths, exact.strengths, strict=True)) for one in found]
    assert 1e-1 > off[0] > off[1] > off[2] > 1e-9


def test_the_faster_way_goes_on_after_a_step_as_long_as_the_tolerance() -> None:
    tally = random_tally(3, 2)
    exact = fit(tally)
    start = msgspec.structs.replace(exact, strengths=[0.0, *[value + 0.1 for value in exact.strengths[1:]]])
    metric = inverse(information(tally, exact))
    step = max(map(abs, times(metric, gradient(tally, start))))
    assert step < 1

    once = refit(tally, start, metric, step * 1.001)
    assert refit(tally, start, metric, step) != once


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (2, 2), (3, 2), (4, 1)])
def test_where_the_faster_way_learns_nothing_more_the_maximum_is_found_from_the_beginning(
    seats: int, seed: int
) -> None:
    """No step is short enough. At last the slope stays as it is, turns, or 40 steps are made."""
    near, tally = random_tally(seats, 1), random_tally(seats, seed)
    start = fit(near)

    assert refit(tally, start, inverse(information(near, start)), 0.0) == fit(tally)


def test_the_faster_way_is_left_after_40_steps_though_the_next_would_be_below_the_tolerance() -> None:
    near, tally = random_tally(2, 1), random_tally(2, 5)
    start = fit(near)
    too_short = [[value / 100 for value in row] for row in inverse(information(near, start))]

    assert refit(tally, start, too_short, 1e-8) == fit(tally)
    assert refit(tally, start, too_short, 1e-6) != fit(tally)


def test_an_ascent_is_given_up_after_200_steps() -> None:
    tally = WinCounts(0, ((0, 1),), [5], [0, 10], [5, 5], [0.0, 0.0], [0.0, 0.0], [0.5] * 2)
    start = equal_strengths(tally)

    assert [ascended(tally, Ascent(start)).steps, ascended(tally, Ascent(start, steps=199)).steps] == [1, 200]
    with pytest.raises(ArithmeticError, match="no maximum"):
        ascended(tally, Ascent(start, steps=200))


@pytest.mark.parametrize("seats", [2, 4])
def test_known_strengths_and_seats_are_found_again(seats: int) -> None:
    table = rate(collect(season(EIGHT, OFFSETS[seats], 6000 // seats, 5, config(seats, replicates=20))))

    for name, rating in by_entry(table).items():
        truth = 1500 + POINTS * log(EIGHT[name] / EIGHT["expected_value"])
        assert rating.rating == pytest.approx(truth, abs=90 if name == "g" else 40)
    offsets = [POINTS * log(factor) for factor in OFFSETS[seats]]
    mean = sum(offsets) / seats
    assert table.seats == pytest.approx([offset - mean for offset in offsets], abs=20)


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 3])
def test_intervals_hold_the_truth_about_as_often_as_they_say(seats: int) -> None:
    strengths = {"expected_value": 1.0, "a": 1.5, "b": 0.7, "c": 0.3}
    held = [
        low <= 1500 + POINTS * log(strengths[name]) <= high
        for seed in range(40)
        for name, rating in by_entry(
            rate(collect(season(strengths, OFFSETS[seats], 120, seed, config(seats, replicates=100))))
        ).items()
        if name != "expected_value"
        for low, high in [rating.rating_interval]
    ]

    assert 0.87 <= sum(held) / len(held) <= 0.995


@given(seed=st.integers(0, 10**6), seats=st.sampled_from([2, 3, 4]))
@settings(max_examples=12, deadline=None)
def test_no_order_of_the_lines_changes_a_digit(seed: int, seats: int) -> None:
    lines: list[Line] = season(EIGHT, OFFSETS[seats], 20, seed, config(seats, replicates=10))
    shuffled = Random(seed).sample(lines, len(lines))

    assert msgspec.json.encode(rate(collect(shuffled))) == msgspec.json.encode(rate(collect(lines)))


def test_the_digits_are_those_that_every_machine_finds() -> None:
    table = rate(collect(season(EIGHT, OFFSETS[4], 100, 1, config(4, replicates=50))))

    shown = [(r.entry, r.rating, r.rating_interval, r.rank_interval) for r in table.entries]
    assert sha256(canonical(shown)) == (
        "sha-256:fa633484b0595cb6b7d698231310e5c3e612c486cff32322f842d89143ff894f"
    )
    assert table.seats == (98.3, -1.9, -7.2, -89.3)


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 4])
def test_in_95_of_100_ladders_identical_players_have_overlapping_intervals(seats: int) -> None:
    strengths = {"expected_value": 1.0, "a": 2.0, "b": 2.0, "c": 0.5}
    overlapping = 0
    for seed in range(100):
        rules = config(seats, replicates=100, seed=str(seed))
        table = by_entry(rate(collect(season(strengths, OFFSETS[seats], 40, seed, rules))))
        (a_low, a_high), (b_low, b_high) = (table[name].rating_interval for name in "ab")
        overlapping += a_low <= b_high and b_low <= a_high

    assert overlapping >= 95


def test_fits_that_several_make_one_after_the_other_have_the_same_digits() -> None:
    """A step each; between two all that is known goes through bytes."""
    results = collect(season(EIGHT, OFFSETS[3], 60, 1, config(3, replicates=12)))
    fits, steps = Fits(), 0
    while not is_whole(sampled(results), fits):
        next(made(sampled(results), fits))
        fits = msgspec.msgpack.decode(msgspec.msgpack.encode(fits), type=Fits)
        steps += 1

    assert steps > 12
    assert rated(sampled(results), fits) == rate(results)


def test_identical_players_have_overlapping_intervals() -> None:
    table = by_entry(
        rate(collect(season({"expected_value": 1, "a": 2, "b": 2}, (1.0, 0.8), 150, 3, config())))
    )

    assert table["a"].rating_interval[0] < table["b"].rating_interval[1]
    assert table["b"].rating_interval[0] < table["a"].rating_interval[1]
    assert table["a"].rank_interval[0] < table["b"].rank_interval[1]


def test_the_anchor_has_its_rating_and_no_interval() -> None:
    anchor = by_entry(rate(collect(season(EIGHT, (1.0, 0.8), 60, 3, config()))))["expected_value"]

    assert (anchor.rating, anchor.rating_interval, anchor.provisional) == (1500.0, (1500.0, 1500.0), False)


def test_without_the_anchor_the_mean_has_its_rating() -> None:
    table = rate(collect(season({"a": 3.0, "b": 1.0, "c": 0.5}, (1.0, 0.8), 80, 3, config())))

    assert table.anchor is None
    assert sum(rating.rating for rating in table.entries) == pytest.approx(4500, abs=0.2)


def test_who_never_lost_or_never_won_has_a_finite_rating_with_a_wide_interval() -> None:
    names = ["expected_value", "best", "worst"]
    lines: list[Line] = [ladder(config()), *map(entry, names)]
    for block in range(20):
        lines += [
            match(block, 0, ["ent_best", "ent_worst"], 0),
            match(block, 1, ["ent_best", "ent_worst"], 1),
        ]
        lines += [
            match(100 + block, 0, ["ent_expected_value", "ent_worst"], 0),
            match(100 + block, 1, ["ent_expected_value", "ent_worst"], 1),
        ]
    table = by_entry(rate(collect(lines)))

    assert 1500 < table["best"].rating < 3500
    assert table["worst"].rating < 1100
    assert table["best"].provisional
    assert table["worst"].provisional


def test_entries_without_matches_are_not_in_the_table() -> None:
    lines: list[Line] = [
        *season({"expected_value": 1.0, "a": 2.0}, (1.0, 0.8), 200, 1, config()),
        entry("new"),
    ]
    table = rate(collect(lines))

    assert table.groups == 1
    assert sorted(by_entry(table)) == ["a", "expected_value"]
    assert table == rate(collect(lines[:-1]))


def test_a_ladder_without_results_or_entries_has_a_table() -> None:
    assert rate(collect([ladder(config())])).entries == ()
    assert rate(collect([ladder(config(4)), entry("a"), entry("b")])).entries == ()


def test_equal_ratings_share_a_rank() -> None:
    names = ["ent_expected_value", "ent_a"]
    lines = [match(1, rotation, names, 0) for rotation in (0, 1)]
    table = rate(collect([ladder(config()), entry("expected_value"), entry("a"), *lines]))

    assert [rating.rank for rating in table.entries] == [1, 1]
    assert [rating.entry for rating in table.entries] == ["ent_a", "ent_expected_value"]


def test_groups_are_told_that_no_match_connects() -> None:
    names = ["expected_value", "a", "b", "c", "d", "e"]

    def groups(*pairs: tuple[str, str]) -> int:
        lines: list[Line] = [ladder(config(replicates=2)), *map(entry, names)]
        for block, pair in enumerate(pairs):
            lines += [match(block, rotation, [f"ent_{name}" for name in pair], 0) for rotation in (0, 1)]
        return rate(collect(lines)).groups

    separate = ("a", "b"), ("c", "d"), ("e", "expected_value")
    assert groups(*separate) == 3
    assert groups(*separate, ("b", "d")) == 2
    assert groups(*separate, ("a", "expected_value"), ("c", "e")) == 1


def test_an_interval_is_the_middle_95_of_100_values_and_the_estimate() -> None:
    values = [*map(float, range(1000))][::-1]

    assert interval(values, 500.0) == (25.0, 974.0)
    assert interval(values, 7.0) == (7.0, 974.0)
    assert interval(values, 990.0) == (25.0, 990.0)
    assert interval([3.0], 3.0) == (3.0, 3.0)


def test_ties_count_half_for_who_is_above() -> None:
    assert percentage_above([[2.0, 1.0], [2.0, 1.0], [1.0, 1.0]], 0, 1) == 83.3
    assert percentage_above([[2.0, 1.0], [2.0, 1.0], [1.0, 1.0]], 1, 0) == 16.7


def test_it_is_told_how_surely_each_is_above_the_next() -> None:
    table = rate(collect(season({"expected_value": 1.0, "a": 30.0, "b": 1.0}, (1.0, 0.8), 200, 1, config())))

    assert table.entries[0].above_next == 100.0
    assert 0 < (table.entries[1].above_next or 0) < 100
    assert table.entries[2].above_next is None


def two_entries(**rules: object) -> Sample:
    """A sample of two entries that have won a match each."""
    names = ["ent_expected_value", "ent_a"]
    lines = [match(1, 0, names, 0), match(1, 1, names, 0)]
    settings = config(replicates=2, **rules)  # type: ignore[arg-type]
    return sampled(collect([ladder(settings), entry("expected_value"), entry("a"), *lines]))


def of_fits(sample: Sample, seats: list[float], *replicates: list[float]) -> Ratings:
    """The ratings of equal strengths, with the points of these replicates."""
    point = Point([0.0, 0.0], seats)
    return rated(sample, Fits(Ascent(point, is_over=True), [[1.0]], list(replicates)))


def test_the_anchor_has_no_virtual_results_against_itself() -> None:
    sample = two_entries()
    counts = whole(sample)
    assert sample.entries[counts.anchor] == "ent_expected_value"

    for prior in (counts.prior_wins, counts.prior_losses):
        assert prior == [0.0 if i == counts.anchor else 0.5 for i in range(2)]
    assert counts.prior_seat_wins == [0.5, 0.5]
    assert counts.wins == [1, 1]


def test_an_anchor_that_nobody_is_has_neither_wins_nor_virtual_results() -> None:
    counts = whole(two_entries(anchor="nobody"))

    assert (counts.anchor, counts.wins) == (2, [1, 1, 0])
    assert counts.prior_wins == counts.prior_losses == [0.5, 0.5, 0.0]


def test_no_advantage_of_a_seat_is_minus_zero() -> None:
    ratings = of_fits(two_entries(), [0.0, 1e-4], [1500.0, 1500.0], [1500.0, 1500.0])
    assert [str(points) for points in ratings.seats] == ["0.0", "0.0"]


@pytest.mark.parametrize(
    ("bound", "is_provisional"), [(1575.0, False), (1575.1, True), (1425.0, False), (1424.9, True)]
)
def test_a_rating_is_provisional_if_either_half_of_its_interval_is_wider_than_75(
    bound: float, is_provisional: bool
) -> None:
    ratings = of_fits(two_entries(), [0.0, 0.0], [bound, 1500.0], [1500.0, 1500.0])
    by_name = by_entry(ratings)
    first, other = two_entries().entries

    assert by_name[first.removeprefix("ent_")].provisional is is_provisional
    assert not by_name[other.removeprefix("ent_")].provisional
