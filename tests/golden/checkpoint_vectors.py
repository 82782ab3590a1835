"""Test vectors for whoever checks checkpoints: three lines by a key that is used nowhere else.

Of the matches only the ends count here: the hashes of their last events are made up.
"""

import hashlib
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from domain.audit.checkpoints import message_of
from domain.match.commands import AbortMatch, Command, Resign
from events import Loaded, Matches, MemoryStore, Notary, SigningKeys
from events.checkpoints.signatures import base64_text
from tests.events.example_matches import NOW_MS, SEEDS, creation

FILE: Final = Path(__file__).parents[2] / "docs" / "vectors" / "checkpoints.json"

_KEY_ID: Final = "throw-away"
_SEED: Final = bytes(range(32)).hex()
_MATCHES: Final[tuple[tuple[str, str, Command], ...]] = (
    ("mat_01M7WD7YKSS6TZ90RECWJ67GZH", "public", Resign(0)),
    ("mat_01M7WM3NVS22C2J5G7G2F00QNB", "unlisted", Resign(0)),
    ("mat_01M7WRCDNE5VV31RSBR368627A", "private", AbortMatch()),
)
"""Id, visibility and what ends it."""


def vectors() -> dict[str, Any]:
    """The key, and for each match its id, the bytes that are signed, and the line."""
    keys = SigningKeys(f"{_KEY_ID}:{_SEED}")
    notary = Notary(MemoryStore(), keys)
    notary.sign([_ended(*match) for match in _MATCHES])
    return {
        "key": {
            "key_id": _KEY_ID,
            "algorithm": "Ed25519",
            "private_seed_hex": _SEED,
            "public_key": base64_text(keys.public_keys[_KEY_ID]),
        },
        "lines": [
            {
                "match_id": match_id,
                "signed": message_of(line).decode(),
                "checkpoint": msgspec.to_builtins(line),
            }
            for (match_id, *_), line in zip(_MATCHES, notary.lines(0, len(_MATCHES)), strict=True)
        ],
    }


def _ended(match_id: str, visibility: str, command: Command) -> Loaded:
    matches = Matches(MemoryStore(), SEEDS, clock=lambda: NOW_MS)
    matches.create(creation(visibility=visibility), match_id=match_id)
    matches.execute(match_id, command, "account:acc_0")
    return replace(matches.load(match_id), head_hash=hashlib.sha256(match_id.encode()).digest()[::-1])
