"""Comparisons of commands by rollouts with common dice, and the rule when to stop."""

from collections.abc import Callable, Sequence
from itertools import product
from math import inf
from typing import Final, NamedTuple

from domain.match.commands import PlayCommand
from domain.match.rules import Rules
from domain.match.state import MatchState
from kernel.engine import Engine
from players.network import Weights
from players.rollouts.estimates import Estimate, ExactEstimates, estimate_of
from players.rollouts.intervals import half_width
from players.rollouts.simulation import Simulation
from players.weight_files import weights_for

LOOKS: Final = (2, 4, 8)
"""The numbers of batches of rollouts after which a comparison checks whether it is decided."""
RISK: Final = 0.05
"""The probability that any interval of a comparison misses the true difference."""
TURNS: Final = 5
"""The length of a rollout in turns, including the turn of the command."""
NEGLIGIBLE: Final = 0.01
"""A loss below this need not be known more closely."""
CLOSE_ENOUGH: Final = 0.025
"""The half width of the interval at which the loss of a chosen command, which is above 0, is known well
enough."""

CLOSE: Final = 0.06
"""The largest difference between a candidate and the best command, in chance of winning by the network."""
MOST: Final = 4
"""The most candidates that are chosen by the network."""

Loss = tuple[float, float, float]
NO_LOSS: Final[Loss] = (0.0, 0.0, 0.0)


def closest(values: Sequence[float]) -> list[int]:
    """The places of the values that are close to the highest one: at most `MOST`, the highest first."""
    order = sorted(range(len(values)), key=lambda place: -values[place])
    return [place for place in order[:MOST] if values[place] > values[order[0]] - CLOSE]


class Comparison(NamedTuple):
    """The estimates of some commands, and how much worse than the best one they are."""

    estimates: tuple[Estimate, ...]
    """In the order of the commands; none if the comparison was late."""
    best: int
    """The place of the command with the highest chance of the deciding seat."""
    losses: tuple[Loss, ...]
    """By command: how much less than the best one the deciding seat has, and an interval of it.

    All intervals hold at once, at every look, with 95 % probability. A command that was dropped has the loss
    over the rollouts that it had in common with the best one.
    """


class Rollouts:
    """Compares commands in matches of some rules."""

    def __init__(
        self,
        kernel: Engine,
        rules: Rules,
        looks: Sequence[int] = LOOKS,
        turns: int = TURNS,
        negligible: float = NEGLIGIBLE,
        checked_from: float = inf,
        weights: Callable[[str, int], Weights] = weights_for,
    ) -> None:
        """Check after each number of batches in `looks` whether the comparison of rollouts of `turns` turns
        is decided; a loss below `negligible` counts as none.

        Once a chosen command seems to lose at least `checked_from`, its loss is not measured more closely.
        """
        self._simulation = Simulation(kernel, rules, weights)
        self._negligible = negligible
        self._checked_from = checked_from
        self._exact = ExactEstimates(kernel, rules)
        self._is_quick = kernel.is_compiled
        self._looks = looks
        self._turns = turns

    def compare(
        self,
        state: MatchState,
        commands: Sequence[PlayCommand],
        seed: int,
        chosen: int | None = None,
        is_late: Callable[[], bool] = lambda: False,
    ) -> Comparison:
        """Compare commands of the seat to act.

        Without the place of a chosen command, this ends when no command can be much better than what seems
        best. With one, it ends when the loss of that one is known, or known to be small. After the last look,
        it ends in any case. Decks whose order is given count as shuffled.

        As soon as it is late, it ends with what the last look saw; before the first one, the first command
        counts as the best. A plain kernel asks before each batch of rollouts.
        """
        exact = self._exact.estimates(state, commands)
        if exact:
            own = [estimate.chances[state.active] for estimate in exact]
            best = own.index(max(own))
            losses = [(own[best] - chance,) * 3 for chance in own]
            return Comparison(tuple(exact), best, tuple(losses))
        return self.by_rollouts(state, commands, seed, chosen, is_late)

    def by_rollouts(
        self,
        state: MatchState,
        commands: Sequence[PlayCommand],
        seed: int,
        chosen: int | None = None,
        is_late: Callable[[], bool] = lambda: False,
    ) -> Comparison:
        """As `compare`, without exact chances in races."""
        seat = state.active
        values: list[list[tuple[float, ...]]] = [[] for _ in commands]
        left = {*range(len(commands))}
        pairs = max(1, len(commands) * (len(commands) - 1) // 2)
        risk = RISK / (len(self._looks) * pairs)
        done, best, losses = 0, 0, [NO_LOSS for _ in commands]
        # One command alone has nothing to decide.
        looks = self._looks if len(commands) > 1 else self._looks[:1]
        for look in looks:
            size = look - done if self._is_quick else 1
            for place, first in product(left, range(done, look, size)):
                if is_late():
                    return Comparison((), best, tuple(losses))
                command = commands[place]
                values[place] += self._simulation.values(state, command, seed, first, size, self._turns)
            done = look
            best, losses = _losses(values, left, seat, risk)
            left -= {place for place, loss in enumerate(losses) if loss[1] > 0 and place != chosen}
            if self._is_decided(losses, best, chosen):
                break
        estimates = [estimate_of(state, *found) for found in zip(commands, values, strict=True)]
        return Comparison(tuple(estimates), best, tuple(losses))

    def _is_decided(self, losses: Sequence[Loss], best: int, chosen: int | None) -> bool:
        """Whether the chosen command is known to be worse, or no other one can be much better."""
        if chosen is not None and chosen != best:
            loss, low, high = losses[chosen]
            is_known = high < self._negligible or (low > 0 and high - loss < CLOSE_ENOUGH)
            return is_known or loss >= self._checked_from
        return all(-low < self._negligible for place, (_, low, _) in enumerate(losses) if place != best)


def _losses(
    values: Sequence[Sequence[tuple[float, ...]]], left: set[int], seat: int, risk: float
) -> tuple[int, list[Loss]]:
    """The best of the commands that are left, and the losses of all."""
    own = [[value[seat] for value in of_command] for of_command in values]
    best = max(sorted(left), key=lambda place: sum(own[place]))
    return best, [NO_LOSS if place == best else _loss(own[best], one, risk) for place, one in enumerate(own)]


def _loss(best: Sequence[float], other: Sequence[float], risk: float) -> Loss:
    differences = [one - two for one, two in zip(best, other, strict=False)]
    mean = sum(differences) / len(differences)
    half = half_width(differences, risk)
    return mean, mean - half, mean + half
