"""A game: an immutable value with its events so far, its table, and the commands that are legal now."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from domain import advance, create, legal_commands
from domain.errors import RuleViolation
from domain.match.chance import MatchChance, SeededChance, commitment
from domain.match.commands import PLAY_COMMANDS, CreateMatch, PlayCommand, SeatPlan
from domain.match.events import Dice, Event
from domain.match.rulesets import CURRENT, require_sold, resolve_options
from domain.match.state import MatchState, is_over, seat_to_act

Seed: TypeAlias = int | bytes
"""A number, or the 32 bytes of a match's seed as the service reveals it."""

SEED_SIZE: Final = 32
"""In bytes."""


class Playouts(NamedTuple):
    """What came of many matches from one table on."""

    chances: tuple[float, ...]
    """By seat: the share of the matches that it won."""
    winners: tuple[int, ...]
    """By match: the seat that won, or -1 if none did."""
    turns: tuple[int, ...]
    """By match: the number of its last turn."""


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """A match at one point. It never changes: each command leads to another game.

    Make one with `new_game` or `replay`.
    """

    history: tuple[tuple[Event, ...], ...]
    """By command so far: the events that it caused. The first one created the match."""
    _state: MatchState
    """The fold of the history; nobody else has it."""
    _chance: MatchChance | None
    """None if nobody knows the dice."""

    @property
    def state(self) -> MatchState:
        """A copy of the table: coins, cities, market, phase and all else; see docs/packages.md."""
        return self._state.copy()

    @property
    def events(self) -> tuple[Event, ...]:
        """All events so far."""
        return tuple(chain.from_iterable(self.history))

    @property
    def seat(self) -> int | None:
        """The seat to act, from 0; None when the match is over."""
        return seat_to_act(self._state)

    @property
    def is_over(self) -> bool:
        """Whether the match has been won or called off."""
        return is_over(self._state)

    @property
    def winner(self) -> int | None:
        """The seat that has won; None if none has."""
        return self._state.winner if self._state.winner >= 0 else None

    def legal_commands(self) -> tuple[PlayCommand, ...]:
        """All commands that the seat to act may give, except `Resign`; none when the match is over."""
        return tuple(legal_commands(self._state))

    def apply(self, command: PlayCommand) -> "Game":
        """The game after the command; the last entry of its `history` has the events that it caused.

        Raises:
            RuleViolation: the rules refuse the command.
            TypeError: it is no command of a seat.
            ValueError: a replayed match did not reveal its seed, so its dice are unknown; see `with_seed`.
        """
        if type(command) not in PLAY_COMMANDS.values():
            raise TypeError(f"a command is one of {', '.join(PLAY_COMMANDS)}, not {command!r}")
        state = self._state.copy()
        happened = advance(state, command, self._known_chance())
        return Game((*self.history, tuple(happened)), state, self._chance)

    def with_seed(self, seed: Seed) -> "Game":
        """This game with the dice and draws of another seed from here on, to search without foresight.

        Raises:
            ValueError: bytes are not 32.
        """
        return Game(self.history, self._state, SeededChance(seed_bytes(seed), ""))

    def choose(self, player: str) -> PlayCommand:
        """What the built-in player would do now; the same as on the service with the same seed.

        Raises:
            ValueError: there is no such player, nobody is to act, or the seed is unknown.
            ImportError: numpy is missing, which the extra `players` installs.
        """
        from machi_koro_rules.playing import choice

        return choice(self._state, self._known_chance(), player)

    def play(self, *players: str) -> "Game":
        """The game when built-in players have played it to its end: one name for each seat, or one for all.

        Raises:
            ValueError: as `choose`, or there is another number of players.
            ImportError: as `choose`.
        """
        game, seats = self, len(self._state.controllers)
        if len(players) not in (1, seats):
            raise ValueError(f"there must be 1 player or {seats}, not {len(players)}")
        while (seat := game.seat) is not None:
            game = game.apply(game.choose(players[seat % len(players)]))
        return game

    def playouts(self, *players: str, matches: int = 1000, seed: int = 0) -> Playouts:
        """Play many matches from here on by the kernel: the players of all seats, or one for all.

        The kernel knows `random`, `landmark_first`, `greedy`, `expected_value` and `learned`; `uniform` takes
        any legal command, and `quick` is a faster `learned`. Those two by the network need numpy. Where numba
        is installed, thousands of matches take a second, once the kernel is compiled, which takes half a
        minute and is kept. Elsewhere the same matches take about a hundred times longer. The first match has
        the dice of `seed`, each other one those of the next number.

        Raises:
            ValueError: there is no such player, another number of them, no network for one of them (none was
                trained for Millionaire's Row), nobody to act, or no match to play.
            ImportError: numpy is missing, which the extra `players` installs.
        """
        from machi_koro_rules.playing import played_out

        return played_out(self._state, players, matches, seed)

    def render(self) -> str:
        """The table as lines of text."""
        from machi_koro_rules.text import text_of

        return text_of(self._state)

    def _repr_html_(self) -> str:
        """The table as a notebook shows it."""
        from machi_koro_rules.drawing import html_of

        return html_of(self._state)

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        state = self._state
        where = f"seat {self.seat} to act ({state.phase})" if self.seat is not None else state.status
        return f"<Game {state.rules.ruleset.id}: turn {state.turn}, {where}, {state.version} events>"

    def _known_chance(self) -> MatchChance:
        if self._chance is None:
            raise ValueError("the dice of this match are not known; with_seed gives it others")
        return self._chance


