"""The examples of docs/environments.md that need no service, and what it says about numbers."""

import re
from collections.abc import Iterator
from pathlib import Path

from domain.match.rulesets import CURRENT
from machi_koro_rules.environments.encoding import encoding_of
from machi_koro_rules.environments.games import Setup
from ops.run import ROOT
from tests.e2e.test_bot import blocks, printed

GUIDE = "environments.md"


def lines_of(number: int, path: Path) -> list[str]:
    """What the example of that number prints."""
    return printed(path / "example.py", blocks(GUIDE)[number], [])


def test_every_example_has_at_most_15_lines_of_code() -> None:
    code = [[line for line in block.splitlines() if line] for block in blocks(GUIDE)]
    assert len(code) == 6
    assert max(map(len, code)) <= 15


def test_the_example_of_pettingzoo_plays_a_match(tmp_path: Path) -> None:
    rewards = dict(line.split() for line in lines_of(0, tmp_path))
    assert rewards.keys() == {"player_0", "player_1", "player_2"}
    assert sorted(rewards.values()) == ["-0.5", "-0.5", "1.0"]


def test_the_example_of_gymnasium_plays_a_match(tmp_path: Path) -> None:
    (line,) = lines_of(1, tmp_path)
    assert re.fullmatch(r"[012] (1.0|-0.5)", line)


def test_the_example_of_openspiel_plays_a_match(tmp_path: Path) -> None:
    (line,) = lines_of(2, tmp_path)
    assert sorted(line.strip("[]").split(", ")) == ["-0.5", "-0.5", "1.0"]


def test_the_example_of_the_encoding_translates_there_and_back(tmp_path: Path) -> None:
    *actions, coins = lines_of(5, tmp_path)
    assert actions[0] == "0 RollDice(seat=1, dice=1) True"
    assert [line.split()[-1] for line in actions] == ["True"] * 3
    assert coins == "slice(15, 19, None) [2147483647 2147483647 2147483647 2147483647]"


def tables() -> Iterator[tuple[str, str, list[int]]]:
    """The heading, the ruleset and the numbers by seats of each row of the guide's tables of numbers."""
    heading = ""
    for line in (ROOT / "docs" / GUIDE).read_text().splitlines():
        if named := re.fullmatch(r"\| (\w+) \| 2 \| 3 \| 4 \| 5 \|", line):
            heading = named[1]
        elif row := re.fullmatch(r"\| `(\w+)` \|((?: \d+ \|){4})", line):
            yield heading, row[1], [int(number) for number in re.findall(r"\d+", row[2])]


def test_actions_and_observations_are_as_large_as_it_says() -> None:
    said = list(tables())
    assert len(said) == 2 * len(CURRENT)
    for heading, ruleset, numbers in said:
        encodings = [encoding_of(Setup(ruleset, seats).rules) for seats in range(2, 6)]
        sizes = {
            "actions": [one.actions for one in encodings],
            "numbers": [len(one.low) for one in encodings],
        }
        assert sizes[heading] == numbers, (heading, ruleset)


def test_it_names_every_member_of_an_observation_in_order() -> None:
    text = (ROOT / "docs" / GUIDE).read_text().partition("## Observations")[2]
    rows = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    fields = list(encoding_of(Setup().rules).fields)
    assert named[: len(fields)] == fields
