"""The whole service on a cluster, on the loopback of this machine: `make cluster`.

Six servers keep the events, three primaries with a replica each. Two nodes share the work, each with web
processes, a relay and workers of its own, on PORT and the port after it. This is to try a cluster, and shows
how one is set up: on one machine it is slower than one server.
"""

import json
import math
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from ops import servers
from ops.child import Child
from ops.console import Console
from ops.lifetime import die_with_parent
from ops.redis_conf import SERVER_NAME, Address, free_port, write_private
from ops.run import ROOT, RunSettings, SettingError, own_keys, path_of_python, read_settings, refuse
from ops.supervisor import Supervisor

if TYPE_CHECKING:
    import redis

PRIMARIES = 3
SERVERS = 2 * PRIMARIES
NODES = 2
PARTITIONS = 16
SLOTS = 16_384
BUS_OFFSET = 10_000
"""Servers talk to each other on their port and so many, unless they are told otherwise."""
JOINED_WITHIN_S = 60.0
PAUSE_S = 0.1
INTRODUCED_WITHIN_S = 3.0
"""Longer than a server waits for the answer to an introduction: the nodes' time-out in ops/redis_conf.py."""


class ClusterError(Exception):
    """The servers do not become a cluster; the message is one line for the user."""


def prepare(directory: Path) -> list[Address]:
    """Write the files of all servers below that directory, and return their addresses.

    All have the passwords of the first. Ports stay the same: the servers know each other by them.

    Raises: ServerError if a server is running.
    """
    passwords = (secrets.token_urlsafe(24), secrets.token_urlsafe(24))
    found: list[Address] = []
    for number in range(1, SERVERS + 1):
        folder = server_directory(directory, number)
        if not (folder / SERVER_NAME).exists():
            if found:
                passwords = (found[0].app_password, found[0].admin_password)
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = Address(free_port(), *passwords, bus_port=free_port())
            write_private(folder / SERVER_NAME, json.dumps(asdict(new)))
        found.append(servers.prepare("cluster", folder))
    return found


def server_directory(directory: Path, number: int) -> Path:
    """The data directory of a server, by its number from 1."""
    return directory / f"server-{number}"


def url(addresses: Sequence[Address]) -> str:
    """The URL of the cluster for the application."""
    hosts = ",".join(f"127.0.0.1:{address.port}" for address in addresses)
    return f"redis+cluster://app:{addresses[0].app_password}@{hosts}"


class Member(NamedTuple):
    """How a server of a cluster is reached."""

    admin_url: str
    host: str
    port: int
    bus_port: int


def members(addresses: Sequence[Address]) -> list[Member]:
    """The servers on this machine with these addresses."""
    return [Member(one.admin_url, "127.0.0.1", one.port, one.bus_port) for one in addresses]


def members_of(url: str) -> list[Member]:
    """The servers that a URL such as `redis+cluster://admin:password@host:port,host:port` names.

    Each talks to the others on its port and 10,000. Raises: ValueError.
    """
    scheme, _, rest = url.partition("+cluster://")
    user, _, hosts = rest.rpartition("@")
    found = []
    for host in hosts.split(","):
        name, _, port = host.partition(":")
        found.append(Member(f"{scheme}://{user}@{host}", name, int(port), int(port) + BUS_OFFSET))
    return found


def join(found: Sequence[Member]) -> None:
    """Make the running servers a cluster, unless they are one; returns when each replica is up to date.

    The second half of them become replicas. Raises: ClusterError if that takes too long.
    """
    import redis

    admins = [redis.Redis.from_url(member.admin_url) for member in found]
    try:
        ends_s = time.monotonic() + JOINED_WITHIN_S
        if not _is_joined(admins):
            _meet(admins, found, ends_s)
        while not _is_joined(admins):
            _pause(ends_s)
    finally:
        for admin in admins:
            admin.close()


