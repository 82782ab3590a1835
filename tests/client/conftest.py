"""The real service behind gunicorn, and clients of it."""

import random
import signal
from collections.abc import Callable, Iterator
from itertools import count

import pytest
import redis

from machi import Client
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
