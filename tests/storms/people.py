"""Those who use the service in a storm: people, bots, followers and auditors."""

import http.client
import json
import queue
import random
import threading
import time
import traceback
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

from tests.storms.journal import Acknowledged, Journal, Json, Reply, digest_of
from tests.storms.wire import Answer, Over, Wire

BUILT_IN: Final = ("random", "landmark_first", "greedy")
WAIT_S: Final = 10
MATCHES_AT_A_TIME: Final = 2

BLOCKS_PER_ROUND: Final = 12
REPEATED: Final = 0.05
"""The share of commands that are sent again after their answer."""

LONGEST_THINKING_S: Final = 0.2


class Actor(threading.Thread):
    """Does the same again and again until the storm is over."""

    def __init__(self, name: str, ports: Sequence[int], journal: Journal, dice: random.Random) -> None:
        super().__init__(name=name)
        self.over = threading.Event()
        self.journal = journal
        self.dice = dice
        self.ports = dice.sample(ports, len(ports))
        self.wire = Wire(self.ports, journal, self.over)
        self.account_id = ""
        self._commands = 0

    def sign_up(self) -> None:
        self.account_id = self.wire.sign_up(self.name)["account_id"]

    def run(self) -> None:
        try:
            while not self.over.is_set():
                self.act()
        except Over:
            pass
        except Exception:
            self.journal.fault("client", f"{self.name}: {traceback.format_exc()}")
        finally:
            self.wire.close()

    def act(self) -> None:
        raise NotImplementedError

    def think(self) -> None:
        self.over.wait(self.dice.uniform(0, LONGEST_THINKING_S))

    def create(self, key: str, seats: list[Json], ruleset: str = "base") -> Json:
        body = {"ruleset": ruleset, "seats": seats}
        made = self.wire.ask("POST", "/v1/matches", body, key=key, kind="create").json
        self.journal.made(made["match_id"], made["version"])
        return made

    def decide(self, match_id: str, legal: Json) -> Json:
        """Carry out one of the legal commands; the answer, with those that are legal afterwards."""
        self._commands += 1
        key = f"{self.name}-{self._commands}"
        path = f"/v1/matches/{match_id}/commands?embed=legal_commands"
        command = self.dice.choice(legal["commands"])
        version = legal["version"]
        try:
            answer = self.wire.ask("POST", path, command, key=key, version=version, kind="command")
        except Over:
            self.journal.pending[match_id] += 1
            raise
        after = self.take(match_id, key, version, answer)
        if answer.status == 201 and self.dice.random() < REPEATED:
            again = self.wire.ask("POST", path, command, key=key, version=version, kind="command")
            self._note("repeated", match_id, key, version, again.json)
        return after

    def take(self, match_id: str, key: str, expected: int, answer: Answer) -> Json:
        """Note what a command did that was sent for the version `expected`; what is legal now."""
        if answer.status != 201:
            return self.legal(match_id)
        told = answer.json
        self._note("command", match_id, key, expected, told)
        legal = told["legal_commands"]
        if legal["version"] < told["version"]:
            self.journal.fault("went back", f"{match_id}: {told['version']}, then {legal['version']}")
        return dict(legal)

    def _note(self, kind: str, match_id: str, key: str, expected: int, told: Json) -> None:
        events = told["events"]
        said = Acknowledged(kind, key, told["version"], len(events), digest_of(events), expected)
        self.journal.acknowledge(match_id, said)

    def legal(self, match_id: str) -> Json:
        return self.wire.ask("GET", f"/v1/matches/{match_id}/legal-commands").json

    def wait_for_others(self, match_id: str, legal: Json, people: Sequence[int]) -> Json:
        """What is legal when one of these seats is to act again, or the match is over."""
        while legal["seat"] is not None and legal["seat"] not in people:
            path = f"/v1/matches/{match_id}/events?after={legal['version']}&limit=1&wait={WAIT_S}"
            self.wire.ask("GET", path, kind="long poll", wait_s=WAIT_S)
            legal = self.legal(match_id)
        return legal

    def reconnect(self, over: threading.Event) -> None:
        """Ask again after the storm, until `over`."""
        token = self.wire.token
        self.wire.close()
        self.wire = Wire(self.ports, self.journal, over)
        self.wire.token = token


