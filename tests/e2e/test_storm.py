"""A short storm over the whole service; `python -m tests.storm` has longer ones."""

import sys
from pathlib import Path

import pytest

from tests.storm.faults import Scale
from tests.storm.storm import Wishes, have

PATIENCE_S = 60.0
"""How late a reply may be, and how long the service may be away: a busy machine may take its time."""

SHORT = Wishes(
    minutes=0.3,
    faults=("kill", "pause", "slow", "flood", "wipe"),
    scale=Scale(longest_pause_s=3.0, shortest_pause_s=1.0, flood_s=0.5, slow_s=2.0, slow_clients=20),
    late_s=PATIENCE_S,
    back_s=PATIENCE_S,
    people=2,
    pairs_of_bots=1,
    followers=2,
    auditors=1,
)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_storm_loses_nothing_and_leaves_the_service_up(tmp_path: Path) -> None:
    journal = have(SHORT, tmp_path)
    assert journal.faults == []
    for what in ("acknowledged commands in their places", "matches resumed", "streams followed"):
        assert journal.counts[what] > 0
