"""`python -m training RULESET`: train the value network for one ruleset and number of seats.

Ctrl-C finishes the current round, saves and stops; `--resume` continues with the same result as without a
stop.
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from players.weight_files import weight_set, weights_for
from training.arena import PREDECESSOR
from training.arguments import command_line, course_of, differences, parser
from training.checkpoints import WEIGHTS, load, load_weights, save
from training.course import FIXED_NAMES, rival
from training.gradient import copy
from training.measure import share_text, wins_against
from training.release import WeightsHistory, history, ship, write_history
from training.trainer import RoundOutcome, Trainer, new_trainer

SAVE_EVERY_S: Final = 20
TELL_EVERY_S: Final = 10


class Stop:
    """Whether SIGINT (Ctrl-C) or SIGTERM has requested the end of the training."""

    def __init__(self) -> None:
        self.is_requested = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._request)

    def _request(self, number: int, frame: FrameType | None) -> None:
        self.is_requested = True


def _begun(args: argparse.Namespace) -> Trainer:
    """A trainer at the start of the requested course, with given or random weights; writes its history."""
    course = course_of(args)
    trainer = new_trainer(course)
    commands: list[str] = []
    matches = course.matches
    if args.start or args.shipped or args.exploit:
        start = args.start
        weights = load_weights(start / WEIGHTS) if start else weights_for(course.ruleset, course.seats)
        trainer.weights, trainer.averaged, trainer.frozen = copy(weights), copy(weights), [copy(weights)]
        before = history(start) if start else weight_set(course.ruleset, course.seats)
        commands, matches = [*before.commands], before.matches + matches
    trainer.frozen = [*[load_weights(folder / WEIGHTS) for folder in args.rivals], *trainer.frozen]
    for folder in args.rivals:
        commands += [command for command in history(folder).commands if command not in commands]
    made = (*commands, command_line(args, course))
    write_history(args.out, WeightsHistory(course.ruleset, course.seats, made, course.seed, matches))
    return trainer


def _resumed(args: argparse.Namespace, refuse: Callable[[str], NoReturn]) -> Trainer:
    """The trainer of the checkpoint; refuses arguments that differ from it."""
    trainer, begun_by = load(args.out), history(args.out).commands[-1]
    differ = "; ".join(differences(args, trainer.course, begun_by))
    if differ:
        refuse(f"argument --resume: the checkpoint is of another course: {differ}")
    return trainer


def train(trainer: Trainer, folder: Path, minutes: float, stop: Stop) -> None:
    """Train until the course is over, `minutes` have passed (0: no limit) or `stop` is requested."""
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
        if stop.is_requested or (minutes and now - begun > 60 * minutes):
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


def _measure(args: argparse.Namespace) -> None:
    weights = load_weights(args.weights)
    other = load_weights(args.other) if args.other else None
    if args.shipped:
        other = weights_for(args.ruleset, args.seats)
    opponents = [PREDECESSOR] if other else args.against or FIXED_NAMES
    for opponent in opponents:
        won = wins_against(args.ruleset, args.seats, weights, opponent, args.matches, args.seed, other)
        print(
            f"{args.ruleset} {args.seats} seats against {opponent}: {share_text(won, args.matches)}",
            flush=True,
        )


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit code."""
    parsing = parser()
    args = parsing.parse_args(arguments)
    try:
        if args.command == "measure":
            _measure(args)
        elif args.command == "ship":
            ship(args.folder, dict(args.strength))
        else:
            stop = Stop()
            trainer = _resumed(args, parsing.error) if args.resume else _begun(args)
            train(trainer, args.out, args.minutes, stop)
    except FileNotFoundError as error:
        parsing.error(f"there is no {error.filename}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
