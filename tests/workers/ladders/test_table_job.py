"""Tables of ladders: computed by jobs of their own, however long that takes, and kept for every season."""

import subprocess
import sys
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.ladder import decide
from domain.ladder.config import RatingRules
from domain.ladder.events import RoundStopped
from domain.ladder.results import lines
from domain.ladder.standings import crosstable, standings
from domain.ladder.state import FINISHED, STOPPED, TABLE_FAILED, LadderState
from events import RedisStore, StoreUnavailable
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladders, empty, extended
from events.store import keys
from ops.servers import ROOT
from tests.domain.ladder.simulated import collect
from tests.workers.kit import Place, wait_until
from tests.workers.ladder_kit import QUICK, UNHURRIED, Ladder, recorded
from workers.ladders import claims, table_job
from workers.ladders.context import RoundLimits
from workers.ladders.table_job import update_tables
from workers.queue.claims import Claims
from workers.queue.client import TABLES_JOB, connect

STEPWISE = replace(QUICK, fits_s=0.0)
"""A job for tables makes one step."""
BLOCKWISE = RoundLimits(seconds=0.001, chunk_s=0.0, live_s=0.0, table_s=0.0, bots_s=0.0, fits_s=0.0)
"""And a job for the round plays one block, or none if its time is up before."""


@pytest.fixture
def ladder(place: Place, monkeypatch: pytest.MonkeyPatch) -> Ladder:
    monkeypatch.setattr(table_job, "LEAST_SHARE", 0)
    found = Ladder(place)
    found.enter("random", "landmark_first", "greedy")
    return found


def play_blocks(ladder: Ladder, blocks: int) -> None:
    """Job after job until that many blocks of the round are finished."""

    def are_played() -> bool:
        ladder.play(limits=BLOCKWISE)
        return ladder.round().finished_blocks >= blocks

    wait_until(are_played)


def table_of(ladder: Ladder, state: LadderState, season: int = 1) -> Any:
    """The official table, computed at once."""
    return plain(standings(collect(lines(ladder.id, state, season))))


def plain(table: Any) -> Any:
    """As it is after a way through JSON."""
    return msgspec.json.decode(msgspec.json.encode(table))


def test_a_table_that_takes_longer_than_a_job_is_computed_by_many_to_the_same_digits(ladder: Ladder) -> None:
    ladder.open((0, 1), (1, 2), (2, 0))
    jobs, far = 0, []
    ladder.play(limits=STEPWISE)
    while ladder.round().status != FINISHED:
        assert (jobs := jobs + 1) < 200, "it did not come to an end"
        ladder.compute(limits=STEPWISE)
        progress = ladder_tables.progress(ladder.place.client, ladder.id, 1)
        far += [progress.done] if progress else []
    published = ladder.published()
    assert jobs > 20
    assert far == sorted(far)
    assert {*far} >= {*range(20)}
    assert published.table == table_of(ladder, ladder.state)
    assert (published.blocks, published.took_ms > 0) == (3, True)
    assert ladder_tables.load_fits(ladder.place.client, ladder.id, 1) is None


def test_a_job_makes_at_least_one_step_so_every_round_ends(ladder: Ladder) -> None:
    ladder.open((0, 1))
    ladder.play(limits=STEPWISE)
    ladder.place.client.delete(keys.ladder_fits(ladder.id, 1))
    for before in range(5):
        far = ladder_tables.load_fits(ladder.place.client, ladder.id, 1)
        assert before == (far[1].estimate.steps if far and far[1].estimate else 0)
        ladder.compute(limits=STEPWISE)


def test_a_job_for_tables_ends_when_people_wait(ladder: Ladder) -> None:
    ladder.open((0, 1))
    ladder.play(limits=STEPWISE)
    ladder.place.client.delete(keys.ladder_fits(ladder.id, 1))
    patient = RoundLimits(live_s=0.0, table_s=0.0, bots_s=0.0, fits_s=60.0)
    for steps in (1, 2):
        ladder.compute(limits=patient, people_wait=lambda: True)
        far = ladder_tables.load_fits(ladder.place.client, ladder.id, 1)
        assert far is not None
        assert far[1].estimate is not None
        assert far[1].estimate.steps == steps


