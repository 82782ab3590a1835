"""The waiting time of a person for built-in players while four accounts flood the service."""

import http.client
import json
import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import quantiles
from typing import Any, Final

from bench.figures import Figure
from bench.ladder import new_ladder, open_round
from bench.over_http import REAL, request, serving
from bench.processes import Servers, running, servers
from bench.usage import resident_bytes
from events import RedisStore
from events.ladders.ladders import Ladders
from events.store import keys
from runtime import heartbeat
from runtime.connection import connect

QUIET_S: Final = 10.0
"""How long the person plays before the attack."""
ATTACK_S: Final = 12.0
AFTERMATH_S: Final = 8.0
"""How long the person plays after the attack."""
LADDER_S: Final = 10.0
"""How long the person plays during a round of a ladder."""
BLOCKS: Final = 2000
"""Blocks of that round: more than can be played meanwhile."""
ACCOUNTS: Final = 4
CONNECTIONS: Final = 4
"""Connections of each account."""
TURNS: Final = 4
"""The person's turns in each match."""
PAUSE_S: Final = 0.03
"""The time that the person thinks before each command."""
DEADLINE_S: Final = 60.0
UNCOUNTED: Final = {"RATE_CREATIONS": "1000000/hour"}
"""The attackers share the person's address, and could use up what it may create in an hour."""

OF_BUILT_IN_PLAYERS: Final = {"ruleset": "base", "seats": [{"kind": "strategy", "strategy": "random"}] * 4}
WITH_A_PERSON: Final = {
    "ruleset": "base",
    "first_seat": 1,
    "seats": [{"kind": "me"}, {"kind": "strategy", "strategy": "random"}],
}


def measure() -> Iterator[Figure]:
    """The person's waiting times with and without the attack, and the effects of the attack."""
    with (
        servers() as where,
        serving(where, REAL, UNCOUNTED) as (port, web),
        running(where, "workers.main", "workers.main --people", "workers.relay") as started,
    ):
        _wait_for_processes(where)
        pids = [web, *[process.pid for process in started]]
        person = Person(port)
        quiet = person.play_for(QUIET_S)
        before = _memory(where, pids)
        quiet_answers, person.answers_ms = person.answers_ms, []
        with _attacked(port) as answers:
            attacked = person.play_for(ATTACK_S)
        attacked_answers, person.answers_ms = person.answers_ms, []
        aftermath = person.play_for(AFTERMATH_S)
        after = _memory(where, pids)
        _wait_for(lambda: not _turns_waiting(where))
        with _ladder_played(where):
            beside_ladder = person.play_for(LADDER_S)
    yield from _figures("answers to a person's commands during the attack", attacked_answers, quiet_answers)
    yield from _figures("replies to a person during the attack", attacked, quiet)
    yield from _figures("replies to a person after the attack", aftermath, quiet)
    yield from _figures("replies to a person beside a ladder", beside_ladder, quiet)
    yield Figure("matches that the attackers made", answers["201"], "", note=_counted(answers))
    for name in before:
        grown = (after[name] - before[name]) / 2**20
        yield Figure(f"memory that {name} grew by", grown, "MB")


def _figures(what: str, waits: list[float], quiet: list[float]) -> Iterator[Figure]:
    for percent in (50, 99):
        value, baseline = (quantiles(times, n=100)[percent - 1] for times in (waits, quiet))
        goal = "<= 1000" if percent == 99 else ""
        note = f"{len(waits)} of them, the slowest {max(waits):.0f} ms"
        yield Figure(f"p{percent} of {what}", value, "ms", goal, baseline, "ms without", note)


def _counted(answers: Counter[str]) -> str:
    return ", ".join([f"{count} of {answer}" for answer, count in sorted(answers.items())])


def _memory(where: Servers, pids: list[int]) -> dict[str, int]:
    with connect(where.events.url) as events, connect(where.queue.url) as queue:
        return {
            "the event store": int(events.info("memory")["used_memory"]),
            "the queue": int(queue.info("memory")["used_memory"]),
            "the web processes, workers and relay": sum([resident_bytes(pid) for pid in pids]),
        }


def _wait_for_processes(where: Servers) -> None:
    with connect(where.queue.url) as client:
        _wait_for(lambda: heartbeat.alive(client, "worker") and heartbeat.alive(client, "relay"))


def _wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 2 * DEADLINE_S
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


def _turns_waiting(where: Servers) -> int:
    with connect(where.events.url) as client:
        return int(client.zcard(keys.DUE))


