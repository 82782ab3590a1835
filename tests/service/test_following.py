"""One thread that sends to all who follow: signs of life, slow clients, lost tickets, stores that go away."""

import json
import socket
from collections.abc import Callable, Collection, Iterator
from typing import Any

import pytest
from flask import Flask

from ops.servers import Server
from service.context import EXTENSION, Services
from service.feeds import NDJSON, SSE, Feed, Form
from service.following import Follower, Following, Pace
from service.outgoing import Outgoing
from tests.service.contract import Account
from tests.service.served import wait_until

QUICK = Pace(heartbeat_s=0.05, inspection_s=0.05, stalled_s=0.3, retry_s=0.05)
ROLL = {"type": "roll_dice", "dice": 1}


class Group:
    """A `Following` of its own, and who follows."""

    def __init__(self, services: Services, limit: int = 100) -> None:
        self.lost: set[object] = set()
        self.ended: list[str] = []
        self.following = Following(services.matches, services.watcher, self._lost_tickets, limit, QUICK)

    def _lost_tickets(self, tickets: Collection[Any]) -> Collection[Any]:
        return self.lost

    def join(self, match_id: str, form: Form = NDJSON, after: int = 0, ticket: str = "a") -> socket.socket:
        """A follower's end of its connection."""
        mine, theirs = socket.socketpair()
        mine.settimeout(20)
        out = Outgoing(theirs, is_chunked=False)
        feed = Feed(match_id, form, None)
        self.following.take(Follower(feed, after, out, ticket, lambda: self.ended.append(ticket)))
        return mine


@pytest.fixture
def group(app: Flask) -> Iterator[Group]:
    group = Group(app.extensions[EXTENSION])
    yield group
    group.following.stop()
    wait_until(lambda: group.following.count() == 0)


def received_until(connection: socket.socket, is_enough: Callable[[bytes], bool]) -> bytes:
    received = b""
    while not is_enough(received):
        got = connection.recv(65536)
        assert got, "the stream was cut"
        received += got
    return received


def test_a_silent_match_gives_signs_of_life(group: Group, ada: Account) -> None:
    match = ada.create()
    with group.join(match["match_id"], SSE, match["version"]) as events:
        received = received_until(events, lambda received: received.count(b": alive\n\n") >= 3)
    assert received.startswith(b"retry: 2000\n\n: alive\n\n")
    with group.join(match["match_id"], NDJSON, match["version"]) as lines:
        assert received_until(lines, lambda received: len(received) >= 3).strip() == b""


def test_all_who_follow_get_the_same(group: Group, ada: Account) -> None:
    match = ada.create()
    version = match["version"]
    ends = [group.join(match["match_id"], after=after % version) for after in range(20)]
    caused = ada.command(match["match_id"], ROLL).json
    for after, end in enumerate(ends):
        with end:
            wanted = caused["version"] - after % version
            received = received_until(
                end, lambda received, wanted=wanted: received.count(b'{"match_id') >= wanted
            )  # type: ignore[misc]
            sequences = [json.loads(line)["sequence"] for line in received.splitlines() if line]
            assert sequences == [*range(after % version + 1, caused["version"] + 1)]


def test_who_is_gone_is_forgotten(group: Group, ada: Account) -> None:
    match_id = ada.create()["match_id"]
    group.join(match_id).close()
    wait_until(lambda: group.ended == ["a"] and group.following.count() == 0)


def test_who_takes_nothing_is_cut_off_and_the_others_are_not(group: Group, ada: Account) -> None:
    match_id = ada.create()["match_id"]
    ada.play_on(match_id, 300)
    with group.join(match_id, ticket="deaf"), group.join(match_id, ticket="awake") as awake:
        received_until(awake, lambda received: received.count(b"\n\n") >= 20)
        wait_until(lambda: group.ended == ["deaf"])


def test_who_has_lost_the_ticket_is_cut_off(group: Group, ada: Account) -> None:
    match_id = ada.create()["match_id"]
    with group.join(match_id, ticket="lost") as lost, group.join(match_id, ticket="kept"):
        group.lost.add("lost")
        while lost.recv(65536):
            pass
    wait_until(lambda: "lost" in group.ended)


def test_there_is_room_for_so_many_and_no_more(app: Flask, ada: Account) -> None:
    group = Group(app.extensions[EXTENSION], limit=2)
    match_id = ada.create()["match_id"]
    with group.join(match_id):
        assert group.following.has_room()
        with group.join(match_id):
            assert not group.following.has_room()
    wait_until(group.following.has_room)
    group.following.stop()
    assert not group.following.has_room()


def test_a_store_that_goes_away_and_comes_back_costs_no_event(
    group: Group, ada: Account, events_server: Server
) -> None:
    match = ada.create()
    with group.join(match["match_id"], after=match["version"]) as lines:
        received_until(lines, lambda received: len(received) >= 2)
        events_server.kill()
        events_server.start()
        caused = ada.command(match["match_id"], ROLL).json["events"]
        received = received_until(lines, lambda received: received.count(b'{"match_id') == len(caused))
    assert [json.loads(line) for line in received.splitlines() if line] == caused


def test_a_match_that_has_lost_events_is_cut_and_not_waited_for(group: Group, ada: Account) -> None:
    match = ada.create()
    with group.join(match["match_id"], after=match["version"] + 1) as lines:
        assert lines.recv(100) in (b"", b"\n")
        wait_until(lambda: group.ended == ["a"])
