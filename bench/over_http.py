"""Commands over HTTP, compared with a bare Flask route on the same Redis and gunicorn."""

import http.client
import json
import multiprocessing
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from statistics import median
from typing import Any, Final, NamedTuple

from msgspec import Struct, to_builtins

from bench.figures import Figure
from bench.processes import MASTER_KEYS, Servers, servers
from bench.usage import cpu_s
from domain.match.commands import Command, CreateMatch, Pass, RollDice, SeatPlan
from domain.match.events import Dice
from domain.match.rulesets import CURRENT, resolve_options
from events import Matches, RedisStore, Seeds
from events.store import keys
from ops import compiled
from ops.redis_conf import free_port
from ops.servers import ROOT
from runtime.connection import connect

REAL: Final = "service.wsgi:app"
SECONDS: Final = 3.0
ROUNDS: Final = 3
CONNECTIONS: Final = (1, 16)
CLIENT_PROCESSES: Final = 2
DEADLINE_S: Final = 60

MATCH_REQUESTS = 2000
BODIES: Final = (b'{"type":"roll_dice","dice":1}', b'{"type":"pass"}')

RECORDED: Final = "BENCH_RECORDED"
"""The environment variable with the commands that `/least` of `bench.bare` repeats, as JSON."""
LAST: Final = 5
"""The place of the last version of the only entry among the arguments of `append.lua`."""

Send = Callable[[http.client.HTTPConnection, int], None]
"""Sends request n of a connection and checks the answer."""


class Load(NamedTuple):
    """The measured load of a server."""

    per_second: float
    cpu_us: float
    """CPU time of its processes per request, in microseconds."""


class Recorded(Struct):
    """A command of the service: what its script was called with, and its answer."""

    sha: str
    keys: list[str]
    arguments: list[str]
    """Bytes as Latin-1."""
    headers: list[tuple[str, str]]
    body: str

    @property
    def size(self) -> int:
        """The number of its events."""
        return int(self.arguments[LAST]) - int(self.arguments[0])


def measure() -> Iterator[Figure]:
    """Requests per second, and the CPU time of the web processes per request, of commands and of the least
    that their contract costs.

    All run all the time and alternate, so that other load on the machine affects them alike.
    """
    rules = "compiled" if compiled.is_current(ROOT) else "interpreted"
    with servers() as where, serving(where, REAL) as real:
        recorded = {RECORDED: json.dumps(to_builtins(_recorded(where, real[0])))}
        with serving(where, "bench.bare:app", recorded) as bare:
            for connections in CONNECTIONS:
                routes = [_bare(where, number) for number in range(connections)]
                least = [_least(number) for number in range(connections)]
                matches = [commands(real[0], number) for number in range(connections)]
                rounds = [
                    (_load(*bare, routes), _load(*bare, least), _load(*real, matches)) for _ in range(ROUNDS)
                ]
                baseline, floor, loads = zip(*rounds, strict=True)
                name = f"HTTP commands, {connections} connections, {rules}"
                yield _figure(name, "ratio >= 0.8", baseline, loads)
                yield _figure(f"the least of a command, {connections} connections", "", baseline, floor)


def _figure(name: str, goal: str, bare: tuple[Load, ...], loads: tuple[Load, ...]) -> Figure:
    """The median rates of both, and the ratio of their median CPU times."""
    bare_rate, rate = [median([load.per_second for load in each]) for each in (bare, loads)]
    bare_cpu, cpu = [median([load.cpu_us for load in each]) for each in (bare, loads)]
    note = f"CPU {cpu:.0f} against {bare_cpu:.0f} us a request, ratio {bare_cpu / cpu:.2f}"
    return Figure(name, rate, "requests/s", goal, bare_rate, "bare Flask requests/s", note)


def _recorded(where: Servers, port: int) -> list[Recorded]:
    """A roll of one die and a pass: the calls of the script for them, and their answers from the service."""
    client = connect(where.events.url)
    calls: list[tuple[Any, ...]] = []
    execute = client.execute_command

    def noted(*words: Any, **options: Any) -> Any:
        calls.append(words)
        return execute(*words, **options)  # type: ignore[no-untyped-call]  # redis has no type for it

    client.execute_command = noted  # type: ignore[method-assign]
    matches = Matches(RedisStore(client), Seeds(MASTER_KEYS))
    seats = tuple([SeatPlan("account", "acc_bench", "bench")] * 2)
    rules = CURRENT["base"]
    creation = CreateMatch(rules.version, resolve_options(rules, 2), seats, Dice("committed"), "acc_bench", 0)
    match_id = matches.create(creation).match_id
    answers: list[tuple[list[tuple[str, str]], str]] = []
    send = commands(port, 0, answers=answers)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    found = []
    sent: tuple[Command, ...] = (RollDice(0, 1), Pass(0))
    for i, command in enumerate(sent):
        calls.clear()
        matches.execute(match_id, command, "seat:0")
        send(connection, i)
        [(_, sha, count, *words)] = [call for call in calls if call[0] == "EVALSHA"]
        found.append(Recorded(sha, list(words[:count]), [_text(word) for word in words[count:]], *answers[i]))
    connection.close()
    return found


