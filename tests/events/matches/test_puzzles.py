"""Puzzles are kept once, page by page, with the state that they are about."""

from itertools import product
from pathlib import Path

import pytest
import redis

from domain import legal_commands
from domain.match.branches import branch_started
from events.matches import puzzles
from events.matches.puzzles import Puzzles, shipped, write_shipped
from events.reindex import reindex
from runtime.strategies import VALUE_FUNCTIONS
from tests.events.redis_streams import wipe


def test_every_ruleset_with_a_network_has_shipped_puzzles_whose_candidates_are_legal() -> None:
    found = shipped()
    assert len({one.puzzle_id for one in found}) == len(found)
    assert {(one.ruleset, one.seats) for one in found} == {*product(VALUE_FUNCTIONS, range(2, 6))}
    for one in found:
        state = one.state()
        assert branch_started(state, keeps_orders=False) == one.position
        assert {candidate.command for candidate in one.candidates} <= {*legal_commands(state)}
        assert one.candidates[one.obvious].loss >= 50_000


def test_pages_lead_through_all_puzzles_of_a_ruleset(client: redis.Redis) -> None:
    kept = Puzzles(client)
    kept.add_shipped()
    kept.add_shipped()
    wanted = {one.puzzle_id for one in shipped() if one.rules_version.startswith("harbor")}
    seen: list[str] = []
    while page := kept.page(7, seen[-1] if seen else None, "harbor"):
        assert len(page) <= 7
        seen += [one.puzzle_id for one in page]
    assert seen == sorted(wanted)
    assert len(kept.page(1000)) == len(shipped())


@pytest.mark.parametrize("ruleset", [None, "machi_koro_2"])
@pytest.mark.parametrize("seats", [None, 2, 4])
def test_puzzles_are_listed_by_ruleset_and_seats(
    client: redis.Redis, ruleset: str | None, seats: int | None
) -> None:
    kept = Puzzles(client)
    kept.add_shipped()
    wanted = [one for one in shipped() if ruleset in (None, one.ruleset) and seats in (None, one.seats)]
    assert {one.puzzle_id for one in kept.page(1000, None, ruleset, seats)} == {
        one.puzzle_id for one in wanted
    }
    assert wanted


def test_the_indexes_are_rebuilt_from_the_puzzles(client: redis.Redis) -> None:
    kept = Puzzles(client)
    kept.add_shipped()
    before = [kept.page(1000, None, ruleset, seats) for ruleset in (None, "base") for seats in (None, 3)]
    wipe(client)
    assert kept.page(1000) == []
    reindex(client)
    assert [
        kept.page(1000, None, ruleset, seats) for ruleset in (None, "base") for seats in (None, 3)
    ] == before


def test_a_puzzle_is_found_by_its_id(client: redis.Redis) -> None:
    kept, (one, *_) = Puzzles(client), shipped()
    assert kept.find(one.puzzle_id) is None
    kept.add("base", [one])
    assert kept.find(one.puzzle_id) == one


def test_no_more_puzzles_are_kept_than_there_is_room_for(
    client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(puzzles, "MOST", 3)
    kept, some = Puzzles(client), shipped()[:5]
    kept.add("base", some[:2])
    kept.add("base", some[2:])
    assert len(kept.page(10, ruleset="base")) == 3


def test_the_shipped_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    some = shipped()[:3]
    write_shipped(some, tmp_path / "puzzles.ndjson.gz")
    assert shipped(tmp_path / "puzzles.ndjson.gz") == some
