"""The append protocol, explored exhaustively: it holds, and each of its parts is needed."""

import pytest

from tests.simulation.model import Model, Protocol, explore


def test_a_failover_loses_doubles_and_blocks_nothing_that_was_acknowledged_or_shown() -> None:
    found = explore(Model(failovers=1))
    assert (found.fault, found.is_stuck) == ("", False)
    assert found.states > 5_000


@pytest.mark.long
def test_nor_with_two_requests_of_each_client_at_a_time() -> None:
    found = explore(Model(failovers=1, in_flight=2))
    assert (found.fault, found.is_stuck) == ("", False)
    assert found.states > 200_000


@pytest.mark.long
def test_without_a_failover_one_server_is_enough() -> None:
    found = explore(Model(Protocol(waits=False, waits_for_known=False, shows_confirmed=False), in_flight=2))
    assert (found.fault, found.is_stuck) == ("", False)


@pytest.mark.parametrize(
    ("protocol", "fault"),
    [
        (Protocol(knows_commands=False), "a command was carried out twice"),
        (Protocol(compares_versions=False), "an entry does not follow from those before it"),
        (Protocol(compares_hashes=False), "an entry does not follow from those before it"),
        (Protocol(waits=False), "an acknowledged command is lost"),
        (Protocol(waits_for_known=False), "an acknowledged command is lost"),
        (Protocol(shows_confirmed=False), "what was shown is lost"),
    ],
)
def test_no_part_of_the_protocol_can_be_left_out(protocol: Protocol, fault: str) -> None:
    assert explore(Model(protocol, failovers=1, in_flight=2)).fault == fault


def test_a_second_failover_before_the_new_replica_has_everything_loses_commands() -> None:
    """As docs/operations.md says: no number of replicas helps while none of them has the write."""
    found = explore(Model(failovers=2))
    assert found.fault == "an acknowledged command is lost"
    assert found.way[-2:] == ("the primary is lost", "the primary is lost")
