"""What a ladder publishes: standings and the crosstable."""

import msgspec
import pytest
from msgspec.structs import replace

from domain.ladder.ratings import rate
from domain.ladder.results import Line, MatchLuck, ResultLine
from domain.ladder.scores import scores
from domain.ladder.standings import crosstable, standings
from tests.domain.ladder.simulated import collect, config, entry, ladder, match, season

ABC: list[Line] = [ladder(config(3)), entry("a"), entry("b"), entry("c"), entry("d")]
BASE = ["ent_a", "ent_b", "ent_c"]
"""In rotation 1 the seats are b, c, a, in rotation 2 c, a, b."""


def one_block() -> list[Line]:
    """Won by a from seat 0, by a from seat 2 and by b from seat 2."""
    return [match(1, 0, BASE, 0), match(1, 1, BASE, 2), match(1, 2, BASE, 2)]


def test_a_standing_counts_matches_wins_and_seats() -> None:
    lines = one_block()
    assert lines[0] == replace(lines[0], timeouts=(0, 0, 0))
    lines[1] = replace(lines[1], timeouts=(1, 0, 2), errors=(0, 3, 1))
    table = {line.entry: line for line in standings(collect([*ABC, *lines])).standings}

    a = table["ent_a"]
    assert (a.name, a.blocks, a.matches, a.wins, a.score, a.wins_by_seat) == ("a", 1, 3, 2, 0.6667, (1, 0, 1))
    assert (a.timeouts, a.errors) == (2, 1)
    assert (table["ent_b"].timeouts, table["ent_c"].errors) == (1, 3)
    assert "ent_d" not in table


def test_mean_luck_is_in_coins_and_wins_and_missing_where_it_was_not_measured() -> None:
    luck = [MatchLuck((-1500, 1000, 500), (-200_000, 100_000, 100_000)), MatchLuck((0, 0, 3000), None), None]
    lines = [replace(line, luck=each) for line, each in zip(one_block(), luck, strict=True)]
    table = {line.entry: line for line in standings(collect([*ABC, *lines])).standings}

    assert (table["ent_a"].mean_luck.coins, table["ent_a"].mean_luck.wins) == (0.75, -0.2)
    assert table["ent_a"].score_adjusted is None


def test_mean_luck_is_rounded_to_a_thousandth_of_a_coin_and_a_millionth_of_a_win() -> None:
    luck, none = MatchLuck((1000, 0, 0), (1_000_000, 0, 0)), MatchLuck((0, 0, 0), (0, 0, 0))
    last = MatchLuck((0, 1000, 0), (0, 1_000_000, 0))
    lines = [replace(line, luck=each) for line, each in zip(one_block(), [luck, none, last], strict=True)]
    table = {line.entry: line for line in standings(collect([*ABC, *lines])).standings}

    assert (table["ent_a"].mean_luck.coins, table["ent_a"].mean_luck.wins) == (0.667, 0.666667)


def test_a_standing_tells_the_scores_of_the_entry_with_and_without_luck() -> None:
    lines = season({"expected_value": 2.0, "b": 1.0}, (1.0, 0.8), 20, 1, config())
    lucky = MatchLuck((500, -500), (900_000, -900_000))
    results = collect(
        [
            replace(line, luck=lucky) if isinstance(line, ResultLine) and line.winner == 0 else line
            for line in lines
        ]
    )
    table = standings(results)

    assert table.anchor == "ent_expected_value"
    for line in table.standings:
        found = scores(results.blocks, line.entry)
        assert found.plain
        assert found.adjusted
        assert (line.score, line.score_interval) == (found.plain.score, found.plain.interval)
        assert (line.score_adjusted, line.score_adjusted_interval) == (
            found.adjusted.score,
            found.adjusted.interval,
        )
        assert line.variance_reduction == found.reduction


def test_without_measured_luck_there_is_no_mean_of_it() -> None:
    first = standings(collect([*ABC, *one_block()])).standings[0]

    assert (first.mean_luck.coins, first.mean_luck.wins, first.score_adjusted) == (None, None, None)


def test_the_table_says_what_it_rests_on_and_agrees_with_the_ratings() -> None:
    results = collect([*ABC, *one_block(), match(2, 0, BASE, 0)])
    table = standings(results)

    assert (table.blocks, table.matches, table.incomplete_blocks, table.anchor) == (1, 3, 1, None)
    assert table.groups == 1
    assert [line.rating for line in table.standings] == [line.rating for line in rate(results).entries]


def test_the_crosstable_counts_the_matches_that_two_had_at_one_table() -> None:
    cells = {(cell.entry[4:], cell.opponent[4:]): cell for cell in crosstable(collect([*ABC, *one_block()]))}

    assert len(cells) == 12
    ab, ca, ad = cells["a", "b"], cells["c", "a"], cells["a", "d"]
    assert (ab.blocks, ab.matches, ab.wins, ab.losses, ab.score) == (1, 3, 2, 1, 0.6667)
    assert (ca.blocks, ca.matches, ca.wins, ca.losses, ca.score) == (1, 3, 0, 2, 0.0)
    assert (ad.blocks, ad.matches, ad.wins, ad.losses, ad.score) == (0, 0, 0, 0, None)


def test_two_that_won_as_many_matches_share_the_score() -> None:
    cells = crosstable(collect([*ABC, match(1, 0, BASE, 0), match(1, 1, BASE, 0), match(1, 2, BASE, 0)]))

    assert {
        (cell.wins, cell.losses, cell.score) for cell in cells if "ent_d" not in cell.entry + cell.opponent
    } == {(1, 1, 0.5)}


def test_the_crosstable_of_two_seats_is_symmetrical() -> None:
    cells = crosstable(collect(season({"a": 1.0, "b": 2.0, "c": 3.0}, (1.0, 0.8), 60, 1, config())))
    by_pair = {(cell.entry, cell.opponent): cell for cell in cells}

    for (one, other), cell in by_pair.items():
        assert cell.wins == by_pair[other, one].losses
        assert cell.wins + cell.losses == cell.matches == 2 * cell.blocks
        assert (cell.score or 0) + (by_pair[other, one].score or 0) == pytest.approx(1, abs=1e-4)


def test_a_table_is_plain_json() -> None:
    table = standings(collect([*ABC, *one_block()]))

    assert msgspec.json.decode(msgspec.json.encode(table), type=type(table)) == table
