"""The values of the steps of a match: rollouts value the candidates of a decision and the outcomes of its
roll, the network values all other steps. `verdicts` names the losses."""

import hashlib
from collections.abc import Sequence
from math import hypot
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct

from domain.ladder.arithmetic import ROUNDED_Z
from domain.match.commands import PlayCommand
from domain.match.legal import legal_commands
from domain.match.rules import Rules
from domain.match.state import MatchState
from kernel.engine import Engine
from players.lookahead import EQUAL_DECIMALS
from players.rollouts import Comparison, Estimate, Rollouts, closest
from players.rollouts.comparing import NO_LOSS, Loss
from players.weight_files import calibrated_weights
from review.network import (
    Chances,
    chances_after,
    chances_of_state,
    luck_of_boats,
    luck_of_draw,
)
from review.verdicts import INACCURACY
from review.walk import Boats, Decision, Draw, Step


class JudgedCommand(Struct, frozen=True, array_like=True):
    """A candidate of a decision."""

    place: int
    """Its index among the legal commands."""
    chances: tuple[float, ...]
    loss: float
    low: float
    high: float
    rollouts: int
    is_exact: bool


class JudgedRoll(Struct, frozen=True, array_like=True):
    """The roll after a command, and the outcomes that did not come."""

    share: float
    """The probability of the outcome that came."""
    others: tuple[float, ...]
    """By seat: the sum over all other outcomes of their probability times the chance of winning."""


class JudgedDecision(Struct, frozen=True, array_like=True, tag=True):
    """The candidates, the best first, and the roll that followed."""

    candidates: tuple[JudgedCommand, ...]
    """Empty if there was nothing to decide."""
    chosen: int
    """The index of the seat's command among them."""
    roll: JudgedRoll | None
    rollouts: int
    is_exact: bool
    """Whether the chances of the seat's command are exact: the match was a race."""


class JudgedLuck(Struct, frozen=True, array_like=True, tag=True):
    """What a card or a roll for the boats added, by seat."""

    luck: tuple[float, ...]


class JudgedResignation(Struct, frozen=True, array_like=True, tag=True):
    """The chances before a resignation, by seat."""

    before: tuple[float, ...]


CHECKING_TURNS: Final = 20
"""The length, in turns, of the rollouts that check a fault: after that many, the network errs less."""
CHECKING_LOOKS: Final = (3, 6)
"""The numbers of batches after which a check looks whether the loss is known."""


class MethodError(NamedTuple):
    """The standard deviation of the error of losses, because rollouts end with a value of the network.

    `python -m training.rollout_error` measures it against matches that are played to the end. An error below
    0.01 counts as 0.01, because the measured sample cannot distinguish it from its own error.
    """

    found: float
    """The error of losses that are not checked."""
    checked: float
    """The error of losses that were checked."""


METHOD_ERRORS: Final = {
    "base": {
        2: MethodError(0.018, 0.019),
        3: MethodError(0.025, 0.021),
        4: MethodError(0.020, 0.010),
        5: MethodError(0.013, 0.015),
    },
    "harbor": {
        2: MethodError(0.025, 0.020),
        3: MethodError(0.018, 0.019),
        4: MethodError(0.018, 0.013),
        5: MethodError(0.016, 0.015),
    },
    "machi_koro_2": {
        2: MethodError(0.020, 0.023),
        3: MethodError(0.018, 0.029),
        4: MethodError(0.019, 0.010),
        5: MethodError(0.017, 0.025),
    },
}
"""By ruleset and seats in play."""

Judged: TypeAlias = JudgedDecision | JudgedLuck | JudgedResignation


