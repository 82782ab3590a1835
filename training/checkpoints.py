"""Files of trainers and weights: .npz archives of plain arrays, never pickled, written atomically."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from players.network import Weights
from training.course import Course
from training.gradient import Adam
from training.trainer import Trainer

CHECKPOINT = "checkpoint.npz"
WEIGHTS = "weights.npz"


def save(trainer: Trainer, folder: Path) -> None:
    """Write the checkpoint and the averaged weights."""
    folder.mkdir(parents=True, exist_ok=True)
    sets = {"weights": trainer.weights, "averaged": trainer.averaged}
    sets |= {"mean": trainer.adam.mean, "square": trainer.adam.square}
    sets |= {f"frozen{number}": weights for number, weights in enumerate(trainer.frozen)}
    arrays = {
        f"{name}.{part}": array for name, weights in sets.items() for part, array in weights._asdict().items()
    }
    course = np.frombuffer(msgspec.json.encode(trainer.course), np.uint8)
    counts = np.array([trainer.rounds, trainer.adam.steps, len(trainer.frozen)])
    write_arrays(folder / CHECKPOINT, {**arrays, "course": course, "counts": counts})
    write_arrays(folder / WEIGHTS, trainer.averaged._asdict())


def load(folder: Path) -> Trainer:
    """Load a saved trainer.

    Raises:
        OSError: there is no checkpoint.
        ValueError: the checkpoint has another format.
    """
    with np.load(folder / CHECKPOINT, allow_pickle=False) as arrays:
        course = msgspec.json.decode(arrays["course"].tobytes(), type=Course)
        rounds, steps, frozen = arrays["counts"].tolist()
        trainer = Trainer(course, _weights(arrays, "weights"))
        trainer.averaged = _weights(arrays, "averaged")
        trainer.adam = Adam(_weights(arrays, "mean"), _weights(arrays, "square"), steps)
        trainer.frozen = [_weights(arrays, f"frozen{number}") for number in range(frozen)]
        trainer.rounds = rounds
    return trainer


def _weights(arrays: Mapping[str, Any], name: str) -> Weights:
    return Weights(*[arrays[f"{name}.{part}"] for part in Weights._fields])


def load_weights(path: Path) -> Weights:
    """Load the weights that were written beside a checkpoint."""
    with np.load(path, allow_pickle=False) as arrays:
        return Weights(*[arrays[part] for part in Weights._fields])


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Replace the file atomically; an interruption leaves the old file."""
    scratch = path.with_suffix(".tmp")
    with scratch.open("wb") as file:
        np.savez(file, **arrays)
        file.flush()
        os.fsync(file.fileno())
    os.replace(scratch, path)
