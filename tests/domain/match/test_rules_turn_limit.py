"""A match that nobody wins ends all the same."""

from domain.match import events as ev
from domain.match.commands import Pass, RollDice
from domain.match.decide.turns import TURN_LIMIT
from tests.domain.kit import Scene, city, given, row

NOTHING_FOR_SALE = row("supply", **dict.fromkeys(("wheat_field", "ranch", "bakery"), 0))


def _after_turns(turns: int) -> Scene:
    """Two players who only pass, after so many turns."""
    scene = given("base", city(), city(), rows=[NOTHING_FOR_SALE])
    for turn in range(turns):
        scene = scene.when(RollDice(turn % 2, 1), Pass(turn % 2), dice=[(1,)])
    return scene


def test_a_match_that_is_not_won_after_two_thousand_turns_is_called_off() -> None:
    scene = _after_turns(TURN_LIMIT)

    assert TURN_LIMIT == 2000
    scene.then_ends_with(ev.TurnEnded(2000, 1), ev.MatchAborted("turn_limit"))
    assert (scene.state.status, scene.state.winner, scene.state.result) == ("aborted", -1, "turn_limit")
    scene.when(RollDice(0, 1), dice=[(1,)]).then_rejected("match_finished")


def test_the_turn_before_the_limit_is_followed_by_the_last() -> None:
    _after_turns(TURN_LIMIT - 1).then_ends_with(ev.TurnEnded(1999, 0), ev.TurnStarted(2000, 1))
