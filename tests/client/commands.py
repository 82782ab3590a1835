"""The command `machi` in a process of its own, and matches for it."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from machi import Client, Match, Resign, me
from ops.run import ROOT

Run = Callable[..., tuple[int, str, str]]


PROCESS_DEADLINE_S = 60.0


_numbers = count()


def finished(client: Client, tags: Sequence[str] = ()) -> Match:
    """A match of two seats of one account, given up at once."""
    match = client.create_match("base", [me(), me()], first_seat=0, tags=tags)
    client.command(match.match_id, Resign(0))
    return client.match(match.match_id)


# What is started with `&` ignores SIGINT, and so do its children: the tests may have been started so.
INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from machi.cli import main; main()"
)


@contextmanager
def machi_process(
    *words: str, stdin: int = subprocess.DEVNULL, deadline_s: float = PROCESS_DEADLINE_S
) -> Iterator[subprocess.Popen[str]]:
    """`machi` in a process that Ctrl-C reaches; it is killed in the end, and when its time is up."""
    pipe = subprocess.PIPE
    argv = [sys.executable, "-c", INTERRUPTIBLE, *words]
    with subprocess.Popen(argv, env=_environ(), stdin=stdin, stdout=pipe, stderr=pipe, text=True) as process:
        timer = threading.Timer(deadline_s, process.kill)
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()
            process.kill()


def _environ() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}"}
