"""The review of a match: its numbers add up, and anybody finds the same ones."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import msgspec
import pytest

from contract.reviews import MILLIONTHS, Review, ReviewStep
from domain.match.commands import Build, Resign, RollDice
from kernel.engine import PLAIN, engine
from kernel.layout import PAIRS
from players.lookahead import THROWS, roll_kind
from players.rollouts import Comparison, Estimate, Rollouts
from players.weight_files import calibrated_weights
from review.curve import curve
from review.judging import (
    CHECKING_LOOKS,
    METHOD_ERRORS,
    Judge,
    JudgedCommand,
    JudgedDecision,
    JudgedLuck,
    JudgedRoll,
    method_error,
    sum_of_losses,
    widened,
    with_check,
)
from review.reviewer import Reviewer, encode
from review.walk import Decision, walk
from tests.domain.kit import A, city, given, new_match
from tests.marks import long_unless
from tests.review.played import HEAD, played

RULESETS = {
    "base": played("base", "greedy", "random", "expected_value", number=14),
    "harbor": played("harbor", "greedy", "expected_value", number=14),
    "machi_koro_2": played("machi_koro_2", "greedy", "random", number=12),
}
"""The shortest of forty matches each."""
QUICK = long_unless(["base"], RULESETS)
"""All rulesets; only the first is reviewed in the quick tests, for a review takes seconds."""


class Part(NamedTuple):
    """Steps near the end of a match, where rollouts of the plain kernel take seconds."""

    before_end: int
    steps: int


PARTS = {"base": Part(5, 1), "harbor": Part(5, 4), "machi_koro_2": Part(2, 2)}


class Computed(NamedTuple):
    review: Review
    before_part: bytes
    after_part: bytes


@cache
def computed(ruleset: str) -> Computed:
    reviewer = Reviewer("mat_1", RULESETS[ruleset], HEAD, engine())
    first = reviewer.total - PARTS[ruleset].before_end
    saved = {}
    while reviewer.done < reviewer.total:
        saved[reviewer.done] = reviewer.saved()
        reviewer.advance()
    saved[reviewer.done] = reviewer.saved()
    return Computed(reviewer.review(), saved[first], saved[first + PARTS[ruleset].steps])


def reviewed(ruleset: str) -> Review:
    return computed(ruleset).review


@pytest.fixture(params=QUICK)
def review(request: pytest.FixtureRequest) -> Review:
    return reviewed(request.param)


def total(changes: Sequence[ReviewStep], seat: int) -> int:
    return sum([step.change[seat] for step in changes])


@pytest.mark.long
def test_luck_and_skill_of_all_steps_lead_from_the_start_to_the_result(review: Review) -> None:
    chances = review.start
    for step in review.steps:
        chances = tuple([chance + change for chance, change in zip(chances, step.change, strict=True)])
        assert chances == step.chances

    assert chances == review.result
    assert sorted(review.result)[-2:] == [0, MILLIONTHS]


def test_every_change_sums_to_zero_over_the_seats(review: Review) -> None:
    assert len(review.steps) > 30
    assert {sum(step.change) for step in review.steps} == {0}


def test_a_seat_has_its_start_its_luck_its_skill_and_what_others_gave_it(review: Review) -> None:
    for seat in review.seats:
        assert seat.start + seat.luck + seat.skill + seat.others == seat.result
        assert seat.start == review.start[seat.seat]
        assert seat.adjusted == seat.result - seat.luck
        assert seat.luck + seat.skill + seat.others == total(review.steps, seat.seat)


def test_luck_is_of_rolls_and_cards_and_skill_is_of_decisions(review: Review) -> None:
    lucky = [step for step in review.steps if step.kind in ("roll", "reroll", "boats", "card")]

    assert sum([seat.luck for seat in review.seats]) == 0
    for seat in review.seats:
        assert seat.luck == total(lucky, seat.seat)
        assert seat.skill <= 0


def test_a_decision_costs_what_it_is_worth_less_than_the_best_if_that_is_certain(review: Review) -> None:
    changed = {step.version: step for step in review.steps if step.kind == "decision"}
    for decision in review.decisions:
        assert decision.best == decision.candidates[0].command
        assert decision.command in [one.command for one in decision.candidates]
        assert decision.low <= decision.loss <= decision.high
        is_certain = decision.command != decision.best and decision.low > 0
        assert (decision.version in changed) == is_certain
        assert decision.verdict == verdict_of(decision.loss, is_certain, decision.command == decision.best)


def verdict_of(loss: int, is_certain: bool, is_best: bool) -> str:
    if is_best:
        return "best"
    if not is_certain:
        return "too_close"
    names = {150_000: "blunder", 100_000: "mistake", 50_000: "inaccuracy"}
    return next((name for least, name in names.items() if loss >= least), "small")


def test_the_dearest_mistakes_come_first(review: Review) -> None:
    by_version = {decision.version: decision for decision in review.decisions}
    mistakes = [by_version[version] for version in review.mistakes]

    assert [one.loss for one in mistakes] == sorted([one.loss for one in mistakes], reverse=True)
    assert {one.verdict for one in mistakes} <= {"blunder", "mistake", "inaccuracy"}
    for seat in review.seats:
        assert len([one for one in mistakes if one.seat == seat.seat]) <= 3


def test_the_stages_of_a_seat_have_all_its_decisions_and_rolls(review: Review) -> None:
    for seat in review.seats:
        own = [decision for decision in review.decisions if decision.seat == seat.seat]
        rolls = [step for step in review.steps if step.kind in ("roll", "reroll") and step.seat == seat.seat]
        assert sum([stage.decisions for stage in seat.stages]) == len(own)
        assert sum([stage.rolls for stage in seat.stages]) == len(rolls)
        assert sum([stage.luck for stage in seat.stages]) == total(rolls, seat.seat)


def test_after_the_turning_point_the_winner_stays_ahead(review: Review) -> None:
    winner = review.result.index(MILLIONTHS)
    after = [step.chances for step in review.steps if step.version >= (review.turning_point or 0)]

    # A roll and the decision to make it are steps of one event: the last one counts.
    assert all(max(chances) == chances[winner] for chances in after[1:])
    assert review.turning_point is None or review.turning_point in [step.version for step in review.steps]


@pytest.mark.long
def test_a_review_that_is_continued_elsewhere_ends_with_the_same_bytes() -> None:
    events = RULESETS["base"]
    first = Reviewer("mat_1", events, HEAD, engine())
    for _ in range(first.total // 2):
        first.advance()
    second = Reviewer("mat_1", events, HEAD, engine())

    second.restore(first.saved())
    assert second.done == first.total // 2
    while second.done < second.total:
        second.advance()

    assert encode(second.review()) == encode(reviewed("base"))


def test_what_was_saved_for_another_history_is_not_continued() -> None:
    events = RULESETS["base"]
    first = Reviewer("mat_1", events, HEAD, engine())
    first.advance()
    second = Reviewer("mat_1", events, HEAD.replace("5a", "5b"), engine())

    second.restore(first.saved())
    second.restore(b"\xc1 what nobody saved")

    assert second.done == 0


@pytest.mark.long
@pytest.mark.parametrize("ruleset", QUICK)
def test_the_plain_kernel_finds_the_same_digits_as_the_compiled_one(ruleset: str) -> None:
    found = computed(ruleset)
    plain = Reviewer("mat_1", RULESETS[ruleset], HEAD, PLAIN)
    plain.restore(found.before_part)
    for _ in range(PARTS[ruleset].steps):
        plain.advance()

    assert plain.saved() == found.after_part


def test_a_review_is_read_back_as_it_was_written(review: Review) -> None:
    assert msgspec.json.decode(encode(review), type=Review) == review


def certain(command: int, chances: tuple[float, ...], loss: float) -> JudgedCommand:
    return JudgedCommand(command, chances, loss, loss, loss, 0, True)


def test_a_roll_is_worth_what_it_brought_over_the_mean_of_all_rolls() -> None:
    """The seat to act wins with one of the six numbers, and with the others in half of the cases."""
    walked = walk(RULESETS["base"])
    step = next(step for step in walked.steps if isinstance(step, Decision) and step.roll)
    judged = JudgedDecision((), 0, JudgedRoll(1 / 6, (5 / 12, 5 / 12, 0.0)), 0, False)

    (change,) = curve([step], [judged], winner=0, seats=3)

    assert change.kind == "roll"
    assert change.before == (583_333, 416_667, 0)
    assert change.change == (416_667, -416_667, 0)


def test_a_worse_command_lowers_the_chances_by_its_loss() -> None:
    walked = walk(RULESETS["base"])
    step = next(step for step in walked.steps if isinstance(step, Decision) and not step.roll)
    candidates = (certain(0, (0.7, 0.2, 0.1), 0.0), certain(1, (0.5, 0.4, 0.1), 0.2))
    decision = JudgedDecision(candidates, 1, None, 0, True)
    after = JudgedLuck((0.4, -0.4, 0.0))

    skill, luck = curve([step, next(iter(walked.steps))], [decision, after], winner=0, seats=3)

    assert luck.before == skill.after == (600_000, 400_000, 0)
    assert skill.change == (-200_000, 200_000, 0)


def test_what_is_too_close_to_call_costs_nothing() -> None:
    walked = walk(RULESETS["base"])
    step = next(step for step in walked.steps if isinstance(step, Decision) and not step.roll)
    unsure = JudgedCommand(1, (0.5, 0.4, 0.1), 0.1, -0.01, 0.2, 36, False)
    decision = JudgedDecision((certain(0, (0.6, 0.3, 0.1), 0.0), unsure), 1, None, 36, False)

    assert curve([step], [decision], winner=0, seats=3) == ()


def test_who_resigns_gives_its_chance_away() -> None:
    begun = new_match("base", 2)
    ended = begun.when(Resign(0))

    reviewer = Reviewer("mat_1", (*begun.events, *ended.events), HEAD, engine())
    reviewer.advance()
    found = reviewer.review()

    assert [(step.kind, step.seat) for step in found.steps] == [("resignation", 0)]
    assert found.seats[0].skill == -found.start[0] < 0
    assert found.seats[1].others == found.start[0]


def test_every_outcome_of_the_dice_has_a_kind_of_its_own() -> None:
    assert len({roll_kind(values) for throws in THROWS.values() for values, _ in throws}) == 6 + 15


CONVENIENCE = [Build(A, "wheat_field"), Build(A, "convenience_store")]


@pytest.mark.parametrize(
    ("mine", "is_checked"), [({"convenience_store": 1, "wheat_field": 1}, True), ({"wheat_field": 2}, False)]
)
def test_what_seems_to_be_a_fault_after_few_turns_is_checked_by_longer_rollouts(
    mine: dict[str, int], is_checked: bool
) -> None:
    scene = given("base", city(5, bakery=1, **mine), city(1, wheat_field=1, bakery=1))
    state = scene.when(RollDice(A, 1), dice=[(6,)]).state
    quick = Rollouts(engine(), state.rules, weights=calibrated_weights).compare(state, CONVENIENCE, 1, 1)
    assert (quick.losses[1][0] > 0.05) == is_checked

    found = Judge(engine(), state.rules, HEAD).compared(state, CONVENIENCE, 1, 1)

    assert (found.estimates == quick.estimates) != is_checked
    if is_checked:
        first, second = [one.rollouts for one in found.estimates]
        assert first == second
        assert first in [PAIRS * look for look in CHECKING_LOOKS]
        assert found.losses[1][0] < 0.05


def test_a_check_may_find_that_the_chosen_command_is_the_best() -> None:
    before = [Estimate((chance, 1 - chance), {}, 72, False) for chance in (0.5, 0.6, 0.4)]
    after = [Estimate((chance, 1 - chance), {}, 288, False) for chance in (0.55, 0.58)]
    found = Comparison(tuple(before), 1, ((0.1, 0.07, 0.13), (0.0, 0.0, 0.0), (0.2, 0.1, 0.3)))
    checked = Comparison(tuple(after), 1, ((0.03, -0.01, 0.07), (0.0, 0.0, 0.0)))

    together = with_check(found, 2, checked)

    assert together.best == 2
    assert together.estimates == (before[0], after[0], after[1])
    assert together.losses[0] == pytest.approx((0.13, 0.08, 0.18))
    assert together.losses[1] == pytest.approx((0.03, -0.01, 0.07))
    assert together.losses[2] == (0.0, 0.0, 0.0)


def test_the_interval_of_a_sum_covers_both_errors() -> None:
    assert sum_of_losses((0.1, 0.07, 0.14), (0.2, 0.16, 0.23)) == pytest.approx((0.3, 0.25, 0.35))


def test_an_interval_covers_the_error_of_the_method_too() -> None:
    assert widened((0.10, 0.07, 0.14), 0.04) == pytest.approx((0.10, 0.05, 0.10 + 0.04 * 2**0.5))
    assert widened((0.0, 0.0, 0.0), 0.04) == (0.0, 0.0, 0.0)


def test_a_check_ends_early_once_the_loss_is_known() -> None:
    scene = given(
        "base", city(5, bakery=1, wheat_field=1, convenience_store=1), city(1, wheat_field=1, bakery=1)
    )
    state = scene.when(RollDice(A, 1), dice=[(6,)]).state
    judge = Judge(engine(), state.rules, HEAD)
    rollouts = {
        judge.compared(state, CONVENIENCE, seed, 1).estimates[1].rollouts // PAIRS for seed in range(40)
    }
    assert rollouts == {*CHECKING_LOOKS}


def test_the_error_of_the_method_is_that_for_the_seats_in_play() -> None:
    state = new_match("base", 5).state
    assert method_error(state) == METHOD_ERRORS["base"][5]
    for seat in (1, 2, 3):
        state.resigned[seat] = True
    assert method_error(state) == METHOD_ERRORS["base"][2]
