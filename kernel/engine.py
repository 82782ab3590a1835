"""The functions of the kernel, plain or compiled: the same source and the same results.

The modules hold plain functions on lists. `compiled` makes copies of them that numba compiles, each for one
form of its arguments, which the names of its annotations tell. What numba makes is kept in a folder named for
the source and the versions: numba itself does not notice if a function that another one calls has changed.
"""

import fcntl
import hashlib
import importlib.util
import os
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_double, c_int32, c_int64, sizeof
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import TemporaryDirectory
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple

from domain.match.rules import Rules
from kernel import (
    afterstates,
    answers,
    coin_luck,
    effects,
    ending_commands,
    expected_value,
    features,
    forecast,
    layout,
    learned,
    legal,
    lookahead,
    luck,
    match_luck,
    moves,
    network,
    outlook,
    payments,
    policies,
    queries,
    race,
    rollouts,
    token_choices,
    tokens,
    turns,
    workspaces,
)
from kernel.convert import Decks
from kernel.layout import (
    LUCK_WIDTH,
    MOST_LEGAL,
    ORDERS,
    ROW_WIDTH,
    WIDTH,
    Chances,
    Codes,
    Incomes,
    Luck,
    Net,
    Row,
    Tables,
)
from kernel.tables import tables_of
from kernel.workspaces import FORECAST_WIDTH, LINE, MEMO_SLOTS, NET_WORKSPACE

MODULES: Final = (
    luck,
    queries,
    payments,
    tokens,
    effects,
    answers,
    turns,
    ending_commands,
    moves,
    legal,
    forecast,
    token_choices,
    coin_luck,
    features,
    network,
    afterstates,
    lookahead,
    match_luck,
    learned,
    outlook,
    expected_value,
    policies,
    rollouts,
    race,
)
"""The modules that are compiled. Each module, and each function in it, comes after those that it calls."""

BUSY: Final = (luck, queries, payments, effects, turns, moves, legal, race, policies)
"""The modules in which most of the time is spent."""
SHORT: Final = 520
"""Functions of these modules with fewer bytes of bytecode are inlined into each other, which makes them a
quarter faster."""
TINY: Final = 200
"""Functions of the other modules with fewer bytes of bytecode are inlined into their callers. All other
functions are *units*: they are compiled once and called by their address, because numba would otherwise
compile them again for each caller."""


