"""A client that makes accounts, tokens and matches all the time, each request under a key of its own."""

import json
import threading
from collections import Counter
from typing import NamedTuple

from tests.e2e.api import Answer, Api, Json
from tests.e2e.stack import Stack, wait_until

MATCHES_OF_ONE_ACCOUNT = 8
TOLD = ("ETag", "Match-Head", "Location")


class Asked(NamedTuple):
    """A request that was answered."""

    api: Api
    path: str
    body: Json
    key: str
    answer: Answer


class CreatingClient(threading.Thread):
    """Sends each request under its key until it is answered, and finds out afterwards what they all did."""

    def __init__(self, stack: Stack) -> None:
        super().__init__()
        self._stack = stack
        self._apis: list[Api] = []
        self._asked: list[Asked] = []
        self._matches: list[tuple[Api, str]] = []
        self._is_over = False

    def __enter__(self) -> "CreatingClient":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over = True
        self.join()

    def wait_for_more(self, requests: int) -> None:
        """Wait until as many requests as that have been answered from now on."""
        goal = len(self._asked) + requests
        wait_until(lambda: len(self._asked) >= goal or not self.is_alive())
        assert self.is_alive(), "nobody asks"

    def run(self) -> None:
        while not self._is_over:
            api = Api(self._stack)
            self._apis.append(api)
            self._asked.append(Asked(api, "/v1/accounts", api.wish, api.key, api.signed_up))
            for number in range(MATCHES_OF_ONE_ACCOUNT):
                self._make(api, f"number-{number}")

    def _make(self, api: Api, key: str) -> None:
        """A token, and a match that is filled and called off; one key will do for all."""
        token = self._ask(api, "/v1/me/tokens", {"name": key, "scopes": ["play"]}, key)
        self._stack.tokens.append(token["token"])
        seats = [{"kind": "me"}, {"kind": "open"}]
        match_id = self._ask(api, "/v1/matches", {"ruleset": "base", "seats": seats}, key)["match_id"]
        self._matches.append((api, match_id))
        for step in ("seats", "abort"):
            self._ask(api, f"/v1/matches/{match_id}/{step}", {}, key)

    def _ask(self, api: Api, path: str, body: Json, key: str) -> Json:
        answer = api.sure("POST", path, body, Idempotency_Key=key)
        self._asked.append(Asked(api, path, body, key, answer))
        return answer.json()

    def assert_done_once(self) -> None:
        """Each key had one effect, and has the same answer as ever."""
        for asked in self._asked:
            again = asked.api.sure("POST", asked.path, asked.body, Idempotency_Key=asked.key)
            assert told(again) == told(asked.answer)
            assert again.headers["Idempotency-Replayed"] == "true"
        for api in self._apis:
            listed = [token["name"] for token in api.get("/v1/me/tokens")["items"]]
            mine = api.get(f"/v1/matches?player={api.wish['handle']}&limit=500")["items"]
            assert listed == ["first", *[asked.key for asked in self._of(api, "/v1/me/tokens")]]
            assert len(mine) == len(self._of(api, "/v1/matches"))
        for api, match_id in self._matches:
            types = Counter(json.loads(event)["type"] for event in api.log(match_id))
            assert (types["match_created"], types["seat_taken"], types["match_aborted"]) == (1, 2, 1)

    def _of(self, api: Api, path: str) -> list[Asked]:
        return [asked for asked in self._asked if asked.api is api and asked.path == path]


def told(answer: Answer) -> tuple[object, ...]:
    return (answer.status, answer.body, *[answer.headers.get(name) for name in TOLD])
