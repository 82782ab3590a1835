"""The move in the answer of a language model, whatever else it says."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from machi.commands import Command, members_of

LONGEST_READ: Final = 20_000
"""Only so many characters at the end of an answer are read: a model may talk without end."""

_END_OF_THOUGHT: Final = re.compile(r"(?i)</think(?:ing)?>")
_OBJECT: Final = re.compile(r"\{[^{}]*\}")
_NUMBER_LINE: Final = re.compile(r"(?i)(?:(?:my )?(?:move|answer|choice)(?: is)?\W*)?#?(\d{1,4})\W*")


class Unreadable(Exception):
    """The answer names no move, or none that is legal; the message is for the model."""


def move_in(answer: str, commands: Sequence[Command]) -> int:
    """The place of the chosen command in `commands`, from 0.

    Taken is the last JSON object with a member `move`, or that is one of the commands itself. Without one,
    the last line counts if it is only a number, also after a word such as `Move`. What the model thought, up
    to a tag `</think>`, does not count.

    Raises:
        Unreadable: there is neither, or the number is not that of a move.
    """
    text = _END_OF_THOUGHT.split(answer[-LONGEST_READ:])[-1]
    for found in _objects(text):
        if "move" in found:
            return _checked(str(found["move"]).strip(), len(commands))
        if isinstance(found.get("type"), str):
            return _place(found, commands)
    lines = [line.strip(" \t*`_") for line in text.splitlines() if line.strip(" \t*`_")]
    if lines and (number := _NUMBER_LINE.fullmatch(lines[-1])):
        return _checked(number[1], len(commands))
    raise Unreadable("Your answer named no move.")


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects without objects in them, the last one first."""
    for found in reversed(_OBJECT.findall(text)):
        with suppress(ValueError):
            yield json.loads(found)


def _checked(number: str, count: int) -> int:
    if not number.isascii() or not number.isdigit() or not 1 <= int(number[:9]) <= count:
        raise Unreadable(f"There is no move {number[:20]!r}.")
    return int(number) - 1


def _place(members: dict[str, Any], commands: Sequence[Command]) -> int:
    for place, command in enumerate(commands):
        if {"seat": command.seat, **members} == members_of(command):
            return place
    raise Unreadable("The command in your answer is not among the legal moves.")
