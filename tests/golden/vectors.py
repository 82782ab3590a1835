"""Test vectors for whoever writes a verifier: complete exports, and forged twins of them with what is wrong.

`docs/vectors/forged.json` says how each twin is made, in the terms that `forged` here carries out.
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import msgspec

from domain.audit.checkpoints import NO_HASH
from tests.golden.exports import (
    KEY_ID,
    PUBLIC_KEY,
    Line,
    Played,
    checkpoint_of,
    creation,
    lines_of,
    play,
    rehashed,
    seed_of,
    written,
)
from tests.golden.forgeries import forgeries

FOLDER: Final = Path(__file__).parents[2] / "docs" / "vectors"


class Recipe(NamedTuple):
    """How a match is made."""

    ruleset: str
    number: int
    """Drives the dice and the players' choices."""
    most: int
    """From so many events on, the seat to act resigns."""
    options: dict[str, Any]
    commits: bool = False
    """Seats commit to seeds and open them."""


RECIPES: Final = {
    "base": Recipe("base", 52, 1000, {}),
    "harbor": Recipe("harbor", 27, 150, {"market": "limited"}),
    "machi_koro_2": Recipe("machi_koro_2", 4, 1000, {}),
    "seat_seeds": Recipe("base", 53, 90, {}, commits=True),
}


def played(name: str) -> Played:
    """The match of a vector."""
    recipe = RECIPES[name]
    seed = seed_of(f"{recipe.ruleset} {recipe.number}")
    create = creation(recipe.ruleset, 2, seed, commits=recipe.commits, **recipe.options)
    match_id = f"mat_{list(RECIPES).index(name) + 1:026}"
    return play(match_id, create, seed, Random(recipe.number), recipe.most, resigns=True)


def exports() -> dict[str, list[Line]]:
    """The lines of every vector, by file name; their checkpoints are the first lines of one log."""
    found: dict[str, list[Line]] = {}
    before = NO_HASH
    for number, name in enumerate(RECIPES, 1):
        match = played(name)
        checkpoint = checkpoint_of(match, number, before)
        found[f"{name}.ndjson"] = lines_of(match, checkpoint)
        before = checkpoint.hash
    return found


def files() -> dict[str, bytes]:
    """The content of every file, by name."""
    lines = exports()
    keys = {"items": [{"key_id": KEY_ID, "algorithm": "Ed25519", "public_key": PUBLIC_KEY}]}
    return {
        **{name: written(one) for name, one in lines.items()},
        "signing-keys.json": _pretty(keys),
        "forged.json": _pretty(list(forgeries(lines))),
    }


def _pretty(content: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def forged(lines: Sequence[Line], forgery: Line) -> bytes:
    """The file of the twin that a forgery of `forged.json` describes."""
    texts = written(_forged(lines, forgery)).splitlines()
    for change in forgery["changes"]:
        if change["op"] == "text":
            old, new = change["old"].encode(), change["new"].encode()
            assert texts[change["line"] - 1].count(old) == 1
            texts[change["line"] - 1] = texts[change["line"] - 1].replace(old, new)
    return b"\n".join(texts) + b"\n"


def _forged(lines: Sequence[Line], forgery: Line) -> list[Line]:
    twin: list[Line] = msgspec.json.decode(msgspec.json.encode(lines))
    for change in forgery["changes"]:
        place = change["line"] - 1
        if change["op"] == "remove":
            del twin[place]
        elif change["op"] == "swap":
            twin[place], twin[place + 1] = twin[place + 1], twin[place]
        elif change["op"] == "replace":
            _set(twin[place], change["path"], change["value"])
    return rehashed(twin) if forgery["rehash"] else twin


def _set(line: Line, pointer: str, value: Any) -> None:
    *way, last = [int(part) if part.isdigit() else part for part in pointer[1:].split("/")]
    target: Any = line
    for part in way:
        target = target[part]
    target[last] = value
