"""Old schemas are read for ever. There are none yet, so these tests make some up."""

from typing import Any

import msgspec
import pytest

from domain.match.events import REGISTRY, SCHEMA
from domain.match.upcast import STEPS, UpcastStep, parse_tag, tag_of, upcast
from events.store.chain import Codec, Form, forms, recorded_form


class CoinsFound(msgspec.Struct, frozen=True, array_like=True, tag="coins_found.3"):
    """Schema 1 was (seat, coins), schema 2 (seat, coins, place), schema 3 has a tuple of seats."""

    seats: tuple[int, ...]
    coins: int
    place: str


MADE_UP = {
    ("coins_found", 1): UpcastStep(("seat", "coins"), lambda members: [*members, "street"]),
    ("coins_found", 2): UpcastStep(("seat", "coins", "place"), lambda members: [[members[0]], *members[1:]]),
}


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (["coins_found", 1, 5], CoinsFound((1,), 5, "street")),
        (["coins_found.2", 1, 5, "park"], CoinsFound((1,), 5, "park")),
        (["coins_found.3", [0, 1], 5, "park"], CoinsFound((0, 1), 5, "park")),
    ],
)
def test_each_schema_becomes_the_newest_step_by_step(stored: list[Any], expected: CoinsFound) -> None:
    assert msgspec.convert(upcast(stored, MADE_UP), CoinsFound) == expected


def test_an_old_event_is_decoded_by_way_of_its_steps() -> None:
    """The decoder knows no tag of an old schema and falls back to the steps."""
    codec = Codec("match_id", tuple[CoinsFound, ...], {"coins_found": CoinsFound}, tuple, MADE_UP)
    stored = b'[["coins_found",1,5],["coins_found.3",[2],4,"park"]]'
    assert codec.decode(stored) == (CoinsFound((1,), 5, "street"), CoinsFound((2,), 4, "park"))


def test_the_api_shows_an_old_event_as_it_was_recorded() -> None:
    """Its hash covers that form; the steps are for the state alone."""
    known = forms({"coins_found": CoinsFound}, MADE_UP)
    assert known["coins_found.3"] == Form("coins_found", 3, ("seats", "coins", "place"))
    assert recorded_form(["coins_found", 1, 5], known) == ("coins_found", 1, {"seat": 1, "coins": 5})
    assert recorded_form(["coins_found.2", 1, 5, "park"], known).schema == 2


def test_a_tag_names_the_type_and_the_schema() -> None:
    assert [tag_of("dice_rolled", schema) for schema in (1, 2)] == ["dice_rolled", "dice_rolled.2"]
    assert [parse_tag(tag) for tag in ("dice_rolled", "dice_rolled.2")] == [
        ("dice_rolled", 1),
        ("dice_rolled", 2),
    ]


def test_every_released_schema_can_be_read() -> None:
    for name, newest in SCHEMA.items():
        assert REGISTRY[name].__struct_config__.tag == tag_of(name, newest)
        assert all((name, schema) in STEPS for schema in range(1, newest))
    assert {name for name, _ in STEPS} <= set(SCHEMA)
