"""The view of one seat passes Gymnasium's own check; the others are built-in players."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import machi_koro_rules.environments.single_seat
from domain.match.state import MatchState
from players import PLAYERS
from tests.machi_koro_rules.environments.played import RULESETS, choose_last

MADE = "MachiKoro-v0"
assert machi_koro_rules.environments.single_seat.SingleSeatEnv


def play(env: Any, seed: int | None = None) -> tuple[list[list[int]], float]:
    """What the seat saw before each of its decisions, and the reward of the match."""
    observation, _ = env.reset(seed=seed)
    seen, reward, is_over = [], 0.0, False
    while not is_over:
        seen.append(observation["observation"].tolist())
        observation, reward, is_over, _, _ = env.step(choose_last(observation))
    return seen, reward


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_environment_passes_the_check_of_gymnasium(ruleset: str) -> None:
    env = gymnasium.make(MADE, ruleset=ruleset, opponents=("random", "greedy"), render_mode="ansi")
    check_env(env.unwrapped)


@pytest.mark.long
@pytest.mark.parametrize("illegal_actions", ["terminate", "default"])
@pytest.mark.parametrize("seats", range(2, 6))
@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_environment_passes_the_check_with_all_rules_and_seats(
    ruleset: str, seats: int, illegal_actions: str
) -> None:
    opponents = ("random", "greedy", "landmark_first", "learned")[: seats - 1]
    env = gymnasium.make(
        MADE, ruleset=ruleset, opponents=opponents, illegal_actions=illegal_actions, render_mode="ansi"
    )
    check_env(env.unwrapped)
    assert play(env)[1] in (1, -1 / (seats - 1))


def test_the_environment_is_made_by_the_name_of_its_module() -> None:
    env = gymnasium.make("machi_koro_rules.environments.single_seat:MachiKoro-v0")
    assert env.action_space.contains(np.int64(169))


def test_a_seed_gives_the_same_match_and_no_seed_another() -> None:
    env = gymnasium.make(MADE, opponents=("random", "random"))
    first, second = play(env, 5), play(env)
    assert (play(env, 5), play(env)) == (first, second)
    assert first != second


def test_the_seat_acts_at_every_decision_of_its_own_and_at_no_other() -> None:
    env = gymnasium.make(MADE, seat=2, opponents=("greedy",) * 3)
    fields = env.unwrapped.encoding.fields  # type: ignore[attr-defined]
    seen, reward = play(env, 1)
    assert {row[fields["active_seat"].start] for row in seen} == {0}
    assert reward in (1, -1 / 3)


def test_each_match_draws_a_seat_unless_one_is_chosen() -> None:
    env = gymnasium.make(MADE, opponents=("random", "random"))
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(30)} == {0, 1, 2}
    env = gymnasium.make(MADE, seat=1)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(5)} == {1}


def test_opponents_sit_clockwise_in_the_order_of_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    sat: dict[str, set[int]] = {"first": set(), "second": set()}
    for name, seats in sat.items():

        def choose(table: MatchState, legal: Any, rng: Any, seats: set[int] = seats) -> Any:
            seats.add(table.active)
            return legal[-1]

        monkeypatch.setitem(PLAYERS, name, choose)
    play(gymnasium.make(MADE, seat=1, opponents=("first", "second")))
    assert sat == {"first": {2}, "second": {0}}


def test_a_better_opponent_wins_more_often() -> None:
    def won(opponent: str) -> int:
        env = gymnasium.make(MADE, opponents=(opponent,))
        return sum(play(env, seed)[1] > 0 for seed in range(20))

    assert won("random") > won("greedy")


def test_an_illegal_action_is_a_loss_or_the_default_command() -> None:
    env = gymnasium.make(MADE)
    env.reset(seed=1)
    assert env.step(169)[1:4] == (-1, True, False)
    env = gymnasium.make(MADE, illegal_actions="default")
    env.reset(seed=1)
    assert env.step(169)[1:4] == (0, False, False)


def test_after_the_end_only_a_reset_goes_on() -> None:
    env = gymnasium.make(MADE).unwrapped
    play(env, 2)
    with pytest.raises(ValueError, match="the match is over"):
        env.step(0)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"opponents": ("nobody",)}, "opponents must be a sequence of random, "),
        ({"opponents": "greedy"}, "not 'greedy'"),
        ({"opponents": ()}, "must be 2 to 5 seats, not 1"),
        ({"seat": 2}, "the seat must be 0 to 1, not 2"),
        ({"illegal_actions": ""}, "illegal_actions must be"),
    ],
)
def test_wrong_arguments_are_refused_and_named(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        gymnasium.make(MADE, **wrong)


def test_the_table_is_printed_after_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = gymnasium.make(MADE, render_mode="human", seat=0)
    env.reset(seed=1)
    assert "player_0 is to act (roll)" in capsys.readouterr().out
    env.step(0)
    assert "player_0 is to act (build)" in capsys.readouterr().out
