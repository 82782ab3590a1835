"""`python -m tests.storm.cluster --matches 500`: matches on a cluster while it loses and moves what it has.

Two nodes play matches of built-in players, all at once, and people play through both. Meanwhile a primary is
killed, partitions move from one primary to another, and a node is drained. At the end every match has to be
over and verified, and every acknowledged command in its place.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from events.store import keys
from events.store.keys import Partitions
from ops import cluster
from ops.redis_conf import Address, address_in, free_port, is_free
from tests.e2e.stack import Stack, wait_until
from tests.storm.journal import Journal, Json
from tests.storm.wire import Wire

PAUSE_S: Final = 2.0
"""Between two faults."""
PLAYED_WITHIN_S: Final = 900.0
SEATS: Final = [{"kind": "strategy", "strategy": name} for name in ("random", "greedy", "landmark_first")]


class Nodes(Stack):
    """The service on a cluster, as `make cluster` starts it."""

    module = "ops.cluster"

    def __init__(self, var_dir: Path, **settings: str) -> None:
        super().__init__(var_dir, **settings)
        while not is_free(self.port + 1):
            self.port = free_port()

    @property
    def ports(self) -> tuple[int, int]:
        """Those of both nodes."""
        return self.port, self.port + 1

    def servers(self) -> list[Address]:
        """All servers of the event store, primaries or not."""
        directory = self.var_dir / "cluster"
        found = [
            address_in(cluster.server_directory(directory, number + 1)) for number in range(cluster.SERVERS)
        ]
        return [address for address in found if address is not None]

    def primaries(self) -> list[Address]:
        """Those that are primaries now."""
        return [address for address in self.servers() if _role(address) == "master"]

    def node_pid(self, number: int) -> int:
        """The process of a node, from 1; 0 while it does not run."""
        file = self.var_dir / "cluster" / f"node-{number}" / "run.pid"
        with suppress(OSError, ValueError):
            return int(file.read_text())
        return 0


@contextmanager
def admin_of(address: Address) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(address.admin_url, socket_timeout=1, retry=Retry(NoBackoff(), 0)) as admin:
        yield admin


def _role(address: Address) -> str:
    with suppress(redis.RedisError), admin_of(address) as admin:
        return str(admin.info("replication")["role"])
    return "away"


class Report(NamedTuple):
    """What a run came to."""

    matches: int
    commands: int
    """Commands of people that were acknowledged."""
    faults: list[str]
    took_s: float


class Run:
    """One run over a cluster that is up."""

    def __init__(self, nodes: Nodes, journal: Journal, matches: int, people: int, seed: int) -> None:
        self._nodes = nodes
        self._journal = journal
        self._matches = matches
        self._people = people
        self._dice = random.Random(seed)
        self._over = threading.Event()
        self._are_created = threading.Event()
        self._wires = [Wire(port, journal, self._over) for port in nodes.ports]
        self._ids: list[str] = []
        self._commands = 0

    def run(self) -> Report:
        began_s = time.monotonic()
        self._wires[0].sign_up("ada")
        self._wires[1].token = self._wires[0].token
        threads = [
            threading.Thread(target=self._play, args=(number,), daemon=True) for number in range(self._people)
        ]
        for thread in threads:
            thread.start()
        for number in range(self._matches):
            body = {"ruleset": "base", "seats": SEATS}
            made = self._wires[number % 2].ask(
                "POST", "/v1/matches", body, key=f"match-number-{number}-of-this-run"
            )
            self._ids.append(made.json["match_id"])
        self._are_created.set()
        self._kill_a_primary()
        time.sleep(PAUSE_S)
        self._move_partitions()
        time.sleep(PAUSE_S)
        self._drain_a_node()
        for thread in threads:
            thread.join()
        self._wait_and_verify()
        return Report(len(self._ids), self._commands, self._journal.faults, time.monotonic() - began_s)

    def _kill_a_primary(self) -> None:
        victim = self._dice.choice(self._nodes.primaries())
        with admin_of(victim) as admin:
            pid = int(admin.info("server")["process_id"])
        # One that is only killed is started again before anybody misses it.
        others = {address.port for address in self._nodes.primaries()} - {victim.port}
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: len({one.port for one in self._nodes.primaries()} - {victim.port} - others) == 1)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: _role(victim) == "slave")

    def _move_partitions(self) -> None:
        """Move the slots of some partitions to another primary, as when servers are added."""
        primaries = self._nodes.primaries()
        for tag in Partitions(cluster.PARTITIONS).tags[::5]:
            with admin_of(primaries[0]) as admin:
                slot = int(admin.execute_command("CLUSTER KEYSLOT", keys.at(keys.LOG, tag)))
            owner = next(address for address in primaries if _has_slot(address, slot))
            target = self._dice.choice([address for address in primaries if address != owner])
            with admin_of(owner) as source, admin_of(target) as admin:
                to = admin.execute_command("CLUSTER MYID")
                source.execute_command("CLUSTER MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", to)
            wait_until(lambda target=target, slot=slot: _has_slot(target, slot))

    def _drain_a_node(self) -> None:
        """Stop a node as an upgrade does; it is started again."""
        before = self._nodes.node_pid(2)
        os.kill(before, signal.SIGTERM)
        wait_until(lambda: self._nodes.node_pid(2) not in (0, before))

    def _play(self, number: int) -> None:
        """Play both seats of a match, through one node after the other, until the faults are over."""
        wires = [Wire(port, self._journal, self._over) for port in self._nodes.ports]
        wires[0].sign_up(f"person-{number}")
        wires[1].token = wires[0].token
        body = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}]}
        match_id = (
            wires[0].ask("POST", "/v1/matches", body, key=f"match-of-person-number-{number}").json["match_id"]
        )
        told: list[Json] = []
        turn = 0
        while not self._are_created.is_set() or turn < 60:
            state = wires[turn % 2].ask("GET", f"/v1/matches/{match_id}").json
            if state["status"] != "running":
                break
            legal = wires[turn % 2].ask("GET", f"/v1/matches/{match_id}/legal-commands").json["commands"]
            answer = wires[(turn + 1) % 2].ask(
                "POST", f"/v1/matches/{match_id}/commands", self._dice.choice(legal), key=f"turn-{turn}"
            )
            if answer.status == 201:
                told += answer.json["events"]
            turn += 1
        self._commands += turn
        first = told[0]["sequence"]
        stored: list[Json] = []
        while len(stored) < len(told):
            after = stored[-1]["sequence"] if stored else first - 1
            page = wires[0].ask("GET", f"/v1/matches/{match_id}/events?after={after}&limit=500").json["items"]
            if not page:
                break
            stored += page
        if stored != told:
            self._journal.fault("lost", f"{match_id} has {len(stored)} events, and {len(told)} were told")
        for wire in wires:
            wire.close()

    def _wait_and_verify(self) -> None:
        ends_s = time.monotonic() + PLAYED_WITHIN_S
        for match_id in self._ids:
            path = f"/v1/matches/{match_id}"
            while self._wires[0].ask("GET", path).json["status"] == "running":
                if time.monotonic() > ends_s:
                    self._journal.fault("stuck", match_id)
                    return
                time.sleep(0.2)
            # It is signed a moment after its end.
            while (report := self._wires[1].ask("GET", f"{path}/verification").json)["verdict"] != "verified":
                if report["verdict"] == "failed" or time.monotonic() > ends_s:
                    self._journal.fault("verification", f"{match_id}: {report}")
                    break
                time.sleep(0.2)


def _has_slot(address: Address, slot: int) -> bool:
    with admin_of(address) as admin:
        own = admin.execute_command("CLUSTER MYID").decode()
        for line in admin.execute_command("CLUSTER NODES").values():
            if line["node_id"] == own:
                return any(int(first) <= slot <= int(last) for first, last in map(_edges, line["slots"]))
    return False


def _edges(slots: list[str]) -> tuple[str, str]:
    return slots[0], slots[-1]


def play(directory: Path, matches: int, people: int = 2, seed: int = 1) -> Report:
    """Start a cluster, have a run on it, and stop it."""
    nodes = Nodes(directory / "var")
    nodes.start("primaries and 3 replicas are a cluster")
    try:
        over = threading.Event()
        for port in nodes.ports:
            wire = Wire(port, Journal(directory), over)
            wait_until(lambda wire=wire: (answer := wire.attempt("GET", "/readyz")) and answer.status == 200)
            wire.close()
        journal = Journal(directory)
        return Run(nodes, journal, matches, people, seed).run()
    finally:
        nodes.interrupt()
        nodes.end()


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.storm.cluster", description=__doc__)
    parser.add_argument("--matches", type=int, default=500, help="matches of built-in players, all at once")
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1, help="seed of all random choices")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="machi-") as directory:
        report = play(Path(directory), options.matches, options.people, options.seed)
    for text in report.faults:
        print(text)
    print(
        f"{report.matches} matches and {report.commands} commands of people, "
        f"{len(report.faults)} faults, {report.took_s:.0f} s"
    )
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
