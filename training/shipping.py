"""From a folder of training to the package: weights, digest, what made them, and their strength."""

from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from domain.canonical import sha256
from training.checkpoints import WEIGHTS, load_weights, write_arrays
from workers.players.weight_files import FOLDER, Shipped, WeightSet, manifest

HISTORY: Final = "history.json"


class History(Struct, frozen=True):
    """How the weights of a folder came about."""

    ruleset: str
    seats: int
    commands: tuple[str, ...]
    """All that led to them, those of the weights they began with first."""
    seed: int
    matches: int
    """Over all commands."""


def history(folder: Path) -> History:
    """What is written in the folder.

    Raises:
        OSError: nothing was trained there.
    """
    return msgspec.json.decode((folder / HISTORY).read_bytes(), type=History)


def write_history(folder: Path, found: History) -> None:
    """Write it beside the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / HISTORY).write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")


def ship(folder: Path, strength: dict[str, str], package: Path = FOLDER) -> None:
    """Put the folder's weights in place of those of its ruleset and number of seats."""
    made = history(folder)
    origin = WeightSet(made.seats, made.commands, made.seed, made.matches, strength)
    package.mkdir(exist_ok=True)
    shipped = manifest(package) if (package / "manifest.json").exists() else {}
    kept = [one for one in _sets(shipped, made.ruleset) if one.seats != made.seats]
    sets = tuple(sorted([*kept, origin], key=lambda one: one.seats))
    path = package / f"{made.ruleset}.npz"
    arrays = {}
    if path.exists():
        with np.load(path, allow_pickle=False) as old:
            arrays = {name: old[name] for name in old.files if not name.startswith(f"{made.seats}.")}
    weights = load_weights(folder / WEIGHTS)
    arrays |= {f"{made.seats}.{part}": array for part, array in weights._asdict().items()}
    write_arrays(path, dict(sorted(arrays.items())))
    shipped[made.ruleset] = Shipped(path.name, sha256(path.read_bytes()), sets)
    _write_manifest(package, shipped)


def note_strength(ruleset: str, seats: int, strength: dict[str, str], package: Path = FOLDER) -> None:
    """Write down how strong weights are that are shipped already."""
    shipped = manifest(package)
    sets = tuple(
        replace(one, strength=one.strength | strength) if one.seats == seats else one
        for one in _sets(shipped, ruleset)
    )
    shipped[ruleset] = replace(shipped[ruleset], sets=sets)
    _write_manifest(package, shipped)


def _sets(shipped: dict[str, Shipped], ruleset: str) -> tuple[WeightSet, ...]:
    return shipped[ruleset].sets if ruleset in shipped else ()


def _write_manifest(package: Path, shipped: dict[str, Shipped]) -> None:
    text = msgspec.json.format(msgspec.json.encode(dict(sorted(shipped.items()))), indent=2)
    (package / "manifest.json").write_bytes(text + b"\n")
