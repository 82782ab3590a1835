"""`machi strategies` and `machi puzzles`, against the real service."""

import json

import pytest
import redis

from events.matches.puzzles import Puzzles, shipped
from tests.client.commands import Run

BASE = next(one for one in shipped() if one.ruleset == "base")


@pytest.fixture
def puzzles(url: str, events_redis: redis.Redis) -> None:
    Puzzles(events_redis).add_shipped()


def test_the_players_are_shown_with_their_level_and_ratings(machi_run: Run) -> None:
    code, out, _ = machi_run("strategies", "--ruleset", "harbor")
    (line,) = [line for line in out.splitlines() if line.startswith("expected_value")]
    assert (code, line.split()) == (0, ["expected_value", "strong", *["1500", "±", "0"] * 4])
    names = [json.loads(line)["name"] for line in machi_run("strategies", "--json")[1].splitlines()]
    assert names[0] == "random"
    assert "uct" not in names


@pytest.mark.usefixtures("puzzles")
def test_puzzles_are_listed_by_ruleset(machi_run: Run) -> None:
    code, out, _ = machi_run("puzzles", "--ruleset", "base", "--limit", "3", "--json")
    found = [json.loads(line) for line in out.splitlines()]
    assert (code, {one["ruleset"] for one in found}, len(found)) == (0, {"base"}, 3)
    assert machi_run("puzzles", "--ruleset", "base")[1].splitlines()[0].startswith(found[0]["puzzle_id"])


@pytest.mark.usefixtures("puzzles")
def test_a_puzzle_shows_its_choices_and_the_solution_only_if_wanted(machi_run: Run) -> None:
    code, out, _ = machi_run("puzzles", BASE.puzzle_id)
    assert (code, ": best" in out) == (0, False)
    assert f"What is best for seat {BASE.position.seat}?" in out
    solved = machi_run("puzzles", BASE.puzzle_id, "--solution")[1]
    obvious = BASE.candidates[BASE.obvious]
    assert ": best\n" in solved
    assert (
        f", the obvious one: -{obvious.loss / 10_000:.1f} (95 % interval {obvious.low / 10_000:.1f} to"
        in solved
    )


def test_a_solution_needs_a_puzzle(machi_run: Run) -> None:
    code, _, err = machi_run("puzzles", "--solution")
    assert code == 2
    assert "--solution needs the id of a puzzle" in err
