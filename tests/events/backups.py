"""The files of a server: copied, put back under processes that live, or cut off at their end."""

import shutil
from pathlib import Path

from ops.servers import Server


class Backup:
    """The data of a server as of now; nothing is written to it meanwhile."""

    def __init__(self, server: Server, directory: Path) -> None:
        self._server = server
        self._copy = directory / "backup"
        shutil.copytree(server.data_dir / "appendonlydir", self._copy)

    def restore(self) -> None:
        """Have the server go on with that, whatever has happened since."""
        self._server.kill()
        shutil.rmtree(self._server.data_dir / "appendonlydir")
        shutil.copytree(self._copy, self._server.data_dir / "appendonlydir")
        self._server.start()


def file_size(server: Server) -> int:
    """The bytes of the file that the server appends to."""
    return _appended(server).stat().st_size


def cut_off(server: Server, size: int) -> None:
    """Leave so many bytes of the file, as a loss of power may, and start the server again."""
    server.kill()
    with _appended(server).open("r+b") as file:
        file.truncate(size)
    server.start()


def _appended(server: Server) -> Path:
    (found,) = (server.data_dir / "appendonlydir").glob("*.incr.aof")
    return found
