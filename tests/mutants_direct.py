"""Direct calls in mutation runs: mutmut puts each function behind one that looks which mutant is to run.

That takes longer than most functions of the rules, and hardly ever leads to a mutant. So modules, their
classes and their tables get the functions themselves. What else may refer to one, as a default of another,
goes on calling it through mutmut's.
"""

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from types import FunctionType
from typing import Any, NamedTuple


class _Place(NamedTuple):
    """Where something refers to a function."""

    holder: Any
    key: Any
    looking: FunctionType
    """What looks for mutants of the function."""

    def put(self, function: Callable[..., Any]) -> None:
        if isinstance(self.holder, dict):
            self.holder[self.key] = function
        else:
            setattr(self.holder, self.key, function)

    def direct(self) -> None:
        self.put(self.looking.__wrapped__)  # type: ignore[attr-defined]


class DirectCalls:
    """Has all functions of the modules that are imported called directly."""

    def __init__(self) -> None:
        self._places: dict[str, list[_Place]] = {}
        """By name of the function, as `package.module.Class.method`."""
        for place in [*_places()]:
            name = f"{place.looking.__module__}.{place.looking.__qualname__}"
            self._places.setdefault(name, []).append(place)
            place.direct()

    def but(self, name: str) -> None:
        """Have this function look for mutants."""
        for place in self._places.get(name, ()):
            place.put(place.looking)


class FirstCalls(DirectCalls):
    """Lets mutmut note the first call of each function, and after each renewal the next one."""

    def __init__(self) -> None:
        super().__init__()
        self._called = {*self._places}
        self.renew()

    def renew(self) -> None:
        """Forget which functions were called."""
        for name in self._called:
            for place in self._places[name]:
                place.put(self._first(name, place.looking))
        self._called = set()

    def _first(self, name: str, looking: FunctionType) -> Callable[..., Any]:
        @wraps(looking)
        def first(*args: Any, **kwargs: Any) -> Any:
            self._called.add(name)
            for place in self._places[name]:
                place.direct()
            return looking(*args, **kwargs)

        return first


def _places() -> Iterator[_Place]:
    """Where modules, their classes and their tables refer to functions that look for mutants."""
    for module in [*sys.modules.values()]:
        for name, value in [*vars(module).items()]:
            if _looks_for_mutants(value):
                yield _Place(module, name, value)
            members: Any = value if type(value) is dict else vars(value) if isinstance(value, type) else {}
            for key, member in [*members.items()]:
                if _looks_for_mutants(member):
                    yield _Place(value, key, member)


def _looks_for_mutants(value: object) -> bool:
    return type(value) is FunctionType and value.__code__.co_name == "_trampoline_wrapper"
