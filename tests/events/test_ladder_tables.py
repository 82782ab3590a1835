"""Tables of a ladder, refused commands and outages, as they are kept on Redis."""

import redis

from events import keys, ladder_tables, outages, refusals
from events.ladder_tables import LiveRating, PublishedTable, SequentialProgress

REFUSAL = refusals.Refusal(1_700_000_000_000, "insufficient_coins", "/card", 40)

PUBLISHED = PublishedTable(
    season=2,
    version=40,
    blocks=12,
    computed_at_ms=1_700_000_000_000,
    table={"standings": [], "anchor": None},
    crosstable=[],
    live=(LiveRating("ent_1", 1500.0, 1400.5, 1599.5, 24),),
    tests=(SequentialProgress(3, 0.5, -2.9, 2.9, 4, 3, 0, 4, 12.5, (-100.0, 125.0)),),
    strengths=((0, 25.0, 8.3, 24),),
)


def test_tables_come_back_as_they_were_saved(events_redis: redis.Redis) -> None:
    ladder_tables.save(events_redis, "lad_1", PUBLISHED)
    assert ladder_tables.load(events_redis, "lad_1") == PUBLISHED
    assert ladder_tables.load(events_redis, "lad_2") is None


def test_tables_of_another_shape_are_as_good_as_none(events_redis: redis.Redis) -> None:
    events_redis.set(keys.ladder_table("lad_1"), b'{"season":"two"}')
    assert ladder_tables.load(events_redis, "lad_1") is None


def test_refused_commands_are_counted_by_seat_and_forgotten_at_last(queue_redis: redis.Redis) -> None:
    for seat in (1, 1, 0):
        refusals.note(queue_redis, "mat_1", seat, REFUSAL)
    assert refusals.count(queue_redis, "mat_1", 3) == (1, 2, 0)
    assert refusals.count(queue_redis, "mat_2", 2) == (0, 0)
    found = queue_redis.keys("*mat_1*")
    assert len(found) == 3
    assert all(0 < queue_redis.ttl(key) <= refusals.TTL_S for key in found)


def test_short_gaps_are_no_outage_and_old_outages_are_forgotten(events_redis: redis.Redis) -> None:
    at_ms = 1_700_000_000_000
    for later in (0, outages.LONGEST_GAP_MS, 2 * outages.LONGEST_GAP_MS + 1):
        outages.note(events_redis, at_ms + later)
    found = outages.since(events_redis, 0, at_ms + 2 * outages.LONGEST_GAP_MS + 1)
    assert found == [outages.Outage(at_ms + outages.LONGEST_GAP_MS, at_ms + 2 * outages.LONGEST_GAP_MS + 1)]
    outages.note(events_redis, at_ms + 2 * outages.KEPT_MS)
    later_ones = outages.since(events_redis, 0, at_ms + 2 * outages.KEPT_MS)
    assert [one.last_ms for one in later_ones] == [at_ms + 2 * outages.KEPT_MS]
