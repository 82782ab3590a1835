"""The state file of `machi audit`: how far the log was read, and the trusted keys."""

import os
import re
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from domain.audit.checkpoints import NO_HASH
from domain.canonical import parsed_as
from machi.cli.session import Unusable


class AuditState(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file."""

    url: str
    number: int = 0
    """The last line of the log that was seen; 0 if none was."""
    hash: str = NO_HASH
    """Of that line."""
    keys: dict[str, str] = {}
    """The pinned public keys by id."""
    open: tuple[dict[str, Any], ...] = ()
    """Lines whose matches had a problem; every run checks them again."""


def state_path(url: str) -> Path:
    """The state file for a service, by the XDG base directories."""
    home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    name = re.sub(r"[^a-z0-9]+", "-", url.lower().partition("//")[2]).strip("-")
    return Path(home).expanduser() / "machi" / f"audit-{name}.json"


def read_state(path: Path, url: str) -> AuditState:
    """The content of the file; an empty state if there is no file. Raises: Unusable."""
    try:
        state = parsed_as(path.read_bytes(), AuditState)
    except FileNotFoundError:
        return AuditState(url)
    except OSError as error:
        raise Unusable(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise Unusable(f"cannot read {path}: it is damaged") from None
    if state.url != url:
        raise Unusable(f"{path} belongs to the service at {state.url}, not {url}")
    return state


def write_state(path: Path, state: AuditState) -> None:
    """Replace the file, completely or not at all. Raises: Unusable."""
    text = msgspec.json.format(msgspec.json.encode(state), indent=2) + b"\n"
    written = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        written.write_bytes(text)
        written.replace(path)
    except OSError as error:
        raise Unusable(f"cannot write {path}: {error.strerror}") from None
    finally:
        written.unlink(missing_ok=True)
