"""Direct calls in mutation runs: mutmut puts each function behind one that looks which mutant is to run.

That takes longer than most functions of the rules. Only the function that is mutated needs it, so all others
are called directly: wherever a module, a class, a table or a list refers to one of them, it refers to the
function itself. What else may refer to one, as a default, goes on calling it through the other.
"""

import gc
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple


class _Place(NamedTuple):
    """Where something refers to a function."""

    holder: Any
    key: Any

    def put(self, function: Callable[..., Any]) -> None:
        if isinstance(self.holder, type):
            setattr(self.holder, self.key, function)
        else:
            self.holder[self.key] = function


class DirectCalls:
    """Has all functions called directly, from now on."""

    def __init__(self) -> None:
        self._places: dict[str, list[tuple[_Place, FunctionType]]] = {}
        objects = gc.get_objects()
        # Classes come first: they must know when what is in their dictionaries changes.
        for holder in [*[each for each in objects if isinstance(each, type)], *objects]:
            for place, function in [*_references(holder)]:
                name = f"{function.__module__}.{function.__qualname__}"
                self._places.setdefault(name, []).append((place, function))
                place.put(function.__wrapped__)  # type: ignore[attr-defined]

    def but(self, name: str) -> None:
        """Have the function of this name, as `package.module.Class.method`, call its mutant."""
        for place, function in self._places.get(name, ()):
            place.put(function)


def _references(holder: object) -> list[tuple[_Place, FunctionType]]:
    """Where this refers to a function that looks for mutants."""
    items: Any = ()
    if isinstance(holder, type):
        items = vars(holder).items()
    elif type(holder) is dict:
        items = holder.items()
    elif type(holder) is list:
        items = enumerate(holder)
    return [(_Place(holder, key), value) for key, value in items if _looks_for_mutants(value)]


def _looks_for_mutants(value: object) -> bool:
    return type(value) is FunctionType and value.__code__.co_name == "_trampoline_wrapper"
