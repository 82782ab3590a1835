"""What clients were told in a storm: the acknowledged commands in files, and how long everything took."""

import hashlib
import json
import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

Json = dict[str, Any]

PROMPT_S: Final = 1.0
"""Replies within that time are only counted: they cannot be late."""

BOUNDS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)

MOST_FAULTS: Final = 100
"""As many are told of each kind."""


class Reply(NamedTuple):
    """A request that was answered, after however many attempts. Times are those of `time.monotonic`."""

    kind: str
    began_s: float
    ended_s: float
    wait_s: float = 0.0
    """So long it was to wait for news."""

    @property
    def took_s(self) -> float:
        """How long it took beyond that."""
        return max(0.0, self.ended_s - self.began_s - self.wait_s)


class Acknowledged(NamedTuple):
    """What a client was told of a match: what its command caused, or what came by a stream."""

    kind: str
    """`command`, `repeated` for one that was sent again after its answer, or `stream`."""
    key: str
    version: int
    """After the events."""
    events: int
    digest: str
    """Of the hashes of the events."""
    expected: int = 0
    """The version that the command was sent for."""


def digest_of(events: Sequence[Json]) -> str:
    return hashlib.sha256("".join([event["hash"] for event in events]).encode()).hexdigest()


class Journal:
    """Shared by all clients. What it holds in memory grows with the matches, not with the commands."""

    def __init__(self, directory: Path) -> None:
        """`directory` takes a file for each match."""
        self._directory = directory
        self._lock = threading.Lock()
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS_S) + 1))
        self.worst: dict[str, Reply] = {}
        self.slow: list[Reply] = []
        """Those that took longer than `PROMPT_S`."""
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        """What should not have happened, in words."""
        self._told: Counter[str] = Counter()
        self.pending: Counter[str] = Counter()
        """By match: commands that were sent and not answered before the end of the storm."""
        self.versions: dict[str, int] = {}
        """Of each match that clients play, the last version that was acknowledged."""
        self.order: list[str] = []
        """The matches that clients play, oldest first."""

    def note(self, reply: Reply) -> None:
        took_s = reply.took_s
        with self._lock:
            self.counts[reply.kind] += 1
            self._buckets[reply.kind][bisect_left(BOUNDS_S, took_s)] += 1
            worst = self.worst.get(reply.kind)
            if worst is None or took_s > worst.took_s:
                self.worst[reply.kind] = reply
            if took_s > PROMPT_S:
                self.slow.append(reply)

    def quantile_s(self, kind: str, share: float) -> float:
        """A bound below which that share of the replies stayed."""
        buckets = self._buckets[kind]
        below = 0
        for bound_s, count in zip((*BOUNDS_S, float("inf")), buckets, strict=True):
            below += count
            if below >= share * sum(buckets):
                return bound_s
        return 0.0

    def count(self, what: str, number: int = 1) -> None:
        with self._lock:
            self.counts[what] += number

    def fault(self, kind: str, text: str) -> None:
        """Note what should not have happened."""
        with self._lock:
            self._told[kind] += 1
            if self._told[kind] <= MOST_FAULTS:
                self.faults.append(f"{kind}: {text}")
            elif self._told[kind] == MOST_FAULTS + 1:
                self.faults.append(f"{kind}: and more")

    def made(self, match_id: str, version: int) -> None:
        """A match was made, or found by those who are to play it."""
        with self._lock:
            if match_id not in self.versions:
                self.order.append(match_id)
            self.versions[match_id] = max(version, self.versions.get(match_id, 0))

    def acknowledge(self, match_id: str, said: Acknowledged) -> None:
        line = json.dumps(said).encode() + b"\n"
        with self._lock:
            with (self._directory / match_id).open("ab") as file:
                file.write(line)
            if said.kind == "command":
                self.versions[match_id] = max(said.version, self.versions.get(match_id, 0))

    def acknowledged(self, match_id: str) -> Iterator[Acknowledged]:
        path = self._directory / match_id
        if path.exists():
            with path.open("rb") as file:
                for line in file:
                    yield Acknowledged(*json.loads(line))
