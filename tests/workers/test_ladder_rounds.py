"""Rounds of built-in players."""

from tests.workers.kit import Place
from tests.workers.ladder_kit import Ladder


def test_a_round_is_played_to_its_end_and_every_match_verifies(place: Place) -> None:
    ladder = Ladder(place)
    ladder.enter("random", "greedy", "landmark_first")
    ladder.open((0, 1), (1, 2), (2, 0), (0, 1))
    round = ladder.play_to_the_end()
    assert [len(block.results) for block in round.blocks] == [2, 2, 2, 2]
    ladder.assert_whole()
