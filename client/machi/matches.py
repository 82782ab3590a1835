"""Matches as they are asked for and as they are shown."""

from msgspec import Struct

import contract.matches
from machi.decoding import Kept, decoded


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


class Match(contract.matches.Match, Kept, frozen=True, dict=True):
    """A match."""

    invitation_code: str | None = None  # type: ignore[assignment]
    """Of an open private match of one's own: whoever has it may join."""

    @property
    def is_over(self) -> bool:
        return self.status not in ("open", "running")

    def seats_of(self, account_id: str) -> tuple[int, ...]:
        """The seats that the account holds and has not resigned."""
        return tuple(seat.seat for seat in self.seats if seat.account_id == account_id and not seat.resigned)


class ListedMatch(contract.matches.ListedMatch, Kept, frozen=True, dict=True):
    """A match as lists show it."""


class Joined(Struct, frozen=True):
    """The seat that was taken, and the match with it."""

    seat: int
    match: Match


def decode_joined(raw: bytes) -> Joined:
    """Raises: UnusableAnswer."""
    return Joined(decoded(contract.matches.Joined, raw).seat, decoded(Match, raw))
