"""The AEC environment passes PettingZoo's own checks, and its matches are those of the rules."""

import pickle
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import parallel_to_aec

from domain import decide, evolve, legal_commands
from domain.match.chance import SeededChance
from domain.match.state import MatchState
from machi_koro_rules.environments import machi_koro_v0
from machi_koro_rules.environments.encoding import encoding_of
from machi_koro_rules.environments.games import Setup, returns, seeds_from
from tests.machi_koro_rules.environments.played import NO_ARRAY, NO_BOX, RULESETS, choose_last, play

SOME = [
    ("base", 2),
    ("harbor", 5),
    ("machi_koro_2", 3),
    ("millionaires_row", 3),
    ("harbor_millionaires_row", 2),
]
ALL = [(ruleset, seats) for ruleset in RULESETS for seats in range(2, 6)]
checked = pytest.mark.filterwarnings(NO_BOX, NO_ARRAY)


def check(ruleset: str, seats: int, cycles: int, **options: Any) -> None:
    """Run all of PettingZoo's checks."""
    made = partial(machi_koro_v0.env, ruleset=ruleset, seats=seats, **options)
    parallel = partial(machi_koro_v0.parallel_env, ruleset=ruleset, seats=seats, **options)
    api_test(made(), num_cycles=cycles)
    seed_test(made, num_cycles=cycles)
    render_test(made)
    parallel_api_test(parallel(), num_cycles=cycles)
    lasting = partial(parallel, illegal_actions="default")
    agents = partial(made, illegal_actions="default")
    if ruleset not in ("base", "harbor"):
        # The test wants each agent to act four times. In Machi Koro 2 the fourth and the fifth action, a roll
        # and a build, are one turn, and whoever has built a Tech Startup in Millionaire's Row is asked again
        # after the next build. So no agent is asked as often as the others unless all are asked at once.
        agents = partial(lambda **limits: parallel_to_aec(lasting(**limits)))
    max_cycles_test(SimpleNamespace(env=agents, parallel_env=lasting))


@checked
@pytest.mark.parametrize(("ruleset", "seats"), SOME)
def test_the_environment_passes_the_checks_of_pettingzoo(ruleset: str, seats: int) -> None:
    check(ruleset, seats, 60)


@checked
@pytest.mark.long
@pytest.mark.parametrize("market", ["open", "limited"])
@pytest.mark.parametrize(("ruleset", "seats"), ALL)
def test_the_environment_passes_the_checks_with_all_rules_and_seats(
    ruleset: str, seats: int, market: str
) -> None:
    check(ruleset, seats, 1000, **({} if ruleset == "machi_koro_2" else {"market": market, "max_copies": 2}))


@pytest.mark.parametrize(("ruleset", "seats"), SOME)
def test_the_states_are_those_that_decide_and_evolve_give(ruleset: str, seats: int) -> None:
    """The same dice, the same actions: after each step the environment shows the state of the rules."""
    setup = Setup(ruleset, seats)
    chance = SeededChance(seeds_from(11).randbytes(32), "")
    state: MatchState | None = None
    for event in decide(None, setup.creation, chance):
        state = evolve(state, event)
    assert state is not None
    encoding = encoding_of(state.rules)
    env = machi_koro_v0.env(ruleset=ruleset, seats=seats)
    env.reset(seed=11)
    while env.agents and not env.terminations[env.agent_selection]:
        assert env.agent_selection == f"player_{state.active}"
        seen = env.last()[0]
        assert seen["observation"].tolist() == encoding.observe(state, state.active).tolist()
        action = choose_last(seen)
        command = encoding.command(state.active, action)
        assert command in legal_commands(state)
        for event in decide(state, command, chance):
            state = evolve(state, event)
        env.step(action)
    assert [env.rewards[agent] for agent in env.agents] == [*returns(state)]
    assert state.winner >= 0


@pytest.mark.parametrize("seats", [2, 4])
def test_the_winner_gets_1_and_the_others_share_the_loss(seats: int) -> None:
    rewards = play(machi_koro_v0.env(seats=seats))
    assert sorted(rewards.values()) == [-1 / (seats - 1)] * (seats - 1) + [1]


