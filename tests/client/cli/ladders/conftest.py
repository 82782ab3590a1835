"""A ladder of the real service, and workers' code that plays its rounds here."""

import io
import random
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events import Matches, Notary, RedisStore, Seeds, SigningKeys
from events.ladders.ladders import Ladders
from machi import Client
from machi.cli import run
from machi.cli.config import config_path, read_config
from ops.servers import Server
from runtime.connection import connect
from tests.client.commands import Run, _numbers
from tests.client.ladders import RATING, _play
from tests.service.ladder_kit import Stores, finish_blocks, finish_round, publish
from tests.service.served import MASTER_KEYS, SIGNING_KEYS
from workers.ladders.context import Context, RoundLimits
from workers.ladders.luck import value_function
from workers.queue.client import connect as connect_queue


@pytest.fixture
def stores(events_server: Server) -> Stores:
    client = connect(events_server.url)
    return Stores(Ladders(RedisStore(client)), client)


@pytest.fixture
def machi_run(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs the command line, logged in, with a config of its own; the exit code and what it printed."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MACHI_URL", url)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("MACHI_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)

    def run_with(*words: str, typed: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(typed))))
        code = run(words)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    assert run_with("login", f"op-{random.randrange(16**8):08x}-{next(_numbers)}")[0] == 0
    return run_with


@pytest.fixture
def me(machi_run: Run, url: str) -> Iterator[Client]:
    """A client for the account that is logged in."""
    with Client(url, read_config(config_path()).services[url].token) as client:
        yield client


@pytest.fixture
def ladder_id(me: Client) -> str:
    """A ladder of three built-in players."""
    made = me.create_ladder("Base for two", "base", 2, rating=RATING)
    for name in ("greedy", "random", "landmark_first"):
        me.enter(made.ladder_id, strategy=name)
    return made.ladder_id


@pytest.fixture
def rated(me: Client, ladder_id: str, stores: Stores) -> str:
    """The same after a round of six blocks, with its table."""
    me.open_round(ladder_id, 6)
    finish_blocks(stores, ladder_id)
    publish(stores, ladder_id)
    finish_round(stores, ladder_id)
    return ladder_id


@pytest.fixture
def workers(events_server: Server, queue_server: Server) -> Iterator[Callable[[str], None]]:
    """Starts what plays all rounds of a ladder, as workers do, in this process."""
    ended = threading.Event()
    threads: list[threading.Thread] = []

    def start(ladder_id: str) -> None:
        client = connect(events_server.url)
        notary = Notary(RedisStore(client), SigningKeys(SIGNING_KEYS))
        matches = Matches(RedisStore(client), Seeds(MASTER_KEYS), notary=notary)
        limits = RoundLimits(live_s=0.0, table_s=0.0, bots_s=0.0)
        queue = connect_queue(queue_server.url)
        context = Context(
            matches, Ladders(RedisStore(client)), client, queue, values=value_function, limits=limits
        )
        threads.append(threading.Thread(target=_play, args=(context, ladder_id, ended)))
        threads[-1].start()

    yield start
    ended.set()
    for thread in threads:
        thread.join()
