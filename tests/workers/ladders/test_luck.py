"""The luck of a match as results tell it."""

import random
from itertools import product

import numpy as np
import pytest
from msgspec.structs import replace

from bench.matches import committed, new_match, play_out
from domain import decide, fold, legal_commands
from domain.ladder.events import BlockVoided, RoundStopped
from domain.luck import in_coins, luck_of
from domain.match.commands import Pass, PlayCommand, RerollDice, Resign, RollDice
from domain.match.decide import advance, advance_turn
from domain.match.events import DiceRolled, Event, TurnStarted
from domain.match.rules import Rules
from domain.match.state import RUNNING, MatchState
from kernel.engine import PLAIN, Engine, compiled
from players.afterstates import GivenChance
from players.lookahead import (
    MORE_COINS,
    RANKED_ROLLS,
    Lookahead,
    Rankings,
    Ranks,
    best_builds,
    chances_of_builds,
    rank,
)
from players.tables import Doubles, TableBatch
from players.weight_files import manifest
from runtime.strategies import LUCK_VERSIONS, VALUE_FUNCTIONS
from tests.kernel.test_coin_luck import CASES
from tests.kernel.test_coin_luck import a_match as a_random_match
from tests.marks import long_unless
from tests.workers.kit import Place
from tests.workers.ladder_kit import Ladder, recorded
from tests.workers.review_kit import ENDGAME, PLAYERS
from workers.ladders import luck
from workers.ladders.luck import KernelLuck, ValueFunction, match_luck, value_function


def _chances_by_wealth(rules: Rules, tables: TableBatch) -> Doubles:
    """The chances by coins and landmarks alone: some fixed function of the table."""
    landmarks = tables.cities[:, :, rules.establishments :].sum(axis=2)
    worth = tables.coins / 10 + landmarks
    odds = np.exp(worth - worth.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float64)


def _no_chances(rules: Rules, tables: TableBatch) -> Doubles:
    raise ArithmeticError


BY_WEALTH = ValueFunction("sha-256:" + "77" * 32, _chances_by_wealth)
BROKEN = ValueFunction(BY_WEALTH.version, _no_chances)
"""Fails wherever it is asked."""


def a_match(number: int, seats: int) -> tuple[MatchState, list[Event]]:
    chance, dice = committed(number)
    return play_out(new_match("base", ("convenience_rush",) * seats, dice), chance, random.Random(number))


def wins_of(state: MatchState, events: list[Event], values: ValueFunction) -> tuple[int, ...]:
    wins = match_luck(state, events, values).wins
    assert wins is not None
    return wins


def won_by_luck(match: tuple[MatchState, list[Event]]) -> tuple[int, ...]:
    return wins_of(*match, BY_WEALTH)


def won_so_far(events: list[Event], values: ValueFunction) -> tuple[int, ...]:
    return wins_of(fold(None, events), events, values)