class Person(Actor):
    """Plays one match after the other against built-in players."""

    def act(self) -> None:
        others = [self.dice.choice(BUILT_IN) for _ in range(self.dice.randrange(1, 4))]
        seats: list[Json] = [{"kind": "me"}, *[{"kind": "strategy", "strategy": name} for name in others]]
        ruleset = self.dice.choice(["base", "harbor"])
        match = self.create(f"{self.name}-match-{self._commands}", seats, ruleset)
        mine = [seat["seat"] for seat in match["seats"] if seat["account_id"] == self.account_id]
        self.play(match["match_id"], mine)

    def play(self, match_id: str, mine: list[int]) -> None:
        began_s = time.monotonic()
        legal = self.legal(match_id)
        while legal["seat"] is not None:
            if legal["seat"] in mine:
                self.think()
                legal = self.decide(match_id, legal)
                began_s = time.monotonic()
                continue
            legal = self.wait_for_others(match_id, legal, mine)
            self.journal.note(Reply("built-in players", began_s, time.monotonic()))
        self.journal.count("matches of people played to the end")


class Bot(Actor):
    """Answers whatever waits for it, by long polls, in matches with its partner."""

    partner: "Bot"

    def __init__(self, name: str, ports: Sequence[int], journal: Journal, dice: random.Random) -> None:
        super().__init__(name, ports, journal, dice)
        self.invitations: queue.Queue[str] = queue.Queue()
        self._mine: set[str] = set()
        self._made = 0

    def act(self) -> None:
        self._join()
        self._make()
        answer = self.wire.ask("GET", f"/v1/me/turns?wait={WAIT_S}", kind="long poll", wait_s=WAIT_S).json
        for turn in answer["items"]:
            self.think()
            legal = self.decide(turn["match_id"], turn["legal_commands"])
            if legal["seat"] is None:
                self.journal.count("matches of bots played to the end")
        for match_id in [*self._mine]:
            if self.wire.ask("GET", f"/v1/matches/{match_id}").json.get("status") == "finished":
                self._mine.discard(match_id)

    def _join(self) -> None:
        while not self.invitations.empty():
            match_id = self.invitations.get()
            self.wire.ask("POST", f"/v1/matches/{match_id}/seats", {}, key=f"join-{match_id}", kind="join")

    def _make(self) -> None:
        while len(self._mine) < MATCHES_AT_A_TIME:
            self._made += 1
            seats: list[Json] = [{"kind": "me"}, {"kind": "open"}, {"kind": "strategy", "strategy": "random"}]
            match_id = self.create(f"{self.name}-match-{self._made}", seats)["match_id"]
            self._mine.add(match_id)
            self.partner.invitations.put(match_id)


class Operator(Actor):
    """Has a ladder of built-in players, with one round after the other."""

    ladder_id = ""
    job_id = ""
    blocks = 0
    """Of all rounds together."""

    def act(self) -> None:
        if not self.ladder_id:
            self._make()
        self.blocks += BLOCKS_PER_ROUND
        key, path = f"{self.name}-round-up-to-{self.blocks}", f"/v1/ladders/{self.ladder_id}/rounds"
        self.job_id = self.wire.ask("POST", path, {"blocks": BLOCKS_PER_ROUND}, key=key).json["job_id"]
        while not self.is_round_over():
            if self.over.wait(0.5):
                return
        self.journal.count("rounds of ladders played to the end")

    def _make(self) -> None:
        body = {"name": f"Ladder of {self.name}", "ruleset": "base", "seats": 2}
        made = self.wire.ask("POST", "/v1/ladders", body, key=f"{self.name}-its-ladder").json["ladder_id"]
        for strategy in BUILT_IN:
            entry = {"kind": "strategy", "strategy": strategy}
            key = f"{self.name}-enters-{strategy}"
            self.wire.ask("POST", f"/v1/ladders/{made}/entries", entry, key=key)
        self.ladder_id = made

    def is_round_over(self) -> bool:
        return bool(self.wire.ask("GET", f"/v1/jobs/{self.job_id}").json["status"] == "finished")


