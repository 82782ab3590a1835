"""Agents of PettingZoo in matches and ladders of the whole service, without a change."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test

from domain import fold
from machi import Build, Client, Command, NewSeat, Resign, Turn, me, strategy
from machi.environment import chooser, remote
from machi_koro_rules.environments import machi_koro_v0
from machi_koro_rules.environments.encoding import encoding_of
from machi_koro_rules.environments.games import Setup
from machi_koro_rules.environments.spaces import Observation
from ops.run import ROOT
from tests.client.tables import NEAR_THE_END
from tests.e2e.stack import Stack, wait_until
from tests.e2e.test_bot import blocks, printed
from tests.machi_koro_rules.environments.played import NO_ARRAY, NO_BOX, choose_last, play


class Builder:
    """An agent of the base game: it builds what it can, rather a landmark, and knows nothing but actions."""

    def __init__(self, seats: int = 2) -> None:
        self.seen: list[Observation] = []
        self._last = encoding_of(Setup("base", seats).rules).action(Build(0, "radio_tower"))

    def __call__(self, observation: Observation) -> int:
        self.seen.append(observation)
        legal = np.flatnonzero(observation["action_mask"])
        builds = legal[legal <= self._last]
        return int((builds if len(builds) else legal)[-1])


@pytest.fixture
def client(shared_stack: Stack) -> Iterator[Client]:
    with Client(f"http://127.0.0.1:{shared_stack.port}") as found:
        shared_stack.tokens.append(found.sign_up(f"agent-{secrets.token_hex(4)}", seating="anybody").token)
        yield found


def matches(client: Client, *seats: NewSeat, **options: Any) -> Any:
    """An environment of these matches, one for each reset."""
    return remote(client, lambda: client.create_match("base", seats, **options).match_id, render_mode="ansi")


@pytest.mark.long
def test_an_agent_plays_a_rated_ladder_as_it_plays_the_local_environment(client: Client) -> None:
    agent = Builder()
    play(machi_koro_v0.env(ruleset="base", seats=2), agent)
    local = len(agent.seen)
    ladder = client.create_ladder("Agents", "base", 2).ladder_id
    client.enter(ladder, strategy="greedy")
    entry = client.enter(ladder, version="1").entry_id
    job = client.open_round(ladder, blocks=1).job_id
    made = 0

    def has_played() -> bool:
        nonlocal made
        made += client.play(chooser(client, agent))
        return client.job(job).is_over

    wait_until(has_played)
    (standing,) = [one for one in client.standings(ladder).items if one.entry == entry]
    assert (standing.matches, standing.errors, standing.timeouts) == (2, 0, 0)
    assert len(agent.seen) - local == made > 20
    encoding = encoding_of(Setup().rules)
    for observation in agent.seen:
        vector = observation["observation"]
        assert ((encoding.low <= vector) & (vector <= encoding.high)).all()


def test_an_agent_plays_a_match_of_the_service_in_the_loop_of_pettingzoo(client: Client) -> None:
    env = matches(client, me(), strategy("greedy"))
    rewards = play(env, Builder())
    (match,) = client.matches(player=client.me().account_id)
    assert rewards == {"player_0": 1.0 if client.match(match.match_id).winner == 0 else -1.0}
    assert "has won" in env.render()


def test_an_account_acts_for_all_of_its_seats_and_waits_for_the_others(client: Client) -> None:
    rich = NEAR_THE_END["players"][0]
    poor = {"coins": 0, "establishments": {"wheat_field": 1, "bakery": 1}, "landmarks": []}
    position = {**NEAR_THE_END, "active_seat": 1, "players": [rich, poor, rich]}
    env = matches(client, me(), strategy("random"), me(), position=position)
    env.reset()
    assert (env.agents, env.agent_selection) == (["player_0", "player_2"], "player_2")
    assert play(env, Builder(3)) == {"player_0": -0.5, "player_2": 1}


@pytest.mark.filterwarnings(NO_BOX, NO_ARRAY)
def test_the_remote_environment_passes_the_api_test_of_pettingzoo(client: Client) -> None:
    api_test(matches(client, me(), me()), num_cycles=5)
    listed = client.matches(player=client.me().account_id)
    last, *left = [client.match(one.match_id) for one in listed]
    assert {match.result.reason for match in left if match.result} == {"resignation"}
    assert ({match.status for match in left}, last.status) == ({"finished"}, "running")


def test_a_decision_that_was_made_elsewhere_is_not_made_twice(client: Client) -> None:
    match = client.create_match("base", [me(), strategy("random")], first_seat=0)
    env = remote(client, match.match_id)
    env.reset()
    client.command(match.match_id, {"type": "roll_dice", "seat": 0, "dice": 1})
    env.step(0)
    rolled = [event for event in client.history(match.match_id) if event.type == "dice_rolled"]
    assert len([event for event in rolled if event.actor == "seat:0"]) == 1
    assert (env.agent_selection, env.last()[4]["action_mask"][0]) == ("player_0", 0)


def test_an_agent_whose_seat_was_given_up_elsewhere_learns_how_the_match_ends(client: Client) -> None:
    rich = NEAR_THE_END["players"][0]
    position = {**NEAR_THE_END, "players": [rich] * 3}
    seats = [me(), strategy("greedy"), strategy("greedy")]
    match_id = client.create_match("base", seats, position=position).match_id
    env = remote(client, match_id)
    env.reset()
    client.command(match_id, Resign(0))
    env.step(0)
    assert client.match(match_id).winner in (1, 2)
    assert (env.terminations, env.rewards) == ({"player_0": True}, {"player_0": -0.5})


def test_an_illegal_action_is_not_posted(client: Client) -> None:
    match = client.create_match("base", [me(), strategy("random")], first_seat=0)
    env = remote(client, match.match_id)
    env.reset()
    with pytest.raises(ValueError, match="action 25 is not legal: player_0 gave it"):
        env.step(25)
    assert client.match(match.match_id).version == match.version


def test_an_environment_of_one_match_is_reset_once(client: Client) -> None:
    env = remote(client, client.create_match("base", [me(), me()]).match_id)
    env.reset()
    with pytest.raises(ValueError, match="this environment has played its match"):
        env.reset()


def test_a_match_of_others_is_refused(client: Client, shared_stack: Stack) -> None:
    match = client.create_match("base", [me(), strategy("random")])
    with Client(client.base_url) as other:
        shared_stack.tokens.append(other.sign_up(f"other-{secrets.token_hex(4)}").token)
        with pytest.raises(ValueError, match=f"this account has no seat in {match.match_id}"):
            remote(other, match.match_id)


def test_a_match_that_waits_for_seeds_is_refused(client: Client) -> None:
    match = client.create_match("base", [me(), strategy("random")], seat_seeds=True)
    with pytest.raises(ValueError, match="waits for seeds of its seats"):
        remote(client, match.match_id)


def test_matches_of_one_environment_have_the_same_rules(client: Client) -> None:
    rulesets = iter(("base", "harbor"))
    env = remote(client, lambda: client.create_match(next(rulesets), [me(), me()]).match_id)
    env.reset()
    with pytest.raises(ValueError, match="the next match must have the same rules"):
        env.reset()


def test_a_bot_refuses_an_agent_that_breaks_the_rules(client: Client) -> None:
    client.create_match("base", [me(), strategy("random")], first_seat=0)
    with pytest.raises(ValueError, match="the agent chose action 5, which is not legal"):
        client.play(chooser(client, lambda observation: 5))


@pytest.mark.long
def test_a_bot_sees_the_table_as_the_events_say(client: Client) -> None:
    match_id = client.create_match("machi_koro_2", [me(), me()]).match_id
    seen: dict[int, list[int]] = {}
    now = 0

    def agent(observation: Observation) -> int:
        seen[now] = observation["observation"].tolist()
        return choose_last(observation)

    choose = chooser(client, agent)

    def choose_at(turn: Turn) -> Command:
        nonlocal now
        now = turn.version
        return choose(turn)

    assert client.play(choose_at) == len(seen)
    state = None
    for event in client.history(match_id):
        state = fold(state, [event.data])
        if event.sequence in seen:
            row = encoding_of(state.rules).observe(state, state.active)
            assert seen.pop(event.sequence) == row.tolist()
    assert seen == {}


@pytest.mark.long
def test_the_guide_shows_an_environment_of_real_matches(client: Client, tmp_path: Path) -> None:
    handle = f"guide-{secrets.token_hex(4)}"
    (line,) = printed(tmp_path / "remote.py", blocks("environments.md")[4], [client.base_url, handle])
    (match,) = client.matches(player=handle)
    assert line == f"player_0 {1.0 if client.match(match.match_id).winner == 0 else -1.0}"


@pytest.mark.long
def test_the_guide_shows_an_agent_that_plays_ladders(client: Client, tmp_path: Path) -> None:
    path, handle = tmp_path / "agent.py", f"guide-{secrets.token_hex(4)}"
    path.write_text(blocks("environments.md")[3])
    ladder = client.create_ladder("Guide", "base", 2).ladder_id
    client.enter(ladder, strategy="greedy")
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}"}
    words = [sys.executable, "-W", "error", str(path), client.base_url, handle, ladder]
    with subprocess.Popen(words, env=environ) as agent:
        try:
            wait_until(lambda: agent.poll() is not None or len(client.ladder(ladder).entries) == 2)
            job = client.open_round(ladder, blocks=1).job_id
            wait_until(lambda: agent.poll() is not None or client.job(job).is_over)
            assert agent.poll() is None
        finally:
            agent.terminate()
    assert [(one.matches, one.errors) for one in client.standings(ladder).items] == [(2, 0)] * 2
