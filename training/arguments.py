"""The command-line arguments of `python -m training`."""

import argparse
from collections.abc import Iterator
from math import inf, nan
from pathlib import Path
from typing import Any, Final, NamedTuple

from msgspec.structs import fields, replace

from runtime.strategies import VALUE_FUNCTIONS
from training.course import FIXED_NAMES, Course, exploiting

DEFAULT: Final = Course("base", seats=2, seed=1, matches=100_000)
"""The course that a command without arguments begins."""
HYPERPARAMETERS: Final = {
    field.name: field.default
    for field in fields(Course)
    if isinstance(field.default, (int, float)) and field.name != "rivals"
}
"""By name: the default of each number of a course that no other argument determines."""
_NUMBERS: Final = ("seats", "seed", "matches")
"""The numbers of a course that have arguments of their own."""
_STEP_SIZES: Final = ("rate", "last_rate")
"""Of the other hyperparameters, those that are no whole numbers are shares."""


class Setting(NamedTuple):
    """A hyperparameter that was set."""

    name: str
    value: float
    text: str
    """As it was given: `NAME=VALUE`."""


def parser() -> argparse.ArgumentParser:
    """The parser: a command to train for each ruleset, `measure` and `ship`."""
    found = argparse.ArgumentParser(
        prog="python -m training", description="Train, measure and ship the weights of `learned`."
    )
    commands = found.add_subparsers(dest="command", required=True, metavar="RULESET|measure|ship")
    for ruleset in VALUE_FUNCTIONS:
        _training(commands.add_parser(ruleset, help=f"train the network for {ruleset}"))
    measuring = commands.add_parser("measure", help="play weights against fixed opponents")
    _place(measuring)
    measuring.add_argument("weights", type=Path, help="weights file")
    measuring.add_argument("--seed", type=int, default=1)
    measuring.add_argument(
        "--matches", type=int, default=2000, help="number of matches against each opponent"
    )
    measuring.add_argument("--against", action="append", choices=FIXED_NAMES, help="all of them by default")
    opponent = measuring.add_mutually_exclusive_group()
    opponent.add_argument("--other", type=Path, help="weights of the opponent")
    opponent.add_argument("--shipped", action="store_true", help="the shipped weights as the opponent")
    shipping = commands.add_parser("ship", help="copy the weights of a training folder into the package")
    shipping.add_argument("folder", type=Path)
    shipping.add_argument(
        "--strength",
        type=_strength,
        action="append",
        default=[],
        metavar="OPPONENT=TEXT",
        help="the result against an opponent, for the manifest",
    )
    return found


def _place(command: argparse.ArgumentParser) -> None:
    command.add_argument("ruleset", choices=list(VALUE_FUNCTIONS))
    command.add_argument("--seats", type=int, default=2, choices=range(2, 6))


def _training(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seats", type=int, choices=range(2, 6), help=f"{DEFAULT.seats} by default")
    command.add_argument("--seed", type=int, help=f"{DEFAULT.seed} by default")
    command.add_argument(
        "--matches",
        type=int,
        help=f"number of matches of the whole course, {DEFAULT.matches:,} by default",
    )
    command.add_argument(
        "--minutes",
        type=float,
        default=0.0,
        help="stop after so many minutes, to be resumed later; 0 (the default) sets no limit",
    )
    command.add_argument(
        "--out", type=Path, required=True, help="output folder for the checkpoint and the weights"
    )
    start = command.add_mutually_exclusive_group()
    start.add_argument("--start", type=Path, help="folder with initial weights, instead of random ones")
    start.add_argument("--shipped", action="store_true", help="begin with the shipped weights")
    start.add_argument(
        "--exploit",
        action="store_true",
        help="train a network that only learns to beat the shipped one, which plays on all other seats",
    )
    command.add_argument(
        "--rivals",
        type=Path,
        nargs="+",
        default=[],
        metavar="DIR",
        help="folders of other runs, whose networks stay among the predecessors",
    )
    command.add_argument(
        "--resume",
        action="store_true",
        help="resume from the folder's checkpoint; other arguments may be left out, and must agree with it",
    )
    command.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="override a hyperparameter of the course",
    )


def _setting(text: str) -> Setting:
    name, _, value = text.partition("=")
    if name not in HYPERPARAMETERS:
        raise argparse.ArgumentTypeError(f"a course has no hyperparameter {name!r}")
    is_whole = isinstance(HYPERPARAMETERS[name], int)
    try:
        number = int(value) if is_whole else float(value)
    except ValueError:
        number = nan
    if is_whole:
        # Of rounds, batches and what is kept there is at least one.
        is_possible, wanted = number >= 1, "a whole number from 1 on"
    elif name in _STEP_SIZES:
        is_possible, wanted = 0 < number < inf, "a number above 0"
    else:
        is_possible, wanted = 0 <= number <= 1, "a number from 0 to 1"
    if not is_possible:
        raise argparse.ArgumentTypeError(f"{name} must be {wanted}, not {value!r}")
    return Setting(name, number, text)


def _strength(text: str) -> tuple[str, str]:
    opponent, sign, told = text.partition("=")
    if not opponent or not sign:
        raise argparse.ArgumentTypeError(f"it must be OPPONENT=TEXT, not {text!r}")
    return opponent, told


def course_of(args: argparse.Namespace) -> Course:
    """The requested course."""
    course = replace(DEFAULT, rivals=len(args.rivals))
    if args.exploit:
        course = exploiting(course)
    return replace(course, **_named(args))


def differences(args: argparse.Namespace, course: Course, command: str) -> Iterator[str]:
    """What the arguments name and is otherwise in a course that the command line began."""
    for name, value in _named(args).items():
        known = getattr(course, name)
        if value != known:
            yield f"{name} is {known}, not {value}"
    yield from [f"it began without {part}" for part in _beginning(args) if f" {part} --" not in command]


def _named(args: argparse.Namespace) -> dict[str, Any]:
    """The parts of a course that the arguments name."""
    found = {"ruleset": args.command}
    found |= {name: getattr(args, name) for name in _NUMBERS if getattr(args, name) is not None}
    return found | {one.name: one.value for one in args.set}


def command_line(args: argparse.Namespace, course: Course) -> str:
    """The command line that begins the course, with the names of its folders only."""
    parts = [f"python -m training {course.ruleset}"]
    parts += [f"--{name} {getattr(course, name)}" for name in _NUMBERS]
    parts += [f"--set {setting.text}" for setting in args.set]
    return " ".join([*parts, *_beginning(args), f"--out {args.out.name}"])


def _beginning(args: argparse.Namespace) -> list[str]:
    """The arguments about the networks that a course begins with."""
    parts = [f"--{name}" for name in ("shipped", "exploit") if getattr(args, name)]
    if args.start:
        parts.append(f"--start {args.start.name}")
    if args.rivals:
        parts.append(f"--rivals {' '.join([folder.name for folder in args.rivals])}")
    return parts
