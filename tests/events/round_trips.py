"""Whether a stored sample comes back with all that was in it."""

from typing import Any


def is_kept(stored: Any, written: Any) -> bool:
    """Whether nothing of it was lost; the objects in an event may have got members that came later."""
    if isinstance(stored, dict):
        return all(is_kept(value, written[name]) for name, value in stored.items())
    if isinstance(stored, list):
        return len(stored) == len(written) and all(map(is_kept, stored, written))
    return bool(stored == written)
