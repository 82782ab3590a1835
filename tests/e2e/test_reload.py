"""A reload replaces all processes but the Redis servers under load, and no request is refused."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.api import Api, Talker
from tests.e2e.stack import MODULES, Stack
from tests.e2e.underway import in_the_middle_of_play

pytestmark = pytest.mark.long


def test_no_command_is_refused_while_all_processes_are_replaced(shared_stack: Stack) -> None:
    old = {name: shared_stack.find(name) for name in MODULES}
    with in_the_middle_of_play(shared_stack), Talker(shared_stack) as talker:
        talker.wait_for_more(5)
        shared_stack.reload()
        talker.wait_for_more(5)
    talker.assert_said_once()
    assert talker.api.refused == []
    for name, pids in old.items():
        new = shared_stack.find(name)
        assert new
        assert not {*pids} & {*new}, name


def test_who_waits_for_an_event_is_answered_before_the_old_process_ends(shared_stack: Stack) -> None:
    api = Api(shared_stack)
    match_id = api.create([{"kind": "me"}] * 2)
    path = f"/v1/matches/{match_id}/events?after={len(api.log(match_id))}&wait=30"
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(api.send, "GET", path)
        shared_stack.reload()
        answer = waiting.result(0)
    assert answer.status == 200
    assert answer.json()["items"] == []
