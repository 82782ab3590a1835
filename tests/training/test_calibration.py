"""The table of how well the chances of winning hold."""

import pytest

from kernel.engine import PLAIN, engine
from players.weight_files import calibrated_weights, weights_for
from training.calibration import RatedPosition, line, main, rated, temperature


def test_every_rated_position_has_chances_that_sum_to_one_and_a_winner() -> None:
    found = [*rated(engine(), "base", 3, 20, 1)]
    assert len(found) > 5
    for one in found:
        assert sum(one.chances) == pytest.approx(1)
        assert one.winner in range(3)


@pytest.mark.long
def test_the_plain_kernel_rates_as_the_compiled_one() -> None:
    assert [*rated(PLAIN, "base", 2, 1, 1)] == [*rated(engine(), "base", 2, 1, 1)]


def test_a_column_has_the_chances_nearest_to_it_and_the_share_that_won() -> None:
    found = [
        RatedPosition((chance, 1 - chance), winner)
        for chance, winner in ((0.66, 0), (0.74, 1), (0.68, 0), (0.72, 0))
    ]
    cells = line("base", "2", found).split(" | ")
    assert cells[:2] == ["| `base`", "2"]
    assert cells[5] == "30: 25 ± 42.4"
    assert cells[9] == "70: 75 ± 42.4"
    assert cells[6:9] == [""] * 3


def test_chances_that_are_too_far_apart_have_a_temperature_above_one() -> None:
    bold = [RatedPosition((0.9, 0.1), 0)] * 70 + [RatedPosition((0.9, 0.1), 1)] * 30
    just = [RatedPosition((0.7, 0.3), 0)] * 70 + [RatedPosition((0.7, 0.3), 1)] * 30
    assert temperature(just)[0] == 1.0
    assert temperature(bold)[1] > 1.5


def test_calibrated_chances_are_nearer_to_each_other_where_the_network_is_too_sure() -> None:
    alone, judged = [
        next(iter(rated(engine(), "machi_koro_2", 4, 9, 1, source)))
        for source in (weights_for, calibrated_weights)
    ]
    assert max(judged.chances) < max(alone.chances)
    assert (judged.winner, judged.chances.index(max(judged.chances))) == (
        alone.winner,
        alone.chances.index(max(alone.chances)),
    )


def test_the_command_prints_a_line_for_each_number_of_seats_and_one_for_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--ruleset", "base", "--seats", "2", "3", "--matches", "6"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "`python -m training.calibration --ruleset base --seats 2 3 --matches 6`"
    assert [text.split(" | ")[1] for text in lines[4:]] == ["2", "3", "all"]
