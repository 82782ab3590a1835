"""Servers per test process: two of Redis, emptied before each test, and services on them and on their own.

No test may fail because a machine is slow or busy: Hypothesis counts no time.
"""
# ruff: noqa: E402

from ops.compiled import drop_stale

drop_stale()  # before any import of the rules: a build of older ones would hide them

import gc
import os
import shutil
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

import pytest
import redis
from hypothesis import HealthCheck, settings

from ops.servers import Server, running_server
from tests.e2e.stack import Stack, running
from tests.service.log_lines import leave_out_watchers
from tests.service.served import ACCOUNT_STREAMS, ADDRESS_UNFINISHED, Served, environment, gunicorn

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
leave_out_watchers()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Keep the garbage collector away from what collecting tests makes: it is much, and all of it stays."""
    gc.disable()
    try:
        worker = os.environ.get("PYTEST_XDIST_WORKER")
        if worker and session.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
            _import_tests(int(worker.removeprefix("gw")), int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*RARELY)
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Let one test process begin with the tests of the whole service, and the next with those in a browser.

    Each test process gets a consecutive part, and those that are done take over from the ends of others. So
    few of them start a service or a browser of their own, which costs even while nobody uses it. Of the
    rest, the quick tests come last, to be shared out in the end. Each begins with a part of the simulation,
    the longest tests of all.
    """
    groups: dict[str, list[pytest.Function]] = {name: [] for name in GROUPS}
    for item in items:
        groups[_group(item)].append(item)
    whole, browser, simulation, servers, quick = groups.values()
    rest = [*servers, *quick]
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    part = len(items) // processes
    size = max(0, part - len(whole))
    items[:] = [*whole, *rest[:size], *browser, *rest[size:]]
    for number, item in enumerate(simulation):
        items.insert(number % processes * part, item)


def _group(item: pytest.Function) -> str:
    fixtures, parameters = item.fixturenames, getattr(item, "callspec", None)
    is_whole = parameters is not None and parameters.params.get("service") == "whole"
    if is_whole or not WHOLE_SERVICE.isdisjoint(fixtures):
        return "whole"
    if "browser" in fixtures:
        return "browser"
    if "events_server" in fixtures:
        return "servers"
    return "simulation" if "simulation" in item.path.parts else "quick"


def _import_tests(number: int, processes: int) -> None:
    """Import all tests, in each of the test processes from another one on.

    All collect the same tests in the same order, and in a fresh clone each would compile all of them. What
    another one has compiled by then is only read.
    """
    first, paths = sorted(TESTS.rglob("conftest.py")), sorted(TESTS.rglob("test_*.py"))
    start = number * len(paths) // processes
    for path in first + paths[start:] + paths[:start]:
        # Whatever is wrong with it, pytest says when it collects it.
        with suppress(Exception):
            import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


RARELY = (10_000, 20, 50)
"""The thresholds of the garbage collector."""
GROUPS = ("whole", "browser", "simulation", "servers", "quick")
WHOLE_SERVICE = {"shared_stack", "own_stack"}
TESTS = Path(__file__).parent
MEMORY = Path("/dev/shm")
ROOM_BYTES = 2**30


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where servers keep their files: in memory if there is room, because each append waits for the disk."""
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM_BYTES:
        with TemporaryDirectory(prefix="machi-tests-", dir=MEMORY) as folder:
            yield Path(folder)
    else:
        yield tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="session")
def events_server(data_dir: Path) -> Iterator[Server]:
    """A server with the settings of the event store; a test may kill it."""
    with running_server("events", data_dir / "events") as server:
        yield server


@pytest.fixture(scope="session")
def queue_server(data_dir: Path) -> Iterator[Server]:
    """A server with the settings of the job queue; a test may kill it."""
    with running_server("queue", data_dir / "queue") as server:
        yield server


@pytest.fixture(scope="session")
def web(
    events_server: Server, queue_server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """Two web processes without workers: built-in players do not move."""
    directory = tmp_path_factory.mktemp("web")
    environ = environment(
        events_server,
        queue_server,
        WEB_WORKERS="2",
        ACCOUNT_STREAMS=str(ACCOUNT_STREAMS),
        ADDRESS_UNFINISHED=str(ADDRESS_UNFINISHED),
        PROMETHEUS_MULTIPROC_DIR=str(directory / "metrics"),
    )
    with gunicorn(directory / "log", **environ) as served:
        yield served


class _Echo(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(unquote(urlsplit(self.path).query).encode())

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def blog() -> Iterator[str]:
    """The origin of another site, whose pages are what is in their query."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def shared_stack(blog: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The whole service with relay and workers: each test may kill, end and start it, and leaves it ready.

    The other site may show its embedded tables.
    """
    _require_linux()
    with running(tmp_path_factory.mktemp("shared stack") / "var", EMBED_ORIGINS=blog) as stack:
        yield stack


@pytest.fixture
def own_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A whole service without anybody else's matches."""
    _require_linux()
    with running(tmp_path_factory.mktemp("own stack") / "var") as stack:
        yield stack


def _require_linux() -> None:
    if sys.platform != "linux":
        pytest.skip("processes are found in /proc")


@pytest.fixture(scope="session")
def events_admin(events_server: Server) -> Iterator[redis.Redis]:
    """A client of the event store that may do anything."""
    with redis.Redis.from_url(events_server.admin_url) as client:
        yield client


@pytest.fixture(scope="session")
def queue_admin(queue_server: Server) -> Iterator[redis.Redis]:
    """A client of the job queue that may do anything."""
    with redis.Redis.from_url(queue_server.admin_url) as client:
        yield client


@pytest.fixture
def events_redis(events_server: Server, events_admin: redis.Redis) -> Iterator[redis.Redis]:
    """A client of the emptied event store, with the application's rights."""
    yield from _emptied(events_server, events_admin)


@pytest.fixture
def queue_redis(queue_server: Server, queue_admin: redis.Redis) -> Iterator[redis.Redis]:
    """A client of the emptied job queue, with the application's rights."""
    yield from _emptied(queue_server, queue_admin)


def _emptied(server: Server, admin: redis.Redis) -> Iterator[redis.Redis]:
    server.start()  # a test before may have killed it
    admin.flushall()
    with redis.Redis.from_url(server.url) as client:
        yield client
