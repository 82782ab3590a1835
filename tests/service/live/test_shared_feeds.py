"""Streams at the end of the service: signs of life, shared reading, lost tokens, stores that go away."""

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from flask import Flask

from ops.servers import Server
from service.context import EXTENSION, Services
from service.edge.middleware import BodyCut
from service.live.feeds import NDJSON, SSE, Feed, StreamFormat
from service.live.shared_feeds import SharedFeeds
from service.live.stream_slots import Slot
from service.live.streams import LiveStream, MatchSource, Pace, Ticket
from tests.service.contract import Account
from tests.service.served import wait_until

QUICK = Pace(heartbeat_s=0.05, inspection_s=0.05, renewal_s=0.05, retry_s=0.05)
ROLL = {"type": "roll_dice", "dice": 1}

Join = Callable[..., Iterator[bytes]]


@pytest.fixture
def services(app: Flask) -> Services:
    found: Services = app.extensions[EXTENSION]
    return found


@pytest.fixture
def join(services: Services) -> Iterator[Join]:
    streams: list[LiveStream] = []

    def open_stream(
        match_id: str, form: StreamFormat = NDJSON, after: int = 0, digest: str = ""
    ) -> Iterator[bytes]:
        ticket = Ticket(digest, Slot("somebody", f"str_{len(streams)}"))
        source = MatchSource(services, Feed(match_id, form, None))
        streams.append(LiveStream(services, {}, source, after, ticket, QUICK))
        return iter(streams[-1])

    yield open_stream
    for stream in streams:
        stream.close()


def events_in(parts: Iterator[bytes], count: int) -> list[dict[str, Any]]:
    """So many events, signs of life left out."""
    found: list[dict[str, Any]] = []
    while len(found) < count:
        found += [msgspec.json.decode(line) for line in next(parts).splitlines() if line]
    return found


def test_a_silent_match_gives_signs_of_life(join: Join, ada: Account) -> None:
    match = ada.create()
    parts = join(match["match_id"], SSE, match["version"])
    received = b"".join([next(parts) for _ in range(8)])
    assert received.startswith(b"retry: 2000\n\n: alive\n\n")
    assert received.count(b": alive\n\n") >= 3


def test_all_who_follow_get_the_same(join: Join, ada: Account) -> None:
    match = ada.create()
    version = match["version"]
    followers = [join(match["match_id"], after=after % version) for after in range(20)]
    caused = ada.command(match["match_id"], ROLL).json
    for after, parts in enumerate(followers):
        wanted = [*range(after % version + 1, caused["version"] + 1)]
        assert [event["sequence"] for event in events_in(parts, len(wanted))] == wanted


def test_what_many_ask_for_at_the_same_time_is_read_once(
    services: Services, ada: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = ada.create()
    feeds, reads = SharedFeeds(services.matches, 100), []
    load, may_go_on = services.matches.load, threading.Event()

    def slow_load(match_id: str) -> Any:
        reads.append(match_id)
        may_go_on.wait()
        return load(match_id)

    monkeypatch.setattr(services.matches, "load", slow_load)
    feed = Feed(match["match_id"], NDJSON, None)
    found: list[int] = []
    readers = [threading.Thread(target=lambda: found.append(feeds.read(feed, 0).after)) for _ in range(20)]
    for reader in readers:
        reader.start()
    may_go_on.set()
    for reader in readers:
        reader.join()
    assert found == [match["version"]] * 20
    assert len(reads) == 1


def test_there_is_room_for_so_many_and_no_more(services: Services) -> None:
    feeds = SharedFeeds(services.matches, 2)
    feeds.enter("mat_a")
    assert feeds.has_room()
    feeds.enter("mat_b")
    assert not feeds.has_room()
    feeds.leave("mat_a")
    assert feeds.has_room()
    assert (feeds.followers("mat_a"), feeds.followers("mat_b")) == (0, 1)


def test_the_more_follow_the_longer_events_gather_before_they_are_sent(
    services: Services, join: Join, ada: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = ada.create()
    match_id, version = match["match_id"], match["version"]
    waits: list[float] = []

    def pass_meanwhile(wait_s: float) -> None:
        waits.append(wait_s)
        assert ada.command(match_id, {"type": "pass"}).status_code == 201

    monkeypatch.setattr(
        "service.live.streams.time", SimpleNamespace(monotonic=lambda: 0.0, sleep=pass_meanwhile)
    )
    followers = [join(match_id, after=version) for _ in range(3)]
    for parts in followers:
        assert [next(parts), next(parts)] == [b"", b""]
    ada.command(match_id, ROLL)
    assert {event["type"] for event in events_in(followers[0], 1)} >= {"dice_rolled", "turn_ended"}
    for _ in range(1000):
        services.shared_feeds.enter(match_id)
    ada.command(match_id, ROLL)
    next(followers[0])
    for _ in range(1000):
        services.shared_feeds.leave(match_id)
    assert waits == [3 * QUICK.gather_s, QUICK.longest_gather_s]


def test_a_stream_whose_token_is_gone_is_cut(join: Join, ada: Account) -> None:
    parts = join(ada.create()["match_id"], digest="of no token")
    with pytest.raises(BodyCut):
        for _ in parts:
            pass


def test_a_store_that_goes_away_and_comes_back_costs_no_event(
    join: Join, ada: Account, events_server: Server
) -> None:
    match = ada.create()
    parts = join(match["match_id"], after=match["version"])
    for _ in range(3):
        next(parts)
    events_server.kill()
    told: list[dict[str, Any]] = []
    reader = threading.Thread(target=lambda: told.extend(events_in(parts, 1)))
    reader.start()
    events_server.start()
    caused = ada.command(match["match_id"], ROLL).json["events"]
    reader.join()
    assert told == caused[: len(told)]


def test_a_match_that_has_lost_events_is_cut_and_not_waited_for(join: Join, ada: Account) -> None:
    match = ada.create()
    parts = join(match["match_id"], after=match["version"] + 1)
    assert next(parts) == b""
    with pytest.raises(BodyCut):
        next(parts)


def test_a_stream_that_goes_on_keeps_its_slot(services: Services, join: Join, ada: Account) -> None:
    match = ada.create()
    parts = join(match["match_id"], after=match["version"])
    client = services.brief_redis
    wait_until(lambda: next(parts) is not None and client.zscore("mk:{streams}:somebody", "str_0"))
