"""Recorded rolls, draws and first seats are returned as they are, and held against those of the seed."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from domain.audit.envelopes import ReadEvent, read
from domain.audit.recorded_chance import NotRecorded, RecordedChance
from domain.audit.report import Check, Findings
from domain.errors import RuleViolation
from domain.match import events as ev
from domain.match.events import Event
from domain.match.state import MatchState
from tests.audited import EVENT
from tests.domain.kit import ScriptedChance, new_match

LOW, HIGH, LANDMARKS = range(3)
STARTED = ev.MatchStarted(1, (), (), {}, {})
"""Seat 1 begins."""


def batch(*events: Event) -> Sequence[ReadEvent]:
    """Events of one command; the first is event 11 of its match."""
    one = read(1, EVENT)
    return [replace(one, place=place, event=event) for place, event in enumerate(events, 11)]


class Recorded:
    """A recorded command, with the luck that the seed gives."""

    def __init__(
        self, *events: Event, throws: ScriptedChance | None = None, draws: ScriptedChance | None = None
    ) -> None:
        self.findings = Findings()
        self.chance = RecordedChance(throws, draws, self.findings).begin(batch(*events))

    def failed(self, name: str) -> Check | None:
        found = self.findings.check(name)
        return found if found.status == "failed" else None


@pytest.fixture(scope="module")
def state() -> MatchState:
    return new_match("machi_koro_2", 3).state


def rolled(*values: int) -> ev.DiceRolled:
    return ev.DiceRolled("roll", values, sum(values))


# Rolls


def test_recorded_rolls_are_returned_in_order_and_no_more_of_them(state: MatchState) -> None:
    one = Recorded(rolled(3), ev.SwapDeclined(0), rolled(6, 1))

    assert [one.chance.throw(state, "roll", 1), one.chance.throw(state, "boats", 2)] == [(3,), (6, 1)]
    with pytest.raises(NotRecorded):
        one.chance.throw(state, "roll", 1)
    assert one.failed("dice") is None


@pytest.mark.parametrize(("values", "dice"), [((3,), 2), ((3, 4), 1), ((), 1), ((0,), 1), ((1, 7), 2)])
def test_a_roll_of_other_dice_or_faces_is_none(state: MatchState, values: tuple[int, ...], dice: int) -> None:
    one = Recorded(ev.SwapDeclined(0), rolled(*values))

    with pytest.raises(NotRecorded):
        one.chance.throw(state, "roll", dice)
    assert one.failed("dice") == Check("dice", "failed", 12, f"{list(values)} is no roll of {dice} dice")


def test_a_roll_is_held_against_that_of_the_seed(state: MatchState) -> None:
    same = Recorded(rolled(3), throws=ScriptedChance([(3,)]))
    other = Recorded(rolled(3, 4), throws=ScriptedChance([(4, 3)]))

    assert same.chance.throw(state, "roll", 1) == (3,)
    assert same.failed("dice") is None
    assert other.chance.throw(state, "roll", 2) == (3, 4)
    assert other.failed("dice") == Check("dice", "failed", 11, "it should be [4, 3], not [3, 4]")


def test_a_roll_that_the_script_does_not_have_is_named(state: MatchState) -> None:
    class Exhausted(ScriptedChance):
        def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
            raise RuleViolation("dice_tape_exhausted")

    one = Recorded(rolled(3), throws=Exhausted())
    assert one.chance.throw(state, "roll", 1) == (3,)
    assert one.failed("dice") == Check("dice", "failed", 11, "it should be [], not [3]")


# Draws


def weights_of(state: MatchState, row: int, without: str = "") -> list[int]:
    return [int(card != without) for card in state.rules.rows[row].cards]


def test_recorded_cards_are_returned_row_by_row_from_the_first_that_the_command_draws(
    state: MatchState,
) -> None:
    low, high = (state.rules.rows[row].cards for row in (LOW, HIGH))
    one = Recorded(
        ev.SwapDeclined(0),
        ev.MarketRefilled("low", ("cafe", "bakery")),
        ev.MarketRefilled("high", ("mine",)),
        ev.MarketRefilled("low", ("forest",)),
    )
    weights = [weights_of(state, row) for row in (LOW, HIGH)]

    assert one.chance.draw(state, LOW, 8, weights[LOW]) == low.index("cafe")
    assert one.chance.draw(state, HIGH, 6, weights[HIGH]) == high.index("mine")
    assert one.chance.draw(state, LOW, 9, weights[LOW]) == low.index("bakery")
    for row, number in ((LOW, 10), (HIGH, 7), (LANDMARKS, 6)):
        with pytest.raises(NotRecorded):
            one.chance.draw(state, row, number, weights_of(state, row))
    assert one.failed("draws") is None


def test_the_next_command_draws_from_its_own_refills(state: MatchState) -> None:
    one = Recorded(rolled(3), ev.MarketRefilled("low", ("cafe",)))
    one.chance.draw(state, LOW, 8, weights_of(state, LOW))
    one.chance.begin(batch(ev.MarketRefilled("low", ("bakery",))))

    bakery = state.rules.rows[LOW].cards.index("bakery")
    assert one.chance.draw(state, LOW, 9, weights_of(state, LOW)) == bakery
    with pytest.raises(NotRecorded):
        one.chance.throw(state, "roll", 1)


@pytest.mark.parametrize("card", ["mine", "no_such_card", "cafe", "park"])
def test_a_card_that_is_not_in_the_deck_is_named(state: MatchState, card: str) -> None:
    one = Recorded(ev.SwapDeclined(0), ev.MarketRefilled("low", (card,)))

    with pytest.raises(NotRecorded):
        one.chance.draw(state, LOW, 8, weights_of(state, LOW, without="cafe"))
    assert one.failed("draws") == Check("draws", "failed", 12, "a card that is not in the deck")


def test_the_first_card_of_a_row_may_be_drawn(state: MatchState) -> None:
    first = state.rules.rows[LOW].cards[0]
    one = Recorded(ev.MarketRefilled("low", (first,)))

    assert one.chance.draw(state, LOW, 8, weights_of(state, LOW)) == 0


def test_a_card_is_held_against_that_of_the_seed(state: MatchState) -> None:
    for derived, detail in (("cafe", ""), ("bakery", "draw 8 of the row should be bakery, not cafe")):
        one = Recorded(ev.MarketRefilled("low", ("cafe",)), draws=ScriptedChance(draws=[derived]))
        cafe = state.rules.rows[LOW].cards.index("cafe")

        assert one.chance.draw(state, LOW, 8, weights_of(state, LOW)) == cafe
        assert one.failed("draws") == (Check("draws", "failed", 11, detail) if detail else None)


# The first seat and the seed


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_recorded_first_seat_begins(state: MatchState, seat: int) -> None:
    one = Recorded(rolled(3), replace(STARTED, first_seat=seat), draws=ScriptedChance(first_seat=seat))

    assert one.chance.first_seat(state) == seat
    assert one.failed("draws") is None


def test_the_first_seat_is_held_against_that_of_the_seed(state: MatchState) -> None:
    one = Recorded(rolled(3), STARTED, draws=ScriptedChance(first_seat=2))

    assert one.chance.first_seat(state) == 1
    assert one.failed("draws") == Check("draws", "failed", 12, "it is not seat 1 that begins")


@pytest.mark.parametrize("events", [[replace(STARTED, first_seat=-1)], [replace(STARTED, first_seat=3)], []])
def test_without_a_seat_of_the_match_nobody_begins(state: MatchState, events: list[Event]) -> None:
    with pytest.raises(NotRecorded):
        Recorded(*events).chance.first_seat(state)


def test_the_seed_is_told_as_it_was_recorded() -> None:
    assert Recorded(rolled(3), ev.DiceRevealed("k1", "00ff")).chance.reveal() == ("k1", "00ff")
    assert Recorded(rolled(3)).chance.reveal() == ("", "")
