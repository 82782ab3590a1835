"""What a job does when its time is up in the middle of its work, and what becomes of the matches."""

import random
from collections.abc import Sequence

import pytest

from domain.match.commands import PlayCommand
from domain.match.state import MatchState
from players import PLAYERS
from tests.workers.kit import Place
from workers.turns import decisions
from workers.turns.decisions import TurnLimits


def test_when_the_time_is_up_no_decision_begins_though_the_first_one_failed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 0.0

    def fail(view: MatchState, legal: Sequence[PlayCommand], rng: random.Random) -> PlayCommand:
        nonlocal now_s
        now_s += 1
        raise ValueError("no choice")

    monkeypatch.setitem(PLAYERS, "faulty", fail)
    faulty, sound = place.seats("faulty", "faulty"), place.bots("random", "random")
    turns = [(faulty.match_id, faulty.last), (sound.match_id, sound.last)]
    counts = decisions.play(place.matches, turns, TurnLimits(seconds=1), lambda: now_s)
    assert (counts.failed, counts.decisions) == (1, 0)
    assert [one.match_id for one in counts.left] == [sound.match_id]
