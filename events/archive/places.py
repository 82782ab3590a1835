"""Where the files of archived matches are: in a directory, or in a bucket of an object store (S3)."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Final, Protocol

from events.archive.files import LARGEST_FILE
from runtime.settings import Bucket

_GONE: Final = (FileNotFoundError, IsADirectoryError, NotADirectoryError)
"""The errors that mean that the file is missing; any other error may be temporary."""
_CONNECT_S, _READ_S, _TRIES = 2, 10, 3
"""Time-outs and tries of a request to an object store."""


class Missing(Exception):
    """There is no such file, and there will be none. The text names no path."""


class Place(Protocol):
    """The files, by their names, such as `0A/mat_01ARZ3NDEKTSV4RRFFQ69G5F0A.ndjson.zst`."""

    def read(self, name: str) -> bytes:
        """The content of a file.

        Raises:
            Missing.
            OSError: it cannot be read for now.
            ValueError: it is larger than an archive file can be, or the name is no file of the archive.
        """

    def keep(self, name: str, data: bytes) -> None:
        """Have a file with that content, durably. One that is there is never changed, whatever is in it.

        Raises:
            OSError.
        """

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other runs from writing at the same time, if they would be in the way.

        Raises:
            OSError: it cannot be used, or there is another run.
        """


def place_of(where: Path | Bucket) -> Place:
    """The place that a setting names; connects to nothing."""
    return Directory(where) if isinstance(where, Path) else Objects(where)


class Directory:
    """Files below a directory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        return str(self._path)

    def read(self, name: str) -> bytes:
        try:
            with self._file(name).open("rb") as file:
                if os.fstat(file.fileno()).st_size > LARGEST_FILE:
                    raise ValueError("it is too large")
                return file.read(LARGEST_FILE)
        except _GONE as error:
            if self._path.is_dir():
                raise Missing(error.strerror) from error
            raise

    def keep(self, name: str, data: bytes) -> None:
        path = self._file(name)
        if not path.exists():
            _write(path, data)
        for one in (path, path.parent, path.parent.parent):
            _sync(one)

    @contextmanager
    def alone(self) -> Iterator[None]:
        self._path.mkdir(parents=True, exist_ok=True)
        _sync(self._path.parent)
        lock = os.open(self._path / ".lock", os.O_RDWR | os.O_CREAT, 0o640)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OSError(f"another run is in progress in {self._path}") from None
            yield
        finally:
            os.close(lock)

    def _file(self, name: str) -> Path:
        return self._path.joinpath(*_parts(name))


class Objects:
    """Objects of a bucket. Credentials, region and endpoint are those of the environment, as AWS has them."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def __str__(self) -> str:
        return str(self._bucket)

    @cached_property
    def _client(self) -> Any:
        # Late, because it takes a third of a second and 30 MB, and most services have a directory.
        import botocore.config
        import botocore.session

        config = botocore.config.Config(
            connect_timeout=_CONNECT_S,
            read_timeout=_READ_S,
            retries={"total_max_attempts": _TRIES, "mode": "standard"},
        )
        return botocore.session.get_session().create_client("s3", config=config)

    def read(self, name: str) -> bytes:
        with _as_os_error():
            found = self._client.get_object(Bucket=self._bucket.name, Key=self._key(name))
            if found["ContentLength"] > LARGEST_FILE:
                raise ValueError("it is too large")
            data: bytes = found["Body"].read()
        return data

    def keep(self, name: str, data: bytes) -> None:
        key = self._key(name)
        with suppress(Missing), _as_os_error():
            self._client.head_object(Bucket=self._bucket.name, Key=key)
            return
        with _as_os_error():
            self._client.put_object(Bucket=self._bucket.name, Key=key, Body=data)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Two runs write the same objects, and Redis takes each tombstone once."""
        with _as_os_error():
            self._client.head_bucket(Bucket=self._bucket.name)
        yield

    def _key(self, name: str) -> str:
        return "/".join([*filter(None, [self._bucket.prefix]), *_parts(name)])


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Turn errors of the object store into `Missing` and OSError."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in ("NoSuchKey", "404") and error.operation_name != "HeadBucket":
            raise Missing("No such object") from error
        raise OSError(errno.EIO, f"the object store says {code or 'nothing'}") from error
    except BotoCoreError as error:
        raise OSError(errno.EIO, f"the object store does not answer: {type(error).__name__}") from error


def _parts(name: str) -> tuple[str, ...]:
    """The parts of a file's name; raises ValueError for one outside of the archive."""
    parts = PurePosixPath(name).parts
    if not parts or PurePosixPath(name).is_absolute() or ".." in parts or "\0" in name:
        raise ValueError("the tombstone names no file of the archive")
    return parts


def _write(path: Path, data: bytes) -> None:
    """Create a file atomically; the partial file that a crash has left is overwritten."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o640), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a directory, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
