"""An event store on a cluster."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import pytest
import redis

from ops import cluster
from ops.servers import Server, running_server
from runtime.connection import connect


class Cluster(NamedTuple):
    """Its servers, and the URL of the application."""

    servers: tuple[Server, ...]
    url: str

    @property
    def admin_url(self) -> str:
        address = self.servers[0].address
        return self.url.replace(f"app:{address.app_password}", f"admin:{address.admin_password}")

    def primaries(self) -> list[Server]:
        """The servers that are primaries now and run."""
        return [server for server in self.servers if server.is_running() and _is_primary(server)]

    def empty(self) -> None:
        """Remove all data, on the replicas too."""
        for server in self.primaries():
            with redis.Redis.from_url(server.admin_url) as admin:
                admin.flushall()
                assert admin.execute_command("WAITAOF", 1, 1, 60_000)[1], "the replica has stored it"


def _is_primary(server: Server) -> bool:
    with redis.Redis.from_url(server.admin_url) as admin:
        return admin.info("replication")["role"] == "master"


@contextmanager
def running_cluster(directories: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three primaries with a replica each."""
    directory = directories.mktemp("cluster")
    with ExitStack() as stack:
        addresses = cluster.prepare(directory)
        servers = [
            stack.enter_context(running_server("cluster", cluster.server_directory(directory, number + 1)))
            for number in range(len(addresses))
        ]
        cluster.join(cluster.members(addresses))
        with connect(cluster.url(addresses)) as client:
            assert client.ping()
        yield Cluster(tuple(servers), cluster.url(addresses))