class Judge:
    """Values the steps of one match."""

    def __init__(self, kernel: Engine, rules: Rules, head_hash: str) -> None:
        """The hash of the last event is the seed of all rollouts.

        A loss that the error of the method alone makes too close to call need not be known more closely.
        """
        error = METHOD_ERRORS[rules.ruleset.id][rules.seats]
        self._rollouts = Rollouts(
            kernel,
            rules,
            negligible=ROUNDED_Z * error.found,
            checked_from=INACCURACY,
            weights=calibrated_weights,
        )
        self._checking = Rollouts(
            kernel,
            rules,
            CHECKING_LOOKS,
            CHECKING_TURNS,
            negligible=ROUNDED_Z * error.checked,
            weights=calibrated_weights,
        )
        self._seed = head_hash

    def judged(self, step: Step) -> Judged:
        """The value of a step."""
        if isinstance(step, Decision):
            return self._of_decision(step)
        if isinstance(step, Draw):
            return JudgedLuck(_tuple(luck_of_draw(step)))
        if isinstance(step, Boats):
            return JudgedLuck(_tuple(luck_of_boats(step)))
        return JudgedResignation(_tuple(chances_of_state(step.state)))

    def _of_decision(self, step: Decision) -> JudgedDecision:
        state, seat = step.state, step.state.active
        legal = legal_commands(state)
        chosen = legal.index(step.command)
        if len(legal) == 1 and step.roll is None:
            return JudgedDecision((), 0, None, 0, False)
        by_network = chances_after(state, legal)
        places = candidate_places(by_network[:, seat].tolist(), chosen)
        if len(places) == 1 and step.roll is None:
            alone = JudgedCommand(chosen, _tuple(by_network[chosen]), 0.0, 0.0, 0.0, 0, False)
            return JudgedDecision((alone,), 0, None, 0, False)
        commands: list[PlayCommand] = [legal[place] for place in places]
        of_chosen = places.index(chosen)
        compared = self.compared(state, commands, self._seed_of(step.version), of_chosen)
        found = [
            JudgedCommand(place, estimate.chances, *loss, estimate.rollouts, estimate.is_exact)
            for place, estimate, loss in zip(places, compared.estimates, compared.losses, strict=True)
        ]
        # Of equal commands, that of the seat is the best one.
        best = of_chosen if compared.losses[of_chosen] == NO_LOSS else compared.best
        order = sorted(range(len(found)), key=lambda i: (i != best, found[i].loss, i))
        return JudgedDecision(
            tuple([found[i] for i in order]) if len(legal) > 1 else (),
            order.index(of_chosen),
            _roll(step, compared.estimates[of_chosen]),
            sum([estimate.rollouts for estimate in compared.estimates]),
            compared.estimates[of_chosen].is_exact,
        )

    def compared(
        self, state: MatchState, commands: Sequence[PlayCommand], seed: int, chosen: int
    ) -> Comparison:
        """The comparison of commands, with intervals that cover the error of the method.

        If the chosen one seems to be a fault, it and the best one are compared again, by longer rollouts with
        other dice. The network errs most about the cards that it would not build, and these losses are
        mostly too large after few turns.
        """
        found = self._rollouts.compare(state, commands, seed, chosen)
        if found.estimates[0].is_exact:
            return found
        error = method_error(state)
        found = found._replace(
            losses=tuple([widened(loss, ROUNDED_Z * error.found) for loss in found.losses])
        )
        if found.losses[chosen][0] < INACCURACY:
            return found
        pair = found.best, chosen
        checked = self._checking.by_rollouts(state, [commands[place] for place in pair], seed + 1, 1)
        losses = tuple([widened(loss, ROUNDED_Z * error.checked) for loss in checked.losses])
        return with_check(found, chosen, checked._replace(losses=losses))

    def _seed_of(self, version: int) -> int:
        """The seed of the rollouts of a decision: 62 bits."""
        digest = hashlib.sha256(f"{self._seed} {version}".encode()).digest()
        return int.from_bytes(digest[:8], "big") >> 2


def method_error(state: MatchState) -> MethodError:
    """The error for the number of seats in play."""
    return METHOD_ERRORS[state.rules.ruleset.id][state.resigned.count(False)]


def with_check(found: Comparison, chosen: int, checked: Comparison) -> Comparison:
    """The comparison, corrected by a more precise one of its best and its chosen command.

    If the chosen command turns out to be the best, the others lose what they lost against the former best,
    and what that one loses.
    """
    pair = found.best, chosen
    estimates = list(found.estimates)
    for place, estimate in zip(pair, checked.estimates, strict=True):
        estimates[place] = estimate
    losses = [sum_of_losses(loss, checked.losses[0]) for loss in found.losses]
    losses[chosen] = checked.losses[1]
    return Comparison(tuple(estimates), pair[checked.best], tuple(losses))


def widened(loss: Loss, error: float) -> Loss:
    """The loss with an interval that also covers an independent error whose interval has half the width
    `error`.

    The best command has no loss, and no interval.
    """
    return loss if loss == NO_LOSS else sum_of_losses(loss, (0.0, -error, error))


def sum_of_losses(one: Loss, other: Loss) -> Loss:
    """The sum of two independent losses, with its interval."""
    found = one[0] + other[0]
    low, high = [hypot(one[0] - one[end], other[0] - other[end]) for end in (1, 2)]
    return found, found - low, found + high


def candidate_places(values: Sequence[float], chosen: int) -> list[int]:
    """The places of the candidates: the best commands by the network, the best first, and the chosen one."""
    close = closest([round(value, EQUAL_DECIMALS) for value in values])
    return close if chosen in close else [*close, chosen]


def _roll(step: Decision, estimate: Estimate) -> JudgedRoll | None:
    if step.roll is None:
        return None
    others = [0.0] * step.state.rules.seats
    for roll, (share, chances) in estimate.by_throw.items():
        if roll != step.roll:
            others = [total + share * chance for total, chance in zip(others, chances, strict=True)]
    return JudgedRoll(estimate.by_throw[step.roll][0], tuple(others))


def _tuple(chances: Chances) -> tuple[float, ...]:
    return tuple([float(chance) for chance in chances])
