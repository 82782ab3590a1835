"""The steps of a match that change the chances of winning."""

from itertools import pairwise

import pytest

from domain import legal_commands
from domain.match import events as ev
from domain.match.commands import Resign
from domain.match.events import Event
from players.lookahead import roll_kind
from review.walk import Boats, Decision, Draw, NotReviewable, Resignation, require_finished, walk
from tests.domain.kit import new_match
from tests.review.played import played

MATCHES = {
    "base": played("base", "greedy", "random", "greedy"),
    "limited": played("harbor", "greedy", "expected_value", market="limited"),
    "second game": played("machi_koro_2", "greedy", "random", "greedy"),
}


@pytest.fixture(params=MATCHES)
def events(request: pytest.FixtureRequest) -> tuple[Event, ...]:
    return MATCHES[request.param]


def test_a_match_has_chances_from_its_first_turn_on(events: tuple[Event, ...]) -> None:
    first = next(place for place, event in enumerate(events) if isinstance(event, ev.TurnStarted))

    walked = walk(events)

    assert walked.first == first + 1 == walked.start.version
    assert (walked.end.version, walked.end.status) == (len(events), "finished")


def test_every_decision_is_found_with_the_state_before_it(events: tuple[Event, ...]) -> None:
    decisions = [step for step in walk(events).steps if isinstance(step, Decision)]

    assert len(decisions) > 40
    for step in decisions:
        assert step.state.version == step.version - 1
        assert step.command in legal_commands(step.state)


def test_a_decision_that_rolls_has_the_roll_that_fell(events: tuple[Event, ...]) -> None:
    rolls = {
        version: roll_kind(event.values)
        for version, event in enumerate(events, 1)
        if isinstance(event, ev.DiceRolled) and event.purpose != "boats"
    }

    steps = [step for step in walk(events).steps if isinstance(step, Decision)]

    assert {step.version: step.roll for step in steps if step.roll} == rolls


def test_a_roll_for_the_boats_is_luck_of_its_own() -> None:
    boats = [step for step in walk(MATCHES["limited"]).steps if isinstance(step, Boats)]

    assert boats
    for step in boats:
        event = MATCHES["limited"][step.version - 1]
        assert isinstance(event, ev.DiceRolled)
        assert (event.purpose, event.total) == ("boats", step.total)


@pytest.mark.parametrize("name", ["limited", "second game"])
def test_a_drawn_card_is_luck_among_the_cards_of_its_deck(name: str) -> None:
    draws = [step for step in walk(MATCHES[name]).steps if isinstance(step, Draw)]

    assert draws
    for step in draws:
        assert step.deck[step.card] > 0
        in_row = {step.table.rules.row_of[card] for card, copies in enumerate(step.deck) if copies}
        assert in_row == {step.table.rules.row_of[step.card]}
        assert step.table.turn == step.turn + 1


def test_two_cards_drawn_at_once_are_drawn_one_after_the_other() -> None:
    draws = [step for step in walk(MATCHES["limited"]).steps if isinstance(step, Draw)]
    pairs = [(one, other) for one, other in pairwise(draws) if one.version == other.version]

    assert pairs
    for one, other in pairs:
        assert other.deck[one.card] == one.deck[one.card] - 1
        assert other.before[one.card] == one.before[one.card] + 1


def test_a_seat_that_leaves_is_a_step_of_that_seat() -> None:
    begun = new_match("base", 3)

    steps = walk((*begun.events, *begun.when(Resign(1)).events)).steps

    assert [(type(step), step.seat) for step in steps if isinstance(step, Resignation)] == [(Resignation, 1)]


def test_a_match_that_never_began_cannot_be_reviewed() -> None:
    begun = MATCHES["base"]

    with pytest.raises(NotReviewable, match="nobody has had a turn"):
        walk(begun[:3])


def test_a_running_match_is_not_finished() -> None:
    with pytest.raises(NotReviewable, match="the match is running"):
        require_finished(walk(MATCHES["base"][:60]).end)