@pytest.mark.long
def test_a_table_of_a_round_that_is_played_is_of_the_results_at_one_version(ladder: Ladder) -> None:
    ladder.open(*[(0, 1), (1, 2), (2, 0)] * 120)
    while ladder.published().table is None:
        assert ladder.round().left, "the round was too short"
        ladder.play(limits=BLOCKWISE)
    published, now = ladder.published(), Ladders(RedisStore(ladder.place.client)).load(ladder.id)
    then = extended(empty(now.id), [one for one in now.entries if one.last <= published.version])
    assert 0 < published.blocks < now.state.rounds[0].finished_blocks
    assert published.blocks == then.state.rounds[0].finished_blocks
    assert published.table == table_of(ladder, then.state)


def test_what_was_begun_of_fewer_results_is_dropped_when_the_round_ends(ladder: Ladder) -> None:
    ladder.open(*[(0, 1), (1, 2), (2, 0)] * 3)
    play_blocks(ladder, 2)
    begun = ladder_tables.progress(ladder.place.client, ladder.id, 1)
    assert begun is not None
    assert begun.blocks < 9
    ladder.play_to_the_end()
    assert ladder.published().blocks == 9
    assert ladder.published().table == table_of(ladder, ladder.state)


def test_a_round_whose_table_cannot_be_computed_is_stopped_and_says_why(place: Place) -> None:
    """Without virtual results two matches have no likeliest strengths."""
    ladder = Ladder(place)
    ladder.enter("random", "greedy")
    rules = RatingRules(replicates=20, prior_half_wins=0)
    config = msgspec.structs.replace(ladder.state.config, rating=rules)
    ladder.do(lambda state: decide.open_season(state, config))
    ladder.open((0, 1))
    wait_until(lambda: bool(ladder.play() and ladder.round().status == STOPPED))
    assert [one.reason for one in recorded(ladder, RoundStopped)] == ["table_failed"]
    assert ladder.published().table is None
    Claims(place.queue_client).take(claims.tables(ladder.id, 1), 60_000)
    ladder.play()
    assert ladder_tables.wanted(place.client) == [], "it would be tried for ever"
    place.queue_client.flushall()
    ladder.do(lambda state: decide.resume_round(state, 1))
    ladder.play()
    assert [one.reason for one in recorded(ladder, RoundStopped)] == ["table_failed"] * 2
    ladder.do(lambda state: decide.open_season(state, state.config))
    assert ladder.round().status == FINISHED


def compute_wanted(ladder: Ladder, limits: RoundLimits) -> int:
    """Job after job until no tables are wanted; how many there were."""
    jobs = 0
    while wanted := ladder_tables.wanted(ladder.place.client):
        jobs += 1
        assert jobs < 200, "it did not come to an end"
        ladder.compute(wanted[0][1], limits)
    return jobs


def played_seasons(ladder: Ladder) -> None:
    """Two seasons of a round each."""
    ladder.open((0, 1), (1, 2))
    ladder.play_to_the_end()
    ladder.do(lambda state: decide.open_season(state, state.config))
    ladder.open((2, 0))
    ladder.play_to_the_end(2)


def test_the_table_of_a_season_stays_when_the_next_one_has_its_own(ladder: Ladder) -> None:
    played_seasons(ladder)
    for season in (1, 2):
        assert ladder.published(season).table == table_of(ladder, ladder.state, season)
    assert [ladder.published(season).blocks for season in (1, 2)] == [2, 1]


@pytest.mark.parametrize("limits", [QUICK, STEPWISE], ids=["at once", "in slices"])
def test_tables_that_got_lost_come_back_with_all_their_digits_when_they_are_wanted(
    ladder: Ladder, limits: RoundLimits
) -> None:
    played_seasons(ladder)
    before = ladder.published(1), ladder.published(2)
    ladder.place.client.delete(keys.ladder_tables(ladder.id))
    for season in (1, 2):
        ladder_tables.want(ladder.place.client, ladder.id, season)
    compute_wanted(ladder, limits)
    for season, known in enumerate(before, 1):
        found = ladder.published(season)
        assert (found.table, found.crosstable, found.blocks) == (known.table, known.crosstable, known.blocks)
        assert {one.entry: one.matches for one in found.live} == {
            one.entry: one.matches for one in known.live
        }
    results = collect(lines(ladder.id, ladder.state, 1))
    assert ladder.published(1).crosstable == plain(crosstable(results))