def _text(word: Any) -> str:
    return word.decode("latin-1") if isinstance(word, bytes) else str(word)


@contextmanager
def serving(where: Servers, app: str, settings: Mapping[str, str] | None = None) -> Iterator[tuple[int, int]]:
    """Run the application under gunicorn; yields its port and the process id of the arbiter."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "-c", "service/gunicorn.py", app]
    environment = {**where.environment, **(settings or {}), "PORT": str(port)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(60)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            request(port, "GET", "/", None)
            return
        except OSError:
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)


def request(
    port: int, method: str, path: str, body: Any, headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    """One request on a new connection: the status, and the JSON of the answer, if it has any."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    content = {"Content-Type": "application/json"} if body is not None else {}
    text = json.dumps(body) if body is not None else None
    connection.request(method, path, text, {**content, **(headers or {})})
    answer = connection.getresponse()
    read = answer.read()
    connection.close()
    is_json = "json" in answer.headers.get("Content-Type", "")
    return answer.status, json.loads(read) if is_json else None


def _bare(where: Servers, number: int) -> Send:
    match_id = f"mat_bare_{time.time_ns()}_{number}"
    with connect(where.events.url) as client:
        client.xadd(keys.match(match_id), {"e": "x"}, id="1-0")

    def send(connection: http.client.HTTPConnection, i: int) -> None:
        connection.request("POST", f"/append/{match_id}")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status

    return send


def _least(number: int) -> Send:
    """Requests like those of `commands`."""
    headers = {"Authorization": f"Bearer mkt_{'x' * 43}", "Content-Type": "application/json"}
    match_id = ""

    def send(connection: http.client.HTTPConnection, i: int) -> None:
        nonlocal match_id
        if i == 0:
            match_id = f"mat_{time.time_ns():020}{number:06}"
        connection.request("POST", f"/least/{match_id}/{i}", BODIES[i % 2], headers)
        answer = connection.getresponse()
        read = answer.read()
        assert answer.status == 201, read

    return send


def commands(
    port: int,
    number: int,
    paths: list[str] | None = None,
    answers: list[tuple[list[tuple[str, str]], str]] | None = None,
) -> Send:
    """Commands on matches of one account, which throws one die and passes; a new match before the turn limit.

    The path of each match's commands is added to `paths`, the headers and body of each answer to `answers`.
    """
    handle = f"bench{time.time_ns() % 10**12}x{number}"
    _, account = request(port, "POST", "/v1/accounts", {"handle": handle})
    headers = {"Authorization": f"Bearer {account['token']}", "Content-Type": "application/json"}
    new = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}]}
    path = ""

    def send(connection: http.client.HTTPConnection, i: int) -> None:
        nonlocal path
        if i % MATCH_REQUESTS == 0:
            _, match = request(port, "POST", "/v1/matches", new, headers)
            path = f"/v1/matches/{match['match_id']}/commands"
            if paths is not None:
                paths.append(path)
        connection.request("POST", path, BODIES[i % 2], headers)
        answer = connection.getresponse()
        read = answer.read()
        assert answer.status == 201, read
        if answers is not None:
            answers.append((_own_headers(answer), read.decode()))

    return send


def _own_headers(answer: http.client.HTTPResponse) -> list[tuple[str, str]]:
    """The headers of the answer that the application sets, and not gunicorn."""
    return [
        (name, value) for name, value in answer.getheaders() if name not in ("Server", "Date", "Connection")
    ]


def _load(port: int, pid: int, sends: list[Send]) -> Load:
    """Send requests on all connections concurrently for `SECONDS`."""
    fork = multiprocessing.get_context("fork")
    counts = fork.Queue()
    groups = [sends[i::CLIENT_PROCESSES] for i in range(CLIENT_PROCESSES)]
    clients = [fork.Process(target=_client, args=(port, group, counts)) for group in groups if group]
    before_s, start = cpu_s(pid), time.perf_counter()
    for client in clients:
        client.start()
    done = sum([counts.get(timeout=SECONDS + 30) for _ in clients])
    took = time.perf_counter() - start
    used_s = cpu_s(pid) - before_s
    for client in clients:
        client.join()
    return Load(done / took, used_s / done * 1e6)


def _client(port: int, sends: list[Send], counts: Any) -> None:
    done = [0] * len(sends)
    threads = [
        threading.Thread(target=_one_connection, args=(port, send, done, n)) for n, send in enumerate(sends)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts.put(sum(done))


def _one_connection(port: int, send: Send, done: list[int], number: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        send(connection, done[number])
        done[number] += 1
    connection.close()