def _meet(admins: "Sequence[redis.Redis]", found: Sequence[Member], ends_s: float) -> None:
    """Give the first servers all slots, introduce the others, and have each of these follow one of them."""
    primaries = len(admins) // 2
    if not int(_info(admins[0])["cluster_slots_assigned"]):
        for number, admin in enumerate(admins[:primaries]):
            first, end = [SLOTS * edge // primaries for edge in (number, number + 1)]
            _send(admin, "CLUSTER ADDSLOTSRANGE", first, end - 1)
            _send(admin, "CLUSTER SET-CONFIG-EPOCH", number + 1)
    names = [_send(admin, "CLUSTER MYID").decode() for admin in admins]
    asked_s = -math.inf
    while any(strangers := [set(names) - _known(admin) for admin in admins]):
        if time.monotonic() > asked_s + INTRODUCED_WITHIN_S:
            asked_s = time.monotonic()
            for member, name, unknown in zip(found[1:], names[1:], strangers[1:], strict=True):
                if unknown or name in strangers[0]:
                    host = socket.gethostbyname(member.host)
                    _send(admins[0], "CLUSTER MEET", host, member.port, member.bus_port)
        _pause(ends_s)
    for admin, primary in zip(admins[primaries:], names, strict=False):
        _send(admin, "CLUSTER REPLICATE", primary)


def _known(admin: "redis.Redis") -> set[str]:
    """The names of the servers that a server knows, itself included.

    One that has not answered its introduction is not among them: it is forgotten unless it answers in time.
    """
    # In two words, so that redis-py leaves the answer alone: it would keep one line for each address.
    lines = _send(admin, "cluster", "nodes").decode().splitlines()
    return {name for name, _, flags, *_ in map(str.split, lines) if "handshake" not in flags}


def _is_joined(admins: "Sequence[redis.Redis]") -> bool:
    """Whether all slots are served, and every primary has a replica that is up to date."""
    if any(_info(admin)["cluster_state"] != "ok" for admin in admins):
        return False
    told = [admin.info("replication") for admin in admins]
    links = [one["master_link_status"] == "up" for one in told if one["role"] == "slave"]
    return len(links) == len(admins) // 2 and all(links)


def _info(admin: "redis.Redis") -> dict[str, str]:
    """The answer to CLUSTER INFO, which redis-py gives as a dictionary."""
    return dict(_send(admin, "CLUSTER INFO"))


def _send(admin: "redis.Redis", *command: Any) -> Any:
    return admin.execute_command(*command)  # type: ignore[no-untyped-call]  # redis has no type for it


def _pause(ends_s: float) -> None:
    if time.monotonic() > ends_s:
        raise ClusterError(f"the servers are no cluster after {JOINED_WITHIN_S:.0f} s")
    time.sleep(PAUSE_S)


def run(environ: Mapping[str, str]) -> int:
    """Run until a signal arrives; return the exit code.

    Raises: SettingError, ServerError, OSError.
    """
    settings = read_settings(environ)
    directory = settings.var_dir / "cluster"
    addresses = prepare(directory)
    queue = servers.prepare("queue", directory / "queue")
    common = _environment(environ, settings, directory, addresses, queue)
    console = Console(sys.stdout.fileno(), settings.log_format)
    stores = {f"events-{number}": address.url for number, address in enumerate(addresses, 1)}
    folders = {f"events-{number}": server_directory(directory, number) for number in range(1, SERVERS + 1)}
    commands = {name: f"python -m ops.servers cluster {quote(str(path))}" for name, path in folders.items()}
    commands["queue"] = f"python -m ops.servers queue {quote(str(directory / 'queue'))}"
    children = [
        Child(name, command, common, ROOT, console, settings.watchdog_s) for name, command in commands.items()
    ]
    for number in range(1, NODES + 1):
        own = {"PORT": str(settings.port + number - 1), "VAR_DIR": str(directory / f"node-{number}")}
        children.append(
            Child(f"node-{number}", "python -m ops.run", common | own, ROOT, console, settings.watchdog_s)
        )
    threading.Thread(target=_join, args=(addresses, console), daemon=True, name="join").start()
    try:
        return Supervisor(children, stores | {"queue": queue.url}, console).run()
    finally:
        console.close()


def _environment(
    environ: Mapping[str, str],
    settings: RunSettings,
    directory: Path,
    addresses: Sequence[Address],
    queue: Address,
) -> dict[str, str]:
    """What all nodes have in common."""
    return {
        **environ,
        **own_keys(environ, directory),
        "PATH": path_of_python(environ),
        "EVENTS_REDIS_URL": url(addresses),
        "QUEUE_REDIS_URL": queue.url,
        "PARTITIONS": environ.get("PARTITIONS") or str(PARTITIONS),
        "DURABILITY": environ.get("DURABILITY") or "replicated",
        "ARCHIVE_DIR": environ.get("ARCHIVE_DIR") or str(directory / "archive"),
        "LOG_FORMAT": settings.log_format,
    }


def _join(addresses: Sequence[Address], console: Console) -> None:
    """Make the servers a cluster once they have started."""
    try:
        for address in addresses:
            servers.wait_until_ready(address.url, JOINED_WITHIN_S)
        join(members(addresses))
    except Exception as error:
        console.say(f"the servers do not become a cluster: {error}", "error")
    else:
        console.say(f"{PRIMARIES} primaries and {SERVERS - PRIMARIES} replicas are a cluster")


def main(arguments: list[str]) -> int:
    """Run the command line: `python -m ops.cluster [join FILE]`.

    With `join`, only make those servers a cluster whose URL is in the file, such as
    `redis+cluster://admin:password@host:port,host:port`.
    """
    if arguments:
        return _join_those(arguments)
    if "MAKELEVEL" in os.environ:  # a killed make cannot pass the signal on
        die_with_parent(os.getppid(), signal.SIGTERM)
    try:
        return run(os.environ)
    except (SettingError, servers.ServerError, OSError) as error:
        return refuse(error)
    except KeyboardInterrupt:
        return 0


def _join_those(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] != "join":
        print("usage: python -m ops.cluster [join FILE]", file=sys.stderr)
        return 2
    try:
        found = members_of(Path(arguments[1]).read_text().strip())
        for member in found:
            servers.wait_until_ready(member.admin_url, JOINED_WITHIN_S)
        join(found)
    except (ClusterError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{len(found)} servers are a cluster")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
