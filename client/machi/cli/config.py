"""The config file of `machi`: services and their tokens, readable only by its owner."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from machi.seat_seeds import settings_folder

DEFAULT_URL = "http://127.0.0.1:8000"


# A dataclass, because the repr of a Struct would show the token.
@dataclass(frozen=True, slots=True)
class Login:
    """An account at a service."""

    handle: str
    token: str = field(repr=False)


# With the key, the service returns the token of the new account: the repr does not show it either.
@dataclass(frozen=True, slots=True)
class Pending:
    """An account that was requested, and whose token has not arrived yet."""

    url: str
    handle: str
    key: str = field(repr=False)


class Config(Struct, frozen=True):
    """The content of the file."""

    url: str = DEFAULT_URL
    """The service of the last login."""
    services: dict[str, Login] = {}
    """By address."""
    pending: tuple[Pending, ...] = ()


class ConfigError(Exception):
    """The file cannot be used; the message is one line for the user."""


def config_path(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the file is, by the XDG base directories."""
    return settings_folder(environ) / "services.json"


def read_config(path: Path) -> Config:
    """The content of the file; the default if there is no file. Raises: ConfigError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Config)
    except FileNotFoundError:
        return Config()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {_reason(error)}") from None


def write_config(path: Path, config: Config) -> None:
    """Write the file; nobody else can read it at any moment. Raises: ConfigError."""
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
    """The config with this login added; its service becomes the current one."""
    return replace(config, url=url, services={**config.services, url: login})


def with_pending(config: Config, pending: Pending) -> Config:
    """The config with this requested account added."""
    return replace(config, pending=(*config.pending, pending))


def without_pending(config: Config, url: str, handle: str) -> Config:
    """The config without this requested account."""
    left = tuple(one for one in config.pending if (one.url, one.handle) != (url, handle))
    return replace(config, pending=left)


def find_pending(config: Config, url: str, handle: str) -> Pending | None:
    """The account that was requested there, if its token has not arrived yet."""
    return next((one for one in config.pending if (one.url, one.handle) == (url, handle)), None)


def without_login(config: Config, url: str) -> Config:
    """The config without the login at that service."""
    left = {known: login for known, login in config.services.items() if known != url}
    chosen = next(reversed(left), DEFAULT_URL) if config.url == url else config.url
    return replace(config, url=chosen, services=left)


def _reason(error: Exception) -> str:
    # The message of msgspec could quote the file.
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is damaged"
