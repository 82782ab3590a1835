"""The figures of `bench.rules` with the rules compiled by mypyc, in a copy of the tree.

Without a C compiler, nothing is measured.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench import rules
from bench.figures import Figure
from ops import compiled

PACKAGES = ("bench", "domain", "events", "ops", "workers")


def measure() -> Iterator[Figure]:
    """The figures of `bench.rules`, from compiled rules."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for package in PACKAGES:
            shutil.copytree(compiled.ROOT / package, scratch / package)
        try:
            compiled.build(scratch)
        except subprocess.CalledProcessError:
            print("the rules could not be compiled here: no compiled figures", file=sys.stderr)
            return
        command = [sys.executable, "-m", "bench.compiled"]
        done = subprocess.run(command, cwd=scratch, check=True, capture_output=True)
        yield from msgspec.json.decode(done.stdout, type=list[Figure])


def main() -> None:
    """Measure in this tree, whose rules are compiled, and print the figures as JSON."""
    figures = list(rules.measure(label=", compiled"))
    sys.stdout.buffer.write(msgspec.json.encode(figures))


if __name__ == "__main__":
    main()
