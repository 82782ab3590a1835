"""The loop of `Client.play`: request the turns, choose, post the command, until nothing is left to play."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from machi.commands import Command
from machi.seat_seeds import SeatSeeds
from machi.table import Turn
from machi.turn_taking import TurnTaker

if TYPE_CHECKING:
    from machi.client import Client

Choose = Callable[[Turn], Command]
"""A bot: a function from a turn to one of its commands."""

LONGEST_WAIT_S: Final = 25
FIRST_WAIT_S: Final = 1


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
        self._taker = TurnTaker(client, seat_seeds)
        self.decisions = 0

    def run(self) -> None:
        """Play until told to stop, or until nothing is left to play."""
        wait_s = 0
        while not self._stop():
            self._taker.give_seeds()
            turns = self._taker.wait_for_turns(wait_s)
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

    def _take(self, turn: Turn) -> None:
        self._taker.check(turn.match_id)
        if self._taker.post(turn, self._choose(turn)) is not None:
            self.decisions += 1

    def _plays_on(self) -> bool:
        """Whether the account still has a seat in a match that is open or running."""
        # In this order: a match that begins between the two requests is in the second list.
        return any(
            self._client.match(listed.match_id).seats_of(self._taker.account_id)
            for status in ("open", "running")
            for listed in self._client.matches(status=status, player=self._taker.account_id)
        )
