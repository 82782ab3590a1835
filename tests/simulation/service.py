"""The service in the simulated world: its own code, with simulated servers, clocks and processes."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Final
from unittest.mock import patch

import redis
from rq import Queue

from events import Matches, Notary, RedisStore, Seeds, Settings, SigningKeys, stores
from events.ladders.ladders import Ladders
from events.store.errors import StreamCorrupt
from events.store.keys import Partitions
from runtime import heartbeat
from runtime.queue import PEOPLE, QUEUE
from tests.simulation.network import Server
from tests.simulation.world import Answer, Process, World
from workers import jobs, relay
from workers.ladders.context import Context
from workers.operations.lifetime import machine
from workers.queue.client import QueueUnavailable, open_queue
from workers.queue.play_job import PlayJob
from workers.relay import Relay
from workers.turns import lost_turns, partition
from workers.turns.decisions import REPLIES, TurnLimits, nobody_waits
from workers.turns.partition import RelayIntervals

_OLD: Final = ("k1:" + "5e" * 32, "s1:" + "51" * 32)
_NEW: Final = ("k2:" + "e5" * 32, "s2:" + "15" * 32)
KEYS: Final = (
    _OLD,
    (f"{_OLD[0]},{_NEW[0]}", f"{_OLD[1]},{_NEW[1]}"),
    (f"{_NEW[0]},{_OLD[0]}", f"{_NEW[1]},{_OLD[1]}"),
)
"""The master and signing keys while they are exchanged, step by step, as docs/operations.md has it."""
AI_GRACE_S: Final = 2
RESTART_S: Final = 0.5
"""How long a killed process is away."""
IDLE_S: Final = 0.3
"""How often an idle worker looks for a job; a real one would be woken."""
NEVER_S: Final = 1e9
INTERVALS: Final = RelayIntervals(
    block_s=0.5,
    lost_s=1.0,
    signer_s=1.0,
    rounds_s=1.0,
    scrub_s=NEVER_S,
    deletions_s=NEVER_S,
    back_off_s=AI_GRACE_S,
)
"""Longer than the usual ones where a shorter one only costs time here."""


class Place:
    """Both servers and all processes of the service."""

    def __init__(self, world: World, failures: float, partitions: int) -> None:
        self.world: Final = world
        self.partitions: Final = Partitions(partitions)
        self.events: Final = Server(world, "events", failures, self.partitions)
        self.queue: Final = Server(world, "queue", failures)
        self.keys = KEYS[0]
        """Those that processes start with from now on."""
        self.damages: Final[list[StreamCorrupt]] = []
        self.webs: Final[list[Web]] = []
        self.relays: Final[list[Process]] = []
        self.workers: Final[list[Process]] = []

    def start(self, webs: int, relays: int, workers: int) -> None:
        """Start so many processes of each kind."""
        self.webs.extend([Web(self, self._new_process(f"web-{i}")) for i in range(webs)])
        for i in range(relays):
            self.relays.append(self._new_process(f"relay-{i}"))
            self.start_relay(self.relays[i])
        for i in range(workers):
            self.workers.append(self._new_process(f"worker-{i}"))
            self.start_worker(self.workers[i])

    def _new_process(self, name: str) -> Process:
        return self.world.new_process(name, self.world.rng.choice((0.0, 0.0, -1.5, 1.5)))

    def restart_web(self, index: int) -> None:
        """Kill a web process, which is back at once."""
        self.webs[index].process.kill()
        self.webs[index] = Web(self, self._new_process(f"web-{index}"))

    def restart_relay(self, index: int) -> None:
        """Kill a relay, which is back soon."""
        self.relays[index].kill()
        self.relays[index] = self._new_process(f"relay-{index}")
        self.start_relay(self.relays[index], RESTART_S)

    def restart_worker(self, index: int) -> None:
        """Kill a worker, which is back soon."""
        self.workers[index].kill()
        self.workers[index] = self._new_process(f"worker-{index}")
        self.start_worker(self.workers[index], RESTART_S)

    def restart_all(self) -> Iterator[None]:
        """Restart one process after the other."""
        for restart, group in (
            (self.restart_web, self.webs),
            (self.restart_relay, self.relays),
            (self.restart_worker, self.workers),
        ):
            for index in range(len(group)):
                restart(index)
                yield

    def start_relay(self, process: Process, after_s: float = 0.0) -> None:
        """Run the relay in that process."""
        settings = Settings("", "", *self.keys, ai_grace_s=AI_GRACE_S)
        self.world.spawn(process, lambda: Relay(settings, INTERVALS).run(), after_s)

    def start_worker(self, process: Process, after_s: float = 0.0) -> None:
        """Run a worker in that process."""
        self.world.spawn(process, lambda: Worker(self, process).run(), after_s)

    def matches(self, process: Process, cache: int = 2000) -> Matches:
        """The matches as that process sees them."""
        store = RedisStore(self.events.client(process, retries=1))
        return Matches(
            store,
            Seeds(self.keys[0]),
            cache_matches=cache,
            ai_grace_ms=AI_GRACE_S * 1000,
            notary=Notary(store, SigningKeys(self.keys[1])),
            on_damage=self.damages.append,
        )

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """What the relay and the workers ask of their machine is answered by the world."""
        world = self.world

        def events_client(*_: Any) -> redis.Redis:
            return self.events.client(world.process, retries=1)

        def blocking_client(*_: Any) -> redis.Redis:
            return self.events.client(world.process, retries=0)

        def queue_client(*_: Any) -> redis.Redis:
            return self.queue.client(world.process, retries=0)

        def token() -> str:
            return f"{world.process.pid} {world.rng.randbytes(8).hex()} {machine()}"

        def is_of_dead(token: str) -> bool:
            return not world.lives(int(token.partition(" ")[0]))

        with contextlib.ExitStack() as stack:
            stack.enter_context(world.entered())
            for owner, name, value in (
                (stores, "connect_store", events_client),
                (relay, "connect_blocking", blocking_client),
                (relay, "connect_queue", queue_client),
                (partition, "token_of", token),
                (partition, "is_of_dead", is_of_dead),
                (relay.WebPort, "is_silent", lambda _: False),
                (relay.ReviewDispatch, "run", lambda _: None),
                (lost_turns, "lives", world.lives),
            ):
                stack.enter_context(patch.object(owner, name, value))
            yield


class Web:
    """A web process; each request is a task of its own."""

    def __init__(self, place: Place, process: Process) -> None:
        self.process: Final = process
        self._matches = place.matches(process, place.world.rng.choice((1, 2000)))

    def serve(self, request: Callable[[Matches], Any], answer: Answer) -> None:
        """Answer a request with what it returns or with the error that it raises."""
        try:
            answer.give(request(self._matches))
        except Exception as error:
            answer.give(error)


class Worker:
    """An RQ worker: it takes a job, registers it, plays the turns and forgets the job."""

    def __init__(self, place: Place, process: Process) -> None:
        self._world = place.world
        self._client = place.queue.client(process, retries=3)
        matches, events = place.matches(process), place.events.client(process, retries=1)
        self._context = Context(matches, Ladders(matches.store), events, self._client)
        self._key = f"rq:worker:{process.name}-{process.pid}"
        self._process = process

    def run(self) -> None:
        """Work until the process is killed."""
        queues = [open_queue(self._client, name) for name in (PEOPLE, QUEUE)]
        next_beat_s = 0.0
        while True:
            with contextlib.suppress(redis.RedisError, QueueUnavailable):
                if self._world.now_s >= next_beat_s:
                    self._register()
                    next_beat_s = self._world.now_s + heartbeat.PAUSE_S
                if self._work(queues):
                    continue
            self._world.pause(IDLE_S)

    def _register(self) -> None:
        heartbeat.beat(self._client, "worker", self._process.name)
        with self._client.pipeline(transaction=False) as pipe:
            pipe.sadd("rq:workers", self._key)
            pipe.hset(self._key, mapping={"hostname": machine(), "pid": self._process.pid, "current_job": ""})
            pipe.execute()

    def _work(self, queues: list[Queue]) -> bool:
        found = Queue.dequeue_any(queues, None, connection=self._client, job_class=PlayJob, serializer="json")
        if found is None:
            return False
        job, queue = found
        self._client.hset(self._key, "current_job", job.id)
        turns, attempt = job.args
        limits = REPLIES if queue.name == PEOPLE else TurnLimits()
        self._world.note(f"{self._process.name} plays {turns}")
        jobs.play_turns(self._context, [tuple(turn) for turn in turns], attempt, limits, nobody_waits)
        self._client.delete(job.key)
        self._client.hset(self._key, "current_job", "")
        return True