def test_nothing_is_computed_for_a_round_that_is_over_unless_it_is_wanted(ladder: Ladder) -> None:
    played_seasons(ladder)
    ladder.place.client.delete(keys.ladder_tables(ladder.id))
    ladder.compute(1)
    assert ladder_tables.load(ladder.place.client, ladder.id, 1) is None


def test_the_table_of_a_round_that_is_stopped_is_computed_by_further_jobs(ladder: Ladder) -> None:
    ladder.open(*[(0, 1), (1, 2), (2, 0)] * 3)
    play_blocks(ladder, 1)
    ladder.do(lambda state: decide.stop_round(state, 1, "command"))
    ladder.play(limits=STEPWISE)
    assert compute_wanted(ladder, STEPWISE) > 1
    assert ladder.published().blocks == ladder.round().finished_blocks > 0


def test_a_job_that_fails_at_the_tables_leaves_them_to_the_next_one_at_once(ladder: Ladder) -> None:
    ladder.open((0, 1))
    away = msgspec.structs.replace(ladder.worker(), events=connect("redis://127.0.0.1:1"))
    with pytest.raises(StoreUnavailable):
        update_tables(away, ladder.id, 1)
    assert Claims(ladder.place.queue_client).take(claims.tables(ladder.id, 1))


def test_a_job_leaves_tables_alone_that_another_one_computes(ladder: Ladder) -> None:
    ladder.open((0, 1))
    Claims(ladder.place.queue_client).take(claims.tables(ladder.id, 1), 60_000)
    ladder.play()
    assert ladder.round().left == set()
    assert ladder_tables.load(ladder.place.client, ladder.id, 1) is None


KILLED = """
import os, signal, sys
from workers.ladders import claims, table_job
table_job._updated = lambda *given: os.kill(os.getpid(), signal.SIGKILL)
from types import SimpleNamespace
from workers.queue.client import connect
table_job.update_tables(SimpleNamespace(queue=connect(sys.argv[1])), sys.argv[2], 1)
"""
"""A job that is killed while it computes tables."""
WORKER_KILLED = "import subprocess, sys; subprocess.run([sys.executable, '-c', *sys.argv[1:]])"
"""A worker that has a job and ends, whatever became of the job."""


@pytest.mark.long
@pytest.mark.parametrize("worker", [(), ("-c", WORKER_KILLED)], ids=["alone", "with its worker"])
def test_tables_of_a_job_that_was_killed_are_gone_on_with_where_it_was(
    ladder: Ladder, worker: tuple[str, ...]
) -> None:
    ladder.open((0, 1), (1, 2))
    ladder.play(limits=STEPWISE)
    while not (known := ladder_tables.progress(ladder.place.client, ladder.id, 1)) or known.done < 5:
        ladder.compute(limits=STEPWISE)
    words = [*worker, KILLED] if worker else ["-c", KILLED]
    subprocess.run([sys.executable, *words, ladder.place.settings.queue_redis_url, ladder.id], cwd=ROOT)
    assert not Claims(ladder.place.queue_client).take(claims.tables(ladder.id, 1))
    assert ladder.handed_out() == [(TABLES_JOB, 1)]
    ladder.compute(limits=STEPWISE)
    after = ladder_tables.progress(ladder.place.client, ladder.id, 1)
    assert after is not None
    assert after.done == known.done + 1
    ladder.compute()
    assert ladder.published().table == table_of(ladder, ladder.state)
    assert ladder.round().status == FINISHED


