"""Streams of events: each event once and in order, whatever happens to the connection."""

import random
from collections.abc import Callable
from contextlib import closing
from itertools import count

import pytest

from machi import ApiError, Client, ConnectionFailed, NotAllowed, Retries, Throttled, UnusableAnswer
from tests.client.scripted import (
    DEADLINE_S,
    SILENT_S,
    Asked,
    Clock,
    Move,
    Script,
    answer,
    cut,
    lines,
    problem,
    silence,
    speaking,
)
from tests.client.stream_lines import after, end_line, event_line, whole

LAST = 12


def sequences(machi: Client, begin: int = 0) -> list[int]:
    return [event.sequence for event in machi.follow("mat_1", begin)]


def cutting(length_of: Callable[[int], int], version: int = LAST, ended: bool = False) -> Script:
    """A match that is over, whose stream is cut each time behind so many bytes."""
    numbers = count()

    def script(asked: Asked) -> Move:
        sent = whole(version, after(asked))
        return lines(sent[: length_of(next(numbers))], ended=ended)

    return script


def test_the_stream_of_a_match_that_is_over_ends() -> None:
    with speaking(lines(whole(LAST))) as (server, machi):
        assert sequences(machi) == list(range(1, LAST + 1))
    assert len(server.asked) == 1
    assert server.asked[0].target == "/v1/matches/mat_1/events?after=0&follow=true"
    assert server.asked[0].headers["accept"] == "application/x-ndjson"


def test_a_stream_begins_behind_the_event_asked_for() -> None:
    with speaking(script=cutting(lambda _: 10_000)) as (_, machi):
        assert sequences(machi, 9) == [10, 11, 12]


@pytest.mark.parametrize("ended", [False, True], ids=["broken off", "ended without stream_end"])
@pytest.mark.parametrize("length", range(0, len(whole(3)) + 1, 11))
def test_a_stream_that_is_cut_anywhere_gives_every_event_once(length: int, ended: bool) -> None:
    cuts = [length, 10_000]
    with speaking(script=cutting(lambda number: cuts[min(number, 1)], 3, ended)) as (_, machi):
        assert sequences(machi) == [1, 2, 3]


@pytest.mark.parametrize("seed", range(5))
def test_a_stream_that_is_cut_again_and_again_gives_every_event_once(seed: int) -> None:
    dice = random.Random(seed)
    with speaking(script=cutting(lambda _: dice.randrange(2000), 60)) as (server, machi):
        assert sequences(machi) == list(range(1, 61))
    assert len(server.asked) > 10


@pytest.mark.parametrize("size", [1, 2, 100, 1000])
def test_lines_may_come_in_pieces(size: int) -> None:
    sent = whole(4)
    with speaking(lines(*[sent[i : i + size] for i in range(0, len(sent), size)])) as (_, machi):
        assert sequences(machi) == [1, 2, 3, 4]


@pytest.mark.long
def test_empty_lines_are_signs_of_life_and_nothing_else() -> None:
    beats = lines(event_line(1), *[b"\n", b"\n\n"] * 10, event_line(2), end_line(2), wait_s=SILENT_S / 10)
    with speaking(beats, silence=SILENT_S) as (server, machi):
        assert sequences(machi) == [1, 2]
    assert len(server.asked) == 1


def test_a_stream_that_falls_silent_is_taken_up_again() -> None:
    dead = lines(event_line(1), ended=False, hold=True)
    with speaking(dead, lines(whole(3, 1)), silence=SILENT_S) as (server, machi):
        assert sequences(machi) == [1, 2, 3]
    assert [after(asked) for asked in server.asked] == [0, 1]


def test_an_event_that_comes_twice_is_given_once() -> None:
    doubled = lines(event_line(1), event_line(2), event_line(2), event_line(1), event_line(3), end_line(3))
    with speaking(doubled) as (_, machi):
        assert sequences(machi) == [1, 2, 3]


def test_an_event_that_is_left_out_is_an_error() -> None:
    with speaking(lines(event_line(1), event_line(3))) as (_, machi):
        events = machi.follow("mat_1")
        assert next(events).sequence == 1
        with pytest.raises(UnusableAnswer, match="event 2 is missing from the stream"):
            next(events)


