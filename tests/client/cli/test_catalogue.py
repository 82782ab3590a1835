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
    lines = out.splitlines()
    (at,) = [at for at, line in enumerate(lines) if line.startswith("expected_value")]
    assert (code, lines[at].split()) == (0, ["expected_value", "strong", *["1500"] * 4])
    assert lines[at + 1].split() == ["1500..1500"] * 4
    names = [json.loads(line)["name"] for line in machi_run("strategies", "--json")[1].splitlines()]
    assert names[0] == "random"
    assert "uct" not in names


def test_an_interval_that_reaches_further_down_than_up_is_shown_so(machi_run: Run) -> None:
    players = [json.loads(line) for line in machi_run("strategies", "--json")[1].splitlines()]
    weakest = next(one for one in players if one["name"] == "random")
    of_four = next(one for one in weakest["ratings"] if (one["ruleset"], one["seats"]) == ("base", 4))
    low, high = of_four["rating_interval"]
    assert of_four["rating"] - low > 2 * (high - of_four["rating"])

    lines = machi_run("strategies")[1].splitlines()
    (at,) = [at for at, line in enumerate(lines) if line.startswith("random")]
    assert lines[at + 1].split()[2] == f"{low:.0f}..{high:.0f}"


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
