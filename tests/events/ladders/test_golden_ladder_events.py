"""A real sample of every ladder event ever released: `tests/golden/ladder_events/<type>.v<schema>.json`.

A new type brings its file along, a new member of a type another one: `<type>.v<schema>.<member>.json`. No
file is ever changed or removed, and no name leaves the list.
"""

import json
from pathlib import Path

import msgspec
import pytest

from domain.ladder.events import REGISTRY, Event
from tests.events.round_trips import is_kept

FOLDER = Path(__file__).parents[2] / "golden" / "ladder_events"
FILES = sorted(FOLDER.glob("*.json"))

RELEASED = {
    "ladder_created",
    "entry_added",
    "entry_removed",
    "season_opened",
    "round_opened",
    "public_value_recorded",
    "block_finished",
    "block_voided",
    "round_stopped",
    "round_resumed",
    "round_finished",
    "round_seed_revealed",
    "entry_suspended",
    "entry_reinstated",
    "tournament_started",
    "tournament_finished",
}


def test_there_is_a_sample_of_every_type() -> None:
    assert {path.stem for path in FILES} >= {f"{name}.v1" for name in REGISTRY}


@pytest.mark.parametrize("name", REGISTRY)
def test_there_is_a_sample_with_every_member_that_was_ever_added(name: str) -> None:
    written = [len(json.loads(path.read_text())) for path in FILES if path.stem.split(".")[0] == name]

    assert max(written) == 1 + len(msgspec.structs.fields(REGISTRY[name]))


def test_no_released_name_is_lost() -> None:
    assert set(REGISTRY) >= RELEASED


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_sample_is_read_and_written_as_it_was(path: Path) -> None:
    stored = json.loads(path.read_text())

    event = msgspec.json.decode(path.read_bytes(), type=Event)

    assert event.__struct_config__.tag == stored[0] == path.stem.partition(".")[0]
    assert is_kept(stored, json.loads(msgspec.json.encode(event))[: len(stored)])
