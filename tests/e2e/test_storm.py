"""A short storm over the whole service; `python -m tests.storms` has longer ones."""

import sys
from pathlib import Path
from random import Random

import pytest

from tests.e2e.stack import Stack
from tests.storms.checks import Checks, differences
from tests.storms.faults import Done, Faults, Scale
from tests.storms.journal import Acknowledged, Journal, Json, Reply
from tests.storms.people import Person
from tests.storms.storm import Outage, Storm, Wishes, have

pytestmark = pytest.mark.long

PATIENCE_S = 300.0
"""How late a reply may be, and how long the service may be away: a busy machine may take its time."""

SHORT = Wishes(
    minutes=0.3,
    faults=("kill", "pause", "mute", "slow-disk", "clock", "slow", "flood", "wipe"),
    scale=Scale(
        longest_pause_s=3.0,
        shortest_pause_s=1.0,
        cut_s=3.0,
        frozen_s=2.0,
        flood_s=0.5,
        slow_s=2.0,
        slow_clients=20,
    ),
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


ALONE: list[Json] = [{"kind": "me"}, {"kind": "me"}]


def person(name: str, stack: Stack, journal: Journal) -> Person:
    found = Person(name, stack.ports, journal, Random(name))
    found.sign_up()
    return found


def kinds(journal: Journal) -> list[str]:
    return sorted(fault.split(":")[0] for fault in journal.faults)


def test_the_checks_find_what_is_lost_doubled_and_stuck(own_stack: Stack, tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    ada, stranger = person("ada", own_stack, journal), person("stranger", own_stack, journal)
    sound, lost, doubled = [ada.create(f"match-{number}", ALONE)["match_id"] for number in range(3)]
    for match_id in (sound, lost):
        ada.decide(match_id, ada.legal(match_id))
    journal.acknowledge(lost, Acknowledged("stream", "never", journal.versions[lost] + 1, 1, "00"))
    command = ada.legal(doubled)["commands"][0]
    ada.wire.ask("POST", f"/v1/matches/{doubled}/commands", command, key="nobody-was-told")
    stranger.create("of-nobody", ALONE)
    assert journal.faults == []
    Checks(own_stack.ports, journal, {"ada": ada}).run()
    stranger.wire.close()
    assert kinds(journal) == ["doubled", "lost", "stuck"]


def caused(*commands: str) -> list[Json]:
    """The events of a match, one for each command."""
    return [{"sequence": at, "command_id": command} for at, command in enumerate(commands, 1)]


def test_an_answer_is_not_that_of_the_model_if_its_command_was_decided_on_another_version() -> None:
    events = caused("create", "a", "b", "c")
    told = [
        Acknowledged("command", "first", 2, 1, "", expected=1),
        Acknowledged("command", "second", 3, 1, "", expected=2),
        Acknowledged("repeated", "first", 2, 1, "", expected=1),
        Acknowledged("stream", "", 4, 4, ""),
    ]
    assert [*differences(events, told)] == []
    for wrong in (
        Acknowledged("command", "third", 4, 1, "", expected=2),
        Acknowledged("command", "third", 5, 1, "", expected=3),
        Acknowledged("repeated", "first", 0, 0, "", expected=1),
        Acknowledged("repeated", "first", 3, 1, "", expected=1),
        Acknowledged("repeated", "first", 2, 1, "other", expected=1),
    ):
        assert len([*differences(events, [*told, wrong])]) == 1


def test_a_reply_is_late_that_no_outage_explains(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    stack, wishes = Stack(tmp_path), Wishes(late_s=1.0)
    storm = Storm(stack, journal, wishes, Faults(stack, wishes.scale, Random(1), tmp_path), {})
    killed, flooded = Done("kill", "", 10.0, 10.0, True), Done("flood", "", 30.0, 42.0, False)
    storm.outages = [Outage(killed, 13.0, 15.0), Outage(flooded, 43.0, 44.0)]
    for kind, began_s, ended_s in (("command", 9.5, 13.4), ("built-in players", 9.5, 15.4)):
        journal.note(Reply(kind, began_s, ended_s))
    journal.note(Reply("long poll", 11.0, 23.0, wait_s=10.0))
    storm._check_replies()
    assert journal.faults == []
    for began_s, ended_s in ((9.5, 13.6), (12.0, 15.0), (30.0, 32.0)):
        journal.note(Reply("command", began_s, ended_s))
    storm._check_replies()
    assert kinds(journal) == ["late"] * 3
