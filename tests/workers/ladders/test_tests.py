"""Sequential tests on the workers: blocks in order, a decision, and no block begun behind it."""

import pytest
from msgspec.structs import replace

from domain.ladder.events import STAND_IN, RoundFinished, SequentialTest
from events.ladders import tables as ladder_tables
from tests.workers.kit import Place
from tests.workers.ladder_kit import UNHURRIED, Ladder, recorded
from workers.ladders.context import RoundLimits

SHORT = RoundLimits(seconds=0.1, live_s=0.0, table_s=0.0)


@pytest.fixture
def ladder(place: Place) -> Ladder:
    found = Ladder(place)
    found.enter("random", "landmark_first", "random")
    return found


def asked(a: int, b: int, most_blocks: int) -> SequentialTest:
    return SequentialTest(a, b, 0, 100, 5, 5, most_blocks)


def test_a_test_decides_for_the_stronger_and_leaves_the_other_blocks_unplayed(ladder: Ladder) -> None:
    ladder.open(*[(1, 0)] * 100, purpose="test", test=asked(1, 0, 100))
    while ladder.round().status != "finished":
        ladder.play(limits=SHORT)
    assert [one.decision for one in recorded(ladder, RoundFinished)] == ["better"]
    round = ladder.round()
    assert round.left
    published = ladder_tables.load(ladder.place.client, ladder.id, 1)
    assert published is not None
    (progress,) = published.tests
    assert (progress.round, progress.decision) == (1, "better")
    assert progress.llr >= progress.upper
    assert progress.wins_a > progress.wins_b
    assert progress.blocks <= round.finished_blocks < 100


def test_a_weaker_one_is_not_better(ladder: Ladder) -> None:
    ladder.open(*[(0, 1)] * 60, purpose="test", test=asked(0, 1, 60))
    while ladder.round().status != "finished":
        ladder.play(limits=SHORT)
    assert ladder.round().decision == "not_better"


def test_a_test_that_does_not_decide_ends_with_its_blocks(ladder: Ladder) -> None:
    ladder.open((0, 2), (0, 2), purpose="test", test=asked(0, 2, 2))
    round = ladder.play_to_the_end()
    assert (round.decision, round.finished_blocks) == ("undecided", 2)


def test_only_blocks_up_to_the_first_open_one_are_looked_at(ladder: Ladder) -> None:
    """Else a block that is slow because A does badly in it would be left out."""
    ladder.open((1, 0), (1, 0), (1, 0), purpose="test", test=asked(1, 0, 3))
    claims = ladder.place.queue_client
    claims.set(f"mk:{{claim}}:{ladder.id}:2:1", "somebody", px=60_000)
    ladder.play(limits=replace(UNHURRIED, live_s=0.0))
    published = ladder_tables.load(ladder.place.client, ladder.id, 1)
    assert published is not None
    assert ladder.round().left == {2}
    assert published.tests[0].blocks == 1


def test_stand_ins_fill_the_table_of_a_test_and_count_for_nobody(place: Place) -> None:
    ladder = Ladder(place, 3)
    ladder.enter("random", "landmark_first")
    ladder.open(*[(1, 0, STAND_IN)] * 2, purpose="test", test=asked(1, 0, 2))
    ladder.play_to_the_end()
    published = ladder_tables.load(place.client, ladder.id, 1)
    assert published is not None
    assert published.table is None
    (progress,) = published.tests
    assert progress.wins_a + progress.wins_b + progress.others == 6
    ladder.assert_whole()
