"""How `machi` ends: exit codes, errors in one line, pipes and Ctrl-C."""

import re
import shlex
import signal
import subprocess
import sys

import pytest

from machi import Client, me
from ops.redis_conf import free_port
from tests.client.commands import PROCESS_DEADLINE_S, Run, _environ, finished, machi_process
from tests.client.scripted import answer, in_turn, problem, serving


def test_what_the_service_refuses_is_told_in_one_line_with_its_code(logged_in: Run) -> None:
    code, out, err = logged_in("play", "--against", "dragon")
    assert (code, out) == (1, "")
    assert re.fullmatch(
        r"error: /seats/1/strategy: must be one of: .* \(validation_failed, request [0-9a-f]+\)\n", err
    )


def test_a_service_that_cannot_be_reached_ends_with_3(machi_run: Run) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    code, out, err = machi_run("matches", "--url", url)
    assert (code, out) == (3, "")
    assert re.fullmatch(rf"error: no response from {url}: .*refused\n", err)


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_service_that_is_not_able_to_answer_ends_with_3(status: int, machi_run: Run) -> None:
    with serving(in_turn(problem(status, "too_busy", {"Retry-After": "3600"}))) as server:
        assert machi_run("matches", "--url", server.url)[0] == 3


def test_what_is_not_the_service_ends_with_3(machi_run: Run) -> None:
    with serving(in_turn(answer(200, b"<html>", kind="text/html"))) as server:
        assert machi_run("matches", "--url", server.url)[0] == 3


@pytest.mark.parametrize(
    "words",
    [("dance",), ("matches", "--limit", "0"), ("matches", "--status", "odd"), ("play", "--seat", "x")],
)
def test_wrong_usage_ends_with_2(words: tuple[str, ...], machi_run: Run) -> None:
    code, out, err = machi_run(*words)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: machi")


@pytest.mark.parametrize("url", ["localhost:8000", "http://ada:secret@localhost"])
def test_an_address_that_is_none_ends_with_2(url: str, machi_run: Run) -> None:
    code, _, err = machi_run("whoami", "--url", url)
    assert (code, err.count("\n")) == (2, 1)
    assert "secret" not in err


def test_what_stands_on_the_command_line_wins_over_the_environment(
    machi_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MACHI_URL", "http://environment")
    for words in (("--url", "http://typed", "whoami"), ("whoami", "--url", "http://typed")):
        assert "you are not logged in at http://typed;" in machi_run(*words)[2]


def test_nothing_that_comes_from_elsewhere_moves_the_cursor(machi_run: Run) -> None:
    sneaky = problem(422, "odd", detail="red\x1b[31m\x07\nblack")
    with serving(in_turn(sneaky)) as server:
        _, _, err = machi_run("matches", "--url", server.url)
    assert err == "error: red [31m  black (odd, request req-1)\n"


def test_the_version_and_the_helps_are_told(machi_run: Run) -> None:
    assert machi_run("--version") == (0, "machi, version 0.1.0\n", "")
    assert "Exit codes: 0 success, 1 refused" in machi_run("--help")[1]
    for command in ("play", "watch", "matches", "export", "login"):
        assert "Examples:" in machi_run(command, "-h")[1]


@pytest.mark.parametrize(("shell", "at"), [("bash", "1"), ("zsh", "1"), ("fish", "wa")])
def test_shells_complete_the_names_of_commands(shell: str, at: str) -> None:
    environ = {
        **_environ(),
        "_MACHI_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "machi wa",
        "COMP_CWORD": at,
    }
    words = [sys.executable, "-c", "from machi.cli import main; main()"]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert "watch" in done.stdout


def test_a_reader_that_has_enough_is_no_error(logged_in: Run, my_client: Client) -> None:
    match = finished(my_client)
    shell = f"{shlex.quote(sys.executable)} -m machi export {match.match_id} -o - | head -c 10"
    done = subprocess.run(shell, shell=True, env=_environ(), capture_output=True, timeout=60, check=False)
    assert (len(done.stdout), done.stderr) == (10, b"")


def test_ctrl_c_ends_with_130(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()])
    with machi_process("watch", match.match_id) as watcher:
        assert watcher.stdout
        assert watcher.stderr
        for _ in range(match.version):
            assert watcher.stdout.readline()
        watcher.send_signal(signal.SIGINT)
        assert watcher.wait(PROCESS_DEADLINE_S) == 130
        assert watcher.stderr.read().strip() == ""
