"""Recorded matches: one of each ruleset and option, as text that a person can read line by line.

The first line is an object: how the match was made. Then each command is an object, followed by the events
that it caused, each an array in its stored form.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from domain import MatchState, RuleViolation, advance, create, decide, legal_commands
from domain.match import events as ev
from domain.match.chance import Chance, SeededChance, TapeChance, commitment
from domain.match.commands import AbortMatch, CreateMatch, PlayCommand, SeatPlan
from domain.match.events import Event, Position, PositionPlayer, PositionRow
from domain.match.rulesets import CURRENT, resolve_options
from tests.domain.matches import choice_of

FOLDER = Path(__file__).parents[1] / "golden" / "matches"

TAPE = tuple(
    [(6, 6), (3, 5), (1, 2), (3,), (4, 4), (6,), (2,), (5, 6), (4, 6), (1, 1), (3, 4), (5,), (6, 2)] * 2
)


class Recipe(NamedTuple):
    """How a golden match is made."""

    ruleset: str
    seats: int
    choices_seed: int
    """Drives the choices of the players when the match is recorded anew."""
    options: Mapping[str, Any] = MappingProxyType({})
    throws: tuple[tuple[int, ...], ...] = ()
    position: Position | None = None


RECIPES: dict[str, Recipe] = {
    "base_four_player": Recipe("base", 4, 1),
    "base_five_player": Recipe("base", 5, 2),
    "base_limited": Recipe("base", 3, 3, {"market": "limited"}),
    "base_max_copies": Recipe("base", 4, 4, {"max_copies": 2}),
    "base_card_costs": Recipe("base", 2, 5, {"card_costs": {"stadium": 3, "cafe": 1, "business_center": 2}}),
    "harbor_open": Recipe("harbor", 4, 6),
    "harbor_limited": Recipe("harbor", 5, 7, {"market": "limited"}),
    "machi_koro_2": Recipe("machi_koro_2", 4, 8),
    "machi_koro_2_five_seats": Recipe("machi_koro_2", 5, 9),
    "machi_koro_2_card_costs": Recipe(
        "machi_koro_2", 2, 12, {"card_costs": {"launch_pad": 30, "cafe": 0, "mine": 7, "loan_office": 3}}
    ),
    "machi_koro_2_scripted_dice": Recipe(
        "machi_koro_2",
        3,
        13,
        throws=TAPE,
        position=Position(
            2,
            "setup",
            (
                PositionPlayer(9, {"business_center": 2, "flower_shop": 1}, ("moving_company", "temple")),
                PositionPlayer(20, {"sushi_bar": 1, "cafe": 2, "stadium": 1}, ("charterhouse",)),
                PositionPlayer(6, {"furniture_factory": 1, "forest": 2, "mine": 1}, ("amusement_park",)),
            ),
            (
                PositionRow(
                    "landmarks",
                    {"radio_tower": 1, "soda_bottling_plant": 1},
                    ("tech_startup", "park", "forge"),
                ),
                PositionRow(
                    "high", {"corn_field": 2, "winery": 1}, ("winery", "stadium", "mine", "apple_orchard")
                ),
            ),
        ),
    ),
    "harbor_scripted_dice": Recipe(
        "harbor",
        2,
        19,
        throws=TAPE,
        position=Position(
            0,
            "roll",
            (
                PositionPlayer(
                    9,
                    {"town_hall": 1, "tuna_boat": 2, "business_center": 1, "tv_station": 1, "bakery": 1},
                    ("train_station", "harbor", "radio_tower"),
                ),
                PositionPlayer(4, {"town_hall": 1, "cafe": 2, "sushi_bar": 1}, ("train_station", "harbor")),
            ),
        ),
    ),
    "millionaires_row": Recipe("millionaires_row", 4, 20),
    "harbor_millionaires_row_limited": Recipe("harbor_millionaires_row", 5, 21, {"market": "limited"}),
    "millionaires_row_scripted_dice": Recipe(
        "millionaires_row",
        3,
        24,
        throws=((4,), (4, 5), (3, 5), (5,), (4, 6), (6, 6), (4,), (5, 6), (5,), (3,), (6, 4), (3,)) * 4,
        position=Position(
            0,
            "roll",
            (
                PositionPlayer(
                    5,
                    {"demolition_company": 2, "tech_startup": 1, "loan_office": 1, "bakery": 1},
                    ("train_station", "shopping_mall"),
                    invested=2,
                ),
                PositionPlayer(
                    9,
                    {"moving_company": 1, "winery": 1, "vineyard": 2, "cafe": 2, "park": 1},
                    ("train_station",),
                    closed={"cafe": 1, "winery": 1},
                ),
                PositionPlayer(
                    12,
                    {"renovation_company": 1, "french_restaurant": 1, "soda_bottling_plant": 1, "ranch": 2},
                    ("train_station", "shopping_mall"),
                ),
            ),
        ),
    ),
    "machi_koro_2_position": Recipe(
        "machi_koro_2",
        3,
        11,
        position=Position(
            1,
            "build",
            (
                PositionPlayer(3, {"mine": 2, "stadium": 1}, ("moving_company",)),
                PositionPlayer(14, {"business_center": 2, "winery": 1, "vineyard": 2}, ()),
                PositionPlayer(8, {"cafe": 3, "corn_field": 2}, ("amusement_park",)),
            ),
            (
                PositionRow(
                    "landmarks", {"park": 1, "temple": 1}, ("loan_office", "museum", "launch_pad", "forge")
                ),
                PositionRow("low", {"cafe": 1, "bakery": 2, "forest": 1, "sushi_bar": 1, "vineyard": 1}),
            ),
        ),
    ),
}


def creation_of(name: str) -> CreateMatch:
    recipe = RECIPES[name]
    book = CURRENT[recipe.ruleset]
    dice = ev.Dice("committed", "golden", commitment(_seed(recipe)))
    return CreateMatch(
        book.version,
        resolve_options(book, recipe.seats, **recipe.options),
        tuple([SeatPlan("account", f"acc_{seat}", f"player {seat}") for seat in range(recipe.seats)]),
        ev.Dice("scripted", throws=recipe.throws) if recipe.throws else dice,
        "acc_0",
        position=recipe.position,
    )


def chance_of(name: str) -> Chance:
    recipe = RECIPES[name]
    seeded = SeededChance(_seed(recipe), "golden")
    return TapeChance(recipe.throws, seeded) if recipe.throws else seeded


def _seed(recipe: Recipe) -> bytes:
    return recipe.choices_seed.to_bytes(32, "big")


def record(name: str) -> bytes:
    """The text of the golden file, played anew."""
    choices = Random(RECIPES[name].choices_seed)
    chance = chance_of(name)
    creation = creation_of(name)
    head = {"match": name, "choices_seed": RECIPES[name].choices_seed, "create": creation}
    state, events = create(creation, chance)
    lines: list[Any] = [head, *events]
    while state.status == "running":
        command, caused, refusal = _accepted(state, choices, chance)
        if command is None:
            # Scripted dice cannot go on: the match is called off, as the service does it.
            abort = {"type": "abort", "reason": refusal}
            lines += [abort, *advance(state, AbortMatch(refusal), chance)]
            break
        advance(state, command, chance)
        lines += [command, *caused]
    return b"\n".join([msgspec.json.encode(line) for line in lines]) + b"\n"


def _accepted(
    state: MatchState, choices: Random, chance: Chance
) -> tuple[PlayCommand | None, tuple[Event, ...], str]:
    """A random legal command that the dice can serve, and its events; else the last refusal's code."""
    code = ""
    for command in (choice_of(state, choices), *legal_commands(state)):
        try:
            return command, decide(state, command, chance), ""
        except RuleViolation as refusal:
            code = refusal.code
    return None, (), code


# To build a decoder of so many types takes longer than to decode an event.
_command_of = msgspec.json.Decoder(PlayCommand).decode
_event_of = msgspec.json.Decoder(Event).decode


def commands_of(text: bytes) -> Iterator[CreateMatch | PlayCommand | AbortMatch]:
    """The commands of a golden file, in order."""
    first, *rest = text.splitlines()
    yield msgspec.convert(msgspec.json.decode(first)["create"], CreateMatch)
    for line in rest:
        if line.startswith(b"["):
            continue
        if b'"type":"abort"' in line:
            yield AbortMatch(msgspec.json.decode(line)["reason"])
        else:
            yield _command_of(line)


def events_of(text: bytes) -> list[Event]:
    return [_event_of(line) for line in text.splitlines() if line.startswith(b"[")]


def replayed(name: str, text: bytes) -> tuple[list[bytes], MatchState]:
    """The events that the recorded commands cause now, in their stored form, and the state they lead to."""
    chance = chance_of(name)
    creation, *commands = commands_of(text)
    assert isinstance(creation, CreateMatch)
    state, events = create(creation, chance)
    for command in commands:
        events += advance(state, command, chance)
    return [msgspec.json.encode(event) for event in events], state
