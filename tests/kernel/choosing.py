"""Playing by policies of the kernel and by built-in players at once, with the same random numbers."""

from domain import create, legal_commands
from domain.match.decide import advance_turn
from domain.match.state import RUNNING, MatchState
from kernel import layout as at
from kernel import luck
from kernel.compare import Case, creation_of
from kernel.convert import code_of, row_of
from kernel.engine import Engine
from kernel.nets import net_of
from kernel.twins import TwinChance, TwinRandom
from workers.players import PLAYERS
from workers.players.value_function import values
from workers.players.weight_files import weights_for

LONGEST = 400


def play_both(kernel: Engine, case: Case, names: tuple[str, ...], number: int, longest: int = LONGEST) -> int:
    """Play a match twice, and compare every choice; the number of choices among several commands."""
    chance = TwinChance(number)
    state, _ = create(creation_of(case), chance)
    rules, rng = state.rules, TwinRandom(chance.luck)
    tables, row, codes, lucky = kernel.tables(rules), kernel.row(), kernel.codes(), kernel.luck(number)
    forecast, incomes, x = kernel.forecast(), kernel.incomes(), kernel.net_room()
    net = kernel.net(net_of(rules, weights_for(case.ruleset, case.seats)))
    kernel.start_match(tables, row, lucky, -1)
    choices = 0
    for step in range(longest):
        legal, name = legal_commands(state), names[state.active]
        command = legal[0] if len(legal) == 1 else PLAYERS[name](state, legal, rng)
        policy = at.POLICIES.index(name)
        n = kernel.legal(tables, row, codes)
        code = kernel.choose(tables, row, lucky, forecast, codes, incomes, net, x, policy)
        assert code == code_of(rules, command), f"{case}, {name}, match {number}, step {step}: {command}"
        assert row[:] == row_of(state)
        choices += n > 1
        advance_turn(state, command, chance)
        kernel.step(tables, row, lucky, code)
        if state.status != RUNNING:
            break
    return choices


def random_steps(state: MatchState, chance: TwinChance, steps: int) -> None:
    """Advance the state by random commands, up to so many or to its end."""
    for _ in range(steps):
        if state.status == RUNNING:
            legal = legal_commands(state)
            advance_turn(state, legal[luck.below(chance.luck, len(legal))], chance)


def farthest_chances(kernel: Engine, case: Case, number: int, every: int) -> float:
    """The largest difference between the network and the value function in a random match."""
    chance = TwinChance(number)
    state, _ = create(creation_of(case), chance)
    tables, room = kernel.tables(state.rules), kernel.net_room()
    net = kernel.net(net_of(state.rules, weights_for(case.ruleset, case.seats)))
    farthest = 0.0
    while state.status == RUNNING:
        kernel.put_chances(tables, kernel.row(row_of(state)), net, room, state.active, state.round)
        found, wanted = room[at.CHANCES : at.CHANCES + case.seats], values([state])[0]
        farthest = max(farthest, *[abs(one - other) for one, other in zip(found, wanted, strict=True)])
        random_steps(state, chance, every)
    return farthest