def test_jobs_of_a_stopped_round_that_come_late_want_no_table_that_is_up_to_date(ladder: Ladder) -> None:
    """They would have each other handed out for ever."""
    ladder.open((0, 1), (1, 2))
    play_blocks(ladder, 1)
    ladder.do(lambda state: decide.stop_round(state, 1, "command"))
    ladder.play()
    assert ladder_tables.wanted(ladder.place.client) == []
    Claims(ladder.place.queue_client).take(claims.tables(ladder.id, 1), 60_000)
    ladder.play()
    assert ladder_tables.wanted(ladder.place.client) == []


def test_a_job_of_a_stopped_round_wants_its_table(ladder: Ladder) -> None:
    ladder.open((0, 1), (1, 2))
    ladder.do(lambda state: decide.stop_round(state, 1, "command"))
    Claims(ladder.place.queue_client).take(claims.tables(ladder.id, 1), 60_000)
    ladder.play()
    assert ladder_tables.wanted(ladder.place.client) == [(ladder.id, 1)]


def test_what_is_wanted_of_a_season_whose_table_has_failed_is_brought_up_without_it(
    ladder: Ladder,
) -> None:
    """As a test is, of which somebody asks how it stands."""
    ladder.open((0, 1))
    ladder.play(limits=BLOCKWISE)
    ladder.do(lambda state: decide.stop_round(state, 1, TABLE_FAILED))
    ladder.place.client.delete(keys.ladder_tables(ladder.id))
    ladder_tables.want(ladder.place.client, ladder.id, 1)
    ladder.compute()
    assert ladder_tables.wanted(ladder.place.client) == []
    assert ladder.published().live_version == ladder.state.version
    assert ladder.published().table is None


def test_the_relay_hands_out_a_job_for_tables_that_are_wanted(ladder: Ladder) -> None:
    played_seasons(ladder)
    ladder.place.queue_client.flushall()
    ladder_tables.want(ladder.place.client, ladder.id, 1)
    assert ladder.handed_out() == [(TABLES_JOB, 1)]


def test_the_relay_hands_out_no_job_for_tables_that_a_job_computes(ladder: Ladder) -> None:
    played_seasons(ladder)
    ladder.place.queue_client.flushall()
    ladder_tables.want(ladder.place.client, ladder.id, 1)
    Claims(ladder.place.queue_client).take(claims.tables(ladder.id, 1), 60_000)
    assert ladder.handed_out() == []


def test_a_round_with_no_block_left_has_a_job_for_its_table_alone(ladder: Ladder) -> None:
    ladder.open((0, 1))
    Claims(ladder.place.queue_client).take(claims.tables(ladder.id, 1), 60_000)
    ladder.play()
    ladder.place.queue_client.flushall()
    assert ladder.handed_out() == [(TABLES_JOB, 1)]


@pytest.mark.parametrize("season", [3, 99])
def test_tables_of_a_season_without_a_round_are_wanted_no_more(ladder: Ladder, season: int) -> None:
    played_seasons(ladder)
    ladder.do(lambda state: decide.open_season(state, state.config))
    ladder_tables.want(ladder.place.client, ladder.id, season)
    ladder.compute(season)
    assert ladder_tables.wanted(ladder.place.client) == []


def test_tables_of_a_ladder_that_is_not_there_are_wanted_no_more(ladder: Ladder) -> None:
    ladder_tables.want(ladder.place.client, "lad_" + "0" * 26, 1)
    update_tables(ladder.worker(), "lad_" + "0" * 26, 1)
    assert ladder_tables.wanted(ladder.place.client) == []


def test_a_wanted_table_waits_while_a_round_of_its_season_is_played(ladder: Ladder) -> None:
    """That round sees to it, in its share of the time."""
    ladder.open((0, 1))
    ladder.play_to_the_end()
    ladder.open(*[(0, 1)] * 2)
    ladder_tables.want(ladder.place.client, ladder.id, 1)
    ladder.place.client.delete(keys.ladder_tables(ladder.id))
    ladder.compute(limits=replace(UNHURRIED, live_s=0.0))
    assert ladder_tables.wanted(ladder.place.client) == []
    assert ladder.published().table is None
    ladder.play_to_the_end(2)
    assert ladder.published().blocks == 3
