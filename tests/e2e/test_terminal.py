"""A match played by a person at a terminal, keystroke by keystroke, against the whole service."""

import fcntl
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from machi import Client
from ops.run import ROOT
from tests.e2e.stack import DEADLINE_S, Stack

COLUMNS, ROWS = 80, 24
PROMPT = re.compile(r"Your choice \[(?:(Enter)|1-(\d+)), \?, q\]: $")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def _take_terminal(program_side: int) -> None:
    """In the child: Ctrl-C here is for it, even where the tests were started to ignore the signal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(program_side, termios.TIOCSCTTY, 0)


class Terminal:
    """A program in a terminal of 80 columns."""

    def __init__(self, words: list[str], environ: dict[str, str]) -> None:
        self._screen, program_side = pty.openpty()
        fcntl.ioctl(program_side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.program = subprocess.Popen(
            words,
            env=environ,
            stdin=program_side,
            stdout=program_side,
            stderr=program_side,
            start_new_session=True,
            preexec_fn=lambda: _take_terminal(program_side),
        )
        os.close(program_side)
        self.seen = ""

    def has_more(self, within_s: float) -> bool:
        return bool(select.select([self._screen], [], [], within_s)[0])

    def read(self) -> bool:
        """Read what comes next; False at the end."""
        assert self.has_more(DEADLINE_S), self.seen[-2000:]
        try:
            came = os.read(self._screen, 65_536)
        except OSError:  # the other side is closed
            return False
        self.seen += came.decode(errors="replace").replace("\r\n", "\n")
        return bool(came)

    def type(self, text: str) -> None:
        os.write(self._screen, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C as a person would: again, where Python was just about to wait for a line.

        Not once the program has said that it ends: Python is told to die by a signal that finds it ending.
        """
        self.type("\x03")
        while self.has_more(1.0) or self.program.poll() is None:
            if self.has_more(0):
                if not self.read():
                    return
            elif "Interrupted" not in self.seen:
                self.type("\x03")

    def close(self) -> None:
        os.close(self._screen)
        self.program.kill()
        self.program.wait()


@contextmanager
def terminal(stack: Stack, home: Path, term: str, *words: str) -> Iterator[Terminal]:
    """The command `machi` in a terminal of that type."""
    environ = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    environ |= {
        "TERM": term,
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}",
        "XDG_CONFIG_HOME": str(home),
        "MACHI_URL": f"http://127.0.0.1:{stack.port}",
    }
    opened = Terminal([sys.executable, "-m", "machi", *words], environ)
    try:
        yield opened
    finally:
        opened.close()


def play_on(opened: Terminal, dice: random.Random, decisions: int = 1000) -> None:
    """Choose anything that is offered, until the program ends or so often."""
    deadline = time.monotonic() + DEADLINE_S
    while opened.read() and decisions:
        assert time.monotonic() < deadline
        if prompt := PROMPT.search(ESCAPE.sub("", opened.seen)):
            opened.type("\n" if prompt[1] else f"{dice.randint(1, int(prompt[2]))}\n")
            opened.seen += "<typed>"
            decisions -= 1


@pytest.mark.parametrize(
    ("term", "has_colours"), [("xterm-256color", True), pytest.param("dumb", False, marks=pytest.mark.long)]
)
def test_a_match_is_played_in_a_terminal_to_its_end(
    term: str, has_colours: bool, shared_stack: Stack, tmp_path: Path
) -> None:
    with terminal(shared_stack, tmp_path, term, "login", f"person-{term[:5]}") as opened:
        while opened.read():
            pass
        assert opened.program.wait(DEADLINE_S) == 0, opened.seen
    dice = random.Random(1)
    with terminal(shared_stack, tmp_path, term, "play", "--ruleset", "harbor") as opened:
        play_on(opened, dice, decisions=8)
        opened.interrupt()
        assert opened.program.wait(DEADLINE_S) == 130
        (match_id,) = set(re.findall(r"mat_[0-9A-Z]{26}", opened.seen.replace("\n", "")))
    with terminal(shared_stack, tmp_path, term, "play", match_id) as opened:
        play_on(opened, dice)
        assert opened.program.wait(DEADLINE_S) == 0, opened.seen
    assert re.search(r"has won \(landmarks\), after \d+ turns and \d+ events\.", opened.seen)
    assert ("\x1b[" in opened.seen) == has_colours
    assert max(map(len, ESCAPE.sub("", opened.seen).replace("<typed>", "").splitlines())) <= COLUMNS
    with Client(f"http://127.0.0.1:{shared_stack.port}") as client:
        assert client.match(match_id).status == "finished"
