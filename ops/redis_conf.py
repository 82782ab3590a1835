"""The configuration and passwords of a Redis server that we run ourselves.

All of it lives in the server's data directory: `server.json` (port and passwords) and
`redis.conf`, which is written from it. Both are readable by the owner only.
"""

import errno
import hashlib
import json
import os
import random
import secrets
import socket
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

Role = Literal["events", "queue", "cluster"]
"""`cluster` is one of the servers of an event store on several."""

CONF_NAME = "redis.conf"
SERVER_NAME = "server.json"

# Below the ephemeral ports of Linux and macOS: a client that reconnects while the server
# is down could otherwise be given the server's port as its own.
PORTS = range(20_000, 32_000)

_COMMON = """\
# Written by ops.redis_conf; edits are lost.
bind 127.0.0.1
port {port}
daemonize no
dir .
logfile redis.log
save ""
appendonly yes
appendfsync {fsync}
no-appendfsync-on-rewrite no
aof-load-truncated yes
# A rewritten file begins with a snapshot, which loads many times as fast as commands.
aof-use-rdb-preamble yes
# Large values are already compressed.
rdbcompression no
# Commands after the snapshot load slowly: limit them to a quarter of its size, or 64 MB.
auto-aof-rewrite-percentage 25
auto-aof-rewrite-min-size 64mb
maxmemory-policy noeviction
user default off
user admin on #{admin_hash} ~* &* +@all
"""

# What a cluster can serve, it serves: the loss of a primary stops its own partitions alone.
_CLUSTER = """\
cluster-enabled yes
cluster-config-file nodes.conf
cluster-port {bus_port}
cluster-node-timeout 2000
cluster-require-full-coverage no
cluster-allow-replica-migration no
masteruser admin
masterauth {admin_password}
"""

_QUEUE_APP = "user app on #{app_hash} ~* &* +@all\n"

# The streams of matches and ladders and the checkpoint log may be read by any command but written by XADD
# alone; every other key is free, so the log can be trimmed and indexes rebuilt. EVALSHA
# needs access to all keys it is given; what the script then calls is checked again, call
# by call.
_EVENTS_APP = (
    "user app on #{app_hash} &* +@all -@dangerous +info +config|get "
    "%R~* ~[^m]* ~m[^k]* ~mk:{{*}}:[^lmn]* ~mk:{{*}}:l[^a]* ~mk:{{*}}:m[^a]* ~mk:{{*}}:n[^o]* "
    "(+xadd +eval +evalsha ~*)\n"
)

_SPECIAL: dict[Role, str] = {"events": _EVENTS_APP, "queue": _QUEUE_APP, "cluster": _EVENTS_APP + _CLUSTER}
_FSYNC: dict[Role, str] = {"events": "always", "queue": "everysec", "cluster": "always"}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens on this machine, and the passwords of its two users."""

    port: int
    app_password: str
    admin_password: str
    bus_port: int = 0
    """Where the servers of a cluster talk to each other."""

    @property
    def url(self) -> str:
        """The URL for the application; on the events server it cannot harm a match stream."""
        return f"redis://app:{self.app_password}@127.0.0.1:{self.port}/0"

    @property
    def admin_url(self) -> str:
        """The URL for operators and tests; may do anything."""
        return f"redis://admin:{self.admin_password}@127.0.0.1:{self.port}/0"


def prepare(role: Role, directory: Path) -> Address:
    """Write the server's files into its data directory and return its address.

    The passwords stay the same, and so does the port unless it is taken.
    The caller holds the directory's lock: the files of a live server must not change.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    directory.chmod(0o700)
    address = _kept(address_in(directory) or _new_address())
    write_private(directory / SERVER_NAME, json.dumps(asdict(address)))
    write_private(directory / CONF_NAME, conf_text(role, address))
    return address


def conf_text(role: Role, address: Address) -> str:
    """The text of `redis.conf`; passwords appear only as hashes, but for the one by which replicas follow."""
    return (_COMMON + _SPECIAL[role]).format(
        port=address.port,
        bus_port=address.bus_port,
        admin_password=address.admin_password,
        fsync=_FSYNC[role],
        app_hash=_sha256(address.app_password),
        admin_hash=_sha256(address.admin_password),
    )


def write_private(path: Path, text: str) -> None:
    """Replace a file at once, readable by its owner only."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    new.replace(path)


def address_in(directory: Path) -> Address | None:
    """The previous address; None if there is none, or the file is damaged: then a new one will do."""
    try:
        return Address(**json.loads((directory / SERVER_NAME).read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _new_address() -> Address:
    return Address(free_port(), secrets.token_urlsafe(24), secrets.token_urlsafe(24))


def _kept(address: Address) -> Address:
    if is_free(address.port):
        return address
    return replace(address, port=free_port())


def free_port() -> int:
    """A port that is free now, away from those that the system hands out."""
    ports = random.sample(PORTS, 200)
    return next(port for port in ports if is_free(port))


def is_free(port: int) -> bool:
    """Whether this process could listen on the port of 127.0.0.1 now."""
    try:
        bound("127.0.0.1", port).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return False
        raise
    return True


def bound(host: str, port: int) -> socket.socket:
    """A socket with that address, on which nobody listens yet. Raises: OSError."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, kind)
    try:
        # As servers do, or connections that are being closed would count as taken.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