def test_of_chosen_types_others_are_not_missed() -> None:
    chosen = lines(event_line(3), event_line(9), end_line(9))
    with speaking(lines(event_line(3), ended=False), chosen) as (server, machi):
        found = [event.sequence for event in machi.follow("mat_1", types=["build_passed", "turn_ended"])]
    assert found == [3, 9]
    assert [after(asked) for asked in server.asked] == [0, 3]
    assert all("types=build_passed%2Cturn_ended" in asked.target for asked in server.asked)


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(cut(), id="no answer"),
        pytest.param(silence(), id="silence", marks=pytest.mark.long),
        pytest.param(problem(503, "too_busy"), id="503"),
        pytest.param(problem(429, "too_many_streams", {"Retry-After": "0"}), id="429"),
    ],
)
def test_a_stream_that_cannot_be_had_is_asked_for_again(trouble: Move) -> None:
    moves = [trouble, lines(event_line(1), ended=False), trouble, trouble, lines(whole(3, 1))]
    with speaking(*moves, silence=SILENT_S) as (server, machi):
        assert sequences(machi) == [1, 2, 3]
    assert [after(asked) for asked in server.asked] == [0, 0, 1, 1, 1]


def test_a_stream_that_stays_away_is_given_up(clock: Clock) -> None:
    short = Retries(total_s=0.2, first_s=0.01, most_s=0.02)
    with speaking(lines(event_line(1), ended=False), cut(), retries=short) as (server, machi):
        events = machi.follow("mat_1")
        assert next(events).sequence == 1
        with pytest.raises(ConnectionFailed):
            next(events)
    assert len(server.asked) > 3


def test_a_stream_that_is_always_cut_at_once_is_given_up(clock: Clock) -> None:
    short = Retries(total_s=0.2, first_s=0.01, most_s=0.02)
    is_given_up = pytest.raises(ConnectionFailed, match="the event stream was interrupted")
    with speaking(lines(), retries=short) as (_, machi), is_given_up:
        sequences(machi)


def test_the_time_to_try_again_begins_anew_with_every_sign_of_life(clock: Clock) -> None:
    short = Retries(total_s=0.3, first_s=0.1, most_s=0.1)
    moves = [lines(event_line(number), ended=False) for number in range(1, 9)]
    with speaking(*moves, lines(whole(9, 8)), retries=short) as (_, machi):
        assert sequences(machi) == list(range(1, 10))
    assert clock.slept_s > short.total_s


def test_a_reader_may_be_slow(clock: Clock) -> None:
    short = Retries(total_s=0.1, first_s=0.01)
    with speaking(lines(event_line(1), ended=False), lines(whole(2, 1)), retries=short) as (_, machi):
        events = machi.follow("mat_1")
        assert next(events).sequence == 1
        clock.sleep(2 * short.total_s)
        assert next(events).sequence == 2


def test_who_may_not_read_on_is_told() -> None:
    moves = [lines(event_line(1), ended=False), problem(401, "token_expired")]
    with speaking(*moves) as (_, machi), pytest.raises(NotAllowed, match="token_expired"):
        sequences(machi)


def test_a_stream_that_has_come_to_its_limit_says_so_in_the_end() -> None:
    full = problem(429, "too_many_streams", {"Retry-After": "3600"})
    with speaking(full) as (_, machi), pytest.raises(Throttled) as refused:
        sequences(machi)
    assert refused.value.retry_after == 3600


def test_a_cursor_beyond_the_head_is_refused_at_once() -> None:
    is_refused = pytest.raises(ApiError, match="cursor_ahead")
    with speaking(problem(400, "cursor_ahead", max_version=3)) as (server, machi), is_refused:
        sequences(machi, 9)
    assert len(server.asked) == 1


def test_what_is_no_stream_is_refused() -> None:
    with (
        speaking(answer(200, {"items": []})) as (_, machi),
        pytest.raises(UnusableAnswer, match="the stream has the content type application/json"),
    ):
        sequences(machi)


def test_closing_a_stream_closes_its_connection() -> None:
    open_end = lines(event_line(1), ended=False, hold=True)
    with speaking(open_end, timeout=DEADLINE_S) as (server, machi):
        with closing(machi.follow("mat_1")) as events:
            assert next(events).sequence == 1
            assert not server.closed.is_set()
        assert server.closed.wait(DEADLINE_S)


def test_history_ends_at_the_head_of_a_match_that_goes_on() -> None:
    head = {"Match-Head": 'v=5; h="sha-256:00"'}
    so_far = b"".join(event_line(number) for number in range(1, 6))
    with speaking(lines(so_far, headers=head)) as (server, machi):
        assert [event.sequence for event in machi.history("mat_1")] == [1, 2, 3, 4, 5]
    assert server.asked[0].target == "/v1/matches/mat_1/events?after=0"


def test_history_that_ends_before_the_head_was_cut() -> None:
    head = {"Match-Head": 'v=3; h="sha-256:00"'}
    moves = [lines(event_line(1), headers=head), lines(event_line(2), event_line(3), headers=head)]
    with speaking(*moves) as (server, machi):
        assert [event.sequence for event in machi.history("mat_1")] == [1, 2, 3]
    assert [after(asked) for asked in server.asked] == [0, 1]
