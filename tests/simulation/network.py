"""The simulated Redis servers and the connections to them, on which messages are lost, late or cut short."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import redis
from fakeredis import FakeRedisConnection, FakeServer
from fakeredis._socket import FakeSocket
from redis.backoff import NoBackoff
from redis.connection import ConnectionPool
from redis.retry import Retry

from events.store.keys import SINGLE, Partitions, divided
from tests.simulation.recorded import Recorder
from tests.simulation.world import Process, World

LATENCY_S: Final = 0.0004
TIMEOUT_S: Final = 0.5
"""After so long a client stops to wait for an answer."""
LATEST_S: Final = 4.0
"""So long a message can be on its way."""


class Server:
    """A Redis server that can be down, or out of reach of a process."""

    def __init__(self, world: World, name: str, failures: float, partitions: Partitions = SINGLE) -> None:
        """`failures` is the share of messages to which something happens."""
        self.partitions: Final = partitions
        self.world: Final = world
        self.name: Final = name
        self.failures: Final = failures
        self.is_down = False
        self.cut_off: Final[dict[int, float]] = {}
        """Until when the server is out of reach, by process id."""
        self.recorder: Final = Recorder()
        self.fake: Final = FakeServer(server_type="redis", version=(7, 4))

    def client(self, process: Process, retries: int) -> redis.Redis:
        """A client of that process; it sends a command again as often as `retries` says."""
        pool = ConnectionPool(
            connection_class=Link,
            server=self.fake,
            endpoint=self,
            process=process,
            protocol=2,
            retry=Retry(NoBackoff(), retries),
            redis_connect_func=_no_greeting,
        )
        return divided(_Client(connection_pool=pool), self.partitions)

    def is_out_of_reach(self, process: Process) -> bool:
        """Whether no message of the process arrives."""
        return self.cut_off.get(process.pid, 0.0) > self.world.now_s

    def do(self, data: bytes) -> None:
        """Carry out commands for whose answer nobody waits."""
        if self.is_down:
            return
        socket = FakeSocket(self.fake, client_class=redis.Redis, db=0, lua_modules=None)
        self.carry_out(socket, data)
        socket.close()

    def carry_out(self, socket: FakeSocket, data: bytes) -> None:
        """Carry out commands that have arrived on a connection, and record them."""
        with self.world.servers_turn():
            socket.sendall(data)
        if b"EVALSHA" in data:
            for command, reply in zip(_commands(data), [*socket.responses.queue], strict=False):
                self.recorder.record(command.arguments, reply)

    def wipe(self) -> None:
        """Lose everything."""
        self.do(b"*1\r\n$8\r\nFLUSHALL\r\n")


def _no_greeting(connection: Any) -> None:
    """Nothing that a client says first matters here."""


class Link(FakeRedisConnection):
    """A connection of one process."""

    def __init__(self, *args: Any, endpoint: Server, process: Process, **options: Any) -> None:
        super().__init__(*args, **options)
        self._endpoint = endpoint
        self._process = process

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        data = b"".join([command] if isinstance(command, bytes) else command)
        server, world = self._endpoint, self._endpoint.world
        fate = self._fate()
        world.pause(world.rng.expovariate(1 / LATENCY_S))
        if server.is_down:
            self._fail(redis.ConnectionError("the server is down"), 0.01)
        if server.is_out_of_reach(self._process) or fate == "lost":
            self._fail(redis.TimeoutError("no answer"), TIMEOUT_S)
        if fate == "late":
            delay_s = world.rng.uniform(0, LATEST_S)
            world.spawn(world.outside, lambda: server.do(data), delay_s)
            self._fail(redis.TimeoutError("no answer"), TIMEOUT_S)
        if fate == "cut":
            server.do(_beginning(data, world.rng.random()))
            self._fail(redis.ConnectionError("the connection broke"), 0.0)
        if not self._sock:
            self.connect()
        server.carry_out(self._sock, data)
        world.pause(world.rng.expovariate(1 / LATENCY_S))
        if fate == "unanswered" or server.is_down:
            self._fail(redis.ConnectionError("the connection broke"), 0.0)

    def read_response(self, **options: Any) -> Any:
        options.pop("timeout", None)
        options.pop("push_request", None)
        return super().read_response(**options)

    def _fate(self) -> str:
        world = self._endpoint.world
        if world.is_calm or world.rng.random() >= self._endpoint.failures:
            return "fine"
        return world.rng.choice(("lost", "late", "cut", "unanswered"))

    def _fail(self, error: Exception, after_s: float) -> None:
        self.disconnect()
        if after_s:
            self._endpoint.world.pause(after_s)
        raise error


def _beginning(data: bytes, share: float) -> bytes:
    """Some of the commands, from the first on: what arrived before the connection broke."""
    ends = [0, *[command.end for command in _commands(data)]]
    return data[: ends[int(share * len(ends))]]


class _Command(NamedTuple):
    """A command on the wire."""

    arguments: list[bytes]
    end: int
    """Where the next one begins."""


def _commands(data: bytes) -> Iterator[_Command]:
    """The commands on the wire, such as `*2\\r\\n$3\\r\\nGET\\r\\n$1\\r\\na\\r\\n`."""
    at = 0
    while at < len(data):
        end = data.index(b"\r\n", at)
        count, at, arguments = int(data[at + 1 : end]), end + 2, []
        for _ in range(count):
            end = data.index(b"\r\n", at)
            begin, at = end + 2, end + 2 + int(data[at + 1 : end]) + 2
            arguments.append(data[begin : at - 2])
        yield _Command(arguments, at)


class _Client(redis.Redis):
    """A client whose blocking reads wait in simulated time."""

    def xread(self, streams: Any, count: int | None = None, block: int | None = None) -> Any:
        found = super().xread(streams, count)
        if not found and block:
            server: Server = self.connection_pool.connection_kwargs["endpoint"]
            server.world.pause(block / 1000)
            found = super().xread(streams, count)
        return found
