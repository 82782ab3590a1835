"""Playing by policies of the kernel and by built-in players at once, with the same random numbers."""

from domain import create, legal_commands
from domain.match.decide import advance_turn
from domain.match.state import RUNNING, MatchState
from kernel import layout as at
from kernel import luck, workspaces
from kernel.compare import CASES, Case, creation_of
from kernel.convert import TwinChance, TwinRandom, code_of, row_of
from kernel.engine import Engine
from kernel.nets import net_of
from kernel.tables import width_of
from players import PLAYERS
from players.value_function import values
from players.weight_files import has_weights, weights_for

LONGEST = 400

WITH_NETWORK = [case for case in CASES if has_weights(case.ruleset)]


def play_both(kernel: Engine, case: Case, names: tuple[str, ...], number: int, longest: int = LONGEST) -> int:
    """Play a match twice, and compare every choice; how many choices among several commands there were."""
    chance = TwinChance(number)
    state, _ = create(creation_of(case), chance)
    rules, rng = state.rules, TwinRandom(chance.luck)
    tables, row = kernel.tables(rules), kernel.row((0,) * width_of(rules))
    codes, lucky = kernel.codes(), kernel.luck(number)
    forecast, incomes, x = kernel.forecast(), kernel.incomes(), kernel.net_workspace()
    has_net = has_weights(case.ruleset)
    net = kernel.net(net_of(rules, weights_for(case.ruleset, case.seats)) if has_net else ())
    kernel.start_match(tables, row, lucky, -1)
    choices = 0
    for step in range(longest):
        legal, name = legal_commands(state), names[state.active]
        command = legal[0] if len(legal) == 1 else PLAYERS[name](state, legal, rng)
        policy, wanted = at.POLICIES.index(name), code_of(rules, command)
        choices += kernel.legal(tables, row, codes) > 1
        code = kernel.choose(tables, row, lucky, forecast, codes, incomes, net, x, policy)
        assert code == wanted, f"{case}, {name}, match {number}, step {step}: {command}"
        assert row[:] == row_of(state)
        advance_turn(state, command, chance)
        kernel.step(tables, row, lucky, wanted)
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
    tables, room = kernel.tables(state.rules), kernel.net_workspace()
    net = kernel.net(net_of(state.rules, weights_for(case.ruleset, case.seats)))
    farthest = 0.0
    while state.status == RUNNING:
        kernel.put_chances(tables, kernel.row(row_of(state)), net, room, state.active, state.round, 0, -1)
        found, wanted = room[workspaces.CHANCES : workspaces.CHANCES + case.seats], values([state])[0]
        farthest = max(farthest, *[abs(one - other) for one, other in zip(found, wanted, strict=True)])
        random_steps(state, chance, every)
    return farthest
