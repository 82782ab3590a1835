"""Matches as they are asked for and as they are shown."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct


class NewSeat(Struct, frozen=True, omit_defaults=True):
    """Who is to sit on a seat; made by `me`, `open_seat`, `account`, `bot` and `strategy`."""

    kind: str
    handle: str = ""
    bot: str = ""
    strategy: str = ""
    seed: str = ""


def me(seed: str = "") -> NewSeat:
    """A seat for the caller.

    The `seed`, 1 to 64 visible ASCII characters, enters the dice and is deprecated: it protects from nobody
    who knows the match seed. Make a match with `seat_seeds=True` instead.
    """
    return NewSeat("me", seed=seed)


def open_seat() -> NewSeat:
    """A seat that anybody may take."""
    return NewSeat("open")


def account(handle: str) -> NewSeat:
    """A seat for another account, which has it at once or is invited, as it has decided."""
    return NewSeat("account", handle=handle)


def bot(handle: str) -> NewSeat:
    """A seat for a remote bot, by the handle of its account."""
    return NewSeat("bot", bot=handle)


def strategy(name: str) -> NewSeat:
    """A seat for a built-in player; `Client.strategies` lists them."""
    return NewSeat("strategy", strategy=name)


class Clock(Struct, frozen=True):
    """How long a decision may take, and what happens when it takes longer."""

    decision_ms: int
    on_timeout: str = "default_command"
    """`default_command`, `strategy` or `forfeit`."""


class Options(Struct, frozen=True):
    """The options of a match, with every default filled in."""

    box: str | None = None
    market: str = "open"
    max_copies: int | None = None
    card_costs: dict[str, int] = {}


class Seat(Struct, frozen=True):
    """A seat and who plays it."""

    seat: int
    kind: str
    """`open`, `account` or `strategy`."""
    name: str | None = None
    account_id: str | None = None
    strategy: str | None = None
    resigned: bool = False
    invited: str | None = None
    """Of an open seat that is reserved: the handle of who alone may take it."""


class Origin(Struct, frozen=True):
    """Where a branch comes from."""

    match_id: str
    version: int
    """The branch goes on behind this event."""
    head_hash: str
    dice: str
    """`same`, `fresh` or `scripted`."""


class SeatSeed(Struct, frozen=True):
    """What a seat has done about the seed that it adds to the dice."""

    seat: int
    status: str
    """`none`, `awaited`, `committed`, `opened`, `forgone` or `withheld`."""
    commitment: str | None = None
    seed: str | None = None


class SeatSeedsStatus(Struct, frozen=True):
    """How far the seats are with their seeds."""

    within_ms: int
    seats: tuple[SeatSeed, ...]
    step: str | None = None
    """`commit` or `open`: what the match waits for."""
    deadline: datetime | None = None


class Result(Struct, frozen=True):
    """Why a match is over."""

    reason: str


# Dataclasses, and no Structs as most values: what came as JSON is neither shown nor compared.
@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match."""

    match_id: str
    version: int
    status: str
    """`open`, `running`, `finished` or `aborted`."""
    ruleset: str
    rules_version: str
    options: Options
    seats: tuple[Seat, ...]
    visibility: str
    tags: tuple[str, ...]
    creator: str
    created_at: datetime
    dice: dict[str, Any]
    turn: int = 0
    first_seat: int | None = None
    clock: Clock | None = None
    position: dict[str, Any] | None = None
    seat_seeds: SeatSeedsStatus | None = None
    """Where seats commit to seeds for the dice."""
    origin: Origin | None = None
    """What a branch goes on from."""
    active_seat: int | None = None
    winner: int | None = None
    result: Result | None = None
    invitation_code: str | None = None
    """Of an open private match of one's own: whoever has it may join."""
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The JSON as it came."""

    @property
    def is_over(self) -> bool:
        return self.status not in ("open", "running")

    def seats_of(self, account_id: str) -> tuple[int, ...]:
        """The seats that the account holds and has not resigned."""
        return tuple(seat.seat for seat in self.seats if seat.account_id == account_id and not seat.resigned)


class SeatNumber(Struct):
    """What an answer says beside the match."""

    seat: int


class Joined(Struct, frozen=True):
    """The seat that was taken, and the match with it."""

    seat: int
    match: Match


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMatch:
    """A match as lists show it."""

    match_id: str
    status: str
    ruleset: str
    rules_version: str
    seats: tuple[Seat, ...]
    visibility: str
    tags: tuple[str, ...]
    creator: str
    created_at: datetime
    winner: int | None = None
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The JSON as it came."""


class Page(Struct):
    """One page of a list as it comes."""

    items: tuple[msgspec.Raw, ...]
    next: str | None = None
