"""kill -9 in the middle of deletions of accounts: each one ends by itself, completely, and happens once."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException

import pytest

from events.store import keys
from tests.e2e.api import Api, Json
from tests.e2e.stack import Stack, wait_until

ME = {"kind": "me"}
OPEN = {"kind": "open"}
INVITED = 3
"""Invitations to an account; their number is limited."""
FEW = 15
"""Matches of each other kind, at first."""
BLOCK_MS = 1000
"""The longest wait for an append, before the relay is looked at."""
LEFT_S = 600.0
"""A deletion takes one to two minutes: only a pass that begins a minute after it can be the last."""

VICTIMS = ("the relay", "the events server", "the queue server", "the worker with its job")

ENDS = {
    "running": ("finished", {"seat_resigned": 1, "match_finished": 1}),
    "made": ("aborted", {"match_aborted": 1}),
    "joined": ("open", {"controller_changed": 1}),
    "invited": ("open", {"reservation_ended": 1}),
}
"""By kind of match: the status and the events with which an account leaves it."""


class Leaver:
    """An account with places in matches and a ladder, all of which others can see, to be deleted."""

    def __init__(self, stack: Stack, matches: int) -> None:
        self.api, self._friend = Api(stack), Api(stack)
        self.id = self.api.signed_up.json()["account_id"]
        self._friend.sure("PATCH", "/v1/me", {"seating": "anybody"})
        self._matches = {
            kind: [self._match(kind) for _ in range(INVITED if kind == "invited" else matches)]
            for kind in ENDS
        }
        ladder = {"name": "Base for two", "ruleset": "base", "seats": 2}
        self._ladder = f"/v1/ladders/{self._friend.sure('POST', '/v1/ladders', ladder).json()['ladder_id']}"
        self.api.sure("POST", f"{self._ladder}/entries", {"kind": "bot", "version": "1"})

    def _match(self, kind: str) -> str:
        leaver, friend = [
            {"kind": "account", "handle": one.wish["handle"]} for one in (self.api, self._friend)
        ]
        if kind in ("running", "made"):
            return self.api.create([ME, friend if kind == "running" else OPEN])
        match_id = self._friend.create([ME, OPEN, OPEN if kind == "joined" else leaver])
        if kind == "joined":
            self.api.sure("POST", f"/v1/matches/{match_id}/seats", {})
        return match_id

    def delete(self) -> None:
        """Ask for the deletion until the service has confirmed it, or has no such account."""
        wait_until(self._was_deleted)

    def _was_deleted(self) -> bool:
        try:
            answer = self.api.send("DELETE", f"/v1/me?handle={self.api.wish['handle']}")
        except (OSError, HTTPException):
            return False
        assert answer.status in (204, 401, 503), answer
        return answer.status in (204, 401)

    def places(self) -> Counter[bool]:
        """In how many matches the account still is (True), and how many it has left (False)."""
        return Counter(
            not self._told(match_id)[next(iter(events))]
            for kind, (_, events) in ENDS.items()
            for match_id in self._matches[kind]
        )

    def _told(self, match_id: str) -> Counter[str]:
        return Counter(json.loads(event)["type"] for event in self._friend.log(match_id))

    def assert_left_once(self) -> None:
        """Nothing of the account is left but what was played, and it left each place by one command."""
        assert self.api.send("GET", "/v1/me").status == 401
        again = self._friend.send("POST", "/v1/accounts", self.api.wish)
        assert (again.status, again.json()["code"]) == (409, "handle_taken")
        for kind, (status, events) in ENDS.items():
            for match_id in self._matches[kind]:
                told = self._told(match_id)
                assert {name: told[name] for name in events} == events, (kind, match_id)
                assert self._get(f"/v1/matches/{match_id}")["status"] == status
            verification = self._get(f"/v1/matches/{self._matches[kind][0]}/verification")
            assert verification["verdict"] in ("verified", "incomplete")
        (entry,) = self._get(self._ladder)["entries"]
        assert (entry["status"], entry["removed_for"]) == ("removed", "withdrawn")
        found = self._get(f"{self._ladder}/events?limit=500")["items"]
        assert [event["type"] for event in found].count("entry_removed") == 1

    def _get(self, path: str) -> Json:
        return self._friend.get(path)


@contextmanager
def held_in_the_middle(stack: Stack) -> Iterator[Leaver]:
    """The relay stands still meanwhile, when a deleted account has left some of its places and not all.

    A deletion that is over before the relay is halted is followed by one of an account with twice as many.
    """
    matches = FEW
    while True:
        leaver, client = Leaver(stack, matches), stack.events_client()
        with stack.held("relay"):
            leaver.delete()
        places = Counter({True: matches})
        while places[True]:
            client.xread({keys.LOG: "$"}, 1, BLOCK_MS)
            with stack.held("relay"):
                places = leaver.places()
                if places[True] and places[False]:
                    yield leaver
                    return
        matches *= 2


def killed_in_a_request(stack: Stack) -> Leaver:
    """An account of which each web worker was killed between its deletion and the answer."""
    leaver, client = Leaver(stack, FEW), stack.events_client()
    asking = threading.Thread(target=leaver.delete)
    asking.start()
    # The answer follows when no process trusts the tokens any more, a second later.
    wait_until(lambda: client.zscore(keys.DELETED_ACCOUNTS, leaver.id) is not None)
    for _ in stack.find("web")[1:]:
        stack.kill("one web worker")
    asking.join()
    return leaver


@pytest.mark.long
def test_deletions_end_completely_and_once_whatever_is_killed_in_the_middle(shared_stack: Stack) -> None:
    leavers = []
    for victim in VICTIMS:
        with held_in_the_middle(shared_stack) as leaver:
            shared_stack.kill(victim)
        leavers.append(leaver)
    leavers.append(killed_in_a_request(shared_stack))
    client = shared_stack.events_client()
    for leaver in leavers:
        wait_until(lambda one=leaver: client.zscore(keys.DELETED_ACCOUNTS, one.id) is None, LEFT_S)
        leaver.assert_left_once()
