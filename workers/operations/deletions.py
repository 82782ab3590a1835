"""The departure of deleted accounts from their matches and ladders.

The service deletes an account at once and puts its id on a list. The relay passes over the matches and
ladders of each account on the list. A pass can break off anywhere: the next one finds what is left. The
account leaves the list when a late pass finds nothing, since a request that began before the deletion may
still be under way. Why: docs/adr/0034-accounts-can-be-deleted.md.
"""

import time
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

import redis
import structlog

from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder.events import Event
from domain.ladder.state import OWNER_DELETED, REMOVED, LadderState
from domain.match.commands import AbortMatch, ChangeController, Command, EndReservation, Resign
from domain.match.seat_seeds import has_opening_begun, seats_due
from domain.match.state import OPEN, RUNNING, MatchState, is_over
from events import Matches, StaleVersion, StoreError, StoreUnavailable
from events.ladders.ladders import Ladders
from events.matches.lists import summaries_of
from events.matches.projections import invited_index
from events.store import keys
from events.store.client import unavailable_as_store_error
from events.store.keys import now_ms
from events.store.records import member_pages
from runtime.strategies import STAND_IN, STRATEGIES

SETTLED_MS: Final = 60_000
"""A pass that begins so long after the deletion misses nothing: no request takes longer."""
PAUSE_MS: Final = 60_000
"""The pause between two passes for an account."""
SHARE_S: Final = 0.05
"""A run ends after this time, because turns of built-in players wait for it."""

_PAGE: Final = 200

log = structlog.get_logger(__name__)


class Deletions:
    """Passes over the matches and ladders of deleted accounts, in slices."""

    def __init__(
        self,
        matches: Matches,
        ladders: Ladders,
        client: redis.Redis,
        settled_ms: int = SETTLED_MS,
        pause_ms: int = PAUSE_MS,
    ) -> None:
        """`client` is one of the event store; `settled_ms` and `pause_ms` are as `SETTLED_MS` and
        `PAUSE_MS`."""
        self._matches = matches
        self._ladders = ladders
        self._client: Any = client
        self._settled_ms = settled_ms
        self._pause_ms = pause_ms
        self._passes: dict[str, int] = {}
        """By account on the list: when its next pass is due, in ms since 1970."""
        self._pass: Iterator[None] = iter(())

    def run(self) -> bool:
        """Continue the current pass, or begin the next one that is due; whether there may be more to do now.

        Raises:
            StoreUnavailable: the pass begins again later.
        """
        ends_s = time.monotonic() + SHARE_S
        try:
            for _ in self._pass:
                if time.monotonic() >= ends_s:
                    return True
            account_id, deleted_ms = self._due() or ("", 0)
            self._pass = self._passed(account_id, deleted_ms) if account_id else iter(())
        except StoreUnavailable:
            self._pass = iter(())
            raise
        return bool(account_id)

    def _due(self) -> tuple[str, int] | None:
        """The first account on the list whose next pass is due, and when it was deleted."""
        with unavailable_as_store_error():
            found = self._client.zrange(keys.DELETED_ACCOUNTS, 0, -1, withscores=True)
        listed = [(account_id.decode(), int(deleted_ms)) for account_id, deleted_ms in found]
        self._passes = {account_id: self._passes.get(account_id, 0) for account_id, _ in listed}
        now = now_ms()
        return next((one for one in listed if self._passes[one[0]] <= now), None)

    def _passed(self, account_id: str, deleted_ms: int) -> Iterator[None]:
        """Have the account leave what it is in; yields after each step."""
        began_ms = now_ms()
        has_left = True
        for match_id in self._places(account_id):
            has_left = not self._leave_match(match_id, account_id) and has_left
            yield
        is_late = began_ms >= deleted_ms + self._settled_ms
        if has_left or not is_late:  # ladders take long to load, and matches can keep the account listed
            for ladder_id in chain.from_iterable(member_pages(self._matches.store, keys.LADDERS, _PAGE)):
                has_left = not self._leave_ladder(ladder_id, account_id) and has_left
                yield
        self._passes[account_id] = now_ms() + self._pause_ms
        if has_left and is_late:
            with unavailable_as_store_error():
                self._client.zrem(keys.DELETED_ACCOUNTS, account_id)
            log.info("deleted_account_left", account_id=account_id)

    def _places(self, account_id: str) -> Iterator[str]:
        """The matches that the account may have to leave."""
        store = self._matches.store
        yield from store.members(keys.index(invited_index(account_id)), None, _PAGE)
        for match_ids in member_pages(store, keys.index(f"player:{account_id}"), _PAGE):
            for status in (OPEN, RUNNING):
                is_in = store.are_members(keys.index(f"status:{status}"), match_ids)
                yield from [one for one, is_there in zip(match_ids, is_in, strict=True) if is_there]
        for match_ids in member_pages(store, keys.index(f"status:{OPEN}"), _PAGE):
            yield from [one.match_id for one in summaries_of(store, match_ids) if one.creator == account_id]

    def _leave_match(self, match_id: str, account_id: str) -> bool:
        """Have the account leave the match; whether it was in it. A damaged match counts as left."""

        def choose(state: MatchState) -> tuple[str, Command]:
            if (step := next_step(state, account_id)) is None:
                raise _Left
            return step

        try:
            if not is_in(self._matches.load(match_id).state, account_id):
                return False
            while True:
                self._matches.execute_chosen(match_id, choose, b"deletion")
        except _Left:
            return True
        except (RuleViolation, StaleVersion):  # somebody else was faster
            return True
        except StoreUnavailable:
            raise
        except StoreError as error:
            log.error("match_not_left", match_id=match_id, account_id=account_id, error=str(error))
            return False
        except Exception as error:  # one match must not block the others; the next pass tries again
            log.exception("match_not_left", match_id=match_id, account_id=account_id, error=str(error))
            return True

    def _leave_ladder(self, ladder_id: str, account_id: str) -> bool:
        """Have the account leave the ladder; whether it was in it."""
        try:
            if not departure(self._ladders.load(ladder_id).state, account_id):
                return False
            self._ladders.execute(
                ladder_id, lambda state: departure(state, account_id), f"account:{account_id}"
            )
            return True
        except StaleVersion:
            return True
        except StoreUnavailable:
            raise
        except StoreError as error:
            log.error("ladder_not_left", ladder_id=ladder_id, account_id=account_id, error=str(error))
            return False


