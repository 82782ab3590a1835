"""The real service behind gunicorn, and clients of it."""

import io
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
import redis

from machi import Client
from machi.cli import run
from machi.cli.config import config_path, read_config
from tests.client.commands import Run, _numbers
from tests.client.scripted import QUICK, Clock
from tests.service.served import Served

_handles = (f"ada-{random.randrange(16**8):08x}-{number}" for number in count())


TEST_DEADLINE_S = 180.0


@pytest.fixture(autouse=True)
def deadline() -> Iterator[None]:
    """No test hangs for ever, whatever it waits for."""

    def give_up(*_: object) -> None:
        pytest.fail(f"the test is not done after {TEST_DEADLINE_S:.0f} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, TEST_DEADLINE_S)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock by which clients of this test try again."""
    found = Clock()
    monkeypatch.setattr("machi.retries.time", found)
    return found


@pytest.fixture
def url(web: Served, events_redis: redis.Redis, queue_redis: redis.Redis) -> str:
    """The address of a service without matches."""
    return f"http://127.0.0.1:{web.port}"


@pytest.fixture
def sign_up(url: str) -> Iterator[Callable[[], Client]]:
    """Makes clients with an account of their own."""
    made: list[Client] = []

    def make() -> Client:
        made.append(Client(url, retries=QUICK))
        made[-1].sign_up(next(_handles))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def machi(sign_up: Callable[[], Client]) -> Client:
    return sign_up()


@pytest.fixture
def handle() -> str:
    return f"cli-{os.getpid()}-{next(_numbers)}"


@pytest.fixture
def machi_run(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs the command line with a config of its own; the exit code, what it printed, and the errors."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MACHI_URL", url)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.delenv("MACHI_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)

    def run_with(*words: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = run(words)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_with


@pytest.fixture
def logged_in(machi_run: Run, handle: str) -> Run:
    assert machi_run("login", handle)[0] == 0
    return machi_run


@pytest.fixture
def my_client(logged_in: Run, url: str) -> Iterator[Client]:
    """A client for the account that is logged in."""
    with Client(url, read_config(config_path()).services[url].token) as client:
        yield client
