"""Lists of secret keys as the settings have them: `key_id:hex[,key_id:hex…]`. No message shows a key."""

import re
from typing import Final

_KEY: Final = re.compile(r"([A-Za-z0-9_-]{1,32}):((?:[0-9a-fA-F]{2})+)")


def key_list(text: str, kind: str) -> dict[str, bytes]:
    """The keys by id, in their order; at least one. `kind` is what messages call one of them.

    Raises:
        ValueError: the text is something else, or an id stands twice.
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
