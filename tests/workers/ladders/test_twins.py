"""Identical players under two names end with overlapping intervals: in matches that are really played."""

import random
from collections.abc import Iterator

import pytest

from bench.matches import committed, new_match, play_out
from domain.ladder.pairing import tables
from domain.ladder.ratings import rate
from domain.ladder.results import EntryLine, Line, StrategyPlayer, rotated
from tests.domain.ladder.simulated import collect, config, entry, ladder, match

TWINS = "greedy", "greedy again"
NAMES = (*TWINS, "convenience_rush", "landmark_first", "random")
SETTINGS = config(seed="twins", replicates=1000, anchor="landmark_first")
BLOCKS = 120


def field() -> list[EntryLine]:
    """Who takes part; the twins are one strategy under two names."""
    return [entry(name, StrategyPlayer(name.split()[0], "1")) for name in NAMES]


def played() -> Iterator[Line]:
    """The results of a season: pairing says who meets, and every match is played by the rules."""
    yield ladder(SETTINGS)
    yield from field()
    for block, base in enumerate(tables(SETTINGS, field(), [], 1, BLOCKS), 1):
        for rotation in range(2):
            names = [id.removeprefix("ent_").split()[0] for id in rotated(base, rotation)]
            number = 2 * block + rotation
            chance, dice = committed(number)
            state, _ = play_out(
                new_match("base", tuple(names), dice, first_seat=0), chance, random.Random(number)
            )
            yield match(block, rotation, base, state.winner)


@pytest.mark.long
def test_identical_players_under_two_names_end_with_overlapping_intervals() -> None:
    results = collect(played())
    rated = {one.entry: one for one in rate(results).entries}
    first, second = (rated[f"ent_{name}"] for name in TWINS)

    assert len(results.blocks) * 2 == 240
    assert first.rating_interval[0] <= second.rating_interval[1]
    assert second.rating_interval[0] <= first.rating_interval[1]
    assert first.rank_interval[0] <= second.rank_interval[1]
    assert second.rank_interval[0] <= first.rank_interval[1]
    # And the intervals are no wider than to tell others apart.
    assert rated["ent_random"].rating_interval[1] < min(first.rating_interval[0], second.rating_interval[0])
