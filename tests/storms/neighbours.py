"""Two versions of the service on one event store, as while nodes are upgraded one after the other."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from ops.ready import problem
from ops.redis_conf import address_in, free_port
from ops.run import own_keys
from tests.e2e.stack import DEADLINE_S, ROOT, Stack, descendants, wait_until


class Neighbours(Stack):
    """A node of this version with the servers, and one of another version."""

    def __init__(self, var_dir: Path, revision: str, **settings: str) -> None:
        """`revision` is what git calls the other version."""
        super().__init__(var_dir, **settings)
        self._revision = revision
        self._other_port = free_port()
        self._other: subprocess.Popen[bytes] | None = None

    @property
    def ports(self) -> tuple[int, ...]:
        """Those of both nodes."""
        return self.port, self._other_port

    def start(self, awaited: str = "ready: http://") -> None:
        super().start(awaited)
        tree = self.var_dir / "other-version"
        tree.mkdir(exist_ok=True)
        archive = subprocess.run(
            ["git", "archive", self._revision], cwd=ROOT, stdout=subprocess.PIPE, check=True
        )
        subprocess.run(["tar", "--extract"], cwd=tree, input=archive.stdout, check=True)
        addresses = [address_in(self.server_directories(role)[0]) for role in ("events", "queue")]
        urls = [address.url for address in addresses if address]
        environ = {
            **self.environment(),
            **own_keys({}, self.var_dir),
            "EVENTS_REDIS_URL": urls[0],
            "QUEUE_REDIS_URL": urls[1],
            "ARCHIVE_DIR": str(self.var_dir / "archive"),
            "VAR_DIR": str(self.var_dir / "other"),
            "PORT": str(self._other_port),
        }
        # Not below the data directory, whose disk may be full.
        with self.var_dir.with_name("other.log").open("wb") as output:
            self._other = subprocess.Popen(
                [sys.executable, "-m", "ops.run"],
                cwd=tree,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        wait_until(lambda: problem(f"http://127.0.0.1:{self._other_port}") is None)

    @property
    def is_running(self) -> bool:
        return super().is_running and self._other is not None and self._other.poll() is None

    def find(self, name: str) -> list[int]:
        assert self._other
        others = [pid for pid in descendants(self._other.pid) if self._is(pid, name)]
        return super().find(name) + others

    def interrupt(self) -> None:
        assert self._other
        os.killpg(self._other.pid, signal.SIGINT)
        assert self._other.wait(DEADLINE_S) == 0
        super().interrupt()

    def kill_all(self) -> None:
        super().kill_all()
        if self._other:
            self._other.wait(DEADLINE_S)
