"""The table of how well the chances of winning hold."""

import pytest

from kernel.engine import PLAIN, engine
from training.calibration import Rated, line, main, rated


def test_every_rated_position_has_chances_that_sum_to_one_and_one_winner() -> None:
    found = [*rated(engine(), "base", 3, 20, 1)]
    positions = [found[first : first + 3] for first in range(0, len(found), 3)]
    assert len(positions) > 5
    for seats in positions:
        assert sum(one.chance for one in seats) == pytest.approx(1)
        assert sum(one.has_won for one in seats) == 1


def test_the_plain_kernel_rates_as_the_compiled_one() -> None:
    assert [*rated(PLAIN, "base", 2, 1, 1)] == [*rated(engine(), "base", 2, 1, 1)]


def test_a_column_has_the_chances_nearest_to_it_and_the_share_that_won() -> None:
    found = [Rated(0.66, True), Rated(0.74, False), Rated(0.68, True), Rated(0.72, True), Rated(0.04, False)]
    cells = line("base", "2", found).split(" | ")
    assert cells[:2] == ["| `base`", "2"]
    assert cells[2] == "4.0: 0.0 ± 0.0"
    assert cells[9] == "70.0: 75.0 ± 42.4"
    assert cells[3:9] == [""] * 6


def test_the_command_prints_a_line_for_each_number_of_seats_and_one_for_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--ruleset", "base", "--seats", "2", "3", "--matches", "6"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "`python -m training.calibration --ruleset base --seats 2 3 --matches 6`"
    assert [text.split(" | ")[1] for text in lines[4:]] == ["2", "3", "all"]
