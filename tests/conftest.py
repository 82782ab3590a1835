"""Fixtures for tests on real Redis: two servers per test process, emptied before each test.

No test may fail because a machine is slow or busy: Hypothesis counts no time.
"""
# ruff: noqa: E402

from ops.compiled import drop_stale

drop_stale()  # before any import of the rules: a build of older ones would hide them

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import redis
from hypothesis import HealthCheck, settings

from ops.servers import Server, running_server
from tests.service.log_lines import leave_out_watchers
from tests.service.served import ACCOUNT_STREAMS, ADDRESS_UNFINISHED, Served, environment, gunicorn

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
leave_out_watchers()


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
