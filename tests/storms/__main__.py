"""`python -m tests.storms --seed 1 --minutes 10`: exit code 0 if the service stood the storm."""

import argparse
import signal
import sys
from pathlib import Path

from tests.storms.cluster import ClusterFaults
from tests.storms.faults import Faults
from tests.storms.storm import Wishes, have


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.storms", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="seed of all random choices")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--cluster", action="store_true", help="two nodes on a cluster, as make cluster")
    parser.add_argument(
        "--faults",
        help=f"comma-separated list of {', '.join(Faults.kinds())}, and with "
        f"--cluster also {', '.join({*ClusterFaults.kinds()} - {*Faults.kinds()})}",
    )
    parser.add_argument(
        "--beside", default="", metavar="REVISION", help="a node of another version shares the work"
    )
    parser.add_argument("--matches", type=int, default=0, help="matches of built-in players to begin with")
    parser.add_argument(
        "--late",
        type=float,
        help="seconds that a reply may take beyond an outage: 1, or 30 with --cluster, where the probes that "
        "measure outages see one of the partitions alone",
    )
    parser.add_argument(
        "--back", type=float, default=30.0, help="seconds after a fault within which the service must be back"
    )
    parser.add_argument("--log", type=Path, help="file for what the service says, without its requests")
    options = parser.parse_args()
    # So that disks and packet filters are taken away.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    if options.cluster and options.beside:
        parser.error("--beside is for one event server, not for a cluster")
    late_s = options.late if options.late is not None else 30.0 if options.cluster else 1.0
    wishes = Wishes(
        options.seed,
        options.minutes,
        options.cluster,
        options.beside,
        matches=options.matches,
        late_s=late_s,
        back_s=options.back,
    )
    if options.faults is not None:
        wishes = wishes._replace(faults=[name for name in options.faults.split(",") if name])
    if unknown := {*wishes.chosen} - {*wishes.kind.kinds()}:
        parser.error(f"there are {', '.join(wishes.kind.kinds())}, and not {', '.join(sorted(unknown))}")
    return 1 if have(wishes, log=options.log).faults else 0


if __name__ == "__main__":
    sys.exit(main())
