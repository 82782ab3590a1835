"""Playing by policies of the kernel and by built-in players at once, with the same random numbers."""

from random import Random

from domain import create, legal_commands
from domain.match.decide import advance_turn
from domain.match.state import RUNNING
from kernel import layout as at
from kernel import luck
from kernel.compare import Case, TwinChance, creation_of
from kernel.convert import code_of, row_of
from kernel.engine import Engine
from workers.players import PLAYERS

LONGEST = 400


class TwinRandom(Random):
    """The luck of the kernel as random numbers of players."""

    def __init__(self, words: at.Luck) -> None:
        super().__init__(0)
        self._words = words

    def random(self) -> float:
        return luck.next_word(self._words) / 2**32


def play_both(kernel: Engine, case: Case, names: tuple[str, ...], number: int) -> int:
    """Play a match twice, and compare every choice; the number of choices among several commands."""
    chance = TwinChance(number)
    state, _ = create(creation_of(case), chance)
    rules, rng = state.rules, TwinRandom(chance.luck)
    tables, row, codes, lucky = kernel.tables(rules), kernel.row(), kernel.codes(), kernel.luck(number)
    forecast, incomes = kernel.forecast(), kernel.incomes()
    kernel.start_match(tables, row, lucky, -1)
    choices = 0
    for step in range(LONGEST):
        legal, name = legal_commands(state), names[state.active]
        command = legal[0] if len(legal) == 1 else PLAYERS[name](state, legal, rng)
        policy = at.POLICIES.index(name)
        n = kernel.legal(tables, row, codes)
        code = kernel.choose(tables, row, lucky, forecast, codes, n, incomes, policy)
        assert code == code_of(rules, command), f"{case}, {name}, match {number}, step {step}: {command}"
        assert row[:] == row_of(state)
        choices += n > 1
        advance_turn(state, command, chance)
        kernel.step(tables, row, lucky, code)
        if state.status != RUNNING:
            break
    return choices
