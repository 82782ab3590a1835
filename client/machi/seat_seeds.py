"""Seeds that a player adds to the dice, in matches whose seats commit to seeds.

Each seed derives from a secret that stays on this machine, the match and the seat. So nothing is stored for a
match: after a crash, a client with the same secret can still open the seeds that it committed to.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from machi import event_data as ev
from machi.errors import Refused, UnusableAnswer
from machi.events import Event
from machi.matches import Match

if TYPE_CHECKING:
    from machi.client import Client

SHORTEST_SECRET: Final = 16
"""In bytes."""

_GIVEN_ELSEWHERE: Final = ("seat_seed_not_due", "match_finished")


def settings_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of this client's files, by the XDG base directories."""
    return Path(environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "machi"


def seat_commitment(match: Match, seat: int, seed: str) -> str:
    """The commitment of a seat of that match to its seed."""
    message = json.dumps([match.dice.commitment, seat, seed], separators=(",", ":"))
    return f"sha-256:{hashlib.sha256(message.encode()).hexdigest()}"


class SeatSeeds:
    """Commits to seeds and opens them. The service learns no seed before every seat has committed."""

    def __init__(self, secret: bytes) -> None:
        """`secret` is at least 16 random bytes, always the same for an account. Raises: ValueError."""
        if len(secret) < SHORTEST_SECRET:
            raise ValueError(f"a secret has at least {SHORTEST_SECRET} bytes")
        self._secret = secret
        self._seen: dict[str, Event] = {}
        """The last event of each match before its seed was opened."""

    @classmethod
    def of_file(cls, path: Path | None = None) -> "SeatSeeds":
        """From the secret in a file, which is created if it does not exist, readable only by its owner.

        Raises:
            OSError: the file cannot be read or written.
            ValueError: its secret is too short.
        """
        path = path or settings_folder() / "seat-seeds.key"
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_new(path, secrets.token_bytes(32))
        return cls(path.read_bytes())

    def seed(self, match: Match, seat: int) -> str:
        """The seed of a seat in that match: 64 hex digits."""
        message = f"{match.match_id}|{match.dice.commitment}|{seat}"
        return hmac.digest(self._secret, message.encode(), "sha256").hex()

    def give(self, client: "Client", match: Match, account_id: str) -> Match:
        """Commit to the seeds of all seats of the account and open them, as far as that is due; return the
        match.

        A seed is opened only if the events show that every seat has committed, and this seat to this seed.
        """
        if match.seat_seeds is None or match.status != "open":
            return match
        seats = match.seats_of(account_id)
        awaited = [seat for seat in seats if match.seat_seeds.seats[seat].status == "awaited"]
        for seat in awaited:
            commitment = seat_commitment(match, seat, self.seed(match, seat))
            _said(client.commit_seat_seed, match.match_id, seat, commitment)
        match = client.match(match.match_id) if awaited else match
        if match.seat_seeds is not None and match.seat_seeds.step == "open":
            self._open(client, match, seats)
            match = client.match(match.match_id)
        return match

    def check(self, client: "Client", match_id: str) -> None:
        """Check that a match that has started still has the events it had when a seed was opened.

        Raises:
            UnusableAnswer: the service has since replaced these events.
        """
        seen = self._seen.get(match_id)
        if seen is not None and client.event(match_id, seen.sequence).hash != seen.hash:
            raise UnusableAnswer(f"the events of {match_id} from before its seeds were opened have changed")
        self._seen.pop(match_id, None)

    def _open(self, client: "Client", match: Match, seats: Sequence[int]) -> None:
        events = list(client.history(match.match_id))
        for seat in seats:
            seed = self.seed(match, seat)
            if _is_to_be_opened(events, seat, seat_commitment(match, seat, seed)):
                self._seen.setdefault(match.match_id, events[-1])
                _said(client.open_seat_seed, match.match_id, seat, seed)


def _is_to_be_opened(events: Sequence[Event], seat: int, commitment: str) -> bool:
    """Whether the seat has committed to this seed and not opened it, all seats are taken, and every other
    account has committed or can no longer do so.
    """
    open_seats, committed, opened = set[int](), dict[int, str](), set[int]()
    accounts: set[int] = set()
    for data in (event.data for event in events):
        if isinstance(data, ev.MatchCreated):
            open_seats = {*range(data.seats)}
        elif isinstance(data, ev.SeatTaken):
            open_seats.discard(data.seat)
            accounts |= {data.seat} if data.kind == "account" else set()
        elif isinstance(data, ev.SeatSeedCommitted):
            committed[data.seat] = data.commitment
        elif isinstance(data, ev.SeatSeedForgone):
            committed[data.seat] = ""
        elif isinstance(data, ev.SeatSeedOpened):
            opened.add(data.seat)
    if open_seats or accounts - committed.keys():
        return False
    return committed.get(seat) == commitment and seat not in opened


def _said(say: Callable[[str, int, str], Match], match_id: str, seat: int, text: str) -> None:
    """Send it. Ignore a refusal because another process has sent it, or because its time is over."""
    try:
        say(match_id, seat, text)
    except Refused as refusal:
        if refusal.code not in _GIVEN_ELSEWHERE:
            raise


def _write_new(path: Path, content: bytes) -> None:
    """Create the file, completely or not at all; another process may create it first."""
    written = path.with_name(f".{path.name}.{os.getpid()}")
    written.unlink(missing_ok=True)
    with open(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    try:
        os.link(written, path)
    except FileExistsError:
        pass
    finally:
        written.unlink()
