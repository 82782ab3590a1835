"""`machi bot run`, in a process of its own, against the real service."""

import json
import os
import signal
from pathlib import Path

import pytest

from machi import Client, me
from tests.client.commands import PROCESS_DEADLINE_S, Run, machi_process
from tests.client.tables import NEAR_THE_END

BOT = """
import sys
from machi import Resign

print("imported")

def first(turn):
    return turn.commands[0]

def resign(turn):
    print("resigning")
    return Resign(turn.seat)

def waiting(turn):
    print("deciding", file=sys.stderr, flush=True)
    with open("gate") as gate:
        gate.read()
    return turn.commands[0]

class Patient:
    def __call__(self, turn):
        builds = [one for one in turn.commands if one.type == "build"]
        return builds[-1] if builds else turn.commands[0]

def no_turn():
    pass

number = 5
"""


@pytest.fixture(autouse=True)
def module(logged_in: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a_bot.py").write_text(BOT)
    Path("broken.py").write_text("1 / 0")
    Path("needy.py").write_text("import nothing_of_this_name")


def test_a_function_plays_and_what_it_prints_is_no_line_of_the_log(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()], first_seat=0)
    with machi_process("bot", "run", "a_bot:resign", "--last", "1", "--verbose", "--json") as bot:
        out, err = bot.communicate(timeout=PROCESS_DEADLINE_S)
    assert (bot.returncode, err.splitlines()) == (0, ["imported", "resigning"])
    lines = [json.loads(line) for line in out.splitlines()]
    events = ["started", "match_resumed", "decision", "match_ended", "stopped"]
    assert [line["event"] for line in lines] == events
    assert lines[2]["command"] == {"type": "resign", "seat": 0}
    assert (lines[3]["match_id"], lines[3]["reason"]) == (match.match_id, "resignation")
    assert (lines[4]["matches"], lines[4]["won"], lines[4]["decisions"]) == (1, 1, 1)
    assert all("time" in line for line in lines)


def test_a_class_is_a_bot_and_the_log_is_text_for_people(logged_in: Run, my_client: Client) -> None:
    my_client.create_match("base", [me(), me()], position=NEAR_THE_END)
    with machi_process("bot", "run", "a_bot:Patient", "--last", "1") as bot:
        out, _ = bot.communicate(timeout=PROCESS_DEADLINE_S)
    assert bot.returncode == 0
    last = out.splitlines()[-1]
    assert " stopped matches=1 " in last
    assert last.endswith(" unfinished=[]")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_bot_finishes_its_decision_when_it_is_told_to_stop_and_resumes_later(
    number: signal.Signals, logged_in: Run, my_client: Client
) -> None:
    match = my_client.create_match("base", [me(), me()], first_seat=0)
    os.mkfifo("gate")
    with machi_process("bot", "run", "a_bot:waiting", "--json") as bot:
        assert bot.stderr
        next(line for line in bot.stderr if line == "deciding\n")
        bot.send_signal(number)
        Path("gate").write_text("go on")
        out, _ = bot.communicate(timeout=PROCESS_DEADLINE_S)
    stopped = json.loads(out.splitlines()[-1])
    assert (bot.returncode, stopped["event"], stopped["decisions"]) == (0, "stopped", 1)
    assert stopped["unfinished"] == [match.match_id]
    rolls = [event for event in my_client.history(match.match_id) if event.type == "dice_rolled"]
    assert len(rolls) == 1
    with machi_process("bot", "run", "a_bot:resign", "--last", "1", "--json") as again:
        out, _ = again.communicate(timeout=PROCESS_DEADLINE_S)
    assert again.returncode == 0
    assert json.loads(out.splitlines()[1])["event"] == "match_resumed"
    said = [event for event in my_client.history(match.match_id) if event.actor[:4] == "seat"]
    assert len({event.command_id for event in said}) == 2


def test_a_bot_that_waits_stops_at_once(logged_in: Run, my_client: Client) -> None:
    with machi_process("bot", "run", "a_bot:first", "--seating", "anybody", "--json") as bot:
        assert bot.stdout
        assert json.loads(bot.stdout.readline())["event"] == "started"
        bot.send_signal(signal.SIGTERM)
        assert json.loads(bot.stdout.readline())["event"] == "stopped"
        assert bot.wait(PROCESS_DEADLINE_S) == 0
    assert my_client.me().seating == "anybody"


def test_a_bot_that_fails_ends_with_1_and_names_the_match(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()], first_seat=0)
    Path("bad_bot.py").write_text("def choose(turn):\n    raise LookupError('no idea')\n")
    with machi_process("bot", "run", "bad_bot:choose") as bot:
        out, err = bot.communicate(timeout=PROCESS_DEADLINE_S)
    assert bot.returncode == 1
    assert f" error match_id={match.match_id} seat=0 version={match.version} error=" in out
    assert err.splitlines()[-1] == (
        f"error: the bot failed in {match.match_id}, seat 0, version {match.version}: LookupError: no idea"
    )
    assert "raise LookupError('no idea')" in err


@pytest.mark.parametrize(
    ("function", "code", "said"),
    [
        ("a_bot", 2, "name a module and a function, for example mybot:choose, not 'a_bot'"),
        ("a bot:first", 2, "name a module and a function"),
        ("nowhere.at_all:first", 2, "there is no module nowhere.at_all in "),
        ("a_bot:nothing", 2, "a_bot has no nothing"),
        ("a_bot:number", 2, "a_bot:number is not a function"),
        ("a_bot:no_turn", 2, "a_bot:no_turn must be callable with one argument, the turn"),
        ("broken:first", 3, "broken cannot be imported: ZeroDivisionError: division by zero"),
        ("needy:first", 3, "needy needs the module nothing_of_this_name, which is not installed"),
    ],
)
def test_a_function_that_cannot_play_is_refused_with_the_reason(
    function: str, code: int, said: str, logged_in: Run
) -> None:
    ended, out, err = logged_in("bot", "run", function)
    assert (ended, out) == (code, "")
    assert err.splitlines()[-1].startswith(f"error: {said}")


def test_a_ladder_is_entered_once(logged_in: Run, my_client: Client) -> None:
    ladder = my_client.create_ladder("for bots", "base", 2).ladder_id
    assert logged_in("bot", "run", "a_bot:first", "--ladder", ladder)[0] == 2
    words = ("bot", "run", "a_bot:first", "--ladder", ladder, "--bot-version", "7", "--json")
    for event in ("ladder_entered", "ladder_entered_before"):
        with machi_process(*words) as bot:
            assert bot.stdout
            bot.stdout.readline()
            assert json.loads(bot.stdout.readline())["event"] == event
    (entry,) = my_client.ladder(ladder).entries
    assert entry.player.version == "7"
