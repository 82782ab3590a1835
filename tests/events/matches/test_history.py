"""The events, states and commands of a match's past, on both stores, with the real rules."""

import pytest

from domain.match.evolve import fold
from domain.match.state import MatchState
from events import Matches, VersionNotFound
from events.matches.entries import CODEC
from tests.events.example_matches import SEEDS, Kit, creation, finished_match, roll


def test_the_log_folds_to_the_live_state(kit: Kit, matches: Matches) -> None:
    loaded = finished_match(matches, kinds="ssss")
    events = [event for entry in kit.store.read(loaded.match_id) for event in CODEC.decode(entry.events)]
    assert fold(None, events) == loaded.state == Matches(kit.store, SEEDS).load(loaded.match_id).state


def test_every_version_has_its_state(kit: Kit, matches: Matches) -> None:
    loaded = finished_match(matches)
    state: MatchState | None = None
    version = 0
    for entry in kit.store.read(loaded.match_id):
        for event in CODEC.decode(entry.events):
            version += 1
            state = fold(state, [event])
            if version % 7 == 0:
                assert matches.history.state_at(loaded.match_id, version) == state
    for version in (0, -1, loaded.version + 1):
        with pytest.raises(VersionNotFound) as caught:
            matches.history.state_at(loaded.match_id, version)
        assert caught.value.max_version == loaded.version


def test_every_event_leads_to_the_command_that_it_is_of(kit: Kit, matches: Matches) -> None:
    loaded = finished_match(matches)
    before = 0
    for entry in kit.store.read(loaded.match_id)[:20]:
        for sequence in range(before + 1, entry.last + 1):
            outcome = matches.history.command_at(loaded.match_id, sequence)
            assert (outcome.first, outcome.last) == (before + 1, entry.last)
        assert outcome.state == matches.history.state_at(loaded.match_id, entry.last)
        assert outcome.head_hash == entry.hash
        before = entry.last
    for sequence in (0, loaded.version + 1):
        with pytest.raises(VersionNotFound):
            matches.history.command_at(loaded.match_id, sequence)


def test_events_come_in_pages_without_seams(matches: Matches) -> None:
    loaded = finished_match(matches)
    whole = matches.history.events(loaded.match_id, 0, 10_000)
    paged = []
    while page := matches.history.events(loaded.match_id, len(paged), 7):
        assert len(page) <= 7
        paged += page
    assert paged == whole
    assert len(whole) == loaded.version
    assert matches.history.events(loaded.match_id, loaded.version + 5) == []


def test_events_up_to_a_head_are_none_that_came_after_it(matches: Matches) -> None:
    match_id = matches.create(creation()).match_id
    loaded = matches.load(match_id)
    head = f"sha-256:{loaded.head_hash.hex()}"
    roll(matches, match_id)
    found = matches.history.events_of(loaded, 1, 500)
    assert [event.sequence for event in found] == list(range(2, loaded.version + 1))
    assert found[-1].hash == head
    assert [event.sequence for event in matches.history.events_of(loaded, 1, 1)] == [2]
    assert matches.history.events_of(loaded, loaded.version, 500) == []
    assert matches.history.events_of(loaded, loaded.version + 1, 500) == []


def test_decisions_of_built_in_players_are_named_by_the_version_they_met(kit: Kit, matches: Matches) -> None:
    loaded = finished_match(matches)
    version = 0
    for entry in kit.store.read(loaded.match_id)[:60]:
        command_id = matches.history.events(loaded.match_id, version, 1)[0].command_id
        if version:
            assert command_id == f"ai-{loaded.match_id}-{version}"
            found = matches.history.find_command(loaded.match_id, command_id)
            assert found
            assert (found.first, found.last) == (version + 1, entry.last)
        version = entry.last
    for unknown in (
        "ai-x-5",
        f"ai-{loaded.match_id}-{loaded.version}",
        f"ai-{loaded.match_id}-1",
        "ai",
        "key",
    ):
        assert matches.history.find_command(loaded.match_id, unknown) is None
