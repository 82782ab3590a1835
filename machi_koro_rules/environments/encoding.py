"""Commands as numbers and tables as vectors, as all environments show them: see docs/environments.md.

Both derive from the codes and rows of the kernel. Seats are counted clockwise from the one that acts or
looks, so that every seat sees the table as seat 0 does.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from domain import legal_commands
from domain.match import commands as cmd
from domain.match.commands import PlayCommand
from domain.match.decide.turns import TURN_LIMIT
from domain.match.rules import HIGHEST_TOTAL, Rules
from domain.match.state import MatchState, seat_to_act
from kernel import layout as at
from kernel.convert import code_of, command_of, row_of

Mask: TypeAlias = NDArray[np.int8]
Vector: TypeAlias = NDArray[np.int32]

MOST_COINS: Final = 2**31 - 1
"""The bound of members that count coins: the rules have none."""

_HEAD: Final = {
    "phase": at.PHASE,
    "active_seat": at.ACTIVE,
    "first_seat": at.FIRST_SEAT,
    "turn": at.TURN,
    "building_round": at.ROUND,
    "extra_turn": at.EXTRA_TURN,
    "die_1": at.DIE_1,
    "die_2": at.DIE_2,
    "total": at.TOTAL,
    "added": at.ADDED,
    "rerolled": at.REROLLED,
    "received": at.RECEIVED,
    "extra_turn_due": at.EXTRA_TURN_DUE,
    "pending_card": at.PENDING_CARD,
    "pending_copies": at.PENDING_COPIES,
}
"""The members of one number, and where the kernel has them."""


class Encoding:
    """The actions and observations of one ruleset with options and a number of seats."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._codes: list[int] = list(_codes(rules))
        self._actions: dict[int, int] = {code: action for action, code in enumerate(self._codes)}
        self.actions: int = len(self._codes)
        """The number of actions."""
        self.fields: Mapping[str, slice] = _fields(rules)
        """By name of a member: its place in an observation."""
        self.phases: int = len(at.PHASES) if rules.renovates else at.BUILD + 1
        """The number of phases that a match can be in; 0 is its end."""
        self.low, self.high = self._bounds()
        """The lowest and highest possible number of each place of an observation."""
        self._columns: list[Vector] = [_columns(rules, seat) for seat in range(rules.seats)]

    def action(self, command: PlayCommand) -> int:
        """The action of a command of these rules.

        Raises:
            ValueError: the command has no action: to resign, or to trade with oneself.
            KeyError: the rules have no card of that id.
        """
        found = self._actions.get(code_of(self.rules, self._turned(command, -command.seat)))
        if found is None:
            raise ValueError(f"no action stands for {command!r}")
        return found

    def command(self, seat: int, action: int) -> PlayCommand:
        """The command of an action of that seat.

        Raises:
            ValueError: there is no such action.
        """
        if not 0 <= action < self.actions:
            raise ValueError(f"the action must be 0 to {self.actions - 1}, not {action}")
        return self._turned(command_of(self.rules, seat, self._codes[action]), seat)

    def legal_actions(self, state: MatchState) -> list[int]:
        """The actions of all legal commands, in ascending order; empty unless the match is running."""
        return sorted([self.action(command) for command in legal_commands(state)])

    def mask(self, state: MatchState, seat: int) -> Mask:
        """1 for each legal action of the seat, else 0; all 0 while another seat is to act."""
        found = np.zeros(self.actions, np.int8)
        if seat_to_act(state) == seat:
            found[self.legal_actions(state)] = 1
        return found

    def observe(self, state: MatchState, seat: int) -> Vector:
        """What the seat sees of a match that has started; `fields` has the members."""
        row: Vector = np.asarray(row_of(state), np.int32)
        for place in (at.ACTIVE, at.FIRST_SEAT):
            row[place] = (row[place] - seat) % self.rules.seats
        return row[self._columns[seat]]

    def _turned(self, command: PlayCommand, seats: int) -> PlayCommand:
        """The command with the opponent who sits `seats` further clockwise."""
        if isinstance(command, cmd.TakeCoins):
            return replace(command, from_seat=(command.from_seat + seats) % self.rules.seats)
        if isinstance(command, cmd.SwapEstablishments):
            return replace(command, with_seat=(command.with_seat + seats) % self.rules.seats)
        if isinstance(command, cmd.MoveEstablishment):
            return replace(command, to_seat=(command.to_seat + seats) % self.rules.seats)
        return command

    def _bounds(self) -> tuple[Vector, Vector]:
        rules = self.rules
        low = np.zeros(max(place.stop for place in self.fields.values()), np.int32)
        low[self.fields["pending_card"]] = -1
        high = np.ones_like(low)
        # Trades and gifts can bring all copies, with the starter cards of all seats, into one city.
        copies = [count + rules.seats for count in rules.copies]
        highest: dict[str, int | list[int]] = {
            "phase": self.phases - 1,
            "active_seat": rules.seats - 1,
            "first_seat": rules.seats - 1,
            "turn": TURN_LIMIT,
            "building_round": max(1, rules.ruleset.building_rounds),
            "die_1": 6,
            "die_2": 6,
            "total": HIGHEST_TOTAL,
            "added": rules.firings[rules.add_two].amount if rules.add_two >= 0 else 1,
            "received": MOST_COINS,
            "pending_card": rules.size - 1,
            "pending_copies": max(copies),
            "coins": MOST_COINS,
            "landmarks": rules.size - rules.establishments,
            "cities": copies * rules.seats,
            "supply": copies,
            "decks": copies,
            "invested": MOST_COINS,
            "closed": copies * rules.seats,
        }
        for name, place in self.fields.items():
            high[place] = highest.get(name, 1)
        return low, high


