"""A short storm over a cluster; `python -m tests.storms --cluster` has longer ones."""

import sys
from pathlib import Path

import pytest

from tests.e2e.test_storm import SHORT
from tests.storms.storm import have


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_matches_go_on_and_verify_while_a_cluster_loses_and_moves_what_it_has(tmp_path: Path) -> None:
    faults = ("failover", "slots", "drain", "island")
    journal = have(SHORT._replace(on_cluster=True, faults=faults, matches=40), tmp_path)
    assert journal.faults == []
    assert journal.counts["acknowledged commands in their places"] > 0
    assert journal.counts["matches verified"] >= 40
    assert journal.counts["matches of ladders"] > 0
