"""Tables of a ladder, refused commands and outages, as they are kept on Redis."""

import redis
from msgspec.structs import replace

from domain.ladder.likelihood import Ascent, Point
from domain.ladder.ratings import Fits
from events.ladders import tables as ladder_tables
from events.ladders.tables import LiveRating, Progress, PublishedTable, SequentialProgress
from events.matches import refusals
from events.store import keys, outages

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
    assert ladder_tables.load(events_redis, "lad_1", 2) == PUBLISHED
    assert ladder_tables.load(events_redis, "lad_2", 2) is None


def test_the_tables_of_each_season_are_kept(events_redis: redis.Redis) -> None:
    first = replace(PUBLISHED, season=1, blocks=7)
    for published in (first, PUBLISHED):
        ladder_tables.save(events_redis, "lad_1", published)
    assert ladder_tables.load(events_redis, "lad_1", 1) == first
    assert ladder_tables.load(events_redis, "lad_1", 2) == PUBLISHED
    assert ladder_tables.load(events_redis, "lad_1", 3) is None


def test_tables_of_another_shape_are_as_good_as_none(events_redis: redis.Redis) -> None:
    events_redis.hset(keys.ladder_tables("lad_1"), "2", b'{"season":"two"}')
    assert ladder_tables.load(events_redis, "lad_1", 2) is None


def test_tables_are_wanted_once_until_they_are_there(events_redis: redis.Redis) -> None:
    for ladder_id, season in (("lad_2", 1), ("lad_1", 12), ("lad_2", 1)):
        ladder_tables.want(events_redis, ladder_id, season)
    assert ladder_tables.wanted(events_redis) == [("lad_1", 12), ("lad_2", 1)]
    ladder_tables.want_no_more(events_redis, "lad_1", 12)
    assert not ladder_tables.is_wanted(events_redis, "lad_1", 12)
    assert ladder_tables.is_wanted(events_redis, "lad_2", 1)


HALF = Progress(40, 12, 1_700_000_000_000, 10, 3, 250)
ESTIMATE = Ascent(Point([0.0, 0.1 + 0.2], [0.0, -1e-300]), 1e-12, 7, True)


def test_fits_come_back_to_the_last_bit_from_all_slices(events_redis: redis.Redis) -> None:
    fits = Fits(ESTIMATE, [[1 / 3]], [[1500.0, 0.1], [1500.0, 1e17 / 3]])
    ladder_tables.save_fits(events_redis, "lad_1", 2, replace(HALF, done=2), fits, 0)
    fits.replicates.append([1500.0, 2 / 3])
    ladder_tables.save_fits(events_redis, "lad_1", 2, HALF, fits, 2)
    assert ladder_tables.load_fits(events_redis, "lad_1", 2) == (HALF, fits)
    assert ladder_tables.progress(events_redis, "lad_1", 2) == HALF
    assert ladder_tables.load_fits(events_redis, "lad_1", 1) is None
    assert 0 < events_redis.ttl(keys.ladder_fits("lad_1", 2)) <= ladder_tables.KEPT_S
    ladder_tables.drop_fits(events_redis, "lad_1", 2)
    assert ladder_tables.load_fits(events_redis, "lad_1", 2) is None
    assert ladder_tables.progress(events_redis, "lad_1", 2) is None


def test_fits_of_results_of_another_version_are_never_mixed_in(events_redis: redis.Redis) -> None:
    """As when two workers compute at once because a claim got lost."""
    old, new = Fits(ESTIMATE, [[1.0]], [[1.0]]), Fits(ESTIMATE, [[2.0]], [[2.0]])
    ladder_tables.save_fits(events_redis, "lad_1", 2, HALF, old, 0)
    ladder_tables.save_fits(events_redis, "lad_1", 2, replace(HALF, version=50), new, 0)
    old.replicates += [[3.0], [4.0]]
    ladder_tables.save_fits(events_redis, "lad_1", 2, HALF, old, 1)
    assert ladder_tables.load_fits(events_redis, "lad_1", 2) == (HALF, old)
    ladder_tables.save_fits(events_redis, "lad_1", 2, replace(HALF, version=50), new, 1)
    assert ladder_tables.load_fits(events_redis, "lad_1", 2) == (replace(HALF, version=50), new)


def test_fits_behind_a_slice_that_is_missing_are_made_anew(events_redis: redis.Redis) -> None:
    fits = Fits(ESTIMATE, [[1.0]], [[1.0], [2.0], [3.0]])
    ladder_tables.save_fits(events_redis, "lad_1", 2, HALF, Fits(ESTIMATE, [[1.0]], [[1.0]]), 0)
    ladder_tables.save_fits(events_redis, "lad_1", 2, HALF, fits, 2)
    found = ladder_tables.load_fits(events_redis, "lad_1", 2)
    assert found is not None
    assert found[1].replicates == [[1.0]]


def test_refused_commands_are_counted_by_seat_and_forgotten_at_last(queue_redis: redis.Redis) -> None:
    for seat in (1, 1, 0):
        refusals.record(queue_redis, "mat_1", seat, REFUSAL)
    assert refusals.count(queue_redis, "mat_1", 3) == (1, 2, 0)
    assert refusals.count(queue_redis, "mat_2", 2) == (0, 0)
    found = queue_redis.keys("*mat_1*")
    assert len(found) == 3
    assert all(0 < queue_redis.ttl(key) <= refusals.TTL_S for key in found)


def test_short_gaps_are_no_outage_and_old_outages_are_forgotten(events_redis: redis.Redis) -> None:
    at_ms = 1_700_000_000_000
    for later in (0, outages.LONGEST_GAP_MS, 2 * outages.LONGEST_GAP_MS + 1):
        outages.record(events_redis, at_ms + later)
    found = outages.since(events_redis, 0, at_ms + 2 * outages.LONGEST_GAP_MS + 1)
    assert found == [outages.Outage(at_ms + outages.LONGEST_GAP_MS, at_ms + 2 * outages.LONGEST_GAP_MS + 1)]
    outages.record(events_redis, at_ms + 2 * outages.KEPT_MS)
    later_ones = outages.since(events_redis, 0, at_ms + 2 * outages.KEPT_MS)
    assert [one.last_ms for one in later_ones] == [at_ms + 2 * outages.KEPT_MS]
