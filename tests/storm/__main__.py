"""`python -m tests.storm --seed 1 --minutes 10`: exit code 0 if the service stood the storm."""

import argparse
import sys
from pathlib import Path

from tests.storm import faults
from tests.storm.storm import Wishes, have


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.storm", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="seed of all random choices")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--faults", default=",".join(faults.NAMES), help="comma-separated list")
    parser.add_argument(
        "--late", type=float, default=1.0, help="seconds that a reply may take after an outage"
    )
    parser.add_argument("--log", type=Path, help="file for what the service says, without its requests")
    options = parser.parse_args()
    chosen = [name for name in options.faults.split(",") if name]
    if unknown := {*chosen} - {*faults.NAMES}:
        parser.error(f"there are {', '.join(faults.NAMES)}, and not {', '.join(sorted(unknown))}")
    wishes = Wishes(options.seed, options.minutes, chosen, late_s=options.late)
    return 1 if have(wishes, log=options.log).faults else 0


if __name__ == "__main__":
    sys.exit(main())
