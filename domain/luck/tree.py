"""The tree of a turn, which computes the value of its dice by trying every roll and every choice.

A value has a number for each seat: the coins that it gains from before the turn's first roll until building.
The unit is 1/46,656 coin. A turn has at most three rolls (roll, reroll, boats), and each is a mean whose
weights sum to 36, so every value is an integer.
"""

from collections.abc import Iterable
from typing import Final

from domain.match import commands as cmd
from domain.match.commands import NonBuildCommand
from domain.match.decide import advance_turn
from domain.match.decide.turns import default_command
from domain.match.legal import legal_commands
from domain.match.state import MatchState

Value = list[int]
Values = tuple[int, ...]

_WEIGHTS: Final = 36
"""The sum of the weights of a roll's outcomes."""

SCALE: Final = _WEIGHTS**3
"""Units per coin."""


def _one_die() -> list[tuple[int, Values]]:
    return [(6, (face,)) for face in range(1, 7)]


def _two_dice() -> list[tuple[int, Values]]:
    doubles: list[tuple[int, Values]] = [(1, (face, face)) for face in range(1, 7)]
    for total in range(3, 12):
        ways = [(low, total - low) for low in range(1, 7) if low != total - low and 1 <= total - low <= 6]
        doubles.append((len(ways), ways[0]))
    return doubles


OUTCOMES: Final[dict[int, list[tuple[int, Values]]]] = {1: _one_die(), 2: _two_dice()}
"""By number of dice: the rolls that the rules distinguish, with their weights out of 36. With two dice,
these are six doubles and nine totals of other rolls."""

_BOATS: Final[list[Values]] = [(max(1, total - 6), min(6, total - 1)) for total in range(2, 13)]
"""A roll for each total: nothing else matters for the boats."""

_NO_BOATS: Final = 0

_BOAT_WEIGHTS: Final[dict[int, int]] = {
    _NO_BOATS: _WEIGHTS,
    **{total: 6 - abs(7 - total) for total in range(2, 13)},
}

_KEEPS: Final = (cmd.KeepDice, cmd.KeepTotal)


class _GivenThrows:
    """A source of rolls that returns preset values."""

    def __init__(self) -> None:
        self.values: Values = ()
        self.boats: Values = _BOATS[0]
        self.sailed: bool = False
        """Whether a boats roll was requested."""

    def throw(self, state: MatchState, purpose: str, dice: int) -> Values:
        if purpose == "boats":
            self.sailed = True
            return self.boats
        return self.values


class TurnTree:
    """The lazily computed tree of one turn, from the table before its first roll.

    If the active seat has a choice, the value is that of its best choice relative to the mean of the others;
    ties prefer keeping the dice, or the next target clockwise.
    """

    def __init__(self, table: MatchState) -> None:
        self.active: int = table.active
        self.coins: list[int] = table.coins.copy()
        self.playing: list[bool] = [not gone for gone in table.resigned]
        """By seat: whether it was in play before the first roll."""
        self._seats: int = sum(self.playing)
        self._chance = _GivenThrows()
        self._lying: dict[int, Value] = {}
        """By total: the value of a final roll, which is the same for a kept roll and a reroll.

        No game that has rerolls pays anything for a double.
        """
        self._again: Value = []

    def forget(self) -> None:
        """Clear the cache after a change of the table during the turn."""
        self._lying.clear()
        self._again = []

    def mean(self, state: MatchState, command: NonBuildCommand) -> Value:
        """The value before the roll of `roll_dice` or `reroll_dice`."""
        if isinstance(command, cmd.RerollDice):
            return self._reroll(state)
        assert isinstance(command, cmd.RollDice)
        throws = OUTCOMES[command.dice]
        return _mean([(weight, self.worth(state, command, values)) for weight, values in throws])

    def worth(self, state: MatchState, command: NonBuildCommand, values: Values = ()) -> Value:
        """The value of the command, given its roll, if any; the mean over boats rolls."""
        return self.value_of(self.branches(state, command, values))

    def branches(
        self, state: MatchState, command: NonBuildCommand, values: Values = ()
    ) -> dict[int, MatchState]:
        """The states after the command, by total of the boats roll; by 0 without one.

        Raises:
            RuleViolation: the command is refused.
        """
        chance = self._chance
        chance.values = values
        chance.sailed = False
        chance.boats = _BOATS[0]
        first = self._after(state, command)
        if not chance.sailed:
            return {_NO_BOATS: first}
        found = {sum(_BOATS[0]): first}
        for boats in _BOATS[1:]:
            chance.boats = boats
            found[sum(boats)] = self._after(state, command)
        return found

    def _after(self, state: MatchState, command: NonBuildCommand) -> MatchState:
        after = state.copy()
        advance_turn(after, command, self._chance)
        return after

    def value_of(self, branches: dict[int, MatchState]) -> Value:
        """The mean value over the boats roll."""
        if _NO_BOATS in branches:
            return self.value(branches[_NO_BOATS])
        return _mean([(_BOAT_WEIGHTS[total], self.value(state)) for total, state in branches.items()])

    def value(self, state: MatchState) -> Value:
        """The value of a table during the turn under the best choices."""
        phase = state.phase
        if phase == "reroll":
            return self._best([self._keep(state), self._reroll(state)])
        if phase in ("add_two", "take_coins", "renovate"):
            return self._best([self.worth(state, command) for command in _options(state)])
        if phase in ("swap", "give", "demolish", "move"):
            # No stage that can follow looks at establishments: any answer is worth the same.
            return self.worth(state, default_command(state))
        return self.gained(state)

    def gained(self, state: MatchState) -> Value:
        """What the purses have gained so far."""
        return [(now - before) * SCALE for now, before in zip(state.coins, self.coins, strict=True)]

    def _best(self, options: list[Value]) -> Value:
        best = options[0]
        most = self._lead(best)
        for value in options[1:]:
            lead = self._lead(value)
            if lead > most:
                best, most = value, lead
        return best

    def _lead(self, value: Value) -> int:
        """A measure of the active seat's gain relative to the mean of the others."""
        return self._seats * value[self.active] - sum(value)

    def _keep(self, state: MatchState) -> Value:
        return self._of_lying_dice(state, cmd.KeepDice(self.active), state.dice)

    def _reroll(self, state: MatchState) -> Value:
        """The value of a reroll, which does not depend on the first roll."""
        if not self._again:
            command = cmd.RerollDice(self.active)
            throws = OUTCOMES[len(state.dice)]
            self._again = _mean(
                [(weight, self._of_lying_dice(state, command, values)) for weight, values in throws]
            )
        return self._again

    def _of_lying_dice(self, state: MatchState, command: NonBuildCommand, values: Values) -> Value:
        total = sum(values)
        if total not in self._lying:
            self._lying[total] = self.worth(state, command, values)
        return self._lying[total]


def _options(state: MatchState) -> list[NonBuildCommand]:
    """The possible answers of the active seat: keeping first, targets clockwise."""
    legal = [command for command in legal_commands(state) if not isinstance(command, cmd.Build)]
    return sorted(legal, key=lambda command: not isinstance(command, _KEEPS))


def _mean(weighted: Iterable[tuple[int, Value]]) -> Value:
    sums: Value = []
    for weight, value in weighted:
        if not sums:
            sums = [0] * len(value)
        for seat, coins in enumerate(value):
            sums[seat] += weight * coins
    assert not any([coins % _WEIGHTS for coins in sums]), "a turn rolls three times at most"
    return [coins // _WEIGHTS for coins in sums]
