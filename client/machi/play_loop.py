"""The loop of a bot: request the turns, choose, post the command, and continue if the match has moved on."""

import math
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Final

from machi.commands import Command
from machi.errors import Refused, StaleVersion
from machi.seat_seeds import SeatSeeds
from machi.table import Turn

if TYPE_CHECKING:
    from machi.client import Client

Choose = Callable[[Turn], Command]
"""A bot: a function from a turn to one of its commands."""

LONGEST_WAIT_S: Final = 25
FIRST_WAIT_S: Final = 1
SEEDS_DUE_S: Final = 2
SEEDS_EVERY_S: Final = 5
"""Seconds between two searches of open matches for seeds that are due: while one waits, and otherwise."""


class PlayLoop:
    """Plays every match of an account; see `Client.play`."""

    def __init__(
        self,
        client: "Client",
        choose: Choose,
        stop: Callable[[], bool],
        forever: bool,
        seat_seeds: SeatSeeds | None = None,
    ) -> None:
        self._client = client
        self._choose = choose
        self._stop = stop
        self._forever = forever
        self._seat_seeds = seat_seeds
        self._seeds_due = False
        """A match waits for seeds, of this account or of others."""
        self._asked_for_seeds_at = -math.inf
        self._plain: set[str] = set()
        """Open matches without seat seeds."""
        self._refused: dict[str, int] = {}
        """By match: the version at which the service last refused a command."""
        self.decisions = 0

    def run(self) -> None:
        """Play until told to stop, or until nothing is left to play."""
        wait_s = 0
        while not self._stop():
            self._give_seeds()
            turns = self._client.turns(wait=min(wait_s, SEEDS_DUE_S) if self._seeds_due else wait_s)
            for turn in turns:
                if self._stop():
                    return
                self._take(turn)
            if not turns and not self._forever and not self._plays_on():
                return
            wait_s = self._longer(0 if turns else wait_s)

    def _longer(self, wait_s: int) -> int:
        """The next wait: short at first, because a waiting poll does not notice the end of a match."""
        return LONGEST_WAIT_S if self._forever else min(max(2 * wait_s, FIRST_WAIT_S), LONGEST_WAIT_S)

    def _give_seeds(self) -> None:
        """Commit to seeds and open them if that is due; seeds do not appear among the turns."""
        pause_s = SEEDS_DUE_S if self._seeds_due else SEEDS_EVERY_S
        if time.monotonic() < self._asked_for_seeds_at + pause_s:
            return
        listed = self._client.matches(status="open", player=self._account_id)
        due = [self._gives_seeds(one.match_id) for one in listed if one.match_id not in self._plain]
        self._seeds_due = any(due)
        self._asked_for_seeds_at = time.monotonic()

    def _gives_seeds(self, match_id: str) -> bool:
        """Whether the match still waits for seeds."""
        match = self._client.match(match_id)
        if match.seat_seeds is None:
            self._plain.add(match_id)
            return False
        self._seat_seeds = self._seat_seeds or SeatSeeds.of_file()
        match = self._seat_seeds.give(self._client, match, self._account_id)
        return match.seat_seeds is not None and match.seat_seeds.step is not None

    @cached_property
    def _account_id(self) -> str:
        return self._client.me().account_id

    def _take(self, turn: Turn) -> None:
        if self._seat_seeds is not None:
            self._seat_seeds.check(self._client, turn.match_id)
        command = self._choose(turn)
        try:
            self._client.command(turn.match_id, command, if_match=turn.version)
        except StaleVersion:
            return
        except Refused as refusal:
            # The match may have moved on between two checks of the service, but not twice at one version.
            if refusal.status != 409 or self._refused.get(turn.match_id) == turn.version:
                raise
            self._refused[turn.match_id] = turn.version
            return
        self.decisions += 1

    def _plays_on(self) -> bool:
        """Whether the account still has a seat in a match that is open or running."""
        # In this order: a match that begins between the two requests is in the second list.
        return any(
            self._client.match(listed.match_id).seats_of(self._account_id)
            for status in ("open", "running")
            for listed in self._client.matches(status=status, player=self._account_id)
        )
