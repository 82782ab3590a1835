"""The shipped weights: a file for each ruleset, with a set of weights for each number of seats.

`manifest.json` has the digest of every file; a file with another digest is refused.
"""

import io
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import msgspec
import numpy as np
from msgspec import Struct

from domain.canonical import sha256
from players.network import Weights

Precision = Literal["float32", "float64"]
"""Of weights: single as in the files and in training, or double as the players compute."""

FOLDER: Final = Path(__file__).parent / "weights"

TEMPERATURES: Final = {
    "base": {5: 1.06},
    "harbor": {4: 1.08, 5: 1.14},
    "machi_koro_2": {4: 1.2},
}
"""By ruleset and number of seats in play: the temperature, by which the network's logits are divided to
calibrate its chances. Where its 95 % interval over all measured matches includes 1, there is none and 1 is
used. `python -m training.calibration --network` fits it."""


class WeightSet(Struct, frozen=True):
    """The provenance of one set of weights in a file."""

    seats: int
    commands: tuple[str, ...]
    """The commands that produced it, in order."""
    seed: int
    matches: int
    """The number of training matches over all commands, without those that made rivals."""
    strength: dict[str, str]
    """By opponent: its win rate, and how that was measured."""
    since: dict[str, str]
    """By player: the first version whose decisions with this set are those of the current version, except
    between commands whose values differ by less than 0.00001."""


class Shipped(Struct, frozen=True):
    """One file of weights."""

    file: str
    digest: str
    """`sha-256:` and the hex digest of the file."""
    sets: tuple[WeightSet, ...]


class Tampered(Exception):
    """A file of weights does not have the digest in the manifest."""


def manifest(folder: Path = FOLDER) -> dict[str, Shipped]:
    """By ruleset: the shipped file."""
    return msgspec.json.decode((folder / "manifest.json").read_bytes(), type=dict[str, Shipped])


def read(ruleset: str, folder: Path = FOLDER) -> dict[int, Weights]:
    """The weights of a ruleset by number of seats.

    Raises:
        Tampered: the file does not have the digest in the manifest.
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
def _read_once(ruleset: str, precision: Precision) -> dict[int, Weights]:
    if precision == "float32":
        return read(ruleset)
    single = _read_once(ruleset, "float32")
    return {seats: Weights(*[part.astype(precision) for part in single[seats]]) for seats in single}


def load() -> None:
    """Read the weights of all rulesets in single precision, so that no fork of this process has to."""
    for ruleset in _trained():
        _read_once(ruleset, "float32")


def has_weights(ruleset: str) -> bool:
    """Whether a network was trained for the ruleset."""
    return ruleset in _trained()


@lru_cache(maxsize=1)
def _trained() -> frozenset[str]:
    return frozenset(manifest())


def weights_for(ruleset: str, seats: int, precision: Precision = "float32") -> Weights:
    """The weights for that number of seats in play, or else for the nearest number that has weights."""
    found = _read_once(ruleset, precision)
    return found[_nearest(found, seats)]


def weight_set(ruleset: str, seats: int) -> WeightSet:
    """The provenance of `weights_for` the ruleset and the number of seats."""
    found = {one.seats: one for one in manifest()[ruleset].sets}
    return found[_nearest(found, seats)]


def _nearest(trained: Iterable[int], seats: int) -> int:
    """The trained number of seats nearest to `seats`.

    Ties go to the greater number, because a match with two seats is a different game.
    """
    return min(trained, key=lambda number: (abs(number - seats), -number))


def calibrated_weights(ruleset: str, seats: int, precision: Precision = "float32") -> Weights:
    """As `weights_for`, with calibrated chances: of the seats that are given 70 %, about 70 % win."""
    weights = weights_for(ruleset, seats, precision)
    return weights._replace(out=weights.out / TEMPERATURES.get(ruleset, {}).get(seats, 1.0))


def digest(ruleset: str) -> str:
    """`sha-256:` and the hex digest of the file of weights for a ruleset."""
    return manifest()[ruleset].digest
