"""A job plays built-in seats on real Redis."""

import threading

import pytest

from domain.events import Dice
from tests.workers.kit import Place
from workers import jobs, playing
from workers.players import PLAYERS
from workers.playing import Counts, Limits


@pytest.mark.parametrize("name", PLAYERS)
def test_a_match_of_built_in_players_is_played_to_its_end(place: Place, name: str) -> None:
    match = place.bots(name, name, name, ruleset="harbor")
    counts = playing.play(place.matches, [(match.match_id, match.last)], Limits(seconds=60))
    place.assert_over([match.match_id])
    assert (counts.stale, counts.failed) == (0, 0)
    assert place.waiting() == 0


def test_a_decision_is_one_command_under_the_id_of_the_version_it_was_made_on(place: Place) -> None:
    match = place.bots("random", "random")
    playing.play(place.matches, [(match.match_id, match.last)], Limits(seconds=0, decisions=2))
    events = place.all_events(match.match_id)[match.last :]
    first = f"ai-{match.match_id}-{match.last}"
    seat = match.state.active
    assert {event.actor for event in events if event.command_id == first} == {f"seat:{seat}"}
    assert len({event.command_id for event in events}) == 2


def test_when_the_time_is_up_the_match_is_handed_on(place: Place) -> None:
    match = place.bots("random", "random")
    counts = playing.play(place.matches, [(match.match_id, match.last)], Limits(seconds=0, decisions=3))
    last = place.outbox.read_log("0-0")[-1]
    assert counts.decisions == 3
    assert (last.next, last.version) == ("ai", place.latest(match.match_id).version)


def test_while_the_job_goes_on_nobody_else_is_asked(place: Place) -> None:
    match = place.bots("random", "random")
    playing.play(place.matches, [(match.match_id, match.last)], Limits(seconds=60, decisions=5))
    assert [pointer.next for pointer in place.outbox.read_log("0-0")][1:-1].count("held") >= 2
    assert place.outbox.read_log("0-0")[-1].next == "over"


def test_a_stale_job_does_nothing(place: Place) -> None:
    match = place.bots("random", "random")
    counts = playing.play(place.matches, [(match.match_id, match.last - 1)])
    assert (counts, place.latest(match.match_id).version) == (Counts(stale=1), match.last)


def test_a_job_leaves_a_person_alone(place: Place) -> None:
    match = place.seats("ada", "random")
    counts = playing.play(place.matches, [(match.match_id, match.last)])
    assert (counts, place.latest(match.match_id).version) == (Counts(stale=1), match.last)


def test_two_workers_on_one_match_play_it_once(place: Place) -> None:
    match = place.bots("random", "random")
    start = threading.Barrier(2)
    found: list[Counts] = []

    def work() -> None:
        matches = place.new_matches()
        start.wait()
        found.append(playing.play(matches, [(match.match_id, match.last)], Limits(seconds=60)))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    place.assert_over([match.match_id])
    appended = [one.appended for one in found]
    assert sum(appended) == len(place.outbox.read_log("0-0")) - 1
    assert sum(one.stale for one in found) == 1


def test_the_same_choices_are_made_again(place: Place) -> None:
    """A decision follows from the match's secret and the version, so a retry after a crash repeats it."""
    match = place.bots("random", "random", "random")
    held = playing._taken_up(place.matches, [(match.match_id, match.last)], Counts())[0]
    again = playing._taken_up(place.new_matches(), [(match.match_id, match.last)], Counts())[0]
    batches = playing._batches(held.loaded.state.copy(), held, 50)
    assert playing._batches(again.loaded.state.copy(), again, 50) == batches


def test_one_match_that_cannot_be_played_does_not_stop_the_others(place: Place) -> None:
    """A strategy that this release does not have, and a match that is not there."""
    stuck = place.seats("retired", "random")
    sound = place.bots("random", "random")
    turns = [(stuck.match_id, stuck.last), ("mat_nowhere", 4), (sound.match_id, sound.last)]
    counts = playing.play(place.matches, turns, Limits(seconds=60))
    place.assert_over([sound.match_id])
    assert counts.failed == 2


@pytest.mark.parametrize(
    ("throws", "reason"),
    [(((1,), (2,)), "dice_tape_exhausted"), (((1,), (2, 3)), "dice_tape_mismatch")],
)
def test_a_tape_that_cannot_go_on_ends_the_match(
    place: Place, throws: tuple[tuple[int, ...], ...], reason: str
) -> None:
    match = place.bots("random", "random", dice=Dice("scripted", throws=throws))
    playing.play(place.matches, [(match.match_id, match.last)], Limits(seconds=60))
    latest = place.latest(match.match_id)
    last = next(event for event in place.all_events(match.match_id) if event.type == "match_aborted")
    assert (latest.state.status, latest.state.result, last.actor) == ("aborted", reason, "service")
    assert place.waiting() == 0


def test_the_job_connects_by_itself(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = place.settings
    monkeypatch.setenv("EVENTS_REDIS_URL", settings.events_redis_url)
    monkeypatch.setenv("QUEUE_REDIS_URL", settings.queue_redis_url)
    monkeypatch.setenv("MASTER_KEYS", settings.master_keys)
    match = place.bots("random", "random")
    jobs.play([(match.match_id, match.last)], 1)
    place.assert_over([match.match_id])
    jobs._matches.cache_clear()
