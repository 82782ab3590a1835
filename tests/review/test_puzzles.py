"""Which decisions are puzzles."""

import random

import pytest
from msgspec.structs import asdict

from contract.reviews import Candidate
from domain import legal_commands, view
from domain.match.commands import Build, PlayCommand
from domain.match.state import MatchState
from events.matches.puzzles import shipped
from kernel.engine import engine
from players import expected_value
from review import puzzles
from review.judging import JudgedCommand, JudgedDecision
from review.puzzles import PLAYOUTS, FoundPuzzle, puzzles_of
from review.walk import Decision
from tests.workers import boards

CITY: boards.Seat = (3, {"wheat_field": 1, "bakery": 1})
OBVIOUS = "convenience_store"
"""What `expected_value` builds there."""


def board() -> MatchState:
    return boards.board("base", CITY, CITY)


def judged(state: MatchState, cards: dict[str, tuple[float, float]]) -> JudgedDecision:
    """The decision with these cards as candidates, the best first: the loss of each, and its lower bound."""
    legal = legal_commands(state)
    places = [legal.index(Build(state.active, card)) for card in cards]
    candidates = [
        JudgedCommand(place, (0.5, 0.5), loss, low, loss + 0.01, 72, False)
        for place, (loss, low) in zip(places, cards.values(), strict=True)
    ]
    return JudgedDecision(tuple(candidates), 0, None, 72, False)


@pytest.fixture
def always_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzles, "_confirmed", lambda kernel, puzzle: puzzle)


def found(state: MatchState, one: JudgedDecision, command: PlayCommand | None = None) -> list[FoundPuzzle]:
    played = command or Build(state.active, OBVIOUS)
    return puzzles_of(engine(), [Decision(7, state, played, None)], [one])


@pytest.mark.usefixtures("always_confirmed")
def test_a_decision_is_a_puzzle_if_the_obvious_command_certainly_loses_five_points() -> None:
    state = board()
    (one,) = found(state, judged(state, {"ranch": (0.0, 0.0), OBVIOUS: (0.05, 0.02)}))
    assert (one.before, one.state, one.obvious) == (6, state, 1)
    assert one.candidates[0].command == Build(state.active, "ranch")


@pytest.mark.usefixtures("always_confirmed")
@pytest.mark.parametrize(
    "losses",
    [
        {OBVIOUS: (0.0, 0.0), "ranch": (0.09, 0.05)},
        {"ranch": (0.0, 0.0), OBVIOUS: (0.0499, 0.02)},
        {"ranch": (0.0, 0.0), OBVIOUS: (0.08, 0.05), "bakery": (0.01, -0.01)},
        {"ranch": (0.0, 0.0), "bakery": (0.08, 0.05)},
        {OBVIOUS: (0.0, 0.0)},
    ],
    ids=["obvious", "small", "too close", "obvious command unknown", "alone"],
)
def test_other_decisions_are_no_puzzles(losses: dict[str, tuple[float, float]]) -> None:
    state = board()
    assert found(state, judged(state, losses)) == []


@pytest.mark.usefixtures("always_confirmed")
def test_a_decision_between_two_commands_is_no_puzzle() -> None:
    state = boards.board("base", (*CITY, ("train_station",)), CITY, phase="roll")
    legal = legal_commands(state)
    two = (
        JudgedCommand(0, (0.5, 0.5), 0.0, 0.0, 0.0, 72, False),
        JudgedCommand(1, (0.4, 0.6), 0.1, 0.08, 0.12, 72, False),
    )
    assert len(legal) == 2
    assert found(state, JudgedDecision(two, 0, None, 72, False), legal[0]) == []


