"""The metrics of the whole service, through the deaths of the processes that count."""

import pytest

from tests.e2e.api import Api
from tests.e2e.stack import Stack, wait_until
from tests.marks import long_unless
from tests.samples import Samples, samples_in

PROCESSES = 8
"""That may count together: gunicorn's arbiter, two web processes, the relay, a worker and its job, and one
more while another ends."""


def scraped(api: Api) -> Samples:
    return samples_in(api.sure("GET", "/metrics").body.decode())


@pytest.mark.long
@pytest.mark.parametrize(
    "victim",
    long_unless(
        ["the worker with its job"],
        ["one web worker", "the relay", "the worker with its job", "the web master", "the worker"],
    ),
)
def test_no_count_falls_when_a_process_is_killed(victim: str, shared_stack: Stack) -> None:
    api = Api(shared_stack)
    for match_id in api.bots(2):
        api.whole_log(match_id)
    before = scraped(api)
    shared_stack.kill(victim)
    match_ids = api.bots(2)
    events = sum(len(api.whole_log(match_id)) for match_id in match_ids)
    after = scraped(api)
    fallen = [
        key
        for key, value in before.values.items()
        if key[0].endswith(("_total", "_count", "_sum", "_bucket")) and after.values[key] < value
    ]
    assert fallen == []
    appended = before.value("machi_events_appended_total") + events
    # Who stores an event counts it a moment later, and a job counts when it is over.
    wait_until(lambda: scraped(api).value("machi_events_appended_total") >= appended)
    for name in ("machi_worker_jobs_total", "machi_relay_pointers_total", "machi_http_requests_total"):
        wait_until(lambda name=name: scraped(api).value(name) > before.value(name))
    wait_until(lambda: len(list((shared_stack.var_dir / "metrics").glob("*.place"))) <= PROCESSES)


def test_what_the_servers_say_is_there(shared_stack: Stack) -> None:
    api = Api(shared_stack)
    api.whole_log(api.bots(1)[0])
    samples = scraped(api)
    assert samples.value("machi_store_up") == samples.value("machi_queue_up") == 1
    assert samples.value("machi_process_up", process="relay") == 1
    wait_until(lambda: scraped(api).value("machi_matches", status="finished") > 0)