@contextmanager
def _ladder_played(where: Servers) -> Iterator[None]:
    """Run the body while the worker plays a round of slow players."""
    ladders = Ladders(RedisStore(connect(where.events.url)))
    ladder_id = new_ladder(ladders, "expected_value", "off")
    open_round(ladders, ladder_id, BLOCKS)
    _wait_for(lambda: ladders.load(ladder_id).state.rounds[0].finished_blocks > 0)
    yield


class Person:
    """A person who plays matches against one built-in player."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
        _, account = request(port, "POST", "/v1/accounts", {"handle": _handle("person")})
        self.answers_ms: list[float] = []
        """The time of each command until its answer, in ms."""
        self._headers = {"Authorization": f"Bearer {account['token']}", "Content-Type": "application/json"}

    def play_for(self, seconds: float) -> list[float]:
        """The time of each reply in ms: from the command that ends the person's turn or creates a match to
        the person's next turn."""
        self._connection.close()  # the service has closed it if the pause was long; it is opened again
        waits: list[float] = []
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            begun_s = time.perf_counter()
            made = self._ask("POST", "/v1/matches", WITH_A_PERSON, 201)
            for _ in range(TURNS):
                self._wait_for_turn()
                waits.append((time.perf_counter() - begun_s) * 1000)
                begun_s = self._take_turn(f"/v1/matches/{made['match_id']}/commands")
            self._wait_for_turn()
            waits.append((time.perf_counter() - begun_s) * 1000)
            self._ask("POST", f"/v1/matches/{made['match_id']}/commands", {"type": "resign"}, 201)
        return waits

    def _take_turn(self, path: str) -> float:
        """Play a turn; returns the time at which its last command was sent."""
        for body in ({"type": "roll_dice", "dice": 1}, {"type": "pass"}):
            time.sleep(PAUSE_S)
            begun_s = time.perf_counter()
            self._ask("POST", path, body, 201)
            self.answers_ms.append((time.perf_counter() - begun_s) * 1000)
        return begun_s

    def _wait_for_turn(self) -> None:
        while not self._ask("GET", "/v1/me/turns?wait=25", None, 200)["items"]:
            pass

    def _ask(self, method: str, path: str, body: Any, wanted: int) -> Any:
        """The answer; retries after `Retry-After` while the service refuses the request."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            text = json.dumps(body) if body is not None else None
            self._connection.request(method, path, text, self._headers)
            answer = self._connection.getresponse()
            read = answer.read()
            if answer.status == wanted:
                return json.loads(read)
            assert answer.status in (429, 503), read
            pause_s = float(answer.headers["Retry-After"])
            assert time.monotonic() + pause_s < deadline, read
            time.sleep(pause_s)


@contextmanager
def _attacked(port: int) -> Iterator[Counter[str]]:
    """Run the body while other processes create matches; their answers are counted afterwards."""
    answers: Counter[str] = Counter()
    fork = multiprocessing.get_context("fork")
    counts = fork.Queue()
    attackers = [fork.Process(target=_attack, args=(port, counts)) for _ in range(2)]
    for attacker in attackers:
        attacker.start()
    yield answers
    for attacker in attackers:
        answers.update(counts.get(timeout=DEADLINE_S))
        attacker.join()


def _attack(port: int, counts: Any) -> None:
    until_s = time.monotonic() + ATTACK_S
    answers: Counter[str] = Counter()
    threads = []
    for _ in range(ACCOUNTS // 2):
        status, account = request(port, "POST", "/v1/accounts", {"handle": _handle("flood")})
        assert status == 201, account
        headers = {"Authorization": f"Bearer {account['token']}", "Content-Type": "application/json"}
        threads += [
            threading.Thread(target=_make_matches, args=(port, headers, until_s, answers))
            for _ in range(CONNECTIONS)
        ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts.put(answers)


def _make_matches(port: int, headers: dict[str, str], until_s: float, answers: Counter[str]) -> None:
    """Create one match after the other, whatever the answers are."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    text = json.dumps(OF_BUILT_IN_PLAYERS)
    while time.monotonic() < until_s:
        connection.request("POST", "/v1/matches", text, headers)
        answer = connection.getresponse()
        read = answer.read()
        code = f" {json.loads(read)['code']}" if answer.status >= 400 else ""
        answers[f"{answer.status}{code}"] += 1
    connection.close()


def _handle(name: str) -> str:
    return f"{name}{time.time_ns() % 10**12}"
