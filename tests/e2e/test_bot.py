"""What the documents of the client show works as they show it, against the whole service."""

import json
import os
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from domain import decide, fold, legal_commands
from domain.match.chance import SeededChance
from domain.match.commands import PlayCommand
from domain.match.rulesets import CURRENT
from domain.match.state import MatchState
from machi import Client, Command, Turn, me, strategy
from ops.run import ROOT
from tests.e2e.stack import DEADLINE_S, Stack
from tests.golden.exports import creation, seed_of


def blocks(document: str) -> list[str]:
    """The Python code in a document."""
    text = (ROOT / "docs" / document).read_text()
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def printed(path: Path, code: str, words: Sequence[str]) -> list[str]:
    """The lines that the code prints as a program of its own."""
    path.write_text(code)
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}"}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path), *words],
        env=environ,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_bot_in_20_lines_plays_a_match_to_the_end(shared_stack: Stack, tmp_path: Path) -> None:
    code, _ = blocks("bots.md")
    assert len(code.splitlines()) <= 20
    url = f"http://127.0.0.1:{shared_stack.port}"
    with Client(url) as client:
        before = {one.match_id for one in client.matches(status="finished")}
        (line,) = printed(tmp_path / "bot.py", code, [url])
        finished = [one for one in client.matches(status="finished") if one.match_id not in before]
    (match,) = [one for one in finished if one.seats[0].name[:4] == "bot-"]
    assert line == f"seat {match.winner} has won"


def test_the_bot_in_20_lines_beats_random() -> None:
    """In 40 matches of given seeds, so it wins the same ones wherever they are played."""
    code, _ = blocks("bots.md")
    cards = (*CURRENT["base"].establishments, *CURRENT["base"].landmarks)
    names: dict[str, Any] = {"highest_roll": {card.id: max(card.activation, default=0) for card in cards}}
    exec(code.partition("\nwith Client")[0], names)
    won = [is_won_by(names["choose"], number) for number in range(40)]
    assert sum(won) >= 36


def is_won_by(choose: Callable[[Any], Any], number: int) -> bool:
    """Whether it wins a match of that number against a player who does anything."""
    seed, chance = seed_of(f"bot {number}"), Random(number)
    command: Any = creation("base", 2, seed)
    state, seat = None, number % 2
    while True:
        state = fold(state, decide(state, command, SeededChance(seed, "k1")))
        if state.status != "running":
            return state.winner == seat
        legal = legal_commands(state)
        command = chosen(choose, state, legal) if state.active == seat else chance.choice(legal)


def chosen(choose: Callable[[Any], Any], state: MatchState, legal: Sequence[PlayCommand]) -> PlayCommand:
    """The command that is chosen from the turn as the client has it."""
    ids = [card.id for card in (*CURRENT["base"].establishments, *CURRENT["base"].landmarks)]
    own = dict(zip(ids[: state.rules.establishments], state.cities[state.active], strict=False))
    players = {state.active: SimpleNamespace(establishments=own)}
    turn = SimpleNamespace(seat=state.active, commands=legal, state=SimpleNamespace(players=players))
    chosen: PlayCommand = choose(turn)
    return chosen


