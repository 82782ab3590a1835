"""Play that goes on while processes are killed, and proof that nothing was lost."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.e2e.api import Api, Json, Talker
from tests.e2e.audit import assert_chained, assert_log_whole, sha256
from tests.e2e.creating_client import CreatingClient
from tests.e2e.stack import PAUSE_S, Stack, wait_until


class Underway:
    """Matches of built-in players that are being played, and what is known of their logs."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._api = Api(stack)
        self._known: dict[str, list[bytes]] = {}

    @contextmanager
    def held(self, running: int = 1) -> Iterator[list[int]]:
        """The worker stands still meanwhile, in a job, and at least as many matches are not over.

        Its processes, the parent first. Whatever is quick enough to play them all before it is halted gets
        twice as many.
        """
        matches = 2 * running
        while True:
            with self._stack.held("worker"):
                self._known |= {match_id: [] for match_id in self._api.bots(matches)}
            while len(self._unfinished()) >= running:
                with self._stack.held("worker") as pids:
                    unfinished = self._unfinished()
                    if len(pids) > 1 and len(unfinished) >= running:
                        self._known |= {match_id: self._api.log(match_id) for match_id in unfinished}
                        yield pids
                        return
                threading.Event().wait(PAUSE_S)
            matches *= 2

    def _unfinished(self) -> list[str]:
        return [
            match_id
            for match_id in self._known
            if self._api.get(f"/v1/matches/{match_id}")["status"] != "finished"
        ]

    def assert_ended_well(self) -> None:
        """What was known is there byte for byte, and the matches went on to their ends in one piece."""
        for match_id, known in self._known.items():
            log = self._api.whole_log(match_id)
            events = [json.loads(event) for event in log]
            assert log[: len(known)] == known
            assert [event["type"] for event in events[-2:]] == ["match_finished", "dice_revealed"]
            assert self._api.get(f"/v1/matches/{match_id}")["status"] == "finished"
            assert_chained(events)
            self._assert_signed(match_id, events)
        self._assert_logged()

    def _assert_signed(self, match_id: str, events: Sequence[Json]) -> None:
        """At once, or as soon as the relay has seen to it."""
        path = f"/v1/matches/{match_id}/checkpoint"
        wait_until(lambda: self._api.send("GET", path).status == 200)
        line = self._api.get(path)
        assert (line["match_id"], line["version"]) == (match_id, len(events))
        assert line["head_hash"] == events[-1]["hash"]

    def _assert_logged(self) -> None:
        """Every match that ended stands in the log, once; and the log is whole."""
        keys = self._api.get("/v1/signing-keys")["items"]
        answer = self._api.sure("GET", "/v1/checkpoints", Accept="application/x-ndjson")
        lines = [json.loads(line) for line in answer.body.splitlines()]
        assert_log_whole(lines, {key["key_id"]: key["public_key"] for key in keys})
        digests = [line["match_digest"] for line in lines]
        assert len({*digests}) == len(digests)
        assert {sha256(match_id.encode()) for match_id in self._known} <= {*digests}


@contextmanager
def in_the_middle_of_play(stack: Stack) -> Iterator[Underway]:
    """Play goes on before, during and after what is done here, and nothing is lost by it."""
    with Talker(stack) as talker, CreatingClient(stack) as creating:
        talker.wait_for_more(5)
        creating.wait_for_more(5)
        underway = Underway(stack)
        yield underway
        talker.wait_for_more(5)
        creating.wait_for_more(5)
    # Quiet from here on: whatever these two do while the matches end has to be asked for again.
    underway.assert_ended_well()
    talker.assert_said_once()
    creating.assert_done_once()
