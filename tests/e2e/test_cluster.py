"""`make cluster` while it loses a primary, moves partitions and drains a node."""

from pathlib import Path

import pytest

from tests.storm.cluster import play


@pytest.mark.long
def test_matches_go_on_and_verify_while_the_cluster_loses_and_moves_what_it_has(tmp_path: Path) -> None:
    report = play(tmp_path, matches=40)
    assert report.faults == []
    assert report.matches == 40
    assert report.commands > 20
