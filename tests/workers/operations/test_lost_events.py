"""The end of the event store's file is cut off: what is gone is told and counted, and the service goes on."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import structlog

from domain.match.commands import AbortMatch
from events import Loaded, RedisStore
from events.ladders.ladders import Ladders
from events.store import keys
from events.store.heads import Heads, MissingEvents
from events.store.keys import now_ms
from events.store.outbox import KEPT_MS, LOG_START, RELAY
from ops.servers import Server
from runtime.metrics import REGISTRY
from tests.events.backups import cut_off, file_size
from tests.events.example_ladders import _entry, made
from tests.events.example_matches import creation, play
from tests.workers.kit import Place, relaying, running, wait_until
from workers.operations.lost_events import LostEvents
from workers.turns.partition import RelayIntervals

QUICK = RelayIntervals(block_s=0.05, lease_s=0.5, signer_s=0.02)


@pytest.fixture
def heads(place: Place) -> Heads:
    return Heads(place.queue_client, place.client)


@pytest.fixture
def losses(place: Place, heads: Heads) -> LostEvents:
    return LostEvents(heads, place.notary)


def missing(place: Place) -> float:
    return REGISTRY.get_sample_value("machi_events_missing_total", {"source": "log"}) or 0


def compare(losses: LostEvents) -> list[dict[str, Any]]:
    """What is told when a relay takes its lease."""
    with structlog.testing.capture_logs() as told:
        losses.begin()
        losses.run()
    return [dict(line) for line in told]


def remembered(place: Place, losses: LostEvents) -> None:
    """Have all that was appended so far remembered, as a relay does that has read it."""
    losses.store(place.outbox.read_log(LOG_START, 10_000))
    losses.run()


def playing(place: Place) -> Loaded:
    match_id = place.new_matches().create(creation()).match_id
    return play(place.matches, place.matches.load(match_id), Random(1), 5)


def test_nothing_is_missing_from_a_store_that_was_killed(
    place: Place, losses: LostEvents, events_server: Server
) -> None:
    for _ in range(3):
        playing(place)
    remembered(place, losses)
    events_server.kill()
    events_server.start()
    before = missing(place)
    (line,) = compare(losses)
    assert (line["event"], line["remembered"], line["missing"]) == ("appends_compared", 6, 0)
    assert missing(place) == before


def test_each_match_that_lost_its_end_is_named_with_what_is_missing(
    place: Place, losses: LostEvents, events_server: Server
) -> None:
    whole, shorter = playing(place), playing(place)
    size = file_size(events_server)
    longer = play(place.matches, shorter, Random(2), 3)
    middle = file_size(events_server)
    gone = playing(place)
    remembered(place, losses)
    cut_off(events_server, (size + middle) // 2)
    before = missing(place)
    (line,) = compare(losses)
    lost = longer.version - shorter.version + gone.version
    assert (line["event"], line["log_level"]) == ("events_missing", "error")
    assert (line["matches"], line["events"]) == (2, lost)
    assert set(line["missing"]) == {
        f"{shorter.match_id} {shorter.version + 1}-{longer.version}",
        f"{gone.match_id} 1-{gone.version}",
    }
    assert missing(place) == before + lost
    assert place.latest(whole.match_id).head_hash == whole.head_hash
    assert [told["event"] for told in compare(losses)] == ["appends_compared"], "it is told once"


def test_what_was_lost_is_missed_though_the_match_has_gone_on_since(
    place: Place, heads: Heads, events_server: Server
) -> None:
    loaded = playing(place)
    size = file_size(events_server)
    lost = play(place.matches, loaded, Random(2), 2)
    heads.remember(place.outbox.read_log(LOG_START))
    cut_off(events_server, size)
    now = play(place.new_matches(), place.latest(loaded.match_id), Random(3), 9)
    assert now.version > lost.version
    assert heads.compare().missing == (MissingEvents(loaded.match_id, loaded.version + 1, lost.version),)


def test_ladders_are_missed_as_matches_are(place: Place, heads: Heads, events_server: Server) -> None:
    ladders = Ladders(RedisStore(place.client))
    ladder_id = made(ladders)
    size = file_size(events_server)
    ladders.execute(ladder_id, lambda state: _entry(state, "lost"), "account:acc_1")
    heads.remember(place.outbox.read_log(LOG_START))
    cut_off(events_server, size)
    assert heads.compare().missing == (MissingEvents(ladder_id, 6, 6),)


def test_lines_of_the_log_of_checkpoints_are_missed(
    place: Place, losses: LostEvents, events_server: Server
) -> None:
    ids = [place.matches.create(creation()).match_id for _ in range(3)]
    losses.run()
    sizes = []
    for match_id in ids:
        sizes.append(file_size(events_server))
        place.matches.execute(match_id, AbortMatch(), "account:acc_0")
    remembered(place, losses)
    before = REGISTRY.get_sample_value("machi_checkpoints_missing_total") or 0
    cut_off(events_server, sizes[1])
    told = [line for line in compare(losses) if line["event"] == "checkpoints_missing"]
    assert [(line["remembered"], line["last"], line["missing"]) for line in told] == [(3, 1, 2)]
    assert REGISTRY.get_sample_value("machi_checkpoints_missing_total") == before + 2
    assert not [line for line in compare(losses) if line["event"] == "checkpoints_missing"]


def test_a_line_that_is_another_one_is_missed(
    place: Place, losses: LostEvents, events_server: Server
) -> None:
    ids = [place.matches.create(creation()).match_id for _ in range(2)]
    size = file_size(events_server)
    place.matches.execute(ids[0], AbortMatch(), "account:acc_0")
    remembered(place, losses)
    cut_off(events_server, size)
    place.matches.execute(ids[1], AbortMatch(), "account:acc_0")
    told = [line for line in compare(losses) if line["event"] == "checkpoints_missing"]
    assert [(line["remembered"], line["last"], line["missing"]) for line in told] == [(1, 1, 1)]


@pytest.mark.parametrize("is_empty", [True, False])
def test_pointers_that_were_trimmed_are_not_missed(place: Place, heads: Heads, is_empty: bool) -> None:
    for _ in range(4):
        playing(place)
    heads.remember(place.outbox.read_log(LOG_START))
    place.client.xtrim(keys.LOG, maxlen=0 if is_empty else 3, approximate=False)
    later = Heads(place.queue_client, place.client, lambda: now_ms() + KEPT_MS)
    found = later.compare()
    assert (found.remembered, found.missing) == (0 if is_empty else 3, ())


def test_an_empty_store_has_lost_everything(place: Place, heads: Heads, events_server: Server) -> None:
    loaded = playing(place)
    heads.remember(place.outbox.read_log(LOG_START))
    cut_off(events_server, 0)
    assert heads.compare().missing == (MissingEvents(loaded.match_id, 1, loaded.version),)


def test_the_last_appends_alone_are_remembered(
    place: Place, heads: Heads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.store.heads.REMEMBERED", 5)
    for _ in range(4):
        playing(place)
    log = place.outbox.read_log(LOG_START)
    heads.remember(log)
    heads.remember(log[2:])
    assert heads.compare().remembered == 5


def test_nothing_is_compared_without_the_queues_redis_until_it_is_back(
    place: Place,
    losses: LostEvents,
    queue_server: Server,
    events_server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workers.operations.lost_events.PAUSE_S", 0.0)
    size = file_size(events_server)
    playing(place)
    remembered(place, losses)
    cut_off(events_server, size)
    queue_server.stop()
    assert {line["event"] for line in compare(losses)} == {"appends_not_remembered"}
    playing(place)
    losses.store(place.outbox.read_log(LOG_START))
    queue_server.start()
    with structlog.testing.capture_logs() as told:
        losses.run()
    assert [line["event"] for line in told] == ["events_missing"]


def test_a_relay_that_lives_on_misses_what_was_cut_off(place: Place, events_server: Server) -> None:
    playing(place)
    size = file_size(events_server)
    before = missing(place)
    with relaying(place, QUICK):
        lost = playing(place)
        wait_until(lambda: place.outbox.checkpoint(RELAY) == place.outbox.end())
        cut_off(events_server, size)
        wait_until(lambda: missing(place) == before + lost.version)
        playing(place)
        wait_until(lambda: place.outbox.checkpoint(RELAY) == place.outbox.end())
    assert missing(place) == before + lost.version


@pytest.mark.long
def test_a_relay_that_is_started_names_what_was_cut_off_before(
    place: Place, events_server: Server, tmp_path: Path
) -> None:
    size = file_size(events_server)
    with running("workers.relay", place):
        lost = playing(place)
        wait_until(lambda: place.outbox.checkpoint(RELAY) == place.outbox.end())
    cut_off(events_server, size)
    log = tmp_path / "log"
    with running("workers.relay", place, log):
        wait_until(lambda: b"events_missing" in log.read_bytes())
    (line,) = [json.loads(one) for one in log.read_text().splitlines() if "events_missing" in one]
    assert line["missing"] == [f"{lost.match_id} 1-{lost.version}"]
