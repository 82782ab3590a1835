"""An event store with a replica."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
import redis

from ops.redis_conf import Address
from ops.servers import Server, running_server
from tests.workers.kit import wait_until


class Pair(NamedTuple):
    """A primary with a replica."""

    primary: Server
    replica: Server
    admin: redis.Redis
    """Of the replica."""

    def follow(self) -> None:
        """Have the replica follow the primary, and return when it is up to date."""
        may_follow(self.admin, self.primary.address)
        self.admin.replicaof("127.0.0.1", str(self.primary.address.port))
        wait_until(lambda: self.admin.info("replication")["master_link_status"] == "up")
        with redis.Redis.from_url(self.primary.admin_url) as admin:
            wait_until(lambda: admin.info("replication")["slave0"]["state"] == "online")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The replica stands still and confirms nothing."""
        os.kill(self.replica.pid or 0, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.replica.pid or 0, signal.SIGCONT)


def may_follow(admin: redis.Redis, primary: Address) -> None:
    """Give a server what it needs to follow the primary, or any other with its passwords."""
    admin.config_set("masteruser", "admin")
    admin.config_set("masterauth", primary.admin_password)


@contextmanager
def running_pair(directories: pytest.TempPathFactory) -> Iterator[Pair]:
    """A primary and a replica that is up to date."""
    with (
        running_server("events", directories.mktemp("primary")) as primary,
        running_server("events", directories.mktemp("replica")) as replica,
        redis.Redis.from_url(replica.admin_url) as admin,
    ):
        made = Pair(primary, replica, admin)
        made.follow()
        yield made
