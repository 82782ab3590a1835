"""Whether something new may start: the service must have room, and its creator must be below their limits.

Whatever is refused here, running matches continue.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from domain.match.commands import CreateMatch
from events.store.errors import StoreUnavailable
from service.context import services
from service.edge.problems import Problem
from service.edge.requests import client_address
from service.matches.match_permits import Kind

FULL_S: Final = 30
"""When to retry if memory is short: an operator has to make room."""
BUSY_S: Final = 5
"""When to retry if other matches have to be played first."""


def require_memory() -> None:
    """Refuse a request that would store something permanently, if the event store is nearly full.

    Raises:
        Problem: `overloaded`.
    """
    if services().high_water.is_memory_high():
        raise Problem("overloaded", "the event store is nearly full", headers={"Retry-After": str(FULL_S)})


def require_room() -> None:
    """Refuse to create another match if memory is short or too many turns wait for workers.

    Raises:
        Problem: `overloaded`.
    """
    require_memory()
    if services().high_water.is_backlog_high():
        detail = "too many matches wait for built-in players"
        raise Problem("overloaded", detail, headers={"Retry-After": str(BUSY_S)})


_OF_KIND: Final[dict[Kind, str]] = {"people": "with people", "built_in": "of built-in players only"}


@contextmanager
def permits_for(command: CreateMatch, match_id: str) -> Iterator[None]:
    """Take the permits of a new match of its creator and of the client's address; free them if it fails.

    Raises:
        Problem: `too_many_matches`.
        StoreUnavailable.
    """
    permits, address = services().permits, client_address()
    kind: Kind = "built_in" if all(seat.kind == "strategy" for seat in command.seats) else "people"
    full = permits.take(kind, command.creator, address, match_id)
    if full:
        detail = f"the {full} has reached its limit of unfinished matches {_OF_KIND[kind]}"
        raise Problem("too_many_matches", detail, headers={"Retry-After": str(BUSY_S)})
    try:
        yield
    except StoreUnavailable:
        raise  # the match may exist
    except Exception:
        permits.give_back(kind, command.creator, address, match_id)
        raise
