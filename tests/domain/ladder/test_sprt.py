"""The sequential test decides rightly, soon, and for good."""

from collections.abc import Iterator
from itertools import count, islice
from math import log10, sqrt
from random import Random

import pytest

from domain.errors import RuleViolation
from domain.ladder.results import BlockResults, rotated
from domain.ladder.sprt import Hypotheses, SprtState, sequential_test
from tests.domain.ladder.simulated import match, winner

SEATS = {2: (1.0, 0.8), 4: (1.0, 0.7, 0.6, 0.4)}


def blocks(elo: float, seats: int, seed: int, number: int) -> list[BlockResults]:
    """Blocks of a, stronger than b by so many points, b, and others like b."""
    return [*islice(endless(elo, seats, seed), number)]


def endless(elo: float, seats: int, seed: int) -> Iterator[BlockResults]:
    chance = Random(seed)
    strengths = {"ent_a": 10 ** (elo / 400), "ent_b": 1.0, "ent_c": 1.0, "ent_d": 1.0}
    names = [*strengths][:seats]
    for number in count():
        base = chance.sample(names, seats)
        wins = [winner(rotated(base, i), strengths, SEATS[seats], chance) for i in range(seats)]
        yield BlockResults(number, tuple([match(number, i, base, won) for i, won in enumerate(wins)]))


def decide(played: list[BlockResults], hypotheses: Hypotheses | None = None) -> SprtState:
    return sequential_test(played, "ent_a", "ent_b", hypotheses or Hypotheses())


def run(elo: float, seats: int, seed: int) -> SprtState:
    """Play until it is decided, at most 3,000 blocks."""
    played: list[BlockResults] = []
    source = endless(elo, seats, seed)
    while len(played) < 3000:
        played += islice(source, 100)
        found = decide(played)
        if found.decision != "undecided":
            return found
    return found


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize(("elo", "right"), [(0, "not_better"), (50, "better"), (-50, "not_better")])
def test_at_least_95_of_100_runs_are_decided_rightly(seats: int, elo: int, right: str) -> None:
    found = [run(elo, seats, seed).decision for seed in range(100)]

    assert found.count(right) >= 95
    assert "undecided" not in found


def test_a_few_blocks_that_came_out_alike_decide_nothing() -> None:
    won = [
        BlockResults(i, (match(i, 0, ["ent_a", "ent_b"], 0), match(i, 1, ["ent_a", "ent_b"], 1)))
        for i in range(8)
    ]

    assert decide(won).decision == "undecided"
    assert decide(won).elo_interval[0] > 0
    assert decide(won).elo_interval[1] == round(400 * log10(999), 1)


def test_what_comes_after_the_decision_is_not_looked_at() -> None:
    played = blocks(200, 2, 1, 400)
    found = decide(played)

    assert found.decision == "better"
    assert found.blocks < 200
    assert decide(played[: found.blocks]) == found == decide(played[::-1])
    assert decide(played[: found.blocks - 1]).decision == "undecided"


def won_by_a(*wins: int) -> list[BlockResults]:
    """Blocks of two matches between a and b, of which a wins so many."""
    winners = {0: (1, 0), 1: (0, 0), 2: (0, 1)}
    return [
        BlockResults(i, tuple([match(i, r, ["ent_a", "ent_b"], seat) for r, seat in enumerate(winners[won])]))
        for i, won in enumerate(wins)
    ]


def test_who_is_weaker_is_soon_found_not_to_be_better() -> None:
    played = blocks(-200, 2, 1, 400)
    found = decide(played)

    assert found.decision == "not_better"
    assert found.llr <= found.bounds[0]
    assert decide(played[: found.blocks - 1]).decision == "undecided"


