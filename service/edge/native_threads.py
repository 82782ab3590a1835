"""Long computations in a thread of their own, so that other requests continue.

The greenlets of a process switch only when they wait. Anything that computes for longer than about ten
milliseconds therefore goes to a native thread.
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import gevent
from gevent import monkey

Given = ParamSpec("Given")
Found = TypeVar("Found")


def in_native_thread(compute: Callable[Given, Found], *args: Given.args, **kwargs: Given.kwargs) -> Found:
    """Return what `compute` returns, or raise what it raises.

    It must only compute: connections and locks belong to the greenlets.
    """
    if not monkey.is_module_patched("threading"):
        return compute(*args, **kwargs)
    found, error = gevent.get_hub().threadpool.apply(_outcome, (compute, args, kwargs))
    if error is not None:
        raise error
    result: Found = found
    return result


def _outcome(compute: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, Exception | None]:
    """What `compute` returns or raises; gevent would print the traceback of what a thread raises."""
    try:
        return compute(*args, **kwargs), None
    except Exception as error:
        return None, error