@pytest.mark.parametrize(("steps", "rounds"), [(1, 0), (2, 1), (3, 2)])
def test_decisions_are_played_to_the_end_while_there_is_time(
    monkeypatch: pytest.MonkeyPatch, steps: int, rounds: int
) -> None:
    played = []
    monkeypatch.setattr(puzzles, "_confirmed", lambda kernel, puzzle: played.append(puzzle))
    state = board()
    cards = [command.card for command in legal_commands(state) if isinstance(command, Build)]
    others = [card for card in cards if card != OBVIOUS]
    judgements = [judged(state, {card: (0.0, 0.0), OBVIOUS: (0.05, 0.02)}) for card in others]
    decisions = []
    for turn in range(len(others)):
        later = state.copy()
        later.turn = turn
        decisions.append(Decision(7 + turn, later, Build(state.active, OBVIOUS), None))
    answers = iter([True] * (steps - 1) + [False] * 20)
    assert puzzles_of(engine(), decisions, judgements, lambda: next(answers)) == []
    assert len(played) == rounds


def test_a_puzzle_is_confirmed_if_its_best_command_wins_more_matches_that_are_played_to_the_end() -> None:
    city = (3, {"forest": 3, "mine": 2, "wheat_field": 1}, ("train_station",))
    state = boards.board("base", city, city)
    useful, useless = unlike(state, "furniture_factory", "fruit_and_vegetable_market")
    one = puzzles._confirmed(engine(), FoundPuzzle(1, state, (useful, useless), 1))
    assert one is not None
    assert one.playouts is not None
    assert PLAYOUTS > one.playouts.best > one.playouts.obvious > 0
    assert puzzles._confirmed(engine(), FoundPuzzle(1, state, (useless, useful), 1)) is None


@pytest.mark.usefixtures("always_confirmed")
def test_the_same_choice_in_a_later_turn_is_no_second_puzzle() -> None:
    state = board()
    later = state.copy()
    later.turn += 1
    steps = [Decision(7, state, Build(0, OBVIOUS), None), Decision(9, later, Build(0, OBVIOUS), None)]
    small = judged(state, {"ranch": (0.0, 0.0), OBVIOUS: (0.05, 0.02)})
    large = judged(state, {"ranch": (0.0, 0.0), OBVIOUS: (0.08, 0.02)})
    other = judged(state, {"bakery": (0.0, 0.0), OBVIOUS: (0.06, 0.02)})
    assert [one.before for one in puzzles_of(engine(), steps, [small, large])] == [8]
    assert [one.before for one in puzzles_of(engine(), steps, [small, other])] == [8, 6]


def test_the_shipped_puzzles_have_an_obvious_command_that_expected_value_chooses() -> None:
    for one in shipped():
        state = one.state()
        chosen = expected_value.choose(view(state), legal_commands(state), random.Random(0))
        assert one.candidates[one.obvious].command == chosen


@pytest.mark.long
def test_shipped_puzzles_hold_when_they_are_played_to_the_end_again() -> None:
    for one in shipped()[::3]:  # all 48 take a minute and a half
        candidates = tuple([Candidate(**asdict(each)) for each in one.candidates])
        again = puzzles._confirmed(engine(), FoundPuzzle(1, one.state(), candidates, one.obvious))
        assert again is not None
        assert one.playouts is not None
        assert again.playouts == (one.playouts.best, one.playouts.obvious)


def test_a_command_that_wins_the_match_needs_no_further_proof() -> None:
    city = (22, {"wheat_field": 1}, ("train_station", "shopping_mall", "amusement_park"))
    state = boards.board("base", city, city)
    win, other = unlike(state, "radio_tower", "wheat_field")
    one = puzzles._confirmed(engine(), FoundPuzzle(1, state, (win, other), 1))
    assert one is not None
    assert one.playouts is None
    assert puzzles._confirmed(engine(), FoundPuzzle(1, state, (other, win), 1)) is None


def unlike(state: MatchState, *cards: str) -> list[Candidate]:
    """Candidates that build these cards; nothing but their commands matters."""
    return [Candidate(Build(state.active, card), (500_000, 500_000), 0, 0, 0, 72, False) for card in cards]