def test_an_example_comes_to_what_the_formulas_give() -> None:
    """The share has half a virtual win for each entry, and the variance 40 virtual matches between equals."""
    wins = (2, 1, 2, 0, 2, 2, 1)
    found = decide(won_by_a(*wins), Hypotheses(elo0=10, elo1=50))

    p0, p1 = 1 / (1 + 10 ** (-10 / 400)), 1 / (1 + 10 ** (-50 / 400))
    p = (10 + 0.5) / (14 + 1)
    variance = (sum([(won - 2 * p) ** 2 for won in wins]) + 40 / 4) / (14 + 40)
    half = 1.959964 * sqrt(variance / (14 + 1))
    elo = [round(400 * log10(share / (1 - share)), 1) for share in (p - half, p, p + half)]
    assert found.llr == round((p1 - p0) * (10 - 14 * (p0 + p1) / 2) / variance, 3)
    assert [found.elo_interval[0], found.elo, found.elo_interval[1]] == elo


def test_blocks_that_neither_won_say_nothing() -> None:
    idle = BlockResults(0, (match(0, 0, ["ent_a", "ent_b", "ent_c"], 2),))

    assert (decide([idle]).llr, decide([idle]).others) == (0.0, 1)


def test_counts_are_told_and_matches_that_neither_won_do_not_weigh() -> None:
    found = decide(blocks(0, 4, 3, 10))
    idle = [BlockResults(50 + i, tuple([match(50 + i, r, ["ent_a", "ent_b", "ent_c", "ent_d"], (2 - r) % 4)
                                 for r in range(4)])) for i in range(5)]  # fmt: skip
    more = decide([*blocks(0, 4, 3, 10), *idle])

    assert found.blocks == 10
    assert found.wins + found.losses + found.others == found.matches == 40
    assert (more.wins, more.losses, more.others) == (found.wins, found.losses, found.others + 20)
    assert (more.llr, more.elo) == (found.llr, found.elo)


def test_blocks_without_both_are_skipped() -> None:
    other = [
        BlockResults(i, tuple([match(i, r, ["ent_a", "ent_c"], 0) for r in range(2)])) for i in range(50)
    ]

    assert (decide(other).blocks, decide(other).llr, decide(other).decision) == (0, 0.0, "undecided")


def test_bounds_follow_from_the_risks() -> None:
    assert decide([]).bounds == (-4.595, 4.595)
    assert decide([], Hypotheses(alpha_percent=5, beta_percent=10)).bounds == (-2.251, 2.89)


def test_the_difference_as_seen_is_told_with_an_interval() -> None:
    found = decide(blocks(30, 2, 5, 3000), Hypotheses(elo0=29, elo1=31))

    assert found.elo == pytest.approx(30, abs=15)
    assert found.elo_interval[0] < found.elo < found.elo_interval[1]
    assert found.elo_interval[1] - found.elo_interval[0] == pytest.approx(2 * 1.96 * 4.4, rel=0.2)


@pytest.mark.parametrize(
    ("other", "hypotheses"),
    [
        ("ent_a", Hypotheses()),
        ("ent_b", Hypotheses(elo0=50)),
        ("ent_b", Hypotheses(elo0=-1001)),
        ("ent_b", Hypotheses(elo1=1001)),
        ("ent_b", Hypotheses(alpha_percent=0)),
        ("ent_b", Hypotheses(alpha_percent=50)),
        ("ent_b", Hypotheses(beta_percent=0)),
        ("ent_b", Hypotheses(beta_percent=50)),
    ],
)
def test_a_test_without_sense_is_refused(other: str, hypotheses: Hypotheses) -> None:
    with pytest.raises(RuleViolation) as found:
        sequential_test([], "ent_a", other, hypotheses)

    assert found.value.code == "test_invalid"


@pytest.mark.parametrize("risk", [1, 49])
def test_differences_up_to_1000_points_and_risks_up_to_49_per_cent_can_be_tested(risk: int) -> None:
    widest = Hypotheses(elo0=-1000, elo1=1000, alpha_percent=risk, beta_percent=risk)

    assert decide([], widest).decision == "undecided"
