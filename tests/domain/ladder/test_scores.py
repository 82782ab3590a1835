"""The score with luck taken out has the mean of the plain one and a narrower interval."""

from collections.abc import Callable
from random import Random
from statistics import mean, stdev

import pytest

from domain.ladder.results import BlockResults, MatchLuck
from domain.ladder.scores import scores, variance
from tests.domain.ladder.simulated import match

Luck = Callable[[float, Random], MatchLuck | None]


def blocks(count: int, seed: int, luck: Luck, skill: float = 0.1) -> list[BlockResults]:
    """Matches of a and b that a wins when its skill and a die of mean 0 add up to more than 0."""
    chance, found = Random(seed), []
    for number in range(count):
        results = []
        for rotation in range(2):
            die = chance.uniform(-0.5, 0.5)
            won = 0 if skill + die > 0 else 1
            measured = luck(die, chance)
            if rotation and measured:
                # The luck of a, who has seat 1 now.
                measured = MatchLuck(measured.coins[::-1], measured.wins and measured.wins[::-1])
            results.append(
                match(number, rotation, ["ent_a", "ent_b"], won if rotation == 0 else 1 - won, measured)
            )
        found.append(BlockResults(number, tuple(results)))
    return found


def coins(die: float, _: Random) -> MatchLuck:
    return MatchLuck((round(die * 9000), -round(die * 9000)), None)


def wins(die: float, _: Random) -> MatchLuck:
    return MatchLuck((0, 0), (round(die * 1e6), -round(die * 1e6)))


def noise(_: float, chance: Random) -> MatchLuck:
    coin = chance.randint(-5000, 5000)
    return MatchLuck((coin, -coin), None)


def wild(_: float, chance: Random) -> MatchLuck:
    share = chance.randint(-1_000_000, 1_000_000)
    return MatchLuck((0, 0), (share, -share))


@pytest.mark.parametrize("luck", [coins, wins, noise, wild])
@pytest.mark.parametrize("count", [3, 25])
def test_it_is_unbiased_whatever_is_taken_out(luck: Luck, count: int) -> None:
    found = [scores(blocks(count, seed, luck), "ent_a").adjusted for seed in range(600)]
    values = [score.score for score in found if score]

    assert len(values) == 600
    assert abs(mean(values) - 0.6) < 4 * stdev(values) / len(values) ** 0.5


@pytest.mark.parametrize("luck", [coins, wins])
def test_luck_that_decides_matches_narrows_the_interval(luck: Luck) -> None:
    found = scores(blocks(300, 1, luck), "ent_a")

    assert found.plain
    assert found.adjusted
    assert found.reduction
    assert found.reduction > 2
    width = found.adjusted.interval[1] - found.adjusted.interval[0]
    assert width < 0.75 * (found.plain.interval[1] - found.plain.interval[0])


@pytest.mark.parametrize("luck", [noise, wild])
def test_luck_that_says_nothing_costs_next_to_nothing(luck: Luck) -> None:
    assert (scores(blocks(300, 1, luck), "ent_a").reduction or 0) > 0.95


def test_luck_in_wins_that_is_too_large_is_taken_out_as_if_it_were_right() -> None:
    """The value function need not fit the players."""

    def too_large(die: float, _: Random) -> MatchLuck:
        share = round(die * 4e6)
        return MatchLuck((0, 0), (share, -share))

    right, found = scores(blocks(300, 1, wins), "ent_a"), scores(blocks(300, 1, too_large), "ent_a")
    assert found.reduction == pytest.approx(right.reduction, rel=0.02)


@pytest.mark.parametrize("luck", [coins, wins])
def test_intervals_hold_the_truth_about_as_often_as_they_say(luck: Luck) -> None:
    found = [scores(blocks(60, seed, luck), "ent_a") for seed in range(300)]
    plain = [low <= 0.6 <= high for each in found if each.plain for low, high in [each.plain.interval]]
    adjusted = [
        low <= 0.6 <= high for each in found if each.adjusted for low, high in [each.adjusted.interval]
    ]

    assert 0.9 < mean(plain) < 0.99
    assert 0.9 < mean(adjusted) < 0.99


def test_without_luck_there_is_the_plain_score_alone() -> None:
    found = scores(blocks(20, 1, lambda die, chance: None), "ent_a")

    assert found.plain
    assert found.adjusted is None
    assert found.reduction is None
    assert scores(blocks(20, 1, coins), "ent_c").plain is None


def test_who_won_everything_has_an_interval_below_one() -> None:
    found = scores(blocks(20, 1, coins, skill=1.0), "ent_a")

    assert found.plain
    assert found.adjusted
    assert found.plain.score == 1
    assert found.plain.interval[0] < 0.95
    assert found.plain.interval[1] == 1
    assert found.adjusted.interval == found.plain.interval
    assert found.reduction is None


def test_a_block_alone_does_not_tell_how_precise_its_adjusted_score_is() -> None:
    found = scores(blocks(1, 1, wins), "ent_a")

    assert found.plain
    assert found.adjusted
    assert found.adjusted.score != found.plain.score
    assert found.adjusted.interval is None


