"""Finds the function that a bot is made of."""

import importlib
import inspect
import os
import sys
import traceback
from contextlib import redirect_stdout
from typing import Any, Final

from machi.cli.session import Unusable, WrongUse
from machi.commands import Command
from machi.play_loop import Choose
from machi.table import Turn

EXAMPLE: Final = "for example mybot:choose"


def function_named(name: str) -> Choose:
    """The function `package:function`, imported from the current folder or from what is installed.

    A class is called without arguments first. What the function prints goes to standard error.

    Raises:
        WrongUse: there is no such function, or it does not take one argument.
        Unusable: its module cannot be imported.
    """
    module_name, _, path = name.partition(":")
    if not path or not all(part.isidentifier() for part in module_name.split(".")):
        raise WrongUse(f"name a module and a function, {EXAMPLE}, not {name!r}")
    with redirect_stdout(sys.stderr):
        found: Any = _imported(module_name)
        for part in path.split("."):
            if not hasattr(found, part):
                raise WrongUse(f"{module_name} has no {path}")
            found = getattr(found, part)
        found = found() if isinstance(found, type) else found
    _check(found, name)

    def choose(turn: Turn) -> Command:
        with redirect_stdout(sys.stderr):
            command: Command = found(turn)
        return command

    return choose


def _imported(name: str) -> object:
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise WrongUse(f"there is no module {name} in {folder} or among the installed ones") from None
        raise Unusable(f"{name} needs the module {error.name}, which is not installed") from None
    except Exception as error:  # whatever somebody's module raises
        traceback.print_exc()
        raise Unusable(f"{name} cannot be imported: {type(error).__name__}: {error}") from None


def _check(found: object, name: str) -> None:
    if not callable(found):
        raise WrongUse(f"{name} is not a function")
    try:
        inspect.signature(found).bind(None)
    except TypeError as error:
        raise WrongUse(f"{name} must be callable with one argument, the turn: {error}") from None
    except ValueError:
        pass  # a function of C tells nothing of its arguments
