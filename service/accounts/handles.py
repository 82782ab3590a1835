"""Handles that nobody may have: they would be taken for the service, its people or its built-in players."""

from typing import Final

from runtime.strategies import STRATEGIES

_WORDS: Final = (
    *("admin", "administrator", "root", "superuser", "sysadmin", "system", "service", "server"),
    *("support", "help", "security", "moderator", "mod", "staff", "team", "owner", "operator", "official"),
    *("referee", "host", "machi", "machikoro", "api", "account", "bot", "strategy", "me", "you", "nobody"),
    *("none", "null", "undefined", "anonymous", "unknown", "deleted", "anybody", "anyone", "everybody"),
    *("everyone", "all"),
)

_LOOK_ALIKE: Final = str.maketrans("01345789l", "oieastbgi", "_-")
"""One sign for those that are easily taken for each other; what joins words counts for nothing."""


def _likeness(handle: str) -> str:
    """What handles that look like each other have in common."""
    return handle.lower().translate(_LOOK_ALIKE).replace("vv", "w").replace("rn", "m")


_RESERVED: Final = frozenset(map(_likeness, [*_WORDS, *STRATEGIES]))


def is_reserved(handle: str) -> bool:
    """Whether a new account cannot have the handle; also for what looks like a reserved one."""
    return handle.lower().startswith("acc_") or _likeness(handle) in _RESERVED