@pytest.mark.parametrize("luck", [coins, wins])
@pytest.mark.parametrize("skill", [0.1, 1.0])
def test_an_interval_of_the_adjusted_score_holds_that_score(luck: Luck, skill: float) -> None:
    for count in range(1, 12):
        adjusted = scores(blocks(count, count, luck, skill), "ent_a").adjusted
        assert adjusted
        low, high = adjusted.interval or (adjusted.score, adjusted.score)
        assert low <= adjusted.score <= high


def test_variances_have_no_ratio_if_one_of_them_is_zero() -> None:
    always_won = scores(blocks(20, 1, wins, skill=1.0), "ent_a")
    assert always_won.plain != always_won.adjusted
    assert always_won.reduction is None

    def all_of_it(die: float, _: Random) -> MatchLuck:
        share = 1_000_000 if die > 0 else 0
        return MatchLuck((0, 0), (share, -share))

    played = blocks(21, 1, all_of_it, skill=0.0)
    of_one_fold = [played[0], played[20]]
    assert of_one_fold[0].results[0].winner != of_one_fold[1].results[0].winner
    all_luck = scores(of_one_fold, "ent_a")
    assert all_luck.adjusted
    assert (all_luck.adjusted.score, all_luck.adjusted.interval) == (0, None)
    assert all_luck.reduction is None


@pytest.mark.parametrize(
    ("luck", "plain", "adjusted", "reduction"),
    [
        (coins, (0.5652, 0.4116, 0.7072), (0.6269, 0.5391, 0.7146), 3.11),
        (wins, (0.5652, 0.4116, 0.7072), (0.6215, 0.5334, 0.7095), 3.08),
    ],
)
def test_scores_have_four_decimals_and_the_ratio_of_their_variances_two(
    luck: Luck, plain: tuple[float, ...], adjusted: tuple[float, ...], reduction: float
) -> None:
    """The numbers were computed from docs/ladders.md by other code."""
    found = scores(blocks(23, 1, luck), "ent_a")

    assert found.plain
    assert found.adjusted
    assert (found.plain.score, *found.plain.interval) == plain
    assert (found.adjusted.score, *found.adjusted.interval) == adjusted
    assert found.reduction == reduction


def test_luck_in_wins_is_told_in_millionths_of_a_win() -> None:
    found = scores(blocks(1, 1, lambda die, _: MatchLuck((0, 0), (10**9, -(10**9)))), "ent_a")

    assert found.plain
    assert found.adjusted
    assert found.adjusted.score == found.plain.score - 1000


def test_the_variance_is_unbiased() -> None:
    assert variance([0.0, 1.0]) == 0.5
    assert variance([3.0]) == 0


def test_the_order_of_blocks_changes_no_digit() -> None:
    played = blocks(60, 4, coins)

    assert scores(sorted(played, key=lambda block: block.number % 7), "ent_a") == scores(played, "ent_a")


def test_the_slope_of_a_block_knows_nothing_of_its_luck() -> None:
    """Here a slope fitted on all blocks would be off by 3 in 100: a wins just when its luck is 0."""

    def score(seed: int) -> float:
        chance, found = Random(seed), []
        for number in range(5):
            dice = chance.choices([-1000, 0, 2500], [5, 3, 2], k=2)
            results = [
                match(number, rotation, ["ent_a", "ent_b"], (luck != 0) ^ rotation, in_turn(luck, rotation))
                for rotation, luck in enumerate(dice)
            ]
            found.append(BlockResults(number, tuple(results)))
        adjusted = scores(found, "ent_a").adjusted
        return adjusted.score if adjusted else 0.0

    def in_turn(luck: int, rotation: int) -> MatchLuck:
        return MatchLuck((-luck, luck) if rotation else (luck, -luck), None)

    values = [score(seed) for seed in range(3000)]
    assert abs(mean(values) - 0.3) < 4 * stdev(values) / len(values) ** 0.5 < 0.02


def test_a_block_without_measured_luck_keeps_its_score() -> None:
    played = blocks(20, 1, coins)
    known = scores(played, "ent_a").adjusted
    unknown = BlockResults(20, (match(20, 0, ["ent_a", "ent_b"], 0), match(20, 1, ["ent_a", "ent_b"], 0)))
    found = scores([*played, unknown], "ent_a").adjusted

    assert known
    assert found
    assert found.score == pytest.approx((20 * known.score + 0.5) / 21, abs=1e-4)


def test_coin_luck_that_no_other_block_explains_is_not_taken_out() -> None:
    found = scores(blocks(1, 1, coins), "ent_a")

    assert found.plain
    assert found.adjusted
    assert found.adjusted.score == found.plain.score


def test_coin_luck_is_not_taken_out_where_all_other_blocks_had_none() -> None:
    base = ["ent_a", "ent_b"]
    played = []
    for number, coins in enumerate([0, 3000]):
        results = [
            match(
                number,
                rotation,
                base,
                0,
                MatchLuck((coins, -coins) if rotation == 0 else (-coins, coins), None),
            )
            for rotation in range(2)
        ]
        played.append(BlockResults(number, tuple(results)))
    found = scores(played, "ent_a")

    assert found.plain
    assert found.adjusted
    assert found.adjusted.score == found.plain.score
