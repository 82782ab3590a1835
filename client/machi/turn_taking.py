"""What every loop of a bot does: give the seeds of its seats when they are due, and post its commands."""

import math
import time
from functools import cached_property
from typing import TYPE_CHECKING, Final

from machi.commands import Command
from machi.errors import Refused, StaleVersion
from machi.seat_seeds import SeatSeeds
from machi.table import CommandAnswer, Turn

if TYPE_CHECKING:
    from machi.client import Client

SEEDS_DUE_S: Final = 2
SEEDS_EVERY_S: Final = 5
"""Seconds between two searches of open matches for seeds that are due: while one waits, and otherwise."""


class TurnTaker:
    """Plays the seats of one account, as far as nothing has to be chosen."""

    def __init__(self, client: "Client", seat_seeds: SeatSeeds | None = None) -> None:
        self._client = client
        self._seat_seeds = seat_seeds
        self._seeds_due = False
        """A match waits for seeds, of this account or of others."""
        self._asked_for_seeds_at = -math.inf
        self._plain: set[str] = set()
        """Open matches without seat seeds."""
        self._refused: dict[str, int] = {}
        """By match: the version at which the service last refused a command."""

    @cached_property
    def account_id(self) -> str:
        return self._client.me().account_id

    def give_seeds(self) -> None:
        """Commit to seeds and open them if that is due; seeds do not appear among the turns."""
        pause_s = SEEDS_DUE_S if self._seeds_due else SEEDS_EVERY_S
        if time.monotonic() < self._asked_for_seeds_at + pause_s:
            return
        listed = self._client.matches(status="open", player=self.account_id)
        due = [self._gives_seeds(one.match_id) for one in listed if one.match_id not in self._plain]
        self._seeds_due = any(due)
        self._asked_for_seeds_at = time.monotonic()

    def wait_for_turns(self, wait_s: int) -> tuple[Turn, ...]:
        """The open decisions; if there are none, wait for one, but no longer than seeds that are due can."""
        return self._client.turns(wait=min(wait_s, SEEDS_DUE_S) if self._seeds_due else wait_s)

    def check(self, match_id: str) -> None:
        """Check the events from before the seeds were opened. Raises: UnusableAnswer if they have changed."""
        if self._seat_seeds is not None:
            self._seat_seeds.check(self._client, match_id)

    def post(self, turn: Turn, command: Command) -> CommandAnswer | None:
        """Post the command of a turn; None if the match has moved on, so that the command was not needed.

        Raises:
            Refused: the rules do not allow the command.
        """
        try:
            return self._client.command(turn.match_id, command, if_match=turn.version)
        except StaleVersion:
            return None
        except Refused as refusal:
            # The match may have moved on between two checks of the service, but not twice at one version.
            if refusal.status != 409 or self._refused.get(turn.match_id) == turn.version:
                raise
            self._refused[turn.match_id] = turn.version
            return None

    def _gives_seeds(self, match_id: str) -> bool:
        """Whether the match still waits for seeds."""
        match = self._client.match(match_id)
        if match.seat_seeds is None:
            self._plain.add(match_id)
            return False
        self._seat_seeds = self._seat_seeds or SeatSeeds.of_file()
        match = self._seat_seeds.give(self._client, match, self.account_id)
        return match.seat_seeds is not None and match.seat_seeds.step is not None
