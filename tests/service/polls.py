"""Long polls for turns, and how often they look."""

import threading
import time
from typing import Any

import redis

from tests.service.contract import Account

LONG_S = 30


def looks(admin: redis.Redis, command: str) -> int:
    """How often anybody has looked for turns, or for something else, with that command of Redis."""
    return int(admin.info("commandstats").get(command, {}).get("calls", 0))


class Poll:
    """A long poll in the background, which has found nothing so far."""

    def __init__(
        self,
        account: Account,
        admin: redis.Redis,
        path: str = "/v1/me/turns",
        command: str = "cmdstat_zrange",
    ) -> None:
        self._answers: list[Any] = []
        self._thread = threading.Thread(target=self._ask, args=(account, path))
        before = looks(admin, command)
        self._thread.start()
        deadline = time.monotonic() + LONG_S
        while looks(admin, command) == before:
            assert time.monotonic() < deadline, "the poll does not look"

    def _ask(self, account: Account, path: str) -> None:
        self._answers.append(account.get(f"{path}?wait={LONG_S}"))

    def result(self) -> list[str]:
        self._thread.join(LONG_S - 5)
        assert self._answers, "nobody woke the poll"
        return [turn["match_id"] for turn in self._answers[0].json["items"]]
