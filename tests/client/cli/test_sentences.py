"""Events in words, as `machi play` and `machi watch` tell them."""

import json
import random

import pytest

from domain.languages.names import LANGUAGES
from machi import Client, Event, me
from machi.answers import decoded
from machi.cli.text import DisplayNames, Narrator
from tests.client.scripted import answer, speaking
from tests.client.stream_lines import event_line


def event_of(sequence: int, kind: str, data: dict[str, object]) -> Event:
    line = {**json.loads(event_line(sequence, kind)), "data": data}
    return decoded(Event, json.dumps(line).encode())


def log_line(sequence: int, text: str) -> dict[str, object]:
    return {
        "sequence": sequence,
        "type": "crowd_cheered",
        "time": "2026-11-20T15:14:45.069Z",
        "seat": None,
        "text": text,
    }


def test_the_sentences_are_those_of_the_service_in_every_language_from_every_event_on(machi: Client) -> None:
    match_id = machi.create_match("harbor", [me(), me(), me()]).match_id
    left = iter(range(60))
    machi.play(lambda turn: random.choice(turn.commands), stop=lambda: next(left, None) is None)
    events = list(machi.history(match_id))
    for lang in LANGUAGES:
        told = [line.text for line in machi.log(match_id, lang=lang)]
        for first in (0, 10, len(events) - 1):
            narrator = Narrator(machi, match_id, DisplayNames([], {}), lang)
            assert [narrator.sentence(event) for event in events[first:]] == told[first:]


@pytest.mark.parametrize(
    "unknown",
    [
        event_of(1, "crowd_cheered", {"volume": 11}),
        event_of(
            1,
            "match_created",
            {
                "ruleset": "base",
                "rules_version": "base@99",
                "digest": "",
                "options": {},
                "seats": 2,
                "first_seat": 0,
                "dice": {"mode": "committed"},
                "creator": "acc_1",
            },
        ),
    ],
    ids=lambda event: event.type,
)
def test_from_an_event_on_that_is_not_known_here_the_service_tells(unknown: Event) -> None:
    lines = [log_line(1, "The crowd\x1b cheers."), log_line(2, "Ada builds nothing.")]
    with speaking(answer(200, {"items": lines, "next": None, "language": "en"})) as (server, machi):
        narrator = Narrator(machi, "mat_1", DisplayNames([], {}), "en")
        told = [narrator.sentence(event) for event in (unknown, decoded(Event, event_line(2)))]
    assert told == ["The crowd  cheers.", "Ada builds nothing."]
    assert [asked.target.partition("?")[0] for asked in server.asked] == ["/v1/matches/mat_1/log"]


def test_who_takes_a_seat_over_is_told_apart_from_others_of_that_name() -> None:
    names = DisplayNames(["ada", "bob", "greedy", "greedy", None], {})
    names.take_seat(0, "bob")
    assert [names.seat(seat) for seat in range(5)] == ["bob 0", "bob", "greedy 2", "greedy 3", "seat 4"]
