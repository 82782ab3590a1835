"""Matches for tests of luck, and what a throw was worth, worked out the long way.

`brute` knows nothing of `domain.luck`: it plays every ordered throw and every answer through `decide`, in
fractions, and merges nothing.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from domain import MatchState, advance, decide, fold, legal_commands
from domain.luck import Luck, Relative, Throw, in_coins, luck_of
from domain.match import commands as cmd
from domain.match import events as ev
from domain.match.commands import Command, PlayCommand
from domain.match.events import Event
from tests.domain.kit import ScriptedChance, creation

Coins = tuple[Fraction | int, ...]


class Board:
    """A match from a given table, played on with the dice that a test names."""

    def __init__(
        self, ruleset: str, *players: ev.PositionPlayer, active: int = 0, clock: ev.Clock | None = None
    ) -> None:
        position = ev.Position(active, "roll", players)
        create = creation(ruleset, len(players), position=position, clock=clock)
        self.events: list[Event] = [*decide(None, create, ScriptedChance())]
        self.state = fold(None, self.events)

    def play(self, *commands: Command, dice: Sequence[Sequence[int]] = ()) -> "Board":
        chance = ScriptedChance(dice)
        for command in commands:
            self.events += advance(self.state, command, chance)
        assert chance.left_over() == []
        return self

    @property
    def luck(self) -> Luck:
        return luck_of(self.events)


def shown(units: Relative | None) -> Coins | None:
    return None if units is None else tuple([in_coins(one) for one in units])


def told(throw: Throw) -> tuple[Coins | None, ...]:
    """What is expected, the luck, the error and what is realised, in coins."""
    return tuple([shown(one) for one in (throw.expected, throw.luck, throw.error, throw.realised)])


class _Tape:
    """Throws in order; an index error is raised where one more is asked for."""

    def __init__(self, throws: Sequence[tuple[int, ...]]) -> None:
        self.throws = throws
        self.used = 0

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        self.used += 1
        return self.throws[self.used - 1]


class Brute:
    """The worth of commands to every seat in play, against the mean of the others."""

    def __init__(self, table: MatchState) -> None:
        self.coins = table.coins
        self.active = table.active
        self.playing = [seat for seat, gone in enumerate(table.resigned) if not gone]
        self.met: set[str] = set()
        """The phases that were met, and `boats`."""

    def worth(self, state: MatchState, command: PlayCommand) -> list[Fraction]:
        """Before its dice fall, if it throws any."""
        dice = command.dice if isinstance(command, cmd.RollDice) else len(state.dice)
        if not isinstance(command, cmd.RollDice | cmd.RerollDice):
            return self.after(state, command, ())
        throws = list(product(range(1, 7), repeat=dice))
        return _mean([self.after(state, command, (throw,)) for throw in throws])

    def after(
        self, state: MatchState, command: PlayCommand, throws: tuple[tuple[int, ...], ...]
    ) -> list[Fraction]:
        """After these throws, and before that of the boats if they are to be thrown for."""
        try:
            events = decide(state, command, _Tape(throws))
        except IndexError:
            self.met.add("boats")
            boats = product(range(1, 7), repeat=2)
            return _mean([self.after(state, command, (*throws, throw)) for throw in boats])
        return self.value(fold(state.copy(), events))

    def value(self, state: MatchState) -> list[Fraction]:
        self.met.add(state.phase)
        if state.phase == "build":
            return self._relative([now - old for now, old in zip(state.coins, self.coins, strict=True)])
        options = legal_commands(state)
        if state.phase in ("swap", "give", "demolish", "move"):
            worths = [self.worth(state, command) for command in _some(options)]
            assert all(worth == worths[0] for worth in worths), "an answer without coins has moved some"
            return worths[0]
        if state.phase not in ("take_coins", "renovate"):
            options = options[::-1]  # the plain answer comes first
        return max([self.worth(state, command) for command in options], key=lambda one: one[self.active])

    def _relative(self, gained: list[int]) -> list[Fraction]:
        found = [Fraction(0)] * len(gained)
        for seat in self.playing:
            others = [gained[other] for other in self.playing if other != seat]
            found[seat] = gained[seat] - Fraction(sum(others), len(others))
        return found


def _some(options: list[PlayCommand]) -> list[PlayCommand]:
    """Enough of them to see a difference: a city has few cards that anything else depends on."""
    return options[:: max(1, len(options) // 3)]


def _mean(worths: list[list[Fraction]]) -> list[Fraction]:
    return [sum(seat, Fraction(0)) / len(worths) for seat in zip(*worths, strict=True)]
