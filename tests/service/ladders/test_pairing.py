"""Who meets whom in a round follows from the ladder's exported history, by docs/ladders.md."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient

from domain.ladder.events import REGISTRY, Event, RoundOpened, Table
from domain.ladder.pairing import Strength, tables
from domain.ladder.ratings import rate
from domain.ladder.results import entry_line, results_of
from domain.ladder.state import ACTIVE, LadderState, fold, initial_state
from tests.service.contract import Account
from tests.service.ladder_kit import Operated, finish_blocks, finish_round, publish

NAMES = ("greedy", "random", "landmark_first", "bakery", "cheese", "expected_value")


@pytest.fixture
def ladder(ada: Account) -> Operated:
    """A ladder that refines early."""
    made = Operated(ada, meetings=1, seed="5e" * 32)
    for name in NAMES:
        made.enter(name)
    return made


def exported(client: FlaskClient, ladder: Operated) -> list[Event]:
    """The history, page by page."""
    found: list[Event] = []
    path: str | None = f"{ladder.path}/events?limit=50"
    while path:
        page = client.get(path).json
        found += [event_of(item) for item in page["items"]]
        path = f"{ladder.path}/events?limit=50&after={page['next']}" if page["next"] else None
    return found


def event_of(item: dict[str, Any]) -> Event:
    names = [member.name for member in msgspec.structs.fields(REGISTRY[item["type"]])]
    stored = [item["type"], *[item["data"][name] for name in names if name in item["data"]]]
    event: Event = msgspec.json.decode(msgspec.json.encode(stored), type=Event)
    return event


def opened_in(history: Sequence[Event]) -> list[tuple[int, RoundOpened]]:
    """The rounds, each with the number of events before it."""
    return [(place, event) for place, event in enumerate(history) if isinstance(event, RoundOpened)]


def strengths_at(history: Sequence[Event], version: int, season: int) -> dict[str, Strength]:
    """From the official table of the results up to that event."""
    then = fold(initial_state(), history[:version])
    rated = rate(results_of("lad_x", then, season)).entries
    return {one.entry: Strength(one.rating, one.rating_interval[1] - one.rating_interval[0]) for one in rated}


def paired(state: LadderState, opened: RoundOpened, strengths: dict[str, Strength]) -> tuple[Table, ...]:
    """The tables of the round, from the state before it."""
    before = [round for round in state.rounds if round.purpose == "rated" and round.season == opened.season]
    played = [block.table for round in before for block in round.blocks if not block.is_given_up]
    bases = [[state.entries[number].id for number in table] for table in played]
    active = [entry_line(entry) for entry in state.entries if entry.status == ACTIVE]
    count = len(opened.tables)
    found = tables(state.config, active, bases, opened.first_block, count, strengths)
    return tuple([tuple([state.numbers[entry] for entry in table]) for table in found])


def test_the_tables_of_every_round_follow_from_the_exported_history_alone(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    ladder.open_round(15)
    finish_blocks(app, ladder.id)
    first = publish(app, ladder.id)
    finish_round(app, ladder.id)
    ladder.open_round(20)
    finish_blocks(app, ladder.id, 8)
    second = publish(app, ladder.id)  # and no later one
    finish_blocks(app, ladder.id)
    finish_round(app, ladder.id, 2)
    gone = ladder.shown()["entries"][1]["entry_id"]
    assert ladder.owner.delete(f"{ladder.path}/entries/{gone}").status_code == 204
    ladder.enter("greedy", name="greedy again")
    ladder.open_round(25)

    history = exported(client, ladder)
    rounds = opened_in(history)
    assert [opened.refined_by for _, opened in rounds] == [0, first.version, second.version]
    for place, opened in rounds:
        state = fold(initial_state(), history[:place])
        version = opened.refined_by or 0
        strengths = strengths_at(history, version, opened.season) if version else {}
        assert paired(state, opened, strengths) == opened.tables
    place, opened = rounds[1]
    assert paired(fold(initial_state(), history[:place]), opened, {}) != opened.tables


def test_a_season_begins_without_the_ratings_of_the_one_before(
    ladder: Operated, app: Flask, client: FlaskClient
) -> None:
    ladder.open_round(15)
    finish_blocks(app, ladder.id)
    publish(app, ladder.id)
    finish_round(app, ladder.id)
    ladder.owner.post(f"{ladder.path}/seasons")
    ladder.open_round(5)
    assert [opened.refined_by for _, opened in opened_in(exported(client, ladder))] == [0, 0]


def test_a_round_in_which_nobody_is_paired_names_no_table(ladder: Operated, client: FlaskClient) -> None:
    a, b = (entry["entry_id"] for entry in ladder.shown()["entries"][:2])
    ladder.owner.post(f"{ladder.path}/tests", {"a": a, "b": b, "most_blocks": 1})
    assert [opened.refined_by for _, opened in opened_in(exported(client, ladder))] == [None]
