"""Chances of winning by the value network alone."""

import sys
from subprocess import run

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.reviews import MILLIONTHS
from domain.match.commands import Resign
from review.network import chance_curve, in_millionths, luck_of_boats, luck_of_draw
from review.walk import Boats, Draw, walk
from tests.domain.kit import new_match
from tests.review.played import played

RULESETS = ["base", "harbor", "machi_koro_2"]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_curve_goes_from_the_first_turn_to_the_result(ruleset: str) -> None:
    events = played(ruleset, "greedy", "random", "greedy")
    walked = walk(events)

    curve = chance_curve("mat_1", events)

    assert [item.version for item in curve.items] == sorted({item.version for item in curve.items})
    assert curve.items[0].version == walked.first
    assert curve.items[-1].chances == tuple([MILLIONTHS * (seat == walked.end.winner) for seat in range(3)])
    assert all(sum(item.chances) == MILLIONTHS for item in curve.items)


def test_the_curve_of_a_running_match_ends_at_its_newest_decision() -> None:
    events = played("base", "greedy", "random", "greedy")

    whole, part = chance_curve("mat_1", events), chance_curve("mat_1", events[:90])

    assert part.version == 90
    assert part.items == tuple([item for item in whole.items if item.version <= part.items[-1].version])


def test_a_seat_that_has_left_has_no_chance() -> None:
    begun = new_match("base", 3)

    curve = chance_curve("mat_1", (*begun.events, *begun.when(Resign(1)).events))

    assert curve.items[0].chances[1] > 0
    assert curve.items[-1].chances[1] == 0


@pytest.mark.parametrize("kind", [Draw, Boats])
def test_the_luck_of_a_card_or_of_boats_sums_to_zero_over_the_seats(kind: type) -> None:
    steps = walk(played("harbor", "greedy", "expected_value", market="limited")).steps
    lucky = [step for step in steps if isinstance(step, kind)]

    assert lucky
    for step in lucky:
        luck = luck_of_draw(step) if isinstance(step, Draw) else luck_of_boats(step)
        assert abs(sum(luck)) < 1e-12


def test_the_mean_luck_over_all_cards_of_the_deck_is_zero() -> None:
    steps = walk(played("machi_koro_2", "greedy", "random", "greedy")).steps
    draw = next(step for step in steps if isinstance(step, Draw))
    left = sum(draw.deck)

    mean = sum(
        [
            luck_of_draw(draw._replace(card=card)) * copies / left
            for card, copies in enumerate(draw.deck)
            if copies
        ]
    )

    assert abs(mean).max() < 1e-12


@given(st.lists(st.floats(0, 1), min_size=2, max_size=5).filter(lambda chances: sum(chances) > 1e-6))
def test_chances_in_millionths_sum_to_a_million_and_are_never_negative(chances: list[float]) -> None:
    found = in_millionths(chances)

    assert sum(found) == MILLIONTHS
    assert all(
        abs(part - MILLIONTHS * chance / sum(chances)) <= 1
        for part, chance in zip(found, chances, strict=True)
    )
    assert min(found) >= 0


def test_the_curve_needs_neither_the_kernel_nor_its_compiler() -> None:
    code = (
        "import sys, review.network; "
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'kernel', 'numba'}))"
    )

    assert run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
