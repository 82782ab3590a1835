"""The published ratings follow from the results files of ladders."""

import msgspec
import pytest
from msgspec.structs import replace

from domain.ladder.results import StrategyPlayer
from players.weight_files import weight_set
from runtime.strategies import OFFERED, RATINGS, STRATEGIES, PlayerRatings
from training.ratings import LEAST_MATCHES, decides_as_now, level, rated, results_files, rows_of, table


@pytest.mark.long
def test_the_published_ratings_are_those_of_the_results_files() -> None:
    cells = [cell for results in results_files() for cell in rows_of(results)]
    published = msgspec.json.decode(RATINGS.read_bytes(), type=tuple[PlayerRatings, ...])
    assert rated(cells) == published


def test_every_player_on_offer_is_rated_in_its_current_version() -> None:
    published = msgspec.json.decode(RATINGS.read_bytes(), type=tuple[PlayerRatings, ...])
    assert [(one.name, one.version) for one in published] == [
        (name, one.version) for name, one in OFFERED.items()
    ]


def test_there_is_a_results_file_for_each_ruleset_and_number_of_seats() -> None:
    configs = [results.ladder.config for results in results_files()]
    assert [(one.ruleset, one.seats) for one in configs] == [
        (ruleset, seats) for ruleset in ("base", "harbor", "machi_koro_2") for seats in (2, 3, 4, 5)
    ]
    assert {(one.rating.anchor, one.rating.anchor_rating) for one in configs} == {("expected_value", 1500)}


def test_the_level_follows_from_the_mean_rating() -> None:
    assert [level([rating]) for rating in (1149.9, 1150, 1400, 1550)] == [
        "beginner",
        "casual",
        "strong",
        "expert",
    ]
    assert level([1000, 1300]) == "casual"


def test_a_former_version_counts_where_the_current_one_decides_as_it_did() -> None:
    first = weight_set("base", 2).since["learned"]
    assert decides_as_now(StrategyPlayer("learned", STRATEGIES["learned"].version), "base", 2)
    assert decides_as_now(StrategyPlayer("learned", first), "base", 2)
    assert not decides_as_now(StrategyPlayer("learned", str(int(first) - 1)), "base", 2)
    assert not decides_as_now(StrategyPlayer("greedy", "0"), "base", 2)


@pytest.mark.long
def test_a_former_version_that_decided_otherwise_is_not_rated() -> None:
    (cell, *_) = rows_of(results_files()[0])
    older = cell._replace(player=StrategyPlayer(cell.player.name, "0"))
    assert rated([older]) == ()
    few = replace(cell.standing, matches=LEAST_MATCHES - 1)
    assert rated([cell._replace(standing=few)]) == ()
    (found,) = rated([older, cell])
    assert (found.version, len(found.ratings)) == (STRATEGIES[cell.player.name].version, 1)
    assert f"| `{found.name}` | {found.ratings[0].rating:.0f} (" in table(cell.ruleset, [found])
