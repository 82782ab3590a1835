"""What `machi audit` remembers between two runs: how far the log was read, and by which keys."""

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
    """The last line of the log that was seen; 0 before the first."""
    hash: str = NO_HASH
    """Of that line."""
    keys: dict[str, str] = {}
    """The pinned public keys by id."""
    open: tuple[dict[str, Any], ...] = ()
    """Lines whose matches were not found to be well; they are looked at again in each run."""


def state_path(url: str) -> Path:
    """Where the state of the audit of a service is kept, by the XDG base directories."""
    home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    name = re.sub(r"[^a-z0-9]+", "-", url.lower().partition("//")[2]).strip("-")
    return Path(home).expanduser() / "machi" / f"audit-{name}.json"


def read_state(path: Path, url: str) -> AuditState:
    """What is remembered; a fresh start if there is no file. Raises: Unusable."""
    try:
        state = parsed_as(path.read_bytes(), AuditState)
    except FileNotFoundError:
        return AuditState(url)
    except OSError as error:
        raise Unusable(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise Unusable(f"cannot read {path}: it is damaged") from None
    if state.url != url:
        raise Unusable(f"{path} is of the service at {state.url}, not {url}")
    return state


def write_state(path: Path, state: AuditState) -> None:
    """Remember, all or nothing. Raises: Unusable."""
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
