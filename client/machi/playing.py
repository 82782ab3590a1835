"""The loop of a remote bot: ask what waits, choose, say it, and take it well when the world has moved on."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from machi.commands import Command
from machi.errors import Refused, StaleVersion
from machi.table import Turn

if TYPE_CHECKING:
    from machi.client import Client

Choose = Callable[[Turn], Command]
"""What a bot is: from a decision that waits to one of its commands."""

LONGEST_WAIT_S: Final = 25
FIRST_WAIT_S: Final = 1


class Player:
    """Plays every match of an account; see `Client.play`."""

    def __init__(self, client: "Client", choose: Choose, stop: Callable[[], bool], forever: bool) -> None:
        self._client = client
        self._choose = choose
        self._stop = stop
        self._forever = forever
        self._account_id = ""
        self._refused: dict[str, int] = {}
        """By match: the version at which a command was refused last."""
        self.decisions = 0

    def run(self) -> None:
        """Play until told to stop or nothing is left to play."""
        wait_s = 0
        while not self._stop():
            turns = self._client.turns(wait=wait_s)
            for turn in turns:
                if self._stop():
                    return
                self._take(turn)
            if not turns and not self._forever and not self._plays_on():
                return
            wait_s = self._longer(0 if turns else wait_s)

    def _longer(self, wait_s: int) -> int:
        """How long to wait next: short at first, since a poll that waits does not see a match end."""
        return LONGEST_WAIT_S if self._forever else min(max(2 * wait_s, FIRST_WAIT_S), LONGEST_WAIT_S)

    def _take(self, turn: Turn) -> None:
        command = self._choose(turn)
        try:
            self._client.command(turn.match_id, command, if_match=turn.version)
        except StaleVersion:
            return
        except Refused as refusal:
            # The world may have moved between two checks of the service; but not twice at one version.
            if refusal.status != 409 or self._refused.get(turn.match_id) == turn.version:
                raise
            self._refused[turn.match_id] = turn.version
            return
        self.decisions += 1

    def _plays_on(self) -> bool:
        """Whether the account still has a seat in a match that is not over."""
        self._account_id = self._account_id or self._client.me().account_id
        return any(
            self._client.match(listed.match_id).seats_of(self._account_id)
            for status in ("running", "open")
            for listed in self._client.matches(status=status, player=self._account_id)
        )
