"""Many matches per call, by policies inside the kernel."""

from collections.abc import Sequence
from typing import NamedTuple

from domain.match.rules import Rules
from kernel.engine import Engine
from kernel.layout import POLICIES, RESULT_WIDTH, RESULTS


class Result(NamedTuple):
    """How a match ended."""

    winner: int
    """A seat, or -1 without a winner."""
    reason: str
    """As `MatchState.result`."""
    turns: int
    commands: int


def play(kernel: Engine, rules: Rules, policies: Sequence[str], seed: int, matches: int) -> list[Result]:
    """The results of the matches of the seeds from `seed` on, from set-up to end.

    `policies` names that of each seat, of `kernel.layout.POLICIES`. Equal seeds give equal matches, whether
    the kernel is compiled or not.

    Raises:
        ValueError: there is not one policy for each seat.
    """
    by_seat = [POLICIES.index(name) for name in policies]
    if len(by_seat) != rules.seats:
        raise ValueError(f"{rules.seats} seats need as many policies, not {len(by_seat)}")
    found = kernel.codes((0,) * (matches * RESULT_WIDTH))
    kernel.play_matches(
        kernel.tables(rules),
        kernel.row(),
        kernel.luck(0),
        kernel.forecast(),
        kernel.codes(),
        kernel.incomes(),
        kernel.codes(by_seat),
        seed,
        matches,
        found,
    )
    rows = [found[at : at + RESULT_WIDTH] for at in range(0, len(found), RESULT_WIDTH)]
    return [Result(winner, RESULTS[reason], turns, steps) for winner, reason, turns, steps in rows]
