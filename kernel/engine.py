"""The functions of the kernel, plain or compiled: the same source and the same results.

The modules hold plain functions on lists. `compiled` makes copies of them that numba compiles, each for one
form of its arguments, which the names of its annotations tell. What numba makes is kept in a folder named for
the source and the versions: numba itself does not notice if a function that another one calls has changed.
"""

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple

from domain.match.rules import Rules
from domain.match.state import MatchState
from kernel import effects, layout, legal, luck, moves, reading
from kernel.convert import deck_orders_of
from kernel.layout import LUCK_FREE, LUCK_WIDTH, MOST_LEGAL, ROW_WIDTH, Codes, Luck, Row, Tables
from kernel.tables import tables_of

MODULES: Final = (luck, reading, effects, moves, legal)
"""What is compiled: each module, and each function in it, after those that it calls."""

CACHE: Final = Path(__file__).parents[1] / "var" / "kernel"


class Engine(NamedTuple):
    """The kernel, plain or compiled, and the arrays that it works on."""

    is_compiled: bool
    seed_luck: Callable[[Luck, int], None]
    start_match: Callable[[Tables, Row, Luck, int], None]
    legal: Callable[[Tables, Row, Codes], int]
    step: Callable[[Tables, Row, Luck, int], None]

    def tables(self, rules: Rules) -> Tables:
        """The tables of the rules."""
        found: Tables = self._array(tables_of(rules))
        return found

    def row(self, values: Sequence[int] = (0,) * ROW_WIDTH) -> Row:
        """A row with those values."""
        found: Row = self._array(values)
        return found

    def codes(self) -> Codes:
        """Room for the codes of legal commands."""
        found: Codes = self._array((0,) * MOST_LEGAL)
        return found

    def luck(self, seed: int, state: MatchState | None = None) -> Luck:
        """A source of chance; the decks of the state whose order was given keep it."""
        marks, cards = deck_orders_of(state) if state else ([], [])
        values = [0] * (LUCK_WIDTH + len(cards))
        values[layout.IS_ORDERED : layout.IS_ORDERED + len(marks)] = marks
        values[LUCK_FREE : LUCK_FREE + len(cards)] = cards
        found: Luck = self._array(values, "int64")
        self.seed_luck(found, seed)
        return found

    def _array(self, values: Sequence[int], kind: str = "int32") -> Any:
        if not self.is_compiled:
            return list(values)
        return import_module("numpy").array(values, kind)


def engine() -> Engine:
    """The compiled kernel if numba is installed, else the plain one."""
    return compiled() if importlib.util.find_spec("numba") else PLAIN


def _engine_of(functions: dict[str, Callable[..., Any]], is_compiled: bool) -> Engine:
    return Engine(is_compiled, **{name: functions[name] for name in Engine._fields if name != "is_compiled"})


def _own_functions(module: ModuleType) -> list[FunctionType]:
    """The functions that a module defines, in the order of the source."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    ]


PLAIN: Final = _engine_of({f.__name__: f for module in MODULES for f in _own_functions(module)}, False)
"""The kernel as plain Python, on lists."""


@cache
def compiled() -> Engine:
    """The kernel compiled by numba, from the cache if it was compiled before.

    Raises:
        ImportError: numba is not installed.
    """
    numba: Any = import_module("numba")
    forms = {
        "Row": numba.int32[::1],
        "Tables": numba.int32[::1],
        "Codes": numba.int32[::1],
        "Luck": numba.int64[::1],
        "int": numba.int64,
        "bool": numba.boolean,
        "None": numba.void,
    }
    numba.config.CACHE_DIR = str(CACHE / _digest(numba.__version__))
    made: dict[FunctionType, Any] = {}
    for module in MODULES:
        names = {
            name: made.get(value, value) if isinstance(value, FunctionType) else value
            for name, value in vars(module).items()
        }
        for function in _own_functions(module):
            *arguments, returned = [forms[name] for name in function.__annotations__.values()]
            copy = FunctionType(function.__code__, names, function.__name__)
            copy.__module__ = function.__module__
            names[function.__name__] = made[function] = numba.njit(returned(*arguments), cache=True)(copy)
    return _engine_of({function.__name__: jitted for function, jitted in made.items()}, True)


def _digest(version: str) -> str:
    """What names the folder of the cache: the source, and the versions of Python and numba."""
    found = hashlib.sha256(f"{sys.version} {version}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]
