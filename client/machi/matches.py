"""Matches, as they are requested and as the service shows them."""

from collections.abc import Sequence

from msgspec import Struct

import contract.matches
from machi.answers import HasRaw, decoded


class NewSeat(Struct, frozen=True, omit_defaults=True):
    """The player that a seat is for. Use `me`, `open_seat`, `account`, `bot` and `strategy` to make one."""

    kind: str
    handle: str = ""
    bot: str = ""
    strategy: str = ""
    seed: str = ""


def me(seed: str = "") -> NewSeat:
    """A seat for the caller.

    `seed`, 1 to 64 visible ASCII characters, affects the dice. It is deprecated, because it does not protect
    against anyone who knows the match seed. Create the match with `seat_seeds=True` instead.
    """
    return NewSeat("me", seed=seed)


def open_seat() -> NewSeat:
    """A seat that anyone can take."""
    return NewSeat("open")


def account(handle: str) -> NewSeat:
    """A seat for another account, which gets it at once or is invited, depending on its seating policy."""
    return NewSeat("account", handle=handle)


def bot(handle: str) -> NewSeat:
    """A seat for a remote bot, by the handle of its account."""
    return NewSeat("bot", bot=handle)


def strategy(name: str) -> NewSeat:
    """A seat for a built-in player; `Client.strategies` lists them."""
    return NewSeat("strategy", strategy=name)


def seat_again(seat: contract.matches.Seat, account_id: str) -> NewSeat:
    """A seat of a new match for the same player; `account_id` is the caller's. Raises: ValueError."""
    if seat.account_id == account_id:
        return me()
    if seat.name is None:
        raise ValueError(f"nobody had seat {seat.seat}")
    return strategy(seat.strategy) if seat.strategy else account(seat.name)


def seats_with_me(others: Sequence[str], seat: int) -> list[NewSeat]:
    """All seats of a new match, in which the caller has the one numbered `seat`.

    The others are named as people write them: `open`, `@HANDLE` for an account, or a built-in player.

    Raises: ValueError if there is no such seat.
    """
    if not 0 <= seat <= len(others):
        raise ValueError(f"with {len(others)} others, your seat is 0 to {len(others)}, not {seat}")
    seats = [_named(name) for name in others]
    return [*seats[:seat], me(), *seats[seat:]]


def _named(name: str) -> NewSeat:
    if name == "open":
        return open_seat()
    return account(name[1:]) if name.startswith("@") else strategy(name)


class Match(contract.matches.Match, HasRaw, frozen=True, dict=True):
    """A match, with its original JSON in `raw`."""

    invitation_code: str | None = None  # type: ignore[assignment]
    """Of your own open private match: whoever has the code can join."""

    @property
    def is_over(self) -> bool:
        return self.status not in ("open", "running")

    def seats_of(self, account_id: str) -> tuple[int, ...]:
        """The seats that the account holds and has not resigned from."""
        return tuple(seat.seat for seat in self.seats if seat.account_id == account_id and not seat.resigned)


class ListedMatch(contract.matches.ListedMatch, HasRaw, frozen=True, dict=True):
    """A match as lists show it."""


class Joined(Struct, frozen=True):
    """The seat that was taken, and its match."""

    seat: int
    match: Match


def decode_joined(raw: bytes) -> Joined:
    """Raises: UnusableAnswer."""
    return Joined(decoded(contract.matches.Joined, raw).seat, decoded(Match, raw))
