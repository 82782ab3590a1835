"""Real matches as a PettingZoo environment, and agents of PettingZoo as bots; see docs/environments.md.

Importing it needs the extra `environment`. The events of a match are folded here, so an agent sees exactly
what it would see in `machi_koro_v0`.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from domain import fold
from domain.match.commands import PlayCommand, Resign
from domain.match.state import OPEN, RUNNING, MatchState, is_over, seat_to_act
from machi.client import Client
from machi.commands import Command
from machi.errors import ApiError
from machi.event_data import OtherData
from machi.play_loop import LONGEST_WAIT_S
from machi.table import Turn
from machi_koro_rules.environments.aec import MatchEnv
from machi_koro_rules.environments.encoding import encoding_of
from machi_koro_rules.environments.spaces import Observation

__all__ = ["Policy", "chooser", "remote"]

Policy = Callable[[Observation], int]
"""An agent of `machi_koro_v0`: from an observation with its action mask to one of the legal actions."""

_PAGE: Final = 500
_MOST_FOLLOWED: Final = 256
"""Matches whose state a bot keeps; it folds the events of a forgotten one again."""


def remote(
    client: Client, match: str | Callable[[], str], render_mode: str | None = None
) -> AECEnv[Any, Any, Any]:
    """An AEC environment whose agents are the caller's seats of a match on the service.

    `match` is the id of a match, or a function that creates or joins the next one and returns its id. With
    an id, the environment can be reset once. The function is called here and by each `reset` but the first,
    which also resigns from a match that is not over.

    A step posts the command and waits until one of the caller's seats is to act or the match is over. It
    does nothing if the decision was made elsewhere, such as by the clock. Seeds have no effect: the service
    has the dice.

    Raises:
        ValueError: the caller has no seat in the match, it waits for seeds of its seats, or its rules are not
            known here. Steps raise it for an illegal action, which is not posted.
        MachiError: a request failed.
    """
    made: Any = _RemoteEnv(client, match, render_mode)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(made))


def chooser(client: Client, policy: Policy) -> Callable[[Turn], Command]:
    """A bot for `Client.play`, so also for ladders, that lets an agent of `machi_koro_v0` choose.

    It raises ValueError if the agent chooses an action that is not legal, or the rules are not known here.
    """
    followed: OrderedDict[str, _Follower] = OrderedDict()

    def choose(turn: Turn) -> Command:
        follower = followed.pop(turn.match_id, None) or _Follower(client, turn.match_id)
        followed[turn.match_id] = follower
        if len(followed) > _MOST_FOLLOWED:
            followed.popitem(last=False)
        follower.read(until=turn.version)
        state = follower.state
        encoding = encoding_of(state.rules)
        mask = encoding.mask(state, turn.seat)
        action = int(policy({"observation": encoding.observe(state, turn.seat), "action_mask": mask.copy()}))
        if not (0 <= action < len(mask) and mask[action]):
            raise ValueError(f"the agent chose action {action}, which is not legal")
        return encoding.command(turn.seat, action)

    return choose


class _Follower:
    """Follows the events of one match and keeps its state."""

    def __init__(self, client: Client, match_id: str) -> None:
        self.match_id = match_id
        self._client = client
        self._state: MatchState | None = None

    @property
    def state(self) -> MatchState:
        assert self._state is not None, "a match has at least one event"
        return self._state

    def read(self, until: int | None = None, wait_s: int = 0) -> None:
        """Fold all events up to that version, or all there are; wait for the first of these.

        The last event there is always ends a command, because the service appends whole commands.
        """
        while True:
            after = self._state.version if self._state else 0
            if until is not None and after >= until:
                return
            limit = _PAGE if until is None else min(_PAGE, until - after)
            page = self._client.events(self.match_id, after, limit=limit, wait=wait_s)
            events = [event.data for event in page.items]
            unknown = [event.type for event in page.items if isinstance(event.data, OtherData)]
            if unknown:
                raise ValueError(f"this version knows no event {unknown[0]!r}: update machi-koro-client")
            if events:
                self._state = _folded(self._state, events)
            if page.next is None:
                return


def _folded(state: MatchState | None, events: list[Any]) -> MatchState:
    try:
        return fold(state, events)
    except KeyError as error:
        raise ValueError(f"this version knows no rules {error}: update machi-koro-rules") from None


class _RemoteMatch:
    """A match on the service, as the account sees it."""

    def __init__(self, client: Client, match_id: str) -> None:
        match = client.match(match_id)
        if match.status == OPEN and match.seat_seeds is not None:
            raise ValueError(
                f"{match_id} waits for seeds of its seats; play it with Client.play and `chooser`"
            )
        self._client = client
        self._account_id = client.me().account_id
        self._follower = _Follower(client, match_id)
        self._follower.read()
        self.seats = tuple([seat for seat in range(self.state.rules.seats) if self._is_ours(seat)])
        if not self.seats:
            raise ValueError(f"this account has no seat in {match_id}")

    @property
    def state(self) -> MatchState:
        return self._follower.state

    def act(self, command: PlayCommand) -> None:
        version = self.state.version
        try:
            self._client.command(self._follower.match_id, command, if_match=version)
        except ApiError as refusal:
            self._follower.read()
            # If the match has moved on, the decision was made elsewhere, or the clock took the seat away.
            if refusal.status not in (403, 409, 412) or self.state.version == version:
                raise
        self.wait()

    def wait(self) -> None:
        """Wait until a seat of the account is to act or the match is over."""
        self._follower.read()
        while not is_over(self.state) and not self._is_ours(seat_to_act(self.state)):
            self._follower.read(wait_s=LONGEST_WAIT_S)

    def leave(self) -> None:
        """Resign the account's seats, if the match is running."""
        self._follower.read()
        for seat in self.seats:
            if self.state.status == RUNNING and self._is_ours(seat):
                self._client.command(self._follower.match_id, Resign(seat))
                self._follower.read()

    def _is_ours(self, seat: int | None) -> bool:
        """Whether the account acts for the seat now; a clock may have given it to a built-in player."""
        if seat is None or (self.state.resigned and self.state.resigned[seat]):
            return False
        player = self.state.controllers[seat]
        return player is not None and (player.kind, player.id) == ("account", self._account_id)


class _RemoteEnv(MatchEnv):
    """The environment without wrappers."""

    def __init__(self, client: Client, match: str | Callable[[], str], render_mode: str | None) -> None:
        self._client = client
        self._matches = iter((match,)) if isinstance(match, str) else iter(match, None)
        """The ids of the matches to play."""
        self._first: _RemoteMatch | None = self._next()
        self._current: _RemoteMatch | None = None
        super().__init__(encoding_of(self._first.state.rules), self._first.seats, render_mode)

    def begin(self, seed: int | None) -> _RemoteMatch:
        if self._current is not None:
            self._current.leave()
        match, self._first = self._first or self._next(), None
        if (match.state.rules, match.seats) != (self.encoding.rules, tuple(self._seats.values())):
            raise ValueError("the next match must have the same rules and the caller in the same seats")
        self._current = match
        match.wait()
        return match

    def _next(self) -> _RemoteMatch:
        match_id = next(self._matches, None)
        if match_id is None:
            raise ValueError("this environment has played its match; give it a function for more of them")
        return _RemoteMatch(self._client, match_id)
