"""The client: one method for each operation of the service, grouped by subject in `machi.requests`."""

from collections.abc import Callable

from machi.play_loop import Choose, PlayLoop
from machi.requests import (
    Accounts,
    Audit,
    Catalogue,
    Commands,
    Events,
    Invitations,
    Ladders,
    Matches,
    Notifications,
    Reviews,
)
from machi.retries import OnRetry, Retries
from machi.seat_seeds import SeatSeeds
from machi.streams import SILENCE_S
from machi.transport import Transport


class Client(
    Accounts, Invitations, Notifications, Catalogue, Matches, Commands, Events, Audit, Reviews, Ladders
):
    """A client of one match service, for one account or none.

    The client retries a request until its time is up: after broken connections, timeouts, 408, 429, 502, 503
    and 504. Every POST has an `Idempotency-Key`, the same in each try, so that nothing happens twice.

    All methods raise the errors of `machi.errors`; an invalid argument raises ValueError.
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
        """`timeout` and `silence` are seconds: the limit for one response, and for the silence of an event
        stream.
        """
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
        """Play all matches of the account with `choose`, and return the number of decisions made.

        Ends when no match with a seat of the account is open or running, unless `forever`, and within half a
        minute after `stop()` becomes true. Continues when a decision was made elsewhere (409, 412).

        In matches with seat seeds, commits to seeds and opens them: those of `seat_seeds`, or by default
        seeds from a secret in this user's settings, which is created when it is first needed.

        Raises:
            Refused: `choose` returned a command that the rules do not allow.
        """
        loop = PlayLoop(self, choose, stop, forever, seat_seeds)
        loop.run()
        return loop.decisions