def _cache() -> Path:
    """Where the compiled kernel is kept: in `var` of a checkout, or else in the cache of the user."""
    root, home = Path(__file__).parents[1], os.path.expanduser("~")
    if (root / "pyproject.toml").exists() or not os.path.isabs(home):
        return root / "var" / "kernel"
    return Path(os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache") / "machi-koro-rules" / "kernel"


CACHE: Final = _cache()

COMPLETE: Final = "complete"
"""The file in a folder of the cache that says that everything in it was compiled."""

KEPT_FOLDERS: Final = 4
"""The number of folders of the cache that are kept, so that nobody who switches between branches has to
compile again, which takes 45 s."""


class Engine(NamedTuple):
    """The kernel, plain or compiled, and the arrays that it works on."""

    kept: tuple[object, ...]
    """The compiled code, which must live as long as the functions; empty if they are plain."""
    seed_luck: Callable[[Luck, int], None]
    start_match: Callable[[Tables, Row, Luck, int], None]
    legal: Callable[[Tables, Row, Codes], int]
    step: Callable[[Tables, Row, Luck, int], None]
    put_chances: Callable[[Tables, Row, Net, Net, int, int, int, int], None]
    choose: Callable[[Tables, Row, Luck, Luck, Codes, Incomes, Net, Net, int], int]
    play_on: Callable[..., int]
    play_matches: Callable[..., None]
    roll_out: Callable[..., None]
    pay_cells: Callable[[Tables, Row, Luck, Codes, Codes, Codes, Codes], int]
    sweep_cells: Callable[[Codes, Codes, Codes, Codes, Chances], int]
    follow_luck: Callable[..., int]

    @property
    def is_compiled(self) -> bool:
        """Whether numba has compiled it."""
        return bool(self.kept)

    def tables(self, rules: Rules) -> Tables:
        """The tables of the rules."""
        found: Tables = self._array(tables_of(rules))
        return found

    def row(self, values: Sequence[int] = (0,) * ROW_WIDTH) -> Row:
        """A row with those values."""
        found: Row = self._array(values)
        return found

    def codes(self, values: Sequence[int] = (0,) * MOST_LEGAL) -> Codes:
        """Room for the codes of legal commands, or a list of other small numbers."""
        found: Codes = self._array(values)
        return found

    def forecast(self) -> Luck:
        """The workspace of a forecast."""
        found: Luck = self._array((0,) * FORECAST_WIDTH, c_int64)
        return found

    def incomes(self, size: int = MOST_LEGAL) -> Incomes:
        """Room for the incomes of legal commands, or for so many other numbers."""
        found: Incomes = self._array((0.0,) * size, c_double)
        return found

    def net(self, values: Sequence[float] = (0.0,)) -> Net:
        """The value network, or one that nobody uses."""
        found: Net = self._array(values, c_double)
        return found

    def net_workspace(self) -> Net:
        """The workspace of the value network."""
        found: Net = self._array((0.0,) * NET_WORKSPACE, c_double)
        return found

    def memo(self, tables: Tables) -> Row:
        """Room for the choices of a policy that rollouts remember; its memory is used as it fills."""
        kind: Any = c_int32 * (MEMO_SLOTS * (tables[WIDTH] + 1))
        found: Row = kind()
        return found

    def luck(self, seed: int, decks: Decks = ([], [])) -> Luck:
        """A source of chance, with decks in a known order."""
        marks, cards = decks
        values = [0] * (LUCK_WIDTH + len(cards))
        values[layout.IS_ORDERED : layout.IS_ORDERED + len(marks)] = marks
        values[ORDERS : ORDERS + len(cards)] = cards
        found: Luck = self._array(values, c_int64)
        self.seed_luck(found, seed)
        return found

    def _array(self, values: Sequence[float], kind: Any = c_int32) -> Any:
        """The values in memory that begins with a line of the processor's cache."""
        if not self.is_compiled:
            return list(values)
        line, size = LINE * sizeof(c_double), sizeof(kind)
        # Filling it number by number would take four times as long.
        memory = array(kind._type_, bytes(line + len(values) * size))
        skipped = -memory.buffer_info()[0] % line // size
        memory[skipped : skipped + len(values)] = array(kind._type_, values)
        return (kind * len(values)).from_buffer(memory, skipped * size)


def engine() -> Engine:
    """The compiled kernel if numba is installed, else the plain one."""
    return compiled() if importlib.util.find_spec("numba") else PLAIN


def engine_at_once() -> Engine:
    """The compiled kernel if `python -m kernel.engine` compiled it before, else the plain one."""
    return compiled() if is_in_cache() else PLAIN


def is_in_cache() -> bool:
    """Whether numba is installed and has compiled the kernel of the present source."""
    found = _numba_version()
    return found is not None and (CACHE / _digest(found) / COMPLETE).exists()


@cache
def _numba_version() -> str | None:
    """The installed version of numba, or None; cached, because looking for it takes longer than a quick
    decision."""
    return version("numba") if importlib.util.find_spec("numba") else None


def _engine_of(functions: dict[str, Callable[..., Any]], kept: tuple[object, ...] = ()) -> Engine:
    return Engine(kept, *[functions[name] for name in Engine._fields[1:]])


def _own_functions(module: ModuleType) -> list[FunctionType]:
    """The functions that a module defines, in the order of the source."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    ]


PLAIN: Final = _engine_of({f.__name__: f for module in MODULES for f in _own_functions(module)})
"""The kernel as plain Python, on lists."""


@cache
def compiled() -> Engine:
    """The kernel compiled by numba, from the cache if it was compiled before.

    Raises:
        ImportError: numba is not installed.
    """
    numba: Any = import_module("numba")
    folder = CACHE / _digest(numba.__version__)
    prune(CACHE, folder)
    if not _can_write(folder):
        return _compiled_read_only(numba, folder)
    numba.config.CACHE_DIR = str(folder)
    with _compiling_alone(folder):
        found = _compile(numba, is_kept=True)
        (folder / COMPLETE).touch()
    return found


def _compiled_read_only(numba: Any, folder: Path) -> Engine:
    """The compiled kernel if the cache cannot be written: numba refuses such a cache, so it gets a copy."""
    if not (folder / COMPLETE).exists():
        return _compile(numba, is_kept=False)
    with TemporaryDirectory() as copy:
        copytree(folder, copy, dirs_exist_ok=True)
        numba.config.CACHE_DIR = copy
        return _compile(numba, is_kept=True)


@contextmanager
def _compiling_alone(folder: Path) -> Iterator[None]:
    """Hold a lock, so that of several processes one compiles and the others load what it has compiled."""
    if (folder / COMPLETE).exists():
        yield
        return
    with (folder / "lock").open("w") as mutex:
        fcntl.flock(mutex, fcntl.LOCK_EX)
        yield


def _compile(numba: Any, *, is_kept: bool) -> Engine:
    binding: Any = import_module("llvmlite.binding")
    forms = {
        "Row": numba.types.CPointer(numba.int32),
        "Tables": numba.types.CPointer(numba.int32),
        "Codes": numba.types.CPointer(numba.int32),
        "Luck": numba.types.CPointer(numba.int64),
        "Incomes": numba.types.CPointer(numba.float64),
        "Net": numba.types.CPointer(numba.float64),
        "Chances": numba.types.CPointer(numba.float64),
        "int": numba.int64,
        "float": numba.float64,
        "bool": numba.boolean,
        "None": numba.void,
    }
    settings = {"cache": is_kept, "error_model": "numpy"}
    inside = {**settings, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    parts: dict[FunctionType, Any] = {}
    units: dict[FunctionType, Any] = {}
    kept: list[Any] = []
    for module in MODULES:
        first, second = (units, parts) if module in BUSY else (parts, units)
        names = {
            name: {**first, **second}.get(value, value) if isinstance(value, FunctionType) else value
            for name, value in vars(module).items()
        }
        for function in _own_functions(module):
            *arguments, returned = [forms[name] for name in function.__annotations__.values()]
            form, size = returned(*arguments), len(function.__code__.co_code)
            is_unit = size >= TINY and "bool" not in function.__annotations__.values()
            if is_unit:
                symbol = f"{function.__module__}.{function.__name__}"
                kept.append(numba.cfunc(form, **settings)(_copy(function, names, "unit")))
                binding.add_symbol(symbol, kept[-1].address)
                units[function] = names[function.__name__] = numba.types.ExternalFunction(symbol, form)
            if not is_unit or (module in BUSY and size < SHORT):
                compiler = numba.njit(form, forceinline=size < SHORT, **inside)
                parts[function] = names[function.__name__] = compiler(_copy(function, names, "part"))
    by_name = {unit.__name__: unit.ctypes for unit in kept}
    return _engine_of(by_name, (*kept,))


def _copy(function: FunctionType, names: dict[str, Any], kind: str) -> FunctionType:
    """The function with other globals, by a name of its own in the cache."""
    found = FunctionType(function.__code__, names)
    found.__qualname__ = f"{kind}_{function.__name__}"
    return found


def prune(cache: Path, used: Path) -> None:
    """Remove the folders of older sources but the newest few."""
    if not cache.is_dir():
        return
    others = sorted([one for one in cache.iterdir() if one != used], key=lambda one: one.stat().st_mtime)
    for folder in others[: max(0, len(others) + 1 - KEPT_FOLDERS)]:
        rmtree(folder, ignore_errors=True)


def _can_write(folder: Path) -> bool:
    """Whether the folder is there or can be made, and can be written to: numba refuses a cache otherwise."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


@cache
def _digest(numba_version: str) -> str:
    """What names the folder of the cache: the source, and the versions of Python and numba."""
    found = hashlib.sha256(f"{sys.version} {numba_version}".encode())
    for path in (__file__, layout.__file__, workspaces.__file__, *[module.__file__ for module in MODULES]):
        assert path is not None
        found.update(Path(path).read_bytes())
    return found.hexdigest()[:16]


if __name__ == "__main__" and not is_in_cache():
    engine()
