"""`python -m bench [SUITE ...]`: run the named suites, or all but the long ones."""

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Final

from bench import (
    anchors,
    capacity,
    compiled,
    durable,
    flood,
    fold,
    followers,
    kernel,
    ladder,
    luck,
    over_http,
    partitions,
    reviews,
    rules,
    storage,
    verify,
)
from bench.figures import Figure, table

SUITES: Final[dict[str, Callable[[], Iterator[Figure]]]] = {
    "rules": rules.measure,
    "compiled": compiled.measure,
    "kernel": kernel.measure,
    "reviews": reviews.measure,
    "durable": durable.measure,
    "fold": fold.measure,
    "verify": verify.measure,
    "http": over_http.measure,
    "followers": followers.measure,
    "storage": storage.measure,
    "partitions": partitions.measure,
    "capacity": capacity.measure,
    "flood": flood.measure,
    "anchors": anchors.measure,
    "luck": luck.measure,
    "ladder": ladder.measure,
}

LONG: Final = ("capacity", "flood", "anchors", "luck", "ladder")
"""Suites that take minutes and only run if they are named."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure the service.")
    parser.add_argument(
        "suites",
        nargs="*",
        metavar="SUITE",
        help=f"one of {', '.join(SUITES)}; by default, all except {', '.join(LONG)}, which take minutes",
    )
    names = parser.parse_args().suites
    for name in names:
        if name not in SUITES:
            parser.error(f"there is no suite {name!r}; choose from {', '.join(SUITES)}")
    figures: list[Figure] = []
    for name in names or [name for name in SUITES if name not in LONG]:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        figures += SUITES[name]()
    print(table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
