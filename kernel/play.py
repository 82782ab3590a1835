"""Many matches per call, by policies inside the kernel: from the start, or from any positions.

Nothing is allocated while matches are played.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from domain.match.rules import Rules
from kernel.engine import Engine
from kernel.layout import LEARNED, POLICIES, QUICK, RESULT_WIDTH, RESULTS, Codes, Incomes
from kernel.nets import NetWeights, net_of
from kernel.tables import width_of

_FOR_EVER = 1 << 30


class Result(NamedTuple):
    """How a match ended, or where it was left."""

    winner: int
    """A seat, or -1 without a winner."""
    reason: str
    """As `MatchState.result`; empty if the match was left."""
    turn: int
    """The number of its last turn."""
    commands: int
    """How many were played."""


class Results:
    """The results of all matches: those of the first position, those of the second, and so on."""

    def __init__(self, numbers: Codes, values: Incomes, seats: int, matches: int) -> None:
        self._numbers = numbers
        self._seats = seats
        self.matches = matches
        """How many there are of each position."""
        self.values = values
        """By match and seat: 1 for the winner, or the chances by the network where the match was left."""

    def __len__(self) -> int:
        return len(self._numbers) // RESULT_WIDTH

    def __iter__(self) -> Iterator[Result]:
        for at in range(0, len(self._numbers), RESULT_WIDTH):
            winner, reason, turn, commands = self._numbers[at : at + RESULT_WIDTH]
            yield Result(winner, RESULTS[reason], turn, commands)

    def means(self) -> Iterator[tuple[float, ...]]:
        """By position: the mean value of each seat."""
        width = self.matches * self._seats
        for first in range(0, len(self.values), width):
            values = self.values[first : first + width]
            yield tuple([sum(values[seat :: self._seats]) / self.matches for seat in range(self._seats)])


class Simulator:
    """The arrays for playing matches of some rules."""

    def __init__(self, kernel: Engine, rules: Rules, weights: NetWeights | None = None) -> None:
        """With `weights`, of the network for the seats in play, `learned` plays and matches may be left."""
        self._kernel = kernel
        self._rules = rules
        self._seats = rules.seats
        self._has_net = weights is not None
        self._tables = kernel.tables(rules)
        net = kernel.net(net_of(rules, weights)) if weights else kernel.net()
        self._arrays = (
            kernel.row(),
            kernel.luck(0),
            kernel.forecast(),
            kernel.codes(),
            kernel.incomes(),
            net,
            kernel.net_workspace(),
        )

    def play(self, policies: Sequence[str], seed: int, matches: int, first_seat: int = -1) -> Results:
        """Play the matches of the seeds from `seed` on, from set-up to end.

        Without a first seat, -1, chance chooses it. `policies` names that of each seat, of
        `kernel.layout.POLICIES`. Equal seeds give equal matches, whether the kernel is compiled or not.

        Raises:
            ValueError: there is not one policy for each seat, or one needs the network.
        """
        return self._play(policies, (), 1, seed, matches, _FOR_EVER, first_seat)

    def play_on(
        self,
        positions: Sequence[Sequence[int]],
        policies: Sequence[str],
        seed: int,
        matches: int,
        turns: int | None = None,
    ) -> Results:
        """Play on from each of the positions, which are rows by `kernel.convert.row_of`.

        Every position has the same seeds, so that positions are compared by the same luck. After so many
        turns a match is left, and valued by the network.

        Raises:
            ValueError: as `play`; or matches are to be left, and there is no network.
        """
        if turns is not None and not self._has_net:
            raise ValueError("a match that is left needs a network")
        width = width_of(self._rules)
        numbers = [number for row in positions for number in row[:width]]
        return self._play(policies, numbers, len(positions), seed, matches, turns or _FOR_EVER)

    def _play(
        self,
        policies: Sequence[str],
        numbers: Sequence[int],
        positions: int,
        seed: int,
        matches: int,
        turns: int,
        first_seat: int = -1,
    ) -> Results:
        by_seat = [POLICIES.index(name) for name in policies]
        if len(by_seat) != self._seats:
            raise ValueError(f"{self._seats} seats need as many policies, not {len(by_seat)}")
        for policy in (LEARNED, QUICK):
            if policy in by_seat and not self._has_net:
                raise ValueError(f"{POLICIES[policy]!r} needs a network")
        kernel, count = self._kernel, positions * matches
        results = kernel.codes((0,) * (count * RESULT_WIDTH))
        values = kernel.incomes(count * self._seats)
        self._kernel.play_matches(
            self._tables,
            *self._arrays,
            kernel.codes(by_seat),
            kernel.row(numbers),
            len(numbers) // width_of(self._rules),
            matches,
            seed,
            turns,
            first_seat,
            results,
            values,
        )
        return Results(results, values, self._seats, matches)
