"""Recorded matches, perft counts, the list of events and the digests of the rulesets stay what they were.

`make golden` writes them anew; a change to one is reviewed line by line.
"""

from pathlib import Path

import msgspec
import pytest

from domain import fold
from domain.match.events import REGISTRY
from domain.match.rulesets import VERSIONS, digest
from tests.domain import perft
from tests.domain.golden_matches import FOLDER, RECIPES, commands_of, creation_of, events_of, replayed

GOLDEN = Path(__file__).parents[1] / "golden"
EVENTS = GOLDEN / "events.json"
RULESETS = GOLDEN / "rulesets.json"


def members() -> dict[str, list[str]]:
    """The members of each event, in their stored order."""
    return {name: list(event.__struct_fields__) for name, event in sorted(REGISTRY.items())}


def recorded_members() -> dict[str, list[str]]:
    return msgspec.json.decode(EVENTS.read_bytes(), type=dict[str, list[str]])


def digests() -> dict[str, str]:
    return {version: digest(ruleset) for version, ruleset in sorted(VERSIONS.items())}


def test_every_recorded_match_has_its_recipe_and_every_recipe_its_match() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_the_commands_of_a_recorded_match_cause_its_events_byte_for_byte(name: str) -> None:
    text = (FOLDER / f"{name}.jsonl").read_bytes()
    recorded = [line for line in text.splitlines() if line.startswith(b"[")]

    found, live = replayed(name, text)
    assert found == recorded
    assert fold(None, events_of(text)) == live
    assert live.status in ("finished", "aborted")


@pytest.mark.parametrize("name", RECIPES)
def test_a_recorded_match_was_made_as_its_recipe_says(name: str) -> None:
    text = (FOLDER / f"{name}.jsonl").read_bytes()

    assert next(commands_of(text)) == creation_of(name)


@pytest.mark.parametrize("name", perft.TABLES)
def test_the_number_of_command_sequences_from_a_fixed_table_is_as_counted(name: str) -> None:
    recorded = dict(line.split(": ") for line in perft.FILE.read_text().splitlines())

    assert " ".join(map(str, perft.counts(name))) == recorded[name]


def test_no_event_and_no_member_was_ever_lost_renamed_or_moved() -> None:
    now = members()
    for name, recorded in recorded_members().items():
        assert now[name][: len(recorded)] == recorded


def test_members_that_were_added_have_a_default() -> None:
    """Else events that were stored without them could not be read."""
    for name, recorded in recorded_members().items():
        for field in msgspec.structs.fields(REGISTRY[name])[len(recorded) :]:
            assert not field.required, f"{name}.{field.name}"


def test_every_event_and_member_is_recorded() -> None:
    assert members() == recorded_members()


def test_the_tables_of_a_released_ruleset_never_change() -> None:
    """A ruleset that was played keeps its tables for ever: a change is a new version beside the old one."""
    recorded = msgspec.json.decode(RULESETS.read_bytes(), type=dict[str, str])

    for version, shipped in recorded.items():
        assert digests()[version] == shipped, version
    assert set(digests()) == set(recorded)
