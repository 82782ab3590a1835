"""The service on a cluster, as `make cluster` starts it, and what can be done to that."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from events.store import keys
from events.store.keys import Partitions
from ops import cluster
from ops.ready import problem
from ops.redis_conf import Address, address_in, free_port, is_free
from tests.e2e.stack import Stack, descendants, wait_until
from tests.storms.faults import Fault, Faults

STRIDE: Final = 5
"""Of so many partitions, one moves."""
KEYS_AT_ONCE: Final = 50


class Nodes(Stack):
    """The service on a cluster."""

    module = "ops.cluster"

    def __init__(self, var_dir: Path, **settings: str) -> None:
        super().__init__(var_dir, **settings)
        while not is_free(self.port + 1):
            self.port = free_port()
        self._home = var_dir / "cluster"

    @property
    def ports(self) -> tuple[int, ...]:
        """Those of both nodes."""
        return self.port, self.port + 1

    def start(self, awaited: str = "primaries and 3 replicas are a cluster") -> None:
        super().start(awaited)
        wait_until(lambda: not any(problem(f"http://127.0.0.1:{port}") for port in self.ports))

    def wait_until_whole(self) -> None:
        wait_until(lambda: all(_is_whole(address) for address in self.servers()))

    def server_directories(self, role: str) -> list[Path]:
        if role == "queue":
            return [self._home / "queue"]
        return [cluster.server_directory(self._home, number + 1) for number in range(cluster.SERVERS)]

    def pid_files(self) -> list[Path]:
        return [self._home / f"node-{number + 1}" / "run.pid" for number in range(cluster.NODES)]

    def servers(self) -> list[Address]:
        """All servers of the event store, primaries or not."""
        found = map(address_in, self.server_directories("events"))
        return [address for address in found if address is not None]

    def primaries(self) -> list[Address]:
        """Those that are primaries now."""
        return [address for address in self.servers() if _role(address) == "master"]

    def node_pid(self, number: int) -> int:
        """The process of a node, from 0; 0 while it does not run."""
        with suppress(OSError, ValueError):
            return int(self.pid_files()[number].read_text())
        return 0

    def running_node(self, number: int) -> int:
        """The same, once it runs."""
        wait_until(lambda: self.node_pid(number) in descendants(self.runner))
        return self.node_pid(number)


class ClusterFaults(Faults):
    """The faults that can be brought about on a cluster, beside those of one node."""

    _stack: Nodes

    @classmethod
    def kinds(cls) -> dict[str, Fault]:
        return super().kinds() | _FAULTS

    def lose_primary(self) -> str:
        """A primary stands still until its replica has taken over, and then it is killed."""
        victim = self._dice.choice(self._stack.primaries())
        pid = _pid(victim)
        # One that is only killed is started again before anybody misses it.
        others = self._stack.primaries()
        os.kill(pid, signal.SIGSTOP)
        # Servers tell by the wall clock how long one is silent. If that was set back, its runner is faster.
        wait_until(lambda: self._has_new_primary(others) or _is_gone(pid))
        is_replaced = self._has_new_primary(others)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: _role(victim) != "away")
        return f"the primary on port {victim.port}, {'replaced' if is_replaced else 'restarted in time'}"

    def _has_new_primary(self, before: Sequence[Address]) -> bool:
        return any(one not in before for one in self._stack.primaries())

    def move_partitions(self) -> str:
        """Move the slots of some partitions to another primary, as when servers are added."""
        tags = Partitions(cluster.PARTITIONS).tags[self._dice.randrange(STRIDE) :: STRIDE]
        for tag in tags:
            slot, owner, target = self._move_of(tag)
            with admin_of(owner) as source, admin_of(target) as admin:
                to = admin.execute_command("CLUSTER MYID")
                source.execute_command("CLUSTER MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", to)
            wait_until(lambda target=target, slot=slot: _has_slot(target, slot))
        return f"{len(tags)} partitions"

    def move_keys(self) -> str:
        """Move the slot of a partition key by key, as servers before Valkey 9 have to."""
        slot, owner, target = self._move_of(self._dice.choice(Partitions(cluster.PARTITIONS).tags))
        moved = 0
        with admin_of(owner, timeout_s=30) as source, admin_of(target) as admin:
            from_id, to_id = [one.execute_command("CLUSTER MYID") for one in (source, admin)]
            admin.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", from_id)
            source.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", to_id)
            while found := source.execute_command("CLUSTER GETKEYSINSLOT", slot, KEYS_AT_ONCE):
                login = ("AUTH2", "admin", target.admin_password)
                source.execute_command(
                    "MIGRATE", "127.0.0.1", target.port, "", 0, 5000, *login, "KEYS", *found
                )
                moved += len(found)
            for one in (admin, source):
                one.execute_command("CLUSTER SETSLOT", slot, "NODE", to_id)
        wait_until(lambda: _has_slot(target, slot))
        return f"{moved} keys of a partition"

    def _move_of(self, tag: str) -> tuple[int, Address, Address]:
        """The slot of a partition, the primary that has it, and another one."""
        primaries = self._stack.primaries()
        with admin_of(primaries[0]) as admin:
            slot = int(admin.execute_command("CLUSTER KEYSLOT", keys.at(keys.LOG, tag)))
        owner = next(address for address in primaries if _has_slot(address, slot))
        return slot, owner, self._dice.choice([address for address in primaries if address != owner])

    def drain_node(self) -> str:
        """Stop a node as an upgrade does; it is started again."""
        number = self._dice.randrange(cluster.NODES)
        before = self._stack.running_node(number)
        os.kill(before, signal.SIGTERM)
        wait_until(lambda: self._stack.node_pid(number) not in (0, before))
        return f"node {number + 1}"

    def cut_off_island(self) -> str:
        """Cut a primary and a node off from the others, but not from each other; clients reach both nodes."""
        assert self._network
        number = self._dice.randrange(cluster.NODES)
        primary = self._dice.choice(self._stack.primaries())
        with admin_of(primary) as admin:
            links = [link["addr"].rpartition(":")[2] for link in admin.client_list("replica")]
        node, island = self._stack.running_node(number), self._network.filtered
        others = island.replace("cgroup", "cgroup !=")
        rules = [
            f"{others} tcp dport {{ {primary.port}, {primary.bus_port} }} drop",
            f"{island} tcp dport {primary.port} accept",
            *[f"{island} tcp sport {primary.port} tcp dport {link} drop" for link in links],
            f"{island} tcp sport {{ {primary.port}, {self._stack.ports[number]} }} accept",
            f"{island} drop",
        ]
        pids = [_pid(primary), node, *descendants(node)]
        with self._network.filters(pids, rules):
            time.sleep(self._scale.cut_s)
        return f"node {number + 1} and the primary on port {primary.port} for {self._scale.cut_s:.0f} s"


_FAULTS: Final = {
    "failover": Fault(ClusterFaults.lose_primary, weight=2),
    "slots": Fault(ClusterFaults.move_partitions),
    "keys": Fault(ClusterFaults.move_keys),
    "drain": Fault(ClusterFaults.drain_node),
    "island": Fault(ClusterFaults.cut_off_island, weight=2, needs="network"),
}


@contextmanager
def admin_of(address: Address, timeout_s: float = 1) -> Iterator[redis.Redis]:
    """A client of one server that may do anything."""
    retry = Retry(NoBackoff(), 0)
    with redis.Redis.from_url(address.admin_url, socket_timeout=timeout_s, retry=retry) as admin:
        yield admin


def _pid(address: Address) -> int:
    with admin_of(address) as admin:
        return int(admin.info("server")["process_id"])


def _is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def _role(address: Address) -> str:
    with suppress(redis.RedisError), admin_of(address) as admin:
        return str(admin.info("replication")["role"])
    return "away"


def _is_whole(address: Address) -> bool:
    """Whether a server knows all slots to be served, and is a primary with a replica or an up-to-date one."""
    with suppress(redis.RedisError), admin_of(address) as admin:
        if admin.execute_command("CLUSTER INFO")["cluster_state"] != "ok":
            return False
        told = admin.info("replication")
        if told["role"] == "slave":
            return bool(told["master_link_status"] == "up")
        return int(told["connected_slaves"]) == 1
    return False


def _has_slot(address: Address, slot: int) -> bool:
    with admin_of(address) as admin:
        own = admin.execute_command("CLUSTER MYID").decode()
        for line in admin.execute_command("CLUSTER NODES").values():
            if line["node_id"] == own:
                return any(int(slots[0]) <= slot <= int(slots[-1]) for slots in line["slots"])
    return False
