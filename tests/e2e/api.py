"""A client of the API with nothing but http.client, and what players do with it."""

import http.client
import json
import random
import threading
import time
from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

import msgspec

from tests.e2e.stack import DEADLINE_S, PAUSE_S, Stack

_handles = (f"ada-{random.randrange(16**8):08x}-{number}" for number in count())

Json = dict[str, Any]


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Json:
        return dict(json.loads(self.body))


class _Events(msgspec.Struct):
    """The events in an answer as the bytes that came."""

    items: list[msgspec.Raw] = msgspec.field(default_factory=list)
    events: list[msgspec.Raw] = msgspec.field(default_factory=list)
    next: str | int | Json | None = None


def events_in(body: bytes) -> list[bytes]:
    found = msgspec.json.decode(body, type=_Events)
    return [bytes(event) for event in (*found.items, *found.events)]


class Api:
    """An account at a service. Every answer that is no 5xx counts; the others are asked for again."""

    def __init__(self, stack: Stack) -> None:
        self._port = stack.port
        self._token = ""
        self.seen: list[bytes] = []
        """The body of every answer."""
        self.refused: list[object] = []
        """What kept requests from an answer: the error, or a 503."""
        self.wish = {"handle": next(_handles)}
        self.key = f"{random.randrange(16**32):032x}"
        self.signed_up = self.sure("POST", "/v1/accounts", self.wish, Idempotency_Key=self.key)
        self._token = self.signed_up.json()["token"]
        stack.tokens += [self._token, self.key]

    def send(self, method: str, path: str, body: Json | None = None, **headers: str) -> Answer:
        """One request. Raises: OSError, HTTPException."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if self._token:
            given["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            given["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=40)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), given)
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        finally:
            connection.close()
        self.seen.append(answer.body)
        return answer

    def sure(self, method: str, path: str, body: Json | None = None, **headers: str) -> Answer:
        """The answer, asked for until the service is able to give it; it must be of the kind 2xx."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            try:
                answer = self.send(method, path, body, **headers)
            except (OSError, http.client.HTTPException) as error:
                problem: object = error
            else:
                if answer.status < 500:
                    assert answer.status < 300, answer
                    return answer
                assert answer.status == 503, answer
                problem = answer
            self.refused.append(problem)
            assert time.monotonic() < deadline, problem
            threading.Event().wait(PAUSE_S)

    def get(self, path: str) -> Json:
        return self.sure("GET", path).json()

    def create(self, seats: Sequence[Json], **wishes: Any) -> str:
        """A new harbor match; its id."""
        body = {"ruleset": "harbor", "seats": list(seats), **wishes}
        return str(self.sure("POST", "/v1/matches", body).json()["match_id"])

    def bots(self, matches: int) -> list[str]:
        """Matches of built-in players alone; their ids."""
        seats = [strategy(name) for name in ("greedy", "random", "random", "landmark_first")]
        return [self.create(seats) for _ in range(matches)]

    def log(self, match_id: str) -> list[bytes]:
        """Every event up to now, each as the bytes that came, page by page."""
        found: list[bytes] = []
        path: str | None = f"/v1/matches/{match_id}/events?limit=200"
        while path:
            answer = self.sure("GET", path)
            found += events_in(answer.body)
            link = answer.headers.get("Link")
            path = link.split(">")[0].removeprefix("<") if link else None
        return found

    def whole_log(self, match_id: str) -> list[bytes]:
        """Every event of a match that ends by itself before the deadline."""
        deadline = time.monotonic() + DEADLINE_S
        found = self.log(match_id)
        while json.loads(found[-1])["type"] != "dice_revealed":
            assert time.monotonic() < deadline, (match_id, found[-1])
            path = f"/v1/matches/{match_id}/events?after={len(found)}&limit=500&wait=20"
            found += events_in(self.sure("GET", path).body)
        return found


def strategy(name: str) -> Json:
    return {"kind": "strategy", "strategy": name}


class Said(NamedTuple):
    """A command that was answered with 201."""

    match_id: str
    key: str
    body: bytes


class Talker(threading.Thread):
    """Plays all seats of its own matches: each command has a key and is sent until it is answered."""

    def __init__(self, stack: Stack) -> None:
        super().__init__()
        self.said: list[Said] = []
        self.api = Api(stack)
        self._dice = random.Random(7)
        self._told = threading.Condition()
        self._is_over = False

    def __enter__(self) -> "Talker":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over = True
        self.join()

    def wait_for_more(self, commands: int) -> None:
        """Wait until as many commands as that have been answered from now on."""
        with self._told:
            goal = len(self.said) + commands
            is_so = self._told.wait_for(lambda: len(self.said) >= goal or not self.is_alive(), DEADLINE_S)
            assert is_so, "nobody answers"
            assert self.is_alive()

    def run(self) -> None:
        while not self._is_over:
            self._play(self.api.create([{"kind": "me"}] * 5))

    def _play(self, match_id: str) -> None:
        path = f"/v1/matches/{match_id}"
        legal = self.api.get(f"{path}/legal-commands")
        while legal["commands"] and not self._is_over:
            key = f"key-{len(self.said)}"
            answer = self.api.sure(
                "POST",
                f"{path}/commands?embed=legal_commands",
                self._dice.choice(legal["commands"]),
                Idempotency_Key=key,
                If_Match=f'"{legal["version"]}"',
            )
            assert answer.status == 201
            legal = answer.json()["legal_commands"]
            with self._told:
                self.said.append(Said(match_id, key, answer.body))
                self._told.notify_all()

    def assert_said_once(self) -> None:
        """What was answered, and nothing else, stands in the logs, once and byte for byte."""
        for match_id in {said.match_id for said in self.said}:
            log = self.api.log(match_id)
            mine = [said for said in self.said if said.match_id == match_id]
            spoken = [event for event in log if json.loads(event)["actor"].startswith("seat:")]
            assert spoken == [event for said in mine for event in events_in(said.body)]
