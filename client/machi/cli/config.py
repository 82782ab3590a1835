"""What `machi` remembers between two calls: services and tokens for them, for their owner's eyes alone."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from machi.seat_seeds import settings_folder

DEFAULT_URL = "http://127.0.0.1:8000"


# A dataclass, and no Struct as most values: the token is not shown.
@dataclass(frozen=True, slots=True)
class Login:
    """An account at a service."""

    handle: str
    token: str = field(repr=False)


# The service tells the token of a new account again to who has the key: it is not shown either.
@dataclass(frozen=True, slots=True)
class Pending:
    """An account that was asked for, and whose token has not come yet."""

    url: str
    handle: str
    key: str = field(repr=False)


class Config(Struct, frozen=True):
    """The content of the file."""

    url: str = DEFAULT_URL
    """The service that was logged in to last."""
    services: dict[str, Login] = {}
    """By address."""
    pending: tuple[Pending, ...] = ()


class ConfigError(Exception):
    """The file cannot be used; the message is one line for the user."""


def config_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the file is, by the XDG base directories."""
    return settings_folder(environ) / "services.json"


def read_config(path: Path) -> Config:
    """What is remembered; nothing if there is no file. Raises: ConfigError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Config)
    except FileNotFoundError:
        return Config()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {_reason(error)}") from None


def write_config(path: Path, config: Config) -> None:
    """Remember; nobody else may read it at any moment. Raises: ConfigError."""
    text = msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n"
    written = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        written.unlink(missing_ok=True)
        with open(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text)
        written.replace(path)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {_reason(error)}") from None


def with_login(config: Config, url: str, login: Login) -> Config:
    """The same with one account more, whose service is the one to use from now on."""
    return replace(config, url=url, services={**config.services, url: login})


def with_pending(config: Config, pending: Pending) -> Config:
    """The same with an account that is asked for."""
    return replace(config, pending=(*config.pending, pending))


def without_pending(config: Config, url: str, handle: str) -> Config:
    """The same without the account that was asked for."""
    left = tuple(one for one in config.pending if (one.url, one.handle) != (url, handle))
    return replace(config, pending=left)


def find_pending(config: Config, url: str, handle: str) -> Pending | None:
    """The account that was asked for there, if its token has not come yet."""
    return next((one for one in config.pending if (one.url, one.handle) == (url, handle)), None)


def without_login(config: Config, url: str) -> Config:
    """The same without the account at that service."""
    left = {known: login for known, login in config.services.items() if known != url}
    chosen = next(reversed(left), DEFAULT_URL) if config.url == url else config.url
    return replace(config, url=chosen, services=left)


def _reason(error: Exception) -> str:
    # What msgspec says of a file could show a part of it.
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is damaged"
