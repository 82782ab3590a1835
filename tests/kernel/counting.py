"""Counting sequences of legal commands with the kernel, as `tests.domain.perft` counts those of `domain`."""

from domain import decide, fold
from domain.match.events import Position
from kernel import layout as at
from kernel.convert import decks_of, row_of
from kernel.engine import Engine
from tests.domain import perft
from tests.domain.kit import creation


def counts(kernel: Engine, name: str) -> list[int]:
    """How many sequences of 1 to DEPTH legal commands there are from the table of that name."""
    table = perft.TABLES[name]
    position = Position(0, table.phase, table.players, table.rows)
    create = creation(table.ruleset, len(table.players), position=position, options=table.options)
    state = fold(None, decide(None, create, perft.FixedChance(table.dice)))
    found = [0] * perft.DEPTH
    decks = decks_of(state.rules, state.deck_orders, state.draws)
    row, luck = kernel.row(row_of(state)), kernel.luck(0, decks)
    _count(kernel, kernel.tables(state.rules), row, luck, table.dice, 0, found)
    return found


def _count(
    kernel: Engine,
    tables: at.Tables,
    row: at.Row,
    luck: at.Luck,
    dice: perft.FixedDice,
    depth: int,
    found: list[int],
) -> None:
    codes = kernel.codes()
    number = kernel.legal(tables, row, codes)
    found[depth] += number
    if depth + 1 == perft.DEPTH:
        return
    for code in codes[:number]:
        after = kernel.row(row[:])
        _script(after, luck, dice, code)
        kernel.step(tables, after, luck, code)
        _count(kernel, tables, after, luck, dice, depth + 1, found)


def _script(row: at.Row, luck: at.Luck, dice: perft.FixedDice, code: int) -> None:
    """Let the next values be those of `perft.FixedChance`: its dice, or the first card left in a deck."""
    values: tuple[int, ...] = (0,)
    if code in (at.ROLL_ONE, at.ROLL_TWO, at.REROLL_DICE, at.KEEP_DICE, at.TWO_MORE, at.KEEP_TOTAL):
        one_die = code == at.ROLL_ONE or (code == at.REROLL_DICE and not row[at.DIE_2])
        values = dice.values(1 if one_die else 2, row[at.SEAT_TURNS + row[at.ACTIVE]])
    most = at.LUCK_WIDTH - at.LUCK_FREE
    luck[at.SCRIPTED] = most
    luck[at.SCRIPT_AT] = len(luck) - most
    for i in range(most):
        luck[len(luck) - most + i] = values[i % len(values)]
