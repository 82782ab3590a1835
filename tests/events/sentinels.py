"""An event store of three servers, and the Sentinels that choose its primary."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import pytest
import redis

from ops.lifetime import die_with_parent
from ops.redis_conf import SERVER_NAME, Address, free_port, write_private
from ops.servers import Server, find_server_binary, running_server, wait_until_ready
from tests.events.replica import may_follow
from tests.workers.kit import wait_until

GROUP = "events"
SENTINELS = 3
QUORUM = 2

CONF = """\
bind 127.0.0.1
port {port}
dir {folder}
logfile sentinel.log
sentinel monitor {group} 127.0.0.1 {primary.port} {quorum}
sentinel auth-user {group} admin
sentinel auth-pass {group} {primary.admin_password}
sentinel down-after-milliseconds {group} 1000
sentinel failover-timeout {group} 10000
"""


class Group(NamedTuple):
    """Servers, the first of which is the primary at the start."""

    servers: tuple[Server, ...]
    url: str
    """That of the application."""


@contextmanager
def running_group(directories: pytest.TempPathFactory) -> Iterator[Group]:
    """A primary with two replicas that are up to date, and Sentinels that know each other."""
    with ExitStack() as stack:
        primary = Address(free_port(), "of-the-app", "of-the-admin")
        servers = []
        for number in range(3):
            folder = directories.mktemp(f"server-{number}")
            own = primary if number == 0 else Address(free_port(), "of-the-app", "of-the-admin")
            write_private(folder / SERVER_NAME, json.dumps(asdict(own)))
            servers.append(stack.enter_context(running_server("events", folder)))
        for server in servers:
            with redis.Redis.from_url(server.admin_url) as admin:
                may_follow(admin, primary)
                if server is not servers[0]:
                    admin.replicaof("127.0.0.1", str(primary.port))
        with redis.Redis.from_url(servers[0].admin_url) as admin:
            wait_until(
                lambda: all(admin.info("replication")[f"slave{n}"]["state"] == "online" for n in (0, 1))
            )
        ports = [
            stack.enter_context(_sentinel(directories.mktemp("sentinel"), primary)) for _ in range(SENTINELS)
        ]
        for port in ports:
            wait_until(lambda port=port: _knows_all(port))
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        yield Group(tuple(servers), f"redis+sentinel://app:{primary.app_password}@{hosts}/{GROUP}")


def _knows_all(port: int) -> bool:
    with redis.Redis(port=port) as sentinel:
        (found,) = sentinel.sentinel_masters().values()
        return (found["num-other-sentinels"], found["num-slaves"]) == (SENTINELS - 1, 2)


@contextmanager
def _sentinel(folder: Path, primary: Address) -> Iterator[int]:
    port = free_port()
    conf = folder / "sentinel.conf"
    conf.write_text(CONF.format(port=port, folder=folder, group=GROUP, quorum=QUORUM, primary=primary))
    command = [find_server_binary(folder), str(conf), "--sentinel"]
    own_pid = os.getpid()
    with subprocess.Popen(command, preexec_fn=lambda: die_with_parent(own_pid)) as process:
        try:
            assert wait_until_ready(f"redis://127.0.0.1:{port}", 20, lambda: process.poll() is None)
            yield port
        finally:
            process.kill()