@lru_cache(maxsize=64)
def encoding_of(rules: Rules) -> Encoding:
    """The encoding of these rules, cached."""
    return Encoding(rules)


def _codes(rules: Rules) -> Iterator[int]:
    """The codes of all commands that these rules can ever allow, in ascending order."""
    kinds = {firing.kind for firing in rules.firings}
    yield from (at.ROLL_ONE, at.ROLL_TWO)
    if rules.reroll >= 0:
        yield from (at.REROLL_DICE, at.KEEP_DICE)
    if rules.add_two >= 0:
        yield from (at.TWO_MORE, at.KEEP_TOTAL)
    if "swap" in kinds:
        yield at.DECLINE_SWAP
    yield at.PASS
    others = range(1, rules.seats)
    if "from_one" in kinds:
        yield from (at.TAKE_FROM + other for other in others)
    if rules.invests >= 0:
        yield from (at.INVEST_COIN, at.KEEP_COIN)
    yield from (at.BUILD_CARD + card for card in rules.offers)
    if "give_on_double" in kinds:
        yield from (at.GIVE_CARD + card for card in range(rules.establishments))
    if "demolish" in kinds:
        yield from (at.DEMOLISH_CARD + card for card in range(rules.establishments, rules.size))
    cards = [card for card in range(rules.establishments) if rules.tradable[card]]
    if "renovate" in kinds:
        yield from (at.RENOVATE_CARD + card for card in cards)
    if "move" in kinds:
        yield from (at.MOVE_CARD + card * at.MOST_SEATS + other for card in cards for other in others)
    if "swap" in kinds:
        for give in cards:
            for other in others:
                place = at.TRADE + (give * at.MOST_SEATS + other) * at.MOST_CARDS
                yield from (place + take for take in cards)


def _fields(rules: Rules) -> dict[str, slice]:
    by_seat = dict.fromkeys(("coins", "landmarks", "resigned"), rules.seats)
    tables = {"cities": rules.seats * rules.size, "supply": rules.size, "decks": rules.size}
    tokens = {"invested": rules.seats, "closed": rules.seats * rules.size} if rules.renovates else {}
    found, start = {}, 0
    for name, width in {**dict.fromkeys(_HEAD, 1), **by_seat, **tables, **tokens}.items():
        found[name] = slice(start, start + width)
        start += width
    return found


def _columns(rules: Rules, seat: int) -> Vector:
    """Where the row of a match has the numbers of an observation of that seat."""
    seats = [(seat + i) % rules.seats for i in range(rules.seats)]
    found = list(_HEAD.values())
    for place in (at.COINS, at.LANDMARKS, at.RESIGNED):
        found += [place + one for one in seats]
    for place in (*[at.CITIES + one * at.MOST_CARDS for one in seats], at.SUPPLY, at.DECKS):
        found += range(place, place + rules.size)
    if rules.renovates:
        found += [at.INVESTED + one for one in seats]
        for one in seats:
            found += range(at.CLOSED + one * at.MOST_CARDS, at.CLOSED + one * at.MOST_CARDS + rules.size)
    return np.array(found, np.int32)
