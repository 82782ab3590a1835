"""Writes the secrets of `deploy/compose/compose.yaml`: `python -m ops.compose`. Existing ones are kept.

They are new random keys and passwords, the configuration of the servers with its users, and URLs with the
passwords in them.
"""

import secrets
import sys
from pathlib import Path

from ops.redis_conf import Address, Role, conf_text, write_private

DIRECTORY = Path(__file__).resolve().parent.parent / "deploy" / "compose" / "secrets"
SERVERS = tuple(f"events-{number}:6379" for number in range(1, 7))
_CHANGES = {
    "bind 127.0.0.1\n": "bind * -::*\n",
    "logfile redis.log\n": 'logfile ""\n',
    "dir .\n": "dir /data\n",
}
"""In a container, a server listens to the others, and its log and data go elsewhere."""


def files() -> dict[str, str]:
    """New secrets, by the names of their files."""
    events, queue = [
        Address(6379, secrets.token_urlsafe(24), secrets.token_urlsafe(24), bus_port=16_379) for _ in range(2)
    ]
    hosts = ",".join(SERVERS)
    return {
        "events.conf": _conf("cluster", events),
        "queue.conf": _conf("queue", queue),
        "events_url": f"redis+cluster://app:{events.app_password}@{hosts}",
        "events_admin_url": f"redis+cluster://admin:{events.admin_password}@{hosts}",
        "queue_url": f"redis://app:{queue.app_password}@queue:6379/0",
        "master_keys": f"k1:{secrets.token_hex(32)}",
        "signing_keys": f"s1:{secrets.token_hex(32)}",
    }


def _conf(role: Role, address: Address) -> str:
    text = conf_text(role, address)
    for before, after in _CHANGES.items():
        text = text.replace(before, after)
    return text


def main(directory: Path = DIRECTORY) -> int:
    """Run the command line."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in files().items():
        if not (directory / name).exists():
            write_private(directory / name, f"{text.rstrip()}\n")
            # The users of the containers are others than who runs this.
            (directory / name).chmod(0o644)
    print(directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
