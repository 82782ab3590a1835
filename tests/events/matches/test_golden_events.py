"""A real sample of every schema of every event ever released: `tests/golden/events/<type>.v<schema>.json`.

A new type or schema brings its file along. No file is ever changed or removed, and no name leaves the list.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.match.events import REGISTRY, SCHEMA
from domain.match.upcast import parse_tag
from events.matches.entries import CODEC
from events.store.recorded import recorded_form
from tests.events.round_trips import is_kept

FOLDER = Path(__file__).parents[2] / "golden" / "events"
FILES = sorted(FOLDER.glob("*.json"))

RELEASED = {
    "match_created",
    "seat_taken",
    "seat_reserved",
    "reservation_ended",
    "seat_seed_committed",
    "seat_seed_forgone",
    "seat_seed_opened",
    "seat_seed_withheld",
    "match_started",
    "branch_started",
    "turn_started",
    "dice_rolled",
    "choice_requested",
    "dice_kept",
    "two_added",
    "income_received",
    "payment_made",
    "target_chosen",
    "establishments_swapped",
    "swap_declined",
    "establishment_given",
    "coins_levelled",
    "help_received",
    "establishment_built",
    "landmark_built",
    "build_passed",
    "market_refilled",
    "extra_turn_granted",
    "turn_ended",
    "clock_expired",
    "bank_changed",
    "controller_changed",
    "seat_resigned",
    "match_finished",
    "match_aborted",
    "dice_revealed",
    "choice_lapsed",
    "fee_paid",
    "landmark_demolished",
    "establishments_closed",
    "establishments_reopened",
    "renovation_moved",
    "coin_invested",
    "investment_declined",
    "tokens_placed",
}


def sample(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_there_is_a_sample_of_every_schema_of_every_type() -> None:
    expected = {f"{name}.v{schema}" for name, newest in SCHEMA.items() for schema in range(1, newest + 1)}
    assert {path.stem for path in FILES} == expected


def test_no_released_type_is_lost() -> None:
    assert set(REGISTRY) >= RELEASED
    assert {path.stem.partition(".")[0] for path in FILES} >= RELEASED


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_sample_is_decoded_and_written_again_in_the_newest_schema(path: Path) -> None:
    stored = sample(path)["stored"]
    name, schema = parse_tag(stored[0])
    assert path.stem == f"{name}.v{schema}"
    (event,) = CODEC.decode(msgspec.json.encode([stored]))
    assert type(event) is REGISTRY[name]
    written = json.loads(CODEC.encode([event]))[0]
    if schema == SCHEMA[name]:
        assert is_kept(stored, written[: len(stored)])
    assert CODEC.decode(msgspec.json.encode([written])) == (event,)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_sample_keeps_its_form_in_the_api(path: Path) -> None:
    one = sample(path)
    assert recorded_form(one["stored"], CODEC.forms).data == one["data"]
