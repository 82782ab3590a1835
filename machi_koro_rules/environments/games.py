"""Matches that run in this process, as all environments play them: set-up, chance and returns.

A match begins as any of `machi_koro_rules`, and each command is one `advance` of `domain`.
"""

import random
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, get_args

from msgspec.structs import replace

from domain import advance
from domain.audit.inference import creation_of
from domain.match.chance import SeededChance
from domain.match.commands import CreateMatch, PlayCommand
from domain.match.events import Dice
from domain.match.rules import Rules
from domain.match.state import FINISHED, MatchState
from machi_koro_rules.game import SEED_SIZE, Game, new_game

Illegal: TypeAlias = Literal["terminate", "default"]
"""What follows an illegal action: the end of the match, or the command of the rules for an absent player."""
ILLEGAL: Final[tuple[str, ...]] = get_args(Illegal)


class Setup(NamedTuple):
    """How a match is set up; the members are those of `machi_koro_rules.new_game`."""

    ruleset: str = "base"
    seats: int = 2
    first_seat: int | None = None
    box: str | None = None
    market: str | None = None
    max_copies: int | None = None
    card_costs: dict[str, int] | None = None

    def begin(self, seed: bytes) -> Game:
        """A new match with a seed of 32 bytes.

        Raises:
            ValueError: there is no such ruleset, seat or option, or the option does not fit.
        """
        names = [agent_name(seat) for seat in range(self.seats)]
        return new_game(seed=seed, names=names, **self._asdict())

    @property
    def rules(self) -> Rules:
        """The rules of such a match. Raises: ValueError, as `begin`."""
        return self.begin(bytes(SEED_SIZE)).state.rules

    @property
    def creation(self) -> CreateMatch:
        """The command that creates such a match, without a seed. Raises: ValueError, as `begin`."""
        game = self.begin(bytes(SEED_SIZE))
        return replace(creation_of(game.state.created, game.events), dice=Dice("committed"))


class OngoingMatch(Protocol):
    """A match that an environment plays, here or elsewhere."""

    @property
    def state(self) -> MatchState:
        """The state at the last decision of one of `seats`, or at the end of the match."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that the environment acts for, in ascending order."""

    def act(self, command: PlayCommand) -> None:
        """Carry out a command of the seat to act, and wait until one of `seats` is to act or it is over."""


class LocalMatch:
    """A match in this process; its chance derives from the 32 bytes of `seed`."""

    def __init__(self, setup: Setup, seed: bytes) -> None:
        self._chance = SeededChance(seed, "")
        self.state = setup.begin(seed).state
        self.seats = tuple(range(setup.seats))

    def act(self, command: PlayCommand) -> None:
        """Carry out a command. Raises: RuleViolation if it is not legal."""
        advance(self.state, command, self._chance)


def seeds_from(seed: int | None) -> random.Random:
    """The source of the seeds of matches; without a seed, of the operating system's randomness."""
    return random.Random(seed)


def returns(state: MatchState) -> tuple[float, ...]:
    """By seat: 1 for the winner and -1 divided by the number of opponents for each of them.

    All 0 unless the match has been won, so also if it was called off at the limit of turns.
    """
    seats = len(state.controllers)
    if state.status != FINISHED:
        return (0.0,) * seats
    return tuple([1.0 if seat == state.winner else -1.0 / (seats - 1) for seat in range(seats)])


def agent_name(seat: int) -> str:
    """The name of the agent in that seat."""
    return f"player_{seat}"


def setup_of(**options: Any) -> Setup:
    """The set-up with these members, which are checked. Raises: ValueError, as `Setup.begin`; TypeError."""
    setup = Setup(**options)
    setup.begin(bytes(SEED_SIZE))
    return setup
