"""`python -m training RULESET`: train the value network for one ruleset and number of seats.

Ctrl-C finishes the current round, saves and stops; `--resume` continues with the same result as without a
stop.
"""

import argparse
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Final

from players.weight_files import weight_set, weights_for
from training.arena import PREDECESSOR
from training.arguments import command_line, course_of, parser
from training.checkpoints import WEIGHTS, load, load_weights, save
from training.course import FIXED_NAMES, rival
from training.gradient import copy
from training.measure import share, share_text
from training.release import WeightsHistory, history, ship, write_history
from training.trainer import RoundOutcome, Trainer, new_trainer

SAVE_EVERY_S: Final = 20
TELL_EVERY_S: Final = 10


class Stop:
    """Set by SIGINT (Ctrl-C) or SIGTERM."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True


def _trainer(asked: argparse.Namespace) -> Trainer:
    """A resumed trainer, or a new one with given or random weights; writes the history of a new one."""
    if asked.resume:
        return load(asked.out)
    trainer = new_trainer(course_of(asked))
    commands, matches = [command_line(asked)], asked.matches
    if asked.start or asked.shipped or asked.exploit:
        weights = (
            load_weights(asked.start / WEIGHTS) if asked.start else weights_for(asked.command, asked.seats)
        )
        trainer.weights, trainer.averaged, trainer.frozen = copy(weights), copy(weights), [copy(weights)]
        before = history(asked.start) if asked.start else weight_set(asked.command, asked.seats)
        commands, matches = [*before.commands, *commands], before.matches + matches
    trainer.frozen = [*[load_weights(folder / WEIGHTS) for folder in asked.rivals], *trainer.frozen]
    write_history(asked.out, WeightsHistory(asked.command, asked.seats, tuple(commands), asked.seed, matches))
    return trainer


def train(trainer: Trainer, folder: Path, minutes: float, stop: Stop) -> None:
    """Train until the course is over, the time is up or `stop` is set."""
    begun = saved = told_at = time.monotonic()
    first = trainer.matches
    found: list[RoundOutcome] = []
    while trainer.matches < trainer.course.matches:
        found.append(trainer.round())
        now = time.monotonic()
        if now - told_at > TELL_EVERY_S:
            _tell(trainer, found, (trainer.matches - first) / (now - begun))
            told_at, found = now, []
        if now - saved > SAVE_EVERY_S:
            save(trainer, folder)
            saved = now
        if stop.asked or (minutes and now - begun > 60 * minutes):
            break
    save(trainer, folder)
    if found:
        _tell(trainer, found, (trainer.matches - first) / (time.monotonic() - begun))


def _tell(trainer: Trainer, found: list[RoundOutcome], speed: float) -> None:
    loss = sum([one.loss for one in found]) / len(found)
    met, won = sum([one.met for one in found]), sum([one.won for one in found])
    record = f"{won / met:.1%} of {met}" if met else "-"
    left = max(0, trainer.course.matches - trainer.matches) / speed / 60
    print(
        f"{trainer.matches:>9,} of {trainer.course.matches:,} matches  {speed:.0f}/s  loss {loss:.4f}  "
        f"against {rival(trainer.course)} {record}  {left:.1f} min left",
        flush=True,
    )


def _measure(asked: argparse.Namespace) -> None:
    weights = load_weights(asked.weights)
    other = load_weights(asked.other) if asked.other else None
    if asked.shipped:
        other = weights_for(asked.ruleset, asked.seats)
    opponents = [PREDECESSOR] if other else asked.against or FIXED_NAMES
    for opponent in opponents:
        won, played = share(asked.ruleset, asked.seats, weights, opponent, asked.matches, asked.seed, other)
        print(
            f"{asked.ruleset} {asked.seats} seats against {opponent}: {share_text(won, played)}", flush=True
        )


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit code."""
    asked = parser().parse_args(arguments)
    if asked.command == "measure":
        _measure(asked)
    elif asked.command == "ship":
        ship(asked.folder, dict(text.split("=", 1) for text in asked.strength))
    else:
        stop = Stop()
        train(_trainer(asked), asked.out, asked.minutes, stop)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
