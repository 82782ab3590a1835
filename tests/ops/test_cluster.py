"""Servers become a cluster, whatever becomes of the messages between them."""

from typing import Any

import pytest

from ops import cluster
from tests.events.cluster import running_cluster


@pytest.mark.long
def test_servers_that_miss_an_introduction_are_introduced_again(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = cluster._send
    missed: list[tuple[Any, ...]] = []

    def send_all_but_the_first_introductions(admin: Any, *command: Any) -> Any:
        if command[0] == "CLUSTER MEET" and len(missed) < cluster.SERVERS - 1:
            missed.append(command)
            return b"OK"
        return send(admin, *command)

    monkeypatch.setattr(cluster, "_send", send_all_but_the_first_introductions)
    with running_cluster(tmp_path_factory) as joined:
        assert len(missed) == cluster.SERVERS - 1
        assert len(joined.primaries()) == cluster.PRIMARIES
