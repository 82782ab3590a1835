"""The client: one method for each thing the service does; those of each subject stand in `machi.requests`."""

from collections.abc import Callable

from machi.following import SILENCE_S
from machi.playing import Choose, Player
from machi.requests import (
    Accounts,
    Auditing,
    Catalogue,
    Events,
    Invitations,
    Ladders,
    Matches,
    Playing,
)
from machi.retrying import OnRetry, Retries
from machi.seat_seeds import SeatSeeds
from machi.transport import Transport


class Client(Accounts, Invitations, Catalogue, Matches, Playing, Events, Auditing, Ladders):
    """A service, and the account that speaks to it.

    Every request is tried again while there is time: after broken connections, time-outs, 429, 502, 503 and
    504. Every POST has an `Idempotency-Key`, the same in each try, so that nothing happens twice.

    All methods raise the errors of `machi.errors`; a wrong argument is a ValueError.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8000",
        token: str | None = None,
        *,
        timeout: float = 10.0,
        retries: Retries | None = None,
        on_retry: OnRetry | None = None,
        silence: float = SILENCE_S,
    ) -> None:
        """`timeout` and `silence` are seconds: for one answer, and between signs of life of a stream."""
        super().__init__(Transport(base_url, token, timeout, retries or Retries(), on_retry))
        self._silence_s = silence

    def __repr__(self) -> str:
        return f"Client({self.base_url!r})"

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    @property
    def base_url(self) -> str:
        return self._transport.base_url

    def play(
        self,
        choose: Choose,
        *,
        stop: Callable[[], bool] = lambda: False,
        forever: bool = False,
        seat_seeds: SeatSeeds | None = None,
    ) -> int:
        """Play all matches of the account with `choose`; the number of decisions made.

        Ends when no match with a seat of the account is open or running, unless it is to go on `forever`, and
        within half a minute when `stop()` is true. Goes on where the world has moved on (409, 412).

        Where seats add seeds to the dice it commits to seeds and opens them: those of `seat_seeds`, or by
        default of a secret in this user's settings, which is made when it is first needed.

        Raises:
            Refused: `choose` gave a command that the rules do not allow.
        """
        player = Player(self, choose, stop, forever, seat_seeds)
        player.run()
        return player.decisions
