"""`python -m tests.simulation --seeds 1000`: exit code 0 if the service stood every simulation."""

import argparse
import gc
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from tests.simulation.run import Outcome, silence, simulate

PER_JOB: Final = 25
"""Seeds that a process simulates before it says so."""
FIXED_HASHES: Final = "0"
"""The order of sets depends on the hashes of texts, and what a seed does depends on the order of sets."""


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, help="simulate this seed alone and print what happens")
    parser.add_argument("--first", type=int, default=1, help="the first of several seeds")
    parser.add_argument("--seeds", type=int, default=1000, help="how many seeds")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many at a time")
    options = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != FIXED_HASHES:
        os.execve(
            sys.executable,
            [sys.executable, "-m", "tests.simulation", *sys.argv[1:]],
            {**os.environ, "PYTHONHASHSEED": FIXED_HASHES},
        )
    silence()
    if options.seed is not None:
        outcome = simulate(options.seed)
        print("\n".join(outcome.trace))
        return 1 if outcome.faults else 0
    return _many(options.first, options.seeds, options.processes)


def _many(first: int, seeds: int, processes: int) -> int:
    begun_s, done, commands, failed = time.monotonic(), 0, 0, 0
    blocks = [range(at, min(at + PER_JOB, first + seeds)) for at in range(first, first + seeds, PER_JOB)]
    with ProcessPoolExecutor(processes, initializer=silence) as pool:
        for outcomes in pool.map(_block, blocks):
            done += len(outcomes)
            for outcome in outcomes:
                commands += outcome.commands
                failed += bool(outcome.faults)
                for text in outcome.faults:
                    print(f"seed {outcome.seed}: {text}", flush=True)
            if sys.stderr.isatty():
                print(f"\r{done} of {seeds}, {failed} failed", end="", file=sys.stderr, flush=True)
    took_s = time.monotonic() - begun_s
    print(f"{done} simulations, {commands} commands of people, {failed} failed, {took_s:.0f} s")
    return 1 if failed else 0


def _block(seeds: range) -> list[Outcome]:
    gc.disable()  # it takes a tenth of the time
    found = [simulate(seed) for seed in seeds]
    gc.collect()
    for outcome in found:
        outcome.trace.clear()
    return found


if __name__ == "__main__":
    sys.exit(main())