def test_a_seed_gives_the_same_matches_and_no_seed_others() -> None:
    env = machi_koro_v0.env(ruleset="machi_koro_2")
    tables = []
    for seed in (4, None, 4, None):
        env.reset(seed=seed)
        tables.append(env.observe("player_0")["observation"].tolist())
    assert tables[:2] == tables[2:]
    assert tables[0] != tables[1]


def test_an_illegal_action_ends_the_match_with_a_loss() -> None:
    env = machi_koro_v0.env(first_seat=1)
    env.reset(seed=1)
    env.step(encoding_of(Setup().rules).actions - 1)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": 0, "player_1": -1}


def test_an_illegal_action_can_be_replaced_by_the_default_command() -> None:
    env = machi_koro_v0.env(illegal_actions="default", first_seat=1)
    env.reset(seed=1)
    env.step(169)
    env.step(0)
    assert (env.agent_selection, env.terminations["player_0"]) == ("player_0", False)


def test_an_illegal_action_without_wrappers_is_an_error() -> None:
    env = machi_koro_v0.raw_env(first_seat=0)
    env.reset()
    for action in (169, None):
        with pytest.raises(ValueError, match=r"no action|not legal"):
            env.step(action)
    env.step(0)


def test_all_agents_stop_after_the_cycles_of_one() -> None:
    env = machi_koro_v0.env(seats=3, max_cycles=6)
    rewards = play(env)
    assert rewards == dict.fromkeys(("player_0", "player_1", "player_2"), 0)


def test_the_mask_of_the_info_is_that_of_the_observation() -> None:
    env = machi_koro_v0.env(seats=3)
    env.reset(seed=2)
    for agent in env.possible_agents:
        mask = env.observe(agent)["action_mask"]
        assert np.array_equal(mask, env.infos[agent]["action_mask"])
        assert mask.any() == (agent == env.agent_selection)


def test_the_table_is_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    env = machi_koro_v0.env(render_mode="ansi", first_seat=1)
    env.reset()
    lines = env.render().splitlines()
    assert lines[0] == "Turn 1: player_1 is to act (roll)."
    assert lines[2].split() == ["player_0", ">", "player_1"]
    env = machi_koro_v0.env(render_mode="human", ruleset="machi_koro_2")
    env.reset()
    assert env.render() is None
    assert "more in the deck" in capsys.readouterr().out


def test_the_text_names_the_winner() -> None:
    env = machi_koro_v0.env(render_mode="ansi")
    rewards = play(env)
    winner = max(rewards, key=lambda agent: rewards[agent])
    assert env.render().startswith(f"{winner} has won in turn ")


def test_an_environment_can_be_pickled() -> None:
    made = pickle.loads(pickle.dumps(machi_koro_v0.raw_env(ruleset="harbor", seats=3)))
    assert made.possible_agents == ["player_0", "player_1", "player_2"]
    assert play(made) == play(machi_koro_v0.raw_env(ruleset="harbor", seats=3))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"ruleset": "chess"}, "the ruleset must be one of base, .*, not 'chess'"),
        ({"seats": 6}, "must be 2 to 5 seats, not 6"),
        ({"first_seat": 2}, "the match has no seat 2"),
        ({"market": "closed"}, "this ruleset has no market 'closed'"),
        ({"max_copies": 3}, "this ruleset has no option max_copies 3"),
        ({"card_costs": {"mine": 101}}, "the cost must be 0 to 100, not 101"),
        ({"render_mode": "rgb_array"}, "render_mode must be human or ansi, not 'rgb_array'"),
        ({"max_cycles": 0}, "max_cycles and max_steps must be 1 or more"),
        ({"illegal_actions": "ignore"}, "illegal_actions must be terminate or default, not 'ignore'"),
    ],
)
def test_wrong_arguments_are_refused_and_named(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        machi_koro_v0.env(**wrong)


def test_a_match_without_a_winner_gives_nothing() -> None:
    env = machi_koro_v0.raw_env()
    env.reset()
    state = env._match.state
    assert returns(state) == (0, 0)
    state.status, state.result, state.active, state.phase = "aborted", "turn_limit", -1, ""
    assert returns(state) == (0, 0)