class Follower(Actor):
    """Follows one match after the other by a stream, and takes it up again where it was cut."""

    def act(self) -> None:
        if not self.journal.order:
            self.over.wait(0.1)
            return
        match_id = self.dice.choice(self.journal.order[-20:])
        self._version, self._digest = 0, sha256()
        while not self.over.is_set() and not self._is_followed(match_id):
            self.over.wait(0.05)
        said = Acknowledged("stream", self.name, self._version, self._version, self._digest.hexdigest())
        self.journal.acknowledge(match_id, said)
        self.journal.count("streams followed")

    def _is_followed(self, match_id: str) -> bool:
        """Whether the stream came to its end, or was left."""
        connection = http.client.HTTPConnection("127.0.0.1", self.dice.choice(self.ports), timeout=30)
        try:
            path = f"/v1/matches/{match_id}/events?follow=true&after={self._version}"
            connection.request("GET", path, headers={"Accept": "application/x-ndjson"})
            with connection.getresponse() as response:
                if response.status not in (200, 429, 503):
                    self.journal.fault("refused", f"a stream of {match_id}: {response.status}")
                return response.status == 200 and self._is_read(match_id, response)
        except (OSError, http.client.HTTPException, ValueError):
            self.journal.count("streams cut")
        finally:
            connection.close()
        return False

    def _is_read(self, match_id: str, lines: Iterable[bytes]) -> bool:
        """Whether the stream was read to its end, or for long enough."""
        leaves_s = time.monotonic() + self.dice.uniform(5, 60)
        for line in lines:
            if line.strip() and self._is_end(match_id, json.loads(line)):
                return True
            if self.over.is_set() or time.monotonic() > leaves_s:
                return True
        return False

    def _is_end(self, match_id: str, event: Json) -> bool:
        if event["type"] == "stream_end":
            return True
        if event["sequence"] != self._version + 1:
            self.journal.fault("stream", f"{match_id}: {event['sequence']} after {self._version}")
        self._version = event["sequence"]
        self._digest.update(event["hash"].encode())
        return False


class Auditor(Actor):
    """Reads and verifies matches that others play: what is acknowledged is there, and nothing goes back."""

    def __init__(self, name: str, ports: Sequence[int], journal: Journal, dice: random.Random) -> None:
        super().__init__(name, ports, journal, dice)
        self._seen: dict[str, int] = {}
        """The last version of each match that it was shown."""

    def act(self) -> None:
        self.over.wait(self.dice.uniform(0, 0.1))
        if not self.journal.order:
            return
        match_id = self.dice.choice(self.journal.order[-50:])
        self._read(match_id)
        if self.dice.random() < 0.05:
            path = f"/v1/matches/{match_id}/verification"
            report = self.wire.ask("GET", path, kind="verification").json
            if report.get("verdict") == "failed":
                self.journal.fault("verification", f"{match_id}: {report}")

    def _read(self, match_id: str) -> None:
        """It is at least at the version that anybody was told of before."""
        version = max(self.journal.versions[match_id], self._seen.get(match_id, 0))
        found = self.wire.ask("GET", f"/v1/matches/{match_id}").json.get("version", 0)
        if found < version:
            self.journal.fault("went back", f"{match_id}: version {version}, then {found}")
        self._seen[match_id] = found
