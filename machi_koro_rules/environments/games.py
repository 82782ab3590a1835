"""Matches that run in this process, as all environments play them: set-up, chance, returns and text.

Rules are those of `domain`: a match begins with `create`, and each command is one `advance`.
"""

import random
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, get_args

from domain import advance, create
from domain.errors import RuleViolation
from domain.match.chance import SeededChance
from domain.match.commands import CreateMatch, PlayCommand, SeatPlan
from domain.match.events import Dice
from domain.match.rules import Rules, rules_for
from domain.match.rulesets import CURRENT, require_sold, resolve_options
from domain.match.state import FINISHED, MatchState, seat_to_act

Illegal: TypeAlias = Literal["terminate", "default"]
"""What follows an illegal action: the end of the match, or the command of the rules for an absent player."""
ILLEGAL: Final[tuple[str, ...]] = get_args(Illegal)


class Setup(NamedTuple):
    """How a match is set up."""

    ruleset: str = "base"
    """`base`, `harbor` or `machi_koro_2`."""
    seats: int = 2
    """2 to 5."""
    first_seat: int | None = None
    """The seat that begins; None lets chance choose it."""
    box: str | None = None
    market: str | None = None
    max_copies: int | None = None
    card_costs: dict[str, int] | None = None

    @property
    def creation(self) -> CreateMatch:
        """The command that creates such a match.

        Raises:
            ValueError: there is no such ruleset, option or seat, or the option does not fit.
        """
        ruleset = CURRENT.get(self.ruleset)
        if ruleset is None:
            raise ValueError(f"the ruleset must be one of {', '.join(CURRENT)}, not {self.ruleset!r}")
        if self.first_seat is not None and not 0 <= self.first_seat < self.seats:
            raise ValueError(f"the first seat must be 0 to {self.seats - 1}, not {self.first_seat}")
        try:
            options = resolve_options(
                ruleset, self.seats, self.box, self.market, self.max_copies, self.card_costs
            )
            require_sold(ruleset, options.card_costs)
        except RuleViolation as refusal:
            raise ValueError(refusal.detail) from None
        seats = (SeatPlan("account", "local", "local"),) * self.seats
        return CreateMatch(ruleset.version, options, seats, Dice("committed"), "local", self.first_seat)

    @property
    def rules(self) -> Rules:
        """The rules of such a match. Raises: ValueError, as `creation`."""
        creation = self.creation
        return rules_for(creation.rules_version, creation.options, self.seats)


class Game(Protocol):
    """A match that an environment plays, here or elsewhere."""

    @property
    def state(self) -> MatchState:
        """The state at the last decision of one of `seats`, or at the end of the match."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that the environment acts for, in ascending order."""

    def act(self, command: PlayCommand) -> None:
        """Carry out a command of the seat to act, and wait until one of `seats` is to act or it is over."""


class LocalGame:
    """A match in this process; its chance derives from the 32 bytes of `seed`."""

    def __init__(self, setup: Setup, seed: bytes) -> None:
        self._chance = SeededChance(seed, "")
        self.state, _ = create(setup.creation, self._chance)
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


def text_of(state: MatchState) -> str:
    """The table of a match that has started as lines of text: the turn, each seat, and what is for sale."""
    dice = f", dice {' + '.join(map(str, state.dice))}, total {state.total}" if state.dice else ""
    seat = seat_to_act(state)
    if seat is not None:
        head = f"turn {state.turn}: {agent_name(seat)} is to act, phase {state.phase}{dice}"
    else:
        won = f"{agent_name(state.winner)} has won" if state.winner >= 0 else "nobody has won"
        head = f"turn {state.turn}: {won} ({state.result})"
    lines = [
        f"{agent_name(seat)}: {coins} coins; {_cards(state.rules, city)}"
        for seat, (coins, city) in enumerate(zip(state.coins, state.cities, strict=True))
    ]
    deck = sum(state.decks)
    left = f"; {deck} more in the decks" if deck else ""
    return "\n".join([head, *lines, f"for sale: {_cards(state.rules, state.supply)}{left}"])


def _cards(rules: Rules, counts: list[int]) -> str:
    shown = [f"{count} {card.name}" for card, count in zip(rules.cards, counts, strict=True) if count]
    return ", ".join(shown) or "nothing"


def setup_of(**options: Any) -> Setup:
    """The set-up with these members of `Setup`. Raises: ValueError, as `Setup.creation`; TypeError."""
    setup = Setup(**options)
    setup.creation  # noqa: B018  # it checks them
    return setup
