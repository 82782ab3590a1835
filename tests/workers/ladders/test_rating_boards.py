"""The ratings of people as workers compute them: when they are due, in parts, and after a worker has died."""

import pytest
from msgspec.structs import replace

from domain.ladder.rated_matches import Board
from events import Matches, RedisStore
from events.ladders import tables
from events.ladders.ladders import Ladders
from events.ladders.tables import PublishedTable
from events.matches.rated_results import ONLY_SEASON, table_name
from events.store.keys import now_ms
from tests.events.rated import rated_match
from tests.workers.kit import Place, running, wait_until
from workers.ladders import claims, rating_boards
from workers.ladders.context import Context, RoundLimits
from workers.ladders.rating_boards import PAUSE_MS, SETTLED_MS, BoardDispatch, update
from workers.queue.claims import Claims

NAME = table_name(Board("base", 2))


def job(place: Place, fits_s: float = 600.0) -> Context:
    """What a worker has, after the results have settled."""
    return Context(
        place.new_matches(),
        Ladders(RedisStore(place.client)),
        place.client,
        place.queue_client,
        limits=RoundLimits(fits_s=fits_s),
        clock=lambda: now_ms() + SETTLED_MS + 1,
    )


def published(place: Place) -> PublishedTable | None:
    return tables.load(place.client, NAME, ONLY_SEASON)


def content(place: Place) -> object:
    """The table, which does not depend on when it was computed."""
    found = published(place)
    return found and found.table


def play(place: Place, matches: int = 4) -> None:
    for number in range(matches):
        rated_match(place.matches, f"acc_{number % 3}", f"acc_{number % 3 + 1}")


def test_a_table_that_takes_several_jobs_is_that_of_one_job(place: Place) -> None:
    play(place)
    parts = 0
    while published(place) is None:
        update(job(place, fits_s=0.0), NAME)
        parts += 1
    in_parts = content(place)
    place.client.delete(f"mk:{{00}}:tables:{NAME}")

    update(job(place), NAME)

    assert parts > 100
    assert content(place) == in_parts


def test_a_table_is_computed_again_from_the_same_results_to_the_same_digits(place: Place) -> None:
    play(place)
    update(job(place), NAME)
    before = content(place)

    update(job(place), NAME)

    assert content(place) == before


def test_a_result_that_comes_while_a_table_is_computed_counts_in_the_next(place: Place) -> None:
    play(place, 2)
    update(job(place, fits_s=0.0), NAME)
    later = Matches(place.matches.store, place.matches.seeds, clock=lambda: now_ms() + 60_000)
    rated_match(later, "acc_8", "acc_9")

    update(replace(job(place), clock=lambda: now_ms() + 120_000), NAME)

    found = published(place)
    assert found is not None
    assert found.table is not None
    assert (found.table["results"], found.blocks) == (2, 2)


def test_saved_fits_of_other_results_are_not_continued(place: Place) -> None:
    play(place, 2)
    update(job(place, fits_s=0.0), NAME)
    started = tables.load_fits(place.client, NAME, ONLY_SEASON)
    assert started is not None
    changed = replace(started[0], digest="sha-256:other")
    tables.save_fits(place.client, NAME, ONLY_SEASON, changed, started[1], 0)

    update(job(place), NAME)
    assert (published(place), tables.progress(place.client, NAME, ONLY_SEASON)) == (None, None)
    update(job(place), NAME)
    assert content(place) is not None


def test_only_one_job_computes_a_table_at_a_time(place: Place) -> None:
    play(place, 1)
    own = Claims(place.queue_client)
    assert own.take(claims.tables(NAME, ONLY_SEASON))
    update(job(place), NAME)
    assert published(place) is None

    own.release(claims.tables(NAME, ONLY_SEASON))
    update(job(place), NAME)
    assert published(place) is not None


def test_a_table_is_requested_once_results_have_settled_and_not_without_new_ones(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [now_ms()]
    monkeypatch.setattr(rating_boards, "now_ms", lambda: now[0])
    dispatch = BoardDispatch(RedisStore(place.client), place.client)

    def requests() -> list[tuple[str, int]]:
        dispatch.run()
        return tables.wanted(place.client)

    assert requests() == []
    play(place, 1)
    assert requests() == []
    now[0] += SETTLED_MS
    assert requests() == [(NAME, ONLY_SEASON)]
    update(job(place), NAME)
    now[0] += PAUSE_MS
    assert requests() == []
    play(place, 1)
    now[0] += PAUSE_MS
    assert requests() == [(NAME, ONLY_SEASON)]


def test_tables_of_a_board_leave_workers_nine_tenths_of_the_time(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [now_ms() + 1_000_000]
    monkeypatch.setattr(rating_boards, "now_ms", lambda: now[0])
    play(place, 1)
    update(job(place), NAME)
    found = published(place)
    assert found is not None
    tables.save(place.client, NAME, replace(found, took_ms=10_000, computed_at_ms=now[0]))
    play(place, 1)
    dispatch = BoardDispatch(RedisStore(place.client), place.client)

    now[0] += 99_999
    dispatch.run()
    assert tables.wanted(place.client) == []
    now[0] += 1
    dispatch.run()
    assert tables.wanted(place.client) == [(NAME, ONLY_SEASON)]


@pytest.mark.long
def test_ratings_are_computed_although_the_worker_the_relay_and_the_queue_were_lost(place: Place) -> None:
    play(place, 3)
    with running("workers.relay", place) as relay, running("workers.main", place) as worker:
        wait_until(lambda: place.queue_client.exists(f"mk:{{claim}}:{claims.tables(NAME, ONLY_SEASON)}"))
        worker.kill()
        relay.kill()
    place.queue_client.flushall()
    play(place, 3)
    with running("workers.relay", place), running("workers.main", place):
        wait_until(lambda: (found := published(place)) is not None and found.blocks == 6)
    by_workers = content(place)

    update(job(place), NAME)

    assert content(place) == by_workers