class _Left(Exception):
    """The account has nothing more to do in the match now."""


def is_in(state: MatchState, account_id: str) -> bool:
    """Whether the account has a place in the match that it has to leave."""
    if is_over(state):
        return False
    is_invited = any(one.id == account_id for one in state.reservations.values())
    is_host = state.status == OPEN and state.created.creator == account_id
    return is_invited or is_host or bool(_seats(state, account_id))


def next_step(state: MatchState, account_id: str) -> tuple[str, Command] | None:
    """The next actor and command with which the account leaves the match; None if there is nothing to do.

    A match that waits for the seeds of its seats has a deadline for that, after which it starts or is over.
    """
    actor, seats = f"account:{account_id}", _seats(state, account_id)
    if is_over(state):
        return None
    if state.status != OPEN:
        return (f"seat:{seats[0]}", Resign(seats[0])) if seats else None
    if state.created.creator == account_id and not has_opening_begun(state):
        return actor, AbortMatch()
    for seat, one in state.reservations.items():
        if one.id == account_id:
            return actor, EndReservation(seat, account_id)
    if not seats or seats_due(state):
        return None
    version = STRATEGIES[STAND_IN].version
    return "service", ChangeController(seats[0], "strategy", STAND_IN, STAND_IN, version)


def _seats(state: MatchState, account_id: str) -> list[int]:
    """The seats that the account plays, without those that have resigned."""
    return [
        seat
        for seat, taken in enumerate(state.controllers)
        if taken is not None
        and taken.kind == "account"
        and taken.id == account_id
        and not (state.resigned and state.resigned[seat])
    ]


def departure(state: LadderState, account_id: str) -> list[Event]:
    """The events with which the account leaves the ladder: its bot withdraws; of its own rounds, those stop
    that wait for a value, and the others are played to the end."""
    found: list[Event] = []
    for entry in state.entries:
        if entry.player.account == account_id and entry.status != REMOVED:
            found += decide.withdraw(state, entry.id, account_id)
    if state.owner == account_id:
        for round in state.rounds:
            if round.awaits_value:
                found += decide.stop_round(state, round.number, OWNER_DELETED)
    return found
