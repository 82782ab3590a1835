"""The kernel measures the same luck in coins as `domain.luck`."""

import random
from collections.abc import Collection

import pytest

from domain import create, legal_commands
from domain.luck import luck_of
from domain.match import events as ev
from domain.match.chance import SeededChance
from domain.match.commands import Resign
from domain.match.decide import advance
from domain.match.events import Event
from domain.match.state import RUNNING, MatchState
from kernel import compare
from kernel import layout as at
from kernel.coin_luck import COIN_LUCK
from kernel.compare import creation_of
from kernel.convert import script_of
from kernel.engine import PLAIN, Engine, compiled

CASES = [case for case in compare.CASES if "millionaires_row" not in case.ruleset]
"""Those in which no cards close: the luck of the others is left to the domain."""

LONGEST = 3_000


def a_match(
    number: int, phases: Collection[str] = at.PHASES, once_in: int = 400
) -> tuple[MatchState, list[Event]]:
    """A random match of the kind with that number; seats resign now and then, in some phases."""
    choices = random.Random(number)
    chance = SeededChance(number.to_bytes(32, "big"), "test")
    state, created = create(creation_of(CASES[number % len(CASES)]), chance)
    events = [*created]
    while state.status == RUNNING:
        seats = [seat for seat, gone in enumerate(state.resigned) if not gone]
        if (state.phase in phases and choices.randrange(once_in) == 0) or len(events) > LONGEST:
            events += advance(state, Resign(choices.choice(seats)), chance)
        else:
            events += advance(state, choices.choice(legal_commands(state)), chance)
    return state, events


def luck_by(kernel: Engine, state: MatchState, events: list[Event]) -> tuple[int, ...] | None:
    """By seat; None if the kernel says that it cannot tell."""
    tables, row, room = kernel.tables(state.rules), kernel.row(), kernel.forecast()
    chance, script = kernel.luck(0), script_of(state.rules, events)
    kernel.start_match(tables, row, chance, state.first_seat)
    unused = (kernel.codes(), kernel.incomes(), kernel.net(), kernel.net_workspace())
    if not kernel.follow_luck(tables, row, chance, room, *unused, kernel.codes(script), len(script), 0):
        return None
    assert [*row[at.COINS : at.COINS + len(state.coins)]] == state.coins
    return tuple(room[COIN_LUCK : COIN_LUCK + len(state.coins)])


@pytest.mark.long
def test_the_luck_of_random_matches_is_that_of_the_domain() -> None:
    """They have throws of every purpose, and every choice that follows dice."""
    seen: set[str] = set()
    measured = 0
    for number in range(0, len(CASES), 3):
        state, events = a_match(number)
        seen |= {event.purpose for event in events if isinstance(event, ev.DiceRolled)}
        seen |= {event.phase for event in events if isinstance(event, ev.ChoiceRequested)}
        found = luck_by(PLAIN, state, events)
        assert found in (None, luck_of(events).totals.luck), CASES[number]
        measured += found is not None
    assert measured >= len(CASES) // 3 - 2
    assert seen >= {"roll", "reroll", "boats", "add_two", "take_coins", "swap", "give"}


@pytest.mark.long
def test_the_compiled_kernel_measures_the_luck_of_the_domain() -> None:
    kernel = compiled()
    for number in range(1_000, 2_000):
        state, events = a_match(number)
        assert luck_by(kernel, state, events) in (None, luck_of(events).totals.luck), number


def test_a_resignation_while_dice_bring_choices_is_left_to_the_domain() -> None:
    state, events = a_match(0, {"take_coins", "swap"}, once_in=1)
    assert any(isinstance(event, ev.SeatResigned) for event in events)
    assert luck_by(PLAIN, state, events) is None


def test_commands_that_throw_other_dice_than_the_record_are_noticed() -> None:
    state, events = a_match(0)
    place = next(i for i, event in enumerate(events) if isinstance(event, ev.DiceRolled))
    events.insert(place + 1, ev.DiceRolled(purpose="boats", values=(3, 4), total=7))
    assert luck_by(PLAIN, state, events) is None
