"""What happens to the simulated service: processes die or stand still, servers fail, clocks jump."""

from collections.abc import Callable
from typing import Final

from tests.simulation.network import Server
from tests.simulation.service import KEYS, Place

PAUSE_S: Final = 0.4
"""The mean time between two faults."""


class Faults:
    """Faults at random times, until the world is calm."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._world = place.world
        self._rng = place.world.rng
        self._kinds: Final[tuple[Callable[[], str], ...]] = (
            self._kill,
            self._kill,
            self._pause,
            self._cut_off,
            self._take_down,
            self._wipe_the_queue,
            self._set_clock,
        )

    def run(self) -> None:
        """Cause faults."""
        while True:
            self._world.pause(self._rng.expovariate(1 / PAUSE_S))
            if self._world.is_calm:
                return
            self._world.note(f"-- {self._rng.choice(self._kinds)()}")

    def _kill(self) -> str:
        place = self._place
        kind = self._rng.choice(("web", "relay", "worker"))
        group, restart = {
            "web": (place.webs, place.restart_web),
            "relay": (place.relays, place.restart_relay),
            "worker": (place.workers, place.restart_worker),
        }[kind]
        index = self._rng.randrange(len(group))
        restart(index)
        return f"{kind}-{index} is killed"

    def _pause(self) -> str:
        process = self._rng.choice([*self._world.processes.values()])
        process.paused_until_s = self._world.now_s + self._rng.uniform(0.5, 5)
        return f"{process.name} stands still until {process.paused_until_s:.1f}"

    def _cut_off(self) -> str:
        process = self._rng.choice([*self._world.processes.values()])
        server = self._any_server()
        server.cut_off[process.pid] = self._world.now_s + self._rng.uniform(0.5, 4)
        return f"{process.name} cannot reach {server.name}"

    def _take_down(self) -> str:
        server = self._any_server()
        server.is_down = True

        def restart() -> None:
            server.is_down = False

        self._world.spawn(self._world.outside, restart, self._rng.uniform(0.1, 2))
        return f"{server.name} is down"

    def _wipe_the_queue(self) -> str:
        self._place.queue.wipe()
        return "the queue is wiped"

    def _set_clock(self) -> str:
        process = self._rng.choice([*self._world.processes.values()])
        process.skew_s = self._rng.uniform(-4, 4)
        return f"the clock of {process.name} is {process.skew_s:+.1f} s off"

    def _any_server(self) -> Server:
        return self._rng.choice((self._place.events, self._place.queue))


def exchange_keys(place: Place) -> None:
    """Give all processes a new master key and signing key, first as known ones and then as the first."""
    for keys in KEYS[1:]:
        place.keys = keys
        for _ in place.restart_all():
            place.world.note("-- a process is restarted with other keys")
            place.world.pause(place.world.rng.uniform(0, 0.5))


def heal(place: Place) -> None:
    """End all faults; clocks stay as they are."""
    place.world.is_calm = True
    for server in (place.events, place.queue):
        server.is_down = False
        server.cut_off.clear()
    for process in place.world.processes.values():
        process.paused_until_s = 0.0