def new_game(
    ruleset: str = "base",
    *,
    seats: int = 2,
    seed: Seed | None = None,
    names: Sequence[str] = (),
    first_seat: int | None = None,
    box: str | None = None,
    market: str | None = None,
    max_copies: int | None = None,
    card_costs: Mapping[str, int] | None = None,
) -> Game:
    """A new game: equal arguments and equal commands give equal games. Without a seed, nobody knows the dice.

    `seats` is 2 to 5. `names` are those of the seats; without `first_seat`, chance chooses who begins. The
    other options are those of the service: docs/rules.md has them.

    Raises:
        ValueError: there is no such ruleset, seat or option, or the names are not as many as the seats.
    """
    if ruleset not in CURRENT:
        raise ValueError(f"the ruleset must be one of {', '.join(CURRENT)}, not {ruleset!r}")
    known = seed_bytes(secrets.token_bytes(SEED_SIZE) if seed is None else seed)
    chance = SeededChance(known, "")
    try:
        options = resolve_options(CURRENT[ruleset], seats, box, market, max_copies, dict(card_costs or {}))
        require_sold(CURRENT[ruleset], options.card_costs)
        called = names or [f"seat {seat}" for seat in range(seats)]
        if len(called) != seats:
            raise ValueError(f"{seats} seats need as many names, not {len(called)}")
        plans = tuple([SeatPlan("account", "local", name) for name in called])
        dice = Dice("committed", commitment=commitment(known))
        creation = CreateMatch(CURRENT[ruleset].version, options, plans, dice, "local", first_seat)
        state, events = create(creation, chance)
    except RuleViolation as refusal:
        raise ValueError(refusal.detail) from None
    return Game((tuple(events),), state, chance)


def seed_bytes(seed: Seed) -> bytes:
    """The 32 bytes of a match's seed. A number stands for the SHA-256 of its decimal digits.

    Raises:
        ValueError: bytes are not 32.
        TypeError: it is neither.
    """
    if isinstance(seed, bytes):
        if len(seed) != SEED_SIZE:
            raise ValueError(f"the seed of a match has {SEED_SIZE} bytes, not {len(seed)}")
        return seed
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError(f"a seed is a number or {SEED_SIZE} bytes, not {seed!r}")
    return hashlib.sha256(str(seed).encode()).digest()
