"""Long computations beside everything else that a process does.

The greenlets of a process take turns only where they wait. What computes for longer than some ten
milliseconds goes to a thread of its own, and the others go on.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import gevent
from gevent import monkey

Given = ParamSpec("Given")
Found = TypeVar("Found")


def aside(compute: Callable[Given, Found], *args: Given.args, **kwargs: Given.kwargs) -> Found:
    """What `compute` gives, or raises. It must be nothing but computation: connections and locks belong to
    the greenlets."""
    if not monkey.is_module_patched("threading"):
        return compute(*args, **kwargs)
    found: Found = gevent.get_hub().threadpool.apply(compute, args, kwargs)
    return found
