"""kill -9 of each process in the middle of play: what was acknowledged stays, and every match ends by itself.

Beside the matches of built-in players a person's commands go on all the time, and accounts, tokens and
matches are made; each request is sent under its key until it is answered.
"""

import pytest

from tests.e2e.api import Talker
from tests.e2e.creating_client import CreatingClient
from tests.e2e.stack import VICTIMS, Stack, is_told_to_end, wait_until
from tests.e2e.underway import in_the_middle_of_play
from tests.marks import long_unless

MORE_THAN_A_JOB = 10
"""So many matches that a worker which may finish its job does not end them all."""


@pytest.mark.parametrize("victim", long_unless({"the events server"}, VICTIMS))
def test_nothing_is_lost_when_one_process_is_killed(victim: str, shared_stack: Stack) -> None:
    with in_the_middle_of_play(shared_stack) as underway, underway.held():
        shared_stack.kill(victim)


@pytest.mark.long
def test_requests_are_carried_out_once_though_the_events_server_is_killed_again_and_again(
    shared_stack: Stack,
) -> None:
    with Talker(shared_stack) as talker, CreatingClient(shared_stack) as creating:
        for _ in range(2):
            talker.wait_for_more(10)
            creating.wait_for_more(10)
            shared_stack.kill("the events server")
        talker.wait_for_more(10)
        creating.wait_for_more(10)
    talker.assert_said_once()
    creating.assert_done_once()


@pytest.mark.long
def test_nothing_is_lost_when_everything_is_killed_at_once(shared_stack: Stack) -> None:
    with in_the_middle_of_play(shared_stack) as underway:
        with underway.held():
            shared_stack.kill_all()
        shared_stack.start()


@pytest.mark.long
def test_nothing_is_lost_when_only_the_runner_is_killed(shared_stack: Stack) -> None:
    """All others end by themselves, so that the next one finds the port and the data free."""
    with in_the_middle_of_play(shared_stack) as underway:
        with underway.held(MORE_THAN_A_JOB) as (worker, *_):
            shared_stack.kill_runner()
            wait_until(lambda: is_told_to_end(worker))
        shared_stack.wait_until_gone()
        shared_stack.start()


@pytest.mark.long
def test_play_goes_on_after_ctrl_c_and_a_new_start(shared_stack: Stack) -> None:
    with in_the_middle_of_play(shared_stack) as underway:
        with underway.held(MORE_THAN_A_JOB) as (worker, *_):
            shared_stack.interrupt()
            wait_until(lambda: is_told_to_end(worker))
        shared_stack.wait_for_the_end()
        shared_stack.start()


@pytest.mark.long
def test_ctrl_c_during_the_start_leaves_nothing_behind(shared_stack: Stack) -> None:
    shared_stack.stop()
    for awaited in ("redis started", "worker started"):
        shared_stack.start(awaited)
        shared_stack.stop()
    shared_stack.start()
