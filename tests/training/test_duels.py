"""Matches for measurements of strength are the same by the kernel and by `domain`."""

import pytest

from kernel.engine import PLAIN, compiled
from runtime.strategies import OFFERED
from training.duels import Duel, by_domain, by_kernel, has_players
from training.strength import StrengthPlan, StrengthTask, arguments, play, tasks

PLAYERS = ("expected_value", "greedy", "random", "landmark_first")


def by_rules(ruleset: str, names: tuple[str, ...], seed: int, times: dict[str, list[int]]) -> Duel:
    return by_domain(ruleset, names, {}, seed, times)


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_the_kernel_and_the_rules_play_the_same_matches(ruleset: str) -> None:
    times: dict[str, list[int]] = {name: [] for name in PLAYERS}

    [found] = by_kernel(PLAIN, ruleset, PLAYERS, {}, 5, 1)

    assert found == by_rules(ruleset, PLAYERS, 5, times)
    assert found.turns > 10
    assert all(len(spent) > 3 for spent in times.values())


def test_without_a_network_the_kernel_plays_the_matches_of_learned_as_expected_value() -> None:
    names = ("learned", "greedy")
    times: dict[str, list[int]] = {name: [] for name in names}

    [found] = by_kernel(PLAIN, "millionaires_row", names, {}, 5, 1)

    assert found == by_rules("millionaires_row", names, 5, times)
    assert [found] == by_kernel(PLAIN, "millionaires_row", ("expected_value", "greedy"), {}, 5, 1)


@pytest.mark.long
def test_the_compiled_kernel_plays_the_matches_of_learned() -> None:
    names = ("learned", "expected_value")
    times: dict[str, list[int]] = {name: [] for name in names}

    found = by_kernel(compiled(), "base", names, {}, 1, 10)

    assert found == [by_rules("base", names, 1 + i, times) for i in range(10)]


def test_the_plain_kernel_and_other_players_leave_matches_to_the_rules() -> None:
    assert not has_players(PLAIN, ("greedy", "greedy"))
    assert not has_players(PLAIN._replace(kept=("compiled",)), ("greedy", "uct"))
    assert has_players(PLAIN._replace(kept=("compiled",)), ("greedy", "learned"))


def test_retired_players_are_measured_only_if_they_are_named() -> None:
    assert arguments([]).players == [*OFFERED]
    assert arguments(["--players", "uct"]).players == ["uct"]


def test_the_tasks_of_a_pair_have_every_block_once_and_the_first_is_timed() -> None:
    plan = StrengthPlan(("base",), (2,), ("greedy",), (), 400, (1, 2), 1, {})

    found = list(tasks(plan, []))

    blocks = [(task.seed, task.first + i) for task in found for i in range(task.blocks)]
    assert blocks == [(seed, block) for seed in (1, 2) for block in range(100)]
    assert [task.is_timed for task in found] == [True] + [False] * (len(found) - 1)


def test_a_timed_task_counts_wins_turns_and_decisions() -> None:
    found = play(StrengthTask("base", {}, 2, "greedy", "random", 1, 0, 2, True))

    assert found.matches == 4
    assert 0 < sum(found.wins) <= 4
    assert {*found.costs} == {"greedy", "random"}