@pytest.mark.long
def test_the_five_minutes_with_the_library_go_as_they_are_told(shared_stack: Stack, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{shared_stack.port}"
    code = "\n".join(blocks("client.md")).replace("http://127.0.0.1:8000", url)
    lines = printed(tmp_path / "five_minutes.py", code, [])
    shared_stack.tokens.append(lines[0])
    assert lines[0].startswith("mk_")
    assert lines[1].startswith("DiceRolled(purpose='roll', values=(")
    assert lines[2].startswith("insufficient_coins - radio_tower costs 22, but the seat has ")
    assert re.fullmatch(r"\d+ dice_revealed", lines[-1])


@pytest.mark.long
def test_a_bot_and_a_follower_go_on_while_the_service_is_killed_around_them(shared_stack: Stack) -> None:
    """Every command is carried out once, and every event is seen once."""
    victims = iter(["one web worker", "the events server", "the web master"])
    dice = random.Random(4)
    chosen: list[int] = []
    seen: list[int] = []
    with Client(f"http://127.0.0.1:{shared_stack.port}") as client:
        shared_stack.tokens.append(client.sign_up("unshaken").token)
        match_id = client.create_match("base", [me(), strategy("random")]).match_id

        def follow() -> None:
            with Client(client.base_url) as follower:
                seen.extend(event.sequence for event in follower.follow(match_id))

        def choose(turn: Turn) -> Command:
            chosen.append(turn.version)
            if len(chosen) % 15 == 5 and (victim := next(victims, None)):
                shared_stack.kill(victim)
            return dice.choice(turn.commands)

        follower = threading.Thread(target=follow)
        follower.start()
        made = client.play(choose)
        follower.join(DEADLINE_S)
        assert not follower.is_alive()
        match = client.match(match_id)
        said = [event for event in client.history(match_id) if event.actor == "seat:0"]
    assert next(victims, None) is None
    assert match.status == "finished"
    assert seen == list(range(1, match.version + 1))
    assert len({event.command_id for event in said}) == made == len(chosen)


@contextmanager
def running_bot(url: str, token: str, folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """`machi bot run` with the function of the guide, in that folder."""
    environ = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}",
        "XDG_CONFIG_HOME": str(folder),
        "MACHI_URL": url,
        "MACHI_TOKEN": token,
    }
    argv = [sys.executable, "-m", "machi", "bot", "run", "mybot:choose", "--json", "--verbose", *words]
    with subprocess.Popen(
        argv, cwd=folder, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.long
def test_the_function_of_the_guide_plays_against_built_in_players(
    shared_stack: Stack, tmp_path: Path
) -> None:
    (tmp_path / "mybot.py").write_text(blocks("bots.md")[1])
    url = f"http://127.0.0.1:{shared_stack.port}"
    with Client(url) as client:
        token = client.sign_up("of-the-guide").token
        shared_stack.tokens.append(token)
        with running_bot(url, token, tmp_path, "--against", "random,random", "--last", "1") as bot:
            out, _ = bot.communicate(timeout=DEADLINE_S)
    stopped = json.loads(out.splitlines()[-1])
    assert (bot.returncode, stopped["matches"], stopped["errors"]) == (0, 1, 0)


@pytest.mark.long
def test_a_bot_is_killed_and_the_service_too_and_no_decision_is_lost_or_made_twice(
    shared_stack: Stack, tmp_path: Path
) -> None:
    """The bot dies at any moment after a decision; then it is started again."""
    (tmp_path / "mybot.py").write_text(blocks("bots.md")[1])
    url = f"http://127.0.0.1:{shared_stack.port}"
    lines: list[dict[str, Any]] = []
    kills = 0
    with Client(url) as client:
        token = client.sign_up("restarted").token
        shared_stack.tokens.append(token)
        match_id = client.create_match("base", [me(), strategy("random")]).match_id
        for victim in (None, "the web master", None, "the events server", None):
            with running_bot(url, token, tmp_path) as bot:
                assert bot.stdout
                decisions = 0
                for line in bot.stdout:
                    lines.append(json.loads(line))
                    decisions += lines[-1]["event"] == "decision"
                    if decisions == 3 and victim is not None:
                        shared_stack.kill(victim)
                        victim = None
                    if decisions == 6:
                        break
                bot.kill()
                kills += 1
        with running_bot(url, token, tmp_path, "--last", "1") as bot:
            out, _ = bot.communicate(timeout=DEADLINE_S)
        lines += [json.loads(line) for line in out.splitlines()]
        match = client.match(match_id)
        said = {event.command_id for event in client.history(match_id) if event.actor == "seat:0"}
    assert (bot.returncode, match.status) == (0, "finished")
    assert any(line["event"] == "retry" for line in lines)
    versions = [line["version"] for line in lines if line["event"] == "decision"]
    assert versions == sorted(set(versions))
    # What a bot posted just before it was killed is in the match and may not be in its log.
    assert len(versions) <= len(said) <= len(versions) + kills
    assert lines[-1]["event"] == "stopped"
    assert lines[-1]["unfinished"] == []
