"""However many processes hand out a quota, in a window they never grant more of it than there is."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from limits import parse

from ops.servers import Server
from service.edge.rate_limits import SHARES, SLICES, Counters, Quota
from tests.service.served import environment, gunicorn

WINDOW_S = 60
CLIENTS = ("ada", "bob")
PROCESSES = 2
STEPS = st.lists(
    st.tuples(
        st.integers(0, PROCESSES - 1),
        st.integers(0, 1),
        st.integers(1, 60),
        st.sampled_from([0, 0, 1, 30, -30]),
    ),
    max_size=30,
)
"""Which process is asked, by which client, how often, and by how many seconds the clock moves before."""


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_800_000_000

    def __call__(self) -> float:
        return self.now_s


def processes(url: str, quota: int, clock: Clock) -> list[Quota]:
    """As many as there are, each with a memory of its own."""
    rate = parse(f"{quota}/minute")
    return [Quota("moves", rate, Counters(url, clock), clock) for _ in range(PROCESSES)]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    database=None,
)
@given(quota=st.integers(1, 180), steps=STEPS)
def test_two_processes_never_grant_more_than_the_quota_in_a_window(
    quota: int, steps: list[tuple[int, int, int, int]], queue_server: Server, queue_redis: redis.Redis
) -> None:
    clock = Clock()
    quotas = processes(queue_server.url, quota, clock)
    queue_redis.flushdb()
    asked: Counter[tuple[int, int]] = Counter()
    granted: Counter[tuple[int, int]] = Counter()
    for process, client, requests, passed_s in steps:
        clock.now_s += passed_s
        for _ in range(requests):
            grant = quotas[process].spend(CLIENTS[client])
            window = client, clock.now_s + grant.reset_s
            asked[window] += 1
            granted[window] += grant.is_granted

    assert all(granted[window] <= quota for window in granted)
    if quota < 2 * SLICES:
        assert all(granted[window] == min(quota, asked[window]) for window in asked)


@pytest.mark.parametrize("quota", [7, 49, 1000, 2003])
def test_every_permit_is_granted_once_when_all_threads_of_all_processes_want_it(
    quota: int, queue_server: Server, queue_redis: redis.Redis
) -> None:
    clock = Clock()
    quotas = processes(queue_server.url, quota, clock)

    def ask(thread: int) -> int:
        spent = 0
        while quotas[thread % PROCESSES].spend("everybody").is_granted:
            spent += 1
        return spent

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(ask, range(8))) == quota


@pytest.mark.parametrize("quota", [1, 103, 1999])
def test_a_process_alone_without_a_counter_grants_the_quota_and_no_more(quota: int) -> None:
    alone, _ = processes("redis://127.0.0.1:1", quota, Clock())
    grants = [alone.spend("ada") for _ in range(quota + 2)]
    assert [grant.left for grant in grants] == [*range(quota - 1, -1, -1), 0, 0]
    assert [grant.is_granted for grant in grants] == [True] * quota + [False] * 2


def test_a_process_that_has_forgotten_a_client_grants_no_more(
    queue_server: Server, queue_redis: redis.Redis
) -> None:
    clock = Clock()
    quota, _ = processes(queue_server.url, 3, clock)
    assert [quota.spend("ada").is_granted for _ in range(4)] == [True] * 3 + [False]
    for number in range(SHARES):
        quota._share(f"other-{number}", clock.now_s)
    assert "ada" not in quota._shares
    assert len(quota._shares) == SHARES
    assert not quota.spend("ada").is_granted


def test_windows_of_different_clients_end_at_different_times(
    queue_server: Server, queue_redis: redis.Redis
) -> None:
    quota, _ = processes(queue_server.url, 10, Clock())
    assert len({quota.spend(f"client-{number}").reset_s for number in range(100)}) > 20


@pytest.mark.long
def test_web_processes_share_one_quota_exactly(
    events_server: Server,
    queue_server: Server,
    events_redis: redis.Redis,
    queue_redis: redis.Redis,
    tmp_path: Path,
) -> None:
    environ = environment(events_server, queue_server, WEB_WORKERS="2", RATE_ANONYMOUS="40/day")
    with gunicorn(tmp_path / "log", **environ) as web, ThreadPoolExecutor(8) as threads:
        statuses = Counter(threads.map(lambda _: web.get("/v1/rulesets").status, range(100)))
    assert statuses == {200: 40, 429: 60}
