"""Parsing of MASTER_KEYS and SIGNING_KEYS: `key_id:hex[,key_id:hex…]`. No error message shows a key."""

import re
from typing import Final

_KEY: Final = re.compile(r"([A-Za-z0-9_-]{1,32}):((?:[0-9a-fA-F]{2})+)")


SHORTEST_MASTER_KEY: Final = 16
"""In bytes."""
SIGNING_SEED_SIZE: Final = 32
"""Size of an Ed25519 seed, in bytes."""


def master_keys(text: str) -> dict[str, bytes]:
    """Parse master keys; the result maps ids to keys.

    Raises:
        ValueError: as `_key_list`, or a key has fewer than 16 bytes.
    """
    keys = _key_list(text, "master key")
    for key_id, key in keys.items():
        if len(key) < SHORTEST_MASTER_KEY:
            raise ValueError(f"master key {key_id!r} has fewer than {SHORTEST_MASTER_KEY} bytes")
    return keys


def signing_seeds(text: str) -> dict[str, bytes]:
    """Parse the seeds of signing keys; the result maps ids to seeds.

    Raises:
        ValueError: as `_key_list`, or a seed does not have 32 bytes or is given twice.
    """
    seeds = _key_list(text, "signing key")
    for key_id, seed in seeds.items():
        if len(seed) != SIGNING_SEED_SIZE:
            raise ValueError(f"signing key {key_id!r} does not have {SIGNING_SEED_SIZE} bytes")
    if len({*seeds.values()}) < len(seeds):
        raise ValueError("two signing keys are the same")
    return seeds


def _key_list(text: str, kind: str) -> dict[str, bytes]:
    """Parse at least one key; the result keeps their order. Messages call a key by `kind`.

    Raises:
        ValueError: the text is not such a list, or an id is given twice.
    """
    keys: dict[str, bytes] = {}
    for part in text.split(","):
        matched = _KEY.fullmatch(part.strip())
        if not matched:
            raise ValueError(f"a {kind} is `key_id:hex`, the id of letters, digits, `_` and `-`")
        if matched[1] in keys:
            raise ValueError(f"{kind} {matched[1]!r} is given twice")
        keys[matched[1]] = bytes.fromhex(matched[2])
    return keys
