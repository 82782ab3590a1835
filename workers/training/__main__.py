"""`python -m workers.training RULESET`: train the value network of one ruleset and number of seats."""

import argparse
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from msgspec.structs import replace

from domain.rulesets import CURRENT
from workers.training.checkpoints import load, load_weights, save
from workers.training.course import Course
from workers.training.gradient import copy
from workers.training.trainer import Round, Trainer, beginner

SAVE_EVERY_S = 20
TELL_EVERY_S = 10


class Stop:
    """Set by Ctrl-C or a signal to end: the round that is being played is finished first."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True


def parsed(arguments: list[str]) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m workers.training", description=__doc__)
    parser.add_argument("ruleset", choices=list(CURRENT))
    parser.add_argument("--seats", type=int, default=2, choices=range(2, 6))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--matches", type=int, default=200_000, help="the length of the whole course")
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after that, resumable; 0 for no limit")
    parser.add_argument("--out", type=Path, required=True, help="the folder for checkpoint and weights")
    parser.add_argument("--start", type=Path, help="weights to begin with, in place of luck")
    parser.add_argument("--resume", action="store_true", help="go on from the folder's checkpoint")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a number of the course")
    return parser.parse_args(arguments)


def trainer_for(asked: argparse.Namespace) -> Trainer:
    """A trainer as asked for: resumed, started from given weights, or fresh."""
    if asked.resume:
        return load(asked.out)
    course = Course(asked.ruleset, asked.seats, asked.seed, asked.matches)
    for setting in asked.set:
        name, _, value = setting.partition("=")
        kind = type(getattr(course, name))
        course = replace(course, **{name: kind(value)})
    trainer = beginner(course)
    if asked.start:
        weights = load_weights(asked.start)
        trainer.weights, trainer.averaged = weights, copy(weights)
        trainer.frozen = [copy(weights)]
    return trainer


def train(trainer: Trainer, folder: Path, minutes: float, stop: Stop) -> None:
    """Go through the course until it is over, the time is up or somebody asks to stop."""
    begun = saved = told = time.monotonic()
    first = trainer.matches
    found: list[Round] = []
    while trainer.matches < trainer.course.matches and not stop.asked:
        found.append(trainer.round())
        now = time.monotonic()
        if now - told > TELL_EVERY_S:
            _tell(trainer, found, (trainer.matches - first) / (now - begun))
            told, found = now, []
        if now - saved > SAVE_EVERY_S:
            save(trainer, folder)
            saved = now
        if minutes and now - begun > 60 * minutes:
            break
    if found:
        _tell(trainer, found, (trainer.matches - first) / (time.monotonic() - begun))
    save(trainer, folder)


def _tell(trainer: Trainer, found: list[Round], speed: float) -> None:
    loss = sum(one.loss for one in found) / len(found)
    met = sum(one.met for one in found)
    won = sum(one.won for one in found)
    left = max(0, trainer.course.matches - trainer.matches) / speed
    share = f"{won / met:6.1%} of {met}" if met else "-"
    print(
        f"{trainer.matches:>9,} matches  {speed:5.0f}/s  loss {loss:.4f}  "
        f"against expected {share}  {left / 60:.1f} min left",
        flush=True,
    )


def main(arguments: list[str]) -> int:
    asked = parsed(arguments)
    train(trainer_for(asked), asked.out, asked.minutes, Stop())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
