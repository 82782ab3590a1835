"""Counting the sequences of legal commands from a fixed table with fixed dice, as chess engines count moves.

The counts lie in `tests/golden/perft/counts.txt`: a name, then the number of sequences of 1, 2, … commands.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from domain import MatchState, advance, decide, fold, legal_commands
from domain.match.events import Position, PositionPlayer, PositionRow
from tests.domain.kit import creation

FILE = Path(__file__).parents[1] / "golden" / "perft" / "counts.txt"

DEPTH = 6


class FixedDice(NamedTuple):
    """What dice show: one die, two on odd turns of a seat, and two on even ones."""

    one: int = 6
    odd: tuple[int, int] = (3, 3)
    even: tuple[int, int] = (6, 6)

    def values(self, dice: int, turn: int) -> tuple[int, ...]:
        """What so many dice show on a turn of a seat."""
        if dice == 1:
            return (self.one,)
        return self.odd if turn % 2 else self.even


class FixedChance:
    """Dice show what they always do; draws take the first card left."""

    def __init__(self, dice: FixedDice) -> None:
        self._dice = dice

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        return self._dice.values(dice, state.seat_turns[state.active])

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        return next(place for place, weight in enumerate(weights) if weight)

    def first_seat(self, state: MatchState) -> int:
        return 0

    def reveal(self) -> tuple[str, str]:
        return "", ""


class Table(NamedTuple):
    """What the sequences start from."""

    ruleset: str
    phase: str
    options: dict[str, object]
    players: tuple[PositionPlayer, ...]
    rows: tuple[PositionRow, ...] | None = None
    dice: FixedDice = FixedDice()


def _base() -> tuple[PositionPlayer, ...]:
    purple = {"tv_station": 1, "business_center": 1}
    return (
        PositionPlayer(4, {"wheat_field": 1, "bakery": 2, **purple}, ("train_station", "radio_tower")),
        PositionPlayer(9, {"wheat_field": 1, "cafe": 1, "mine": 1}, ("amusement_park",)),
        PositionPlayer(2, {"forest": 2, "stadium": 1}, ()),
    )


def _harbor() -> tuple[PositionPlayer, ...]:
    first, second, third = _base()
    return (
        PositionPlayer(4, {**first.establishments, "town_hall": 1}, ("train_station", "harbor", "airport")),
        PositionPlayer(9, {**second.establishments, "town_hall": 1, "tuna_boat": 2}, ("harbor",)),
        PositionPlayer(0, {**third.establishments, "town_hall": 1, "tax_office": 1}, ("train_station",)),
    )


def _machi_koro_2() -> tuple[PositionPlayer, ...]:
    return (
        PositionPlayer(13, {"business_center": 2, "bakery": 1}, ("moving_company",)),
        PositionPlayer(6, {"cafe": 2, "mine": 1}, ("temple", "tech_startup")),
        PositionPlayer(0, {"forest": 1}, ()),
    )


def _row() -> tuple[PositionPlayer, ...]:
    first = {"demolition_company": 2, "moving_company": 1, "renovation_company": 1, "tech_startup": 1}
    return (
        PositionPlayer(3, {**first, "ranch": 1}, ("train_station", "amusement_park"), {"ranch": 1}, 2),
        PositionPlayer(9, {"wheat_field": 2, "mine": 1, "winery": 1}, ("train_station",), {"mine": 1}),
        PositionPlayer(2, {"loan_office": 1, "tech_startup": 1}, ()),
    )


def _harbor_row() -> tuple[PositionPlayer, ...]:
    return tuple(
        replace(player, establishments={**player.establishments, "town_hall": 1}) for player in _row()
    )


TABLES: dict[str, Table] = {
    "base, roll": Table("base", "roll", {}, _base()),
    "base, build": Table("base", "build", {"max_copies": 2}, _base()),
    "base, limited": Table("base", "build", {"market": "limited"}, _base()),
    "harbor, roll": Table("harbor", "roll", {}, _harbor()),
    "harbor, limited": Table("harbor", "build", {"market": "limited"}, _harbor()),
    "millionaires_row, demolish": Table("millionaires_row", "roll", {}, _row(), dice=FixedDice(4, (4, 5))),
    "millionaires_row, move": Table(
        "millionaires_row", "roll", {"max_copies": 2}, _row(), dice=FixedDice(2, (4, 5), (4, 4))
    ),
    "harbor_millionaires_row, renovate": Table(
        "harbor_millionaires_row", "roll", {}, _harbor_row(), dice=FixedDice(5, (4, 4), (4, 6))
    ),
    "harbor_millionaires_row, limited": Table(
        "harbor_millionaires_row", "build", {"market": "limited"}, _harbor_row(), dice=FixedDice(4)
    ),
    "machi_koro_2, setup": Table("machi_koro_2", "setup", {}, _machi_koro_2()),
    "machi_koro_2, roll": Table(
        "machi_koro_2",
        "roll",
        {},
        _machi_koro_2(),
        (
            PositionRow(
                "landmarks", {"radio_tower": 1, "launch_pad": 1, "loan_office": 1}, ("airport", "park")
            ),
        ),
    ),
    "machi_koro_2, build": Table(
        "machi_koro_2",
        "build",
        {"card_costs": {"launch_pad": 15, "park": 3}},
        _machi_koro_2(),
        (
            PositionRow("low", {"business_center": 1, "cafe": 2}, ("cafe", "forest")),
            PositionRow("high", {"stadium": 1}, ()),
            PositionRow("landmarks", {"launch_pad": 1, "park": 1, "amusement_park": 1}, ("loan_office",)),
        ),
    ),
}


def counts(name: str) -> list[int]:
    """How many sequences of 1 to DEPTH legal commands there are."""
    table = TABLES[name]
    position = Position(0, table.phase, table.players, table.rows)
    create = creation(table.ruleset, len(table.players), position=position, options=table.options)
    chance = FixedChance(table.dice)
    state = fold(None, decide(None, create, chance))
    found = [0] * DEPTH
    _count(state, chance, 0, found)
    return found


def _count(state: MatchState, chance: FixedChance, depth: int, found: list[int]) -> None:
    commands = legal_commands(state)
    found[depth] += len(commands)
    if depth + 1 == DEPTH:
        return
    for command in commands:
        after = state.copy()
        advance(after, command, chance)
        _count(after, chance, depth + 1, found)


def text() -> str:
    return "".join(f"{name}: {' '.join(map(str, counts(name)))}\n" for name in TABLES)
