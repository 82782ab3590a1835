"""The match in the terminal: prices, menus and tables, on the tables of whole matches."""

import io
from collections.abc import Sequence
from itertools import islice

import pytest
from rich.console import Console

from domain.match import events as ev
from machi import Card, SwapEstablishments
from machi.cli.board import Board, price
from machi.cli.game import choose_automatically
from machi.cli.menu import MenuItem, chosen, entries, what_to_give
from machi.cli.text import DisplayNames
from machi.commands import encode_command
from tests.client.tables import Decision, cards, decisions

GAMES = [("base", 2), ("harbor", 4), ("machi_koro_2", 3)]
LONG = "x" * 32


def names_of(of: Sequence[Card], *seats: str) -> DisplayNames:
    return DisplayNames(seats or ["ada", "bob", "greedy", "greedy"], {card.id: card.name for card in of})


def printed(width: int, *tables: object) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    for table in tables:
        console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_prices_are_those_that_the_service_takes(ruleset: str, seats: int) -> None:
    by_id = {card.id: card for card in cards(ruleset)}
    checked = 0
    for number in range(5):
        for state, legal, events in decisions(ruleset, seats, number):
            for event in events:
                if isinstance(event, ev.EstablishmentBuilt | ev.LandmarkBuilt):
                    assert price(by_id[event.card], event.seat, state, by_id) == event.price
                    checked += 1
            for one in legal.unbuildable:
                assert legal.seat is not None
                assert price(by_id[one.card], legal.seat, state, by_id) == one.cost
    assert checked > 50


def test_prices_of_ones_own_count() -> None:
    by_id = {card.id: card for card in cards("base")}
    decision = next(decisions("base", 2, 1, card_costs={"bakery": 7}))
    assert price(by_id["bakery"], 0, decision.state, by_id) == 7


@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_every_legal_command_can_be_chosen_from_the_menu(ruleset: str, seats: int) -> None:
    names = names_of(cards(ruleset))
    for decision in decisions(ruleset, seats, 3):
        menu = entries(decision.legal.commands, decision.state, names)
        reached = [command for entry in menu for command in within(entry, names)]
        assert sorted(map(encode_command, reached)) == sorted(map(encode_command, decision.legal.commands))
        assert len(menu) <= 60


def within(entry: MenuItem, names: DisplayNames) -> list[object]:
    if len(entry.commands) == 1:
        return [entry.commands[0]]
    return [further.commands[0] for further in what_to_give(entry, names)]


def test_trades_are_asked_for_in_two_steps() -> None:
    names = names_of(cards("machi_koro_2"))
    matches = (decisions("machi_koro_2", 4, number) for number in range(20))
    decision = next(one for match in matches for one in match if many_trades(one))
    menu = entries(decision.legal.commands, decision.state, names)
    assert menu[0].label.startswith("Take ")
    assert menu[-1].label == "Do not trade"
    assert all(further.label.startswith("Give ") for further in what_to_give(menu[0], names))


def many_trades(decision: Decision) -> bool:
    trades = [one for one in decision.legal.commands if isinstance(one, SwapEstablishments)]
    return len(trades) > 20


@pytest.fixture(scope="module")
def building() -> Decision:
    """The first turn of a match, about to build."""
    return next(one for one in decisions("base", 2, 1) if one.state.phase == "build")


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("1", "Build Wheat Field"),
        ("01", "Build Wheat Field"),
        ("wheat", "Build Wheat Field"),
        ("WHEAT_FIELD", "Build Wheat Field"),
        ("caf", "Build Café"),
        ("café", "Build Café"),
        ("nothing", "Build nothing"),
        ("pass", "Build nothing"),
        ("0", None),
        ("99", None),
        ("-1", None),
        ("9" * 5000, None),
        ("", None),
        ("  ", None),
        ("build", None),
        ("dragon", None),
        ("²", None),
    ],
)
def test_what_is_typed_chooses_by_number_or_beginning(
    typed: str, label: str | None, building: Decision
) -> None:
    menu = entries(building.legal.commands, building.state, names_of(cards("base")))
    found = chosen(typed, menu)
    assert (found.label if found else None) == label


def test_to_build_nothing_stands_last(building: Decision) -> None:
    menu = entries(building.legal.commands, building.state, names_of(cards("base")))
    assert [entry.label for entry in menu].index("Build nothing") == len(menu) - 1


def test_the_market_shows_prices_stacks_numbers_and_why_not(building: Decision) -> None:
    found = cards("base")
    menu = entries(building.legal.commands, building.state, names_of(found))
    lines = printed(
        80, Board(found, names_of(found), [0]).market(building.state, menu, building.legal.unbuildable)
    )
    assert lines[2].split() == ["1", "1", "Wheat", "Field", "blue", "1", "6"]
    (mine,) = [line.split() for line in lines if "Mine" in line]
    assert mine[:5] == ["9", "Mine", "blue", "6", "6"]
    assert mine[-1] == "short"
    assert "sold out" not in "".join(lines)


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_tables_of_five_with_long_names_fit_in_eighty_columns(ruleset: str) -> None:
    found = cards(ruleset)
    names = names_of(found, *[f"{LONG[:-1]}{seat}" for seat in range(5)])
    board = Board(found, names, [0])
    for state, legal, _ in islice(decisions(ruleset, 5, 2), 0, None, 20):
        lines = printed(80, board.cities(state))
        menu = entries(legal.commands, state, names)
        lines += printed(80, board.market(state, menu, legal.unbuildable))
        assert max(map(len, lines)) <= 80
        assert not any(line.strip().startswith("x") for line in lines[1:] if "card" not in line)


def test_cities_show_every_card_of_everybody() -> None:
    found = cards("harbor")
    board = Board(found, names_of(found), [0])
    *_, last = decisions("harbor", 3, 2)
    shown = {line[:45]: line for line in printed(80, board.cities(last.state))}
    for player in last.state.players:
        for card in found:
            if player.establishments.get(card.id) or card.id in player.landmarks:
                assert [line for line in shown if f" {card.name} " in line]


def test_who_plays_by_itself_builds_landmarks() -> None:
    found = [card.id for card in cards("base") if card.kind == "landmark"]
    for decision in decisions("base", 2, 4):
        can = [one for one in decision.legal.commands if getattr(one, "card", "") in found]
        command = choose_automatically(decision.legal.commands, found)
        assert command in (can or decision.legal.commands)
