"""Small clients that find out when the service is there again: one for the API, one for built-in players."""

import random
import threading
import time
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from tests.storms.journal import Journal, Json
from tests.storms.people import Actor
from tests.storms.wire import Answer, Over

PAUSE_S: Final = 0.05
PATIENCE_S: Final = 2.0
"""For one attempt: the next one may find another process."""


class Probe(Actor):
    """Notes when it was served: the moments at which something began that went well, and when it was over."""

    def __init__(self, name: str, ports: Sequence[int], journal: Journal, dice: random.Random) -> None:
        super().__init__(name, ports, journal, dice)
        self._began: list[float] = []
        self._ended: list[float] = []
        self._served = threading.Condition()
        self._legal: Json = {"seat": None}
        self._match_id = ""
        self._made = 0

    def served(self, began_s: float) -> None:
        with self._served:
            self._began.append(began_s)
            self._ended.append(time.monotonic())
            self._served.notify_all()

    def back_s(self, since_s: float, within_s: float) -> float | None:
        """When the first thing was over that began after `since_s`; None if that takes too long."""
        with self._served:
            if not self._served.wait_for(lambda: self._began and self._began[-1] >= since_s, within_s):
                return None
            return self._ended[bisect_left(self._began, since_s)]

    def tried(self, method: str, path: str, body: Json | None = None, **given: object) -> Answer:
        """The answer to the last of several short attempts."""
        while True:
            self._began_s = time.monotonic()
            answer = self.wire.attempt(method, path, body, timeout_s=PATIENCE_S, **given)  # type: ignore[arg-type]
            if answer is not None and answer.status < 300:
                return answer
            if answer is not None and answer.status not in (429, 503):
                told = answer.body.decode(errors="replace")[:500]
                self.journal.fault("refused", f"{method} {path} {body}: {answer.status} {told}")
                return answer
            self.wire.close()
            if self.over.wait(PAUSE_S):
                self.journal.pending[self._match_id] += method == "POST"
                raise Over

    def begin(self, *others: Json) -> None:
        self._made += 1
        made = self.create(f"{self.name}-match-{self._made}", [{"kind": "me"}, *others])
        self._match_id = made["match_id"]
        self._legal = self.legal(self._match_id)

    def command(self) -> None:
        key = f"{self.name}-{self._match_id}-{self._legal['version']}"
        path = f"/v1/matches/{self._match_id}/commands?embed=legal_commands"
        command = self.dice.choice(self._legal["commands"])
        answer = self.tried("POST", path, command, key=key, version=self._legal["version"])
        self._legal = self.take(self._match_id, key, self._legal["version"], answer)


class ApiProbe(Probe):
    """Plays both seats of a match: each command shows that the API reads and writes."""

    def act(self) -> None:
        if self._legal["seat"] is None:
            self.begin({"kind": "me"})
        self.command()
        self.served(self._began_s)
        self.over.wait(PAUSE_S)


class PlayProbe(Probe):
    """Plays against a built-in player: each of its turns shows that built-in players play."""

    def act(self) -> None:
        if self._legal["seat"] is None:
            self.begin({"kind": "strategy", "strategy": "random"})
        while self._legal["seat"] == 0:
            self.command()
        if self._legal["seat"] is None:
            return  # the match is over, and nobody had to answer
        began_s = time.monotonic()
        while self._legal["seat"] not in (0, None):
            self.over.wait(PAUSE_S)
            self._legal = self.tried("GET", f"/v1/matches/{self._match_id}/legal-commands").json
        self.served(began_s)
        self.over.wait(PAUSE_S)