@pytest.mark.parametrize("kernel", [None, PLAIN], ids=["by the rules", "by the kernel"])
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_coin_luck_is_that_of_the_match_to_the_nearest_thousandth(
    seats: int, kernel: Engine | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(luck, "_kernel_luck", lambda: KernelLuck(kernel) if kernel else None)
    state, events = a_match(seats, seats)
    exact = [in_coins(units) for units in luck_of(events).totals.luck]
    told = match_luck(state, events).coins
    assert sum(told) == 0
    assert all(abs(one - other * 1000) <= 3 for one, other in zip(told, exact, strict=True))


def test_the_kernel_measures_no_match_that_begins_elsewhere_or_ends_with_other_coins() -> None:
    kernel = KernelLuck(PLAIN)
    state, events = a_match(2, 2)
    assert kernel.measure(state, events, None) == (luck_of(events).totals.luck, None)
    state.coins[0] += 1
    assert kernel.measure(state, events, value_function("base")) == (None, None)
    chance, dice = committed(3)
    placed = replace(new_match("base", PLAYERS, dice), position=ENDGAME)
    assert kernel.measure(*play_out(placed, chance, random.Random(3)), None) == (None, None)


def test_the_kernel_measures_wins_only_by_a_network_and_without_resignations() -> None:
    kernel = KernelLuck(PLAIN)
    chance, dice = committed(4)
    events = [*decide(None, new_match("base", ("random",) * 3, dice), chance)]
    state = fold(None, events)
    none = (0, 0, 0)
    assert kernel.measure(state, events, value_function("base")) == (none, none)
    assert kernel.measure(state, events, BY_WEALTH) == (none, None)
    events += advance(state, Resign(1), chance)
    assert kernel.measure(state, events, value_function("base")) == (none, None)


def by_both(kernel: KernelLuck, state: MatchState, events: list[Event]) -> bool:
    """Whether the kernel measures the match; then it is what the rules measure."""
    values = value_function(state.rules.ruleset.id)
    if kernel.measure(state, events, values)[1] is None:
        return False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(luck, "_kernel_luck", lambda: None)
        by_rules = wins_of(state, events, values)
        patch.setattr(luck, "_kernel_luck", lambda: kernel)
        by_kernel = wins_of(state, events, values)
    assert max(abs(one - other) for one, other in zip(by_rules, by_kernel, strict=True)) <= 2
    return True


def test_the_kernel_measures_the_luck_in_wins_of_the_rules() -> None:
    """Of the first turns of a match: the plain kernel is slow."""
    _, events = a_match(5, 2)
    end = [place for place, event in enumerate(events) if isinstance(event, TurnStarted)][6]
    assert by_both(KernelLuck(PLAIN), fold(None, events[:end]), events[:end])


@pytest.mark.long
def test_the_compiled_kernel_measures_the_luck_in_wins_of_the_rules() -> None:
    """In random matches of all kinds, with every number of seats, and markets that are refilled."""
    kernel, measured = KernelLuck(compiled()), 0
    for number in range(0, len(CASES), 4):
        measured += by_both(kernel, *a_random_match(number, once_in=100_000))
    assert measured >= len(CASES) // 5


def test_win_luck_is_nothing_on_average_whatever_the_values_are() -> None:
    """Of each seat, over many matches, within three standard errors."""
    found = np.array([won_by_luck(two(number)) for number in range(60)])
    assert np.all(found.sum(axis=1) == 0)
    error = found.std(axis=0) / np.sqrt(len(found))
    assert np.all(error > 1000)
    assert np.all(np.abs(found.mean(axis=0)) < 3 * error)


def a_throw() -> tuple[MatchState, Lookahead]:
    """A table in the middle of a match, and what can follow from a throw of one die."""
    _state, events = a_match(2, 3)
    at = [place for place, event in enumerate(events) if isinstance(event, TurnStarted) and event.turn == 20]
    before = fold(None, events[: at[0] + 1])
    tree = Lookahead(before)
    tree.follow(RollDice(before.active, 1))
    return before, tree


def ranked(table: MatchState) -> Ranks:
    """The ranks of the builds before a roll."""
    ranking = Rankings().before_roll(table)
    rank([ranking], _chances_by_wealth)
    return ranking.ranks


def test_builds_rank_by_the_chances_after_them_with_more_coins() -> None:
    before, _ = a_throw()
    recorded_coins = [*before.coins]
    ranks = ranked(before)
    after = before.copy()
    after.coins[after.active] += MORE_COINS
    after.phase = "build"
    assert [*ranks] == legal_commands(after)
    assert ranks == dict(zip(ranks, judged(after, [*ranks])[:, after.active].round(9), strict=True))
    assert (before.phase, before.coins) == ("roll", recorded_coins)


def judged(state: MatchState, builds: list[PlayCommand]) -> Doubles:
    return chances_of_builds(state, builds, _chances_by_wealth)


def test_after_a_throw_the_build_that_ranks_highest_is_the_choice() -> None:
    before, tree = a_throw()
    ranks: Ranks = dict.fromkeys(ranked(before), 0.5)
    ranks[Pass(before.active)] = 0.6
    (found,) = best_builds([tree], _chances_by_wealth, [ranks])
    nothing = [judged(leaf, [Pass(leaf.active)])[0] for leaf in tree.leaves]
    assert len(nothing) > 2
    assert np.array_equal(found, nothing)


def test_a_ranking_is_used_for_four_rolls_of_its_seat() -> None:
    before, _ = a_throw()
    other = before.copy()
    other.active = (before.active + 1) % 3
    rankings = Rankings()
    used = [rankings.before_roll(table) for _ in range(RANKED_ROLLS + 1) for table in (before, other)]
    first, theirs = used[:2]
    assert [*map(id, used[:-2])] == [id(first), id(theirs)] * RANKED_ROLLS
    assert first is not theirs
    assert used[-2] not in used[:-2]


def test_builds_are_ranked_anew_after_a_landmark_and_when_another_one_can_be_paid_for() -> None:
    before, _ = a_throw()
    rankings = Rankings()
    first = rankings.before_roll(before)
    poorer, richer, built = before.copy(), before.copy(), before.copy()
    poorer.coins[before.active] -= 1
    richer.coins[before.active] += 22
    mine = built.cities[before.active]
    mine[mine.index(0, before.rules.establishments)] = 1
    built.landmarks[before.active] += 1
    assert rankings.before_roll(poorer) is first
    second = rankings.before_roll(richer)
    assert {*second.builds} > {*first.builds}
    third = rankings.before_roll(built)
    assert len({id(first), id(second), id(third)}) == 3


def test_a_build_without_a_rank_is_judged_after_a_throw() -> None:
    before, tree = a_throw()
    ranks = ranked(before)
    (best,) = best_builds([tree], _chances_by_wealth)
    worst = min(ranks, key=ranks.__getitem__)
    (found,) = best_builds([tree], _chances_by_wealth, [{worst: ranks[worst]}])
    assert np.array_equal(found, best)


def test_whoever_wins_had_luck_as_a_rule() -> None:
    """That is what can be taken out of a score."""
    found = [(match[0].winner == 0, won_by_luck(match)[0]) for match in map(two, range(40))]
    won, luck = zip(*found, strict=True)
    assert np.corrcoef(won, luck)[0, 1] > 0.1


def two(number: int) -> tuple[MatchState, list[Event]]:
    return a_match(number, 2)


@pytest.mark.parametrize("ruleset", long_unless(["base"], VALUE_FUNCTIONS))
def test_what_a_throw_brings_is_nothing_over_all_that_could_have_fallen(ruleset: str) -> None:
    """To the millionth, whoever sits at the table, with the network that is shipped."""
    values = value_function(ruleset)
    chance, dice = committed(1)
    _, events = play_out(new_match(ruleset, ("random",) * 3, dice), chance, random.Random(1))
    places = [place for place, event in enumerate(events) if isinstance(event, DiceRolled)]
    for place in [place for place in places if events[place].purpose != "boats"][8:32:6]:  # type: ignore[union-attr]
        thrown = events[place]
        assert isinstance(thrown, DiceRolled)
        number, table = len(thrown.values), fold(None, events[:place])
        roll = RerollDice(table.active) if thrown.purpose == "reroll" else RollDice(table.active, number)
        before = np.array(won_so_far(events[:place], values))
        mean = np.zeros(3)
        for faces in product(range(1, 7), repeat=number):
            other = advance_turn(table.copy(), roll, GivenChance(faces))
            gained = np.array(won_so_far([*events[:place], *other], values)) - before
            mean += gained / 6 ** len(faces)
        assert np.all(np.abs(mean) < 3), f"throw at event {place + 1}"


@pytest.mark.parametrize("ruleset", long_unless(["base"], VALUE_FUNCTIONS))
def test_seats_that_have_resigned_have_no_luck_any_more(ruleset: str) -> None:
    chance, dice = committed(3)
    rng = random.Random(3)
    events = [*decide(None, new_match(ruleset, ("random",) * 4, dice), chance)]
    state = fold(None, events)
    gone = {14: 1, 19: 2}
    luck: list[tuple[int, ...]] = []
    while state.status == RUNNING:
        if state.phase == "roll" and state.turn in gone:
            events += advance(state, Resign(gone.pop(state.turn)), chance)
            luck.append(won_so_far(events, value_function(ruleset)))
            continue
        legal = legal_commands(state)
        events += advance(state, legal[int(rng.random() * len(legal))], chance)
    end = won_so_far(events, value_function(ruleset))
    assert [sum(one) for one in [*luck, end]] == [0, 0, 0]
    assert abs(end[2] - luck[1][2]) <= 2, "but for the rounding of the sum"
    assert abs(end[1] - luck[0][1]) <= 2, "but for the rounding of the sum"


@pytest.mark.long
@pytest.mark.parametrize("pair", [("cheese", "convenience_rush"), ("expected_value", "greedy")])
def test_the_network_takes_more_than_half_of_the_luck_out(pair: tuple[str, str]) -> None:
    won, left = [], []
    for number in range(40):
        chance, dice = committed(number)
        state, events = play_out(new_match("base", pair, dice), chance, random.Random(number))
        won.append(float(state.winner == 0))
        left.append(won[-1] - wins_of(state, events, value_function("base"))[0] / 1_000_000)
    assert np.var(left) < np.var(won) / 2


def test_a_season_with_win_luck_has_it_in_its_results(place: Place) -> None:
    ladder = Ladder(place, luck="wins", luck_version=BY_WEALTH.version)
    ladder.enter("random", "landmark_first")
    ladder.open((0, 1))
    ladder.play(values=lambda ruleset: BY_WEALTH)
    for result in ladder.round().blocks[0].results:
        assert result.luck_wins is not None
        assert result.luck_coins is not None
        assert any(result.luck_wins)
        assert sum(result.luck_wins) == 0


@pytest.mark.long
def test_a_block_whose_luck_cannot_be_told_is_given_up_and_the_round_ends(place: Place) -> None:
    ladder = Ladder(place, luck="wins", luck_version=BY_WEALTH.version)
    ladder.enter("random", "landmark_first")
    ladder.open((0, 1))
    for _ in range(3):
        ladder.play(values=lambda ruleset: BROKEN)
    voided = recorded(ladder, BlockVoided)
    assert [(one.reason, one.is_final) for one in voided] == [("service_fault", final) for final in (0, 0, 1)]
    assert {one.detail for one in voided} == {"its results cannot be computed: ArithmeticError"}


def test_a_season_whose_value_function_is_no_more_is_stopped_and_says_why(place: Place) -> None:
    ladder = Ladder(place, luck="wins", luck_version="sha-256:" + "00" * 32)
    ladder.enter("random", "landmark_first")
    ladder.open((0, 1))
    ladder.play(values=lambda ruleset: BY_WEALTH)
    assert [one.reason for one in recorded(ladder, RoundStopped)] == ["value_function_gone"]
    assert ladder.matches() == set()


def test_the_service_names_the_value_functions_that_the_workers_have() -> None:
    assert {ruleset: value_function(ruleset).version for ruleset in manifest()} == LUCK_VERSIONS
