"""The weights that are shipped: one file for each ruleset, with a set for each number of seats in it.

`manifest.json` names the digest of every file; a file that is not the one named is refused.
"""

import io
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

from domain.canonical import sha256
from workers.players.network import Weights

FOLDER: Final = Path(__file__).parent / "weights"


class WeightSet(Struct, frozen=True):
    """One set of weights in a file, and where it comes from."""

    seats: int
    commands: tuple[str, ...]
    """What made it, in order."""
    seed: int
    matches: int
    """How many it was trained with, over all commands."""
    strength: dict[str, str]
    """By opponent: how often it wins, and how that was measured."""


class Shipped(Struct, frozen=True):
    """One file of weights."""

    file: str
    digest: str
    """`sha-256:` and the hex digest of the file."""
    sets: tuple[WeightSet, ...]


class Tampered(Exception):
    """A file of weights is not the one that the manifest names."""


def manifest(folder: Path = FOLDER) -> dict[str, Shipped]:
    """What is shipped, by ruleset."""
    return msgspec.json.decode((folder / "manifest.json").read_bytes(), type=dict[str, Shipped])


def read(ruleset: str, folder: Path = FOLDER) -> dict[int, Weights]:
    """The weights of a ruleset by number of seats.

    Raises:
        Tampered: the file does not have the digest that the manifest names.
    """
    shipped = manifest(folder)[ruleset]
    content = (folder / shipped.file).read_bytes()
    if sha256(content) != shipped.digest:
        raise Tampered(f"{shipped.file}: the digest is not {shipped.digest!r}")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return {
            one.seats: Weights(
                *[arrays[f"{one.seats}.{part}"].astype(np.float32) for part in Weights._fields]
            )
            for one in shipped.sets
        }


@lru_cache(maxsize=8)
def _read_once(ruleset: str) -> dict[int, Weights]:
    return read(ruleset)


def weights_for(ruleset: str, seats: int) -> Weights:
    """The weights for as many seats in play, or for the nearest number that there are weights for.

    Of two that are as near the greater: with two seats a match is another game.
    """
    found = _read_once(ruleset)
    return found[min(found, key=lambda trained: (abs(trained - seats), -trained))]


def digest(ruleset: str) -> str:
    """`sha-256:` and the hex digest of the file of weights that is in use for a ruleset."""
    return manifest()[ruleset].digest
