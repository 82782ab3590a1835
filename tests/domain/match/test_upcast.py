"""Old schemas are read for ever. There are none yet, so some tests make them up."""

from typing import Any

import msgspec
import pytest

from domain.match import events as ev
from domain.match.events import REGISTRY, SCHEMA
from domain.match.upcast import MEMBERS, STEPS, event_of, parse_tag, tag_of, upcast
from tests.domain import old_schemas
from tests.domain.old_schemas import CoinsFound


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (["coins_found", 1, 5], CoinsFound((1,), 5, "street")),
        (["coins_found.2", 1, 5, "park"], CoinsFound((1,), 5, "park")),
        (["coins_found.3", [0, 1], 5, "park"], CoinsFound((0, 1), 5, "park")),
    ],
)
def test_each_schema_becomes_the_newest_step_by_step(stored: list[Any], expected: CoinsFound) -> None:
    assert msgspec.convert(upcast(stored, old_schemas.STEPS), CoinsFound) == expected


def test_a_tag_names_the_type_and_the_schema() -> None:
    assert [tag_of("dice_rolled", schema) for schema in (1, 2)] == ["dice_rolled", "dice_rolled.2"]
    assert [parse_tag(tag) for tag in ("dice_rolled", "dice_rolled.2")] == [
        ("dice_rolled", 1),
        ("dice_rolled", 2),
    ]


@pytest.mark.parametrize("tag", ["dice_rolled", "dice.rolled", "dice_rolled.", "dice.rolled.x", ".2", "2"])
def test_a_tag_without_a_name_or_a_number_after_the_last_dot_is_a_name_of_schema_1(tag: str) -> None:
    assert parse_tag(tag) == (tag, 1)


def test_the_last_dot_of_a_tag_is_before_its_schema() -> None:
    assert parse_tag("dice.rolled.12") == ("dice.rolled", 12)


def test_every_released_schema_can_be_read() -> None:
    for name, newest in SCHEMA.items():
        assert REGISTRY[name].__struct_config__.tag == tag_of(name, newest)
        assert all((name, schema) in STEPS for schema in range(1, newest))
    assert {name for name, _ in STEPS} <= set(SCHEMA)


def test_the_members_of_every_schema_are_known_in_stored_order() -> None:
    assert MEMBERS.keys() == {*STEPS, *SCHEMA.items()}
    assert MEMBERS["dice_rolled", 1] == ("purpose", "values", "total")


def test_an_event_is_made_of_its_type_its_schema_and_its_members() -> None:
    assert event_of("dice_rolled", 1, ["roll", [6, 1], 7]) == ev.DiceRolled("roll", (6, 1), 7)


def test_an_event_that_was_recorded_before_its_last_members_were_added_has_their_defaults() -> None:
    assert event_of("turn_started", 1, [3, 1]) == ev.TurnStarted(3, 1)


@pytest.mark.parametrize("members", [["roll", [6, 1]], ["roll", [6, 1], "7"], ["roll", 7, 7]])
def test_members_that_do_not_fit_the_event_make_none(members: list[Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        event_of("dice_rolled", 1, members)
