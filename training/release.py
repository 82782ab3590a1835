"""The release of trained weights into the package, with their digest, history and strength."""

from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

from domain.canonical import sha256
from players.weight_files import FOLDER, Shipped, WeightSet, manifest
from runtime.strategies import STRATEGIES
from training.checkpoints import WEIGHTS, load_weights, write_arrays

HISTORY: Final = "history.json"
DECIDING: Final = ("learned", "strong")
"""The players that decide with the weights."""


class WeightsHistory(Struct, frozen=True):
    """The history of the weights in a training folder."""

    ruleset: str
    seats: int
    commands: tuple[str, ...]
    """All commands that produced them, beginning with those of the initial weights; those of rivals, too."""
    seed: int
    matches: int
    """The number of training matches over all commands, without those of rivals."""


def history(folder: Path) -> WeightsHistory:
    """Read the history of a training folder.

    Raises:
        OSError: the folder has no history.
    """
    return msgspec.json.decode((folder / HISTORY).read_bytes(), type=WeightsHistory)


def write_history(folder: Path, found: WeightsHistory) -> None:
    """Write the history of a training folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / HISTORY).write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")


def ship(folder: Path, strength: dict[str, str], package: Path = FOLDER) -> None:
    """Replace the package's weights for the ruleset and number of seats by those of the folder.

    The versions of the players that decide with them must have been raised before.
    """
    made = history(folder)
    since = {name: STRATEGIES[name].version for name in DECIDING}
    origin = WeightSet(made.seats, made.commands, made.seed, made.matches, strength, since)
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


def _sets(shipped: dict[str, Shipped], ruleset: str) -> tuple[WeightSet, ...]:
    return shipped[ruleset].sets if ruleset in shipped else ()


def _write_manifest(package: Path, shipped: dict[str, Shipped]) -> None:
    text = msgspec.json.format(msgspec.json.encode(dict(sorted(shipped.items()))), indent=2)
    (package / "manifest.json").write_bytes(text + b"\n")
