"""A small language for tests of the rules: a table is given, a command is sent, events follow.

    given("base", city(0, bakery=2), city(0, cafe=1)).when(RollDice(A, 1), dice=[(3,)]).then_purses(2, 0)

A table is made by the domain's own `CreateMatch` with a position, so no test starts from an impossible one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain import MatchState, RuleViolation, decide, fold, legal_commands
from domain.match import events as ev
from domain.match.commands import Command, CreateMatch, PlayCommand, SeatPlan
from domain.match.events import Event
from domain.match.rulesets import CURRENT, resolve_options
from tests.domain.invariants import problems

A, B, C, D, E = range(5)

TEN_KINDS = {
    "wheat_field": 2,
    "ranch": 1,
    "bakery": 3,
    "cafe": 1,
    "convenience_store": 1,
    "forest": 1,
    "cheese_factory": 1,
    "mine": 1,
    "stadium": 1,
    "apple_orchard": 1,
}
"""Of the first game, with copies: as many kinds as a limited market shows."""

MONEY = (ev.IncomeReceived, ev.PaymentMade, ev.CoinsLevelled, ev.HelpReceived)
"""Events of coins that come and go while a throw or a landmark is paid out."""

MOVES = (*MONEY, ev.FeePaid, ev.EstablishmentsSwapped, ev.EstablishmentGiven, ev.LandmarkDemolished)


class ScriptedChance:
    """The throws and draws that a test names, in order; without names, draws go in catalogue order."""

    def __init__(
        self, dice: Sequence[Sequence[int]] = (), draws: Sequence[str] = (), first_seat: int = 0
    ) -> None:
        self._throws = [tuple(throw) for throw in dice]
        self._draws = list(draws)
        self._first_seat = first_seat

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        assert self._throws, f"no throw is left for {purpose}"
        values = self._throws.pop(0)
        assert len(values) == dice, f"{dice} dice are thrown for {purpose}, the test gives {values}"
        return values

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        if not self._draws:
            return next(place for place, weight in enumerate(weights) if weight)
        place = state.rules.rows[row].cards.index(self._draws.pop(0))
        assert weights[place], "the card that the test draws is not in the deck"
        return place

    def first_seat(self, state: MatchState) -> int:
        return self._first_seat

    def reveal(self) -> tuple[str, str]:
        return "", ""

    def left_over(self) -> list[object]:
        return [*self._throws, *self._draws]


class Scene:
    """A match at some point, with the events or the refusal that the last command brought."""

    def __init__(
        self, state: MatchState, events: tuple[Event, ...] = (), refusal: RuleViolation | None = None
    ) -> None:
        self.state = state
        self.events = events
        self.refusal = refusal

    def when(
        self,
        *commands: Command,
        dice: Sequence[Sequence[int]] = (),
        draws: Sequence[str] = (),
        taken_ms: int = 0,
    ) -> "Scene":
        """Send the commands, each after that time; what follows is said of the events of all of them."""
        assert self.refusal is None, f"refused before: {self.refusal}"
        chance = ScriptedChance(dice, draws)
        state = self.state
        events: list[Event] = []
        for command in commands:
            try:
                new = decide(state, command, chance, taken_ms)
            except RuleViolation as refusal:
                return Scene(state, (), refusal)
            state = fold(state.copy() if state else None, new)
            events += new
            assert problems(state) == []
        assert chance.left_over() == [], f"not thrown or drawn: {chance.left_over()}"
        return Scene(state, tuple(events))

    def then(self, *events: Event) -> "Scene":
        """Exactly these events follow."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert self.events == events
        return self

    def then_paid(self, *events: Event) -> "Scene":
        """Exactly these coins move, in this order, in income, payments, sharing out and help."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert tuple(event for event in self.events if isinstance(event, MONEY)) == events
        return self

    def then_includes(self, *events: Event) -> "Scene":
        """These events are among those that follow, in this order."""
        assert self.refusal is None, f"refused: {self.refusal}"
        rest = iter(self.events)
        for event in events:
            assert event in rest, f"{event} is not there, or not in order, in {self.events}"
        return self

    def then_lacks(self, *types: type) -> "Scene":
        """No event of these types follows."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert [event for event in self.events if isinstance(event, types)] == []
        return self

    def then_ends_with(self, *events: Event) -> "Scene":
        """These are the last events that follow."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert self.events[-len(events) :] == events
        return self

    def then_nothing(self) -> "Scene":
        """No coin and no card moves."""
        return self.then_lacks(*MOVES)

    def then_rejected(self, code: str, pointer: str = "") -> "Scene":
        """The command is refused; the scene is the one before it."""
        assert self.refusal is not None, f"accepted: {self.events}"
        assert (self.refusal.code, self.refusal.pointer) == (code, pointer)
        assert self.refusal.detail
        return Scene(self.state)

    def then_asked(self, seat: int, phase: str, card: str, copies: int = 1) -> "Scene":
        """The turn stops for this choice."""
        return self.then_ends_with(ev.ChoiceRequested(seat, phase, card, copies))

    def then_purses(self, *coins: int) -> "Scene":
        """The purses, by seat."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert tuple(self.state.coins) == coins
        return self

    def then_legal(self, *commands: PlayCommand) -> "Scene":
        """Exactly these commands are legal now, in any order."""
        assert sorted(map(repr, legal_commands(self.state))) == sorted(map(repr, commands))
        return self


def city(coins: int = 0, *landmarks: str, **establishments: int) -> ev.PositionPlayer:
    """A purse, the built landmarks and the establishments; in harbor, Town Hall is one of these."""
    return ev.PositionPlayer(coins, establishments, landmarks)


def tokens(player: ev.PositionPlayer, *, invested: int = 0, **closed: int) -> ev.PositionPlayer:
    """The city with copies that are closed for renovation, and an investment."""
    return replace(player, closed=closed or UNSET, invested=invested or UNSET)


def row(name: str, /, deck: Sequence[str] | None = (), **face_up: int) -> ev.PositionRow:
    """A row of a market; its deck is empty unless given from the top, or None for what is left in the box."""
    return ev.PositionRow(name, face_up, None if deck is None else tuple(deck))


def creation(
    ruleset: str,
    seats: int = 2,
    *,
    plans: Sequence[SeatPlan] | None = None,
    first_seat: int | None = None,
    clock: ev.Clock | None = None,
    position: ev.Position | None = None,
    throws: Sequence[Sequence[int]] = (),
    options: Mapping[str, Any] | None = None,
) -> CreateMatch:
    """The command that makes a match with every seat taken."""
    book = CURRENT[ruleset]
    taken = plans if plans is not None else [seat_plan(seat) for seat in range(seats)]
    return CreateMatch(
        rules_version=book.version,
        options=resolve_options(book, len(taken), **(options or {})),
        seats=tuple(taken),
        dice=ev.Dice("scripted", throws=tuple(tuple(throw) for throw in throws)),
        creator="acc_0",
        first_seat=first_seat,
        clock=clock,
        position=position,
    )


def seat_plan(seat: int) -> SeatPlan:
    return SeatPlan("account", f"acc_{seat}", f"player {seat}")


def new_match(ruleset: str, seats: int = 2, *, draws: Sequence[str] = (), **given: Any) -> Scene:
    """A match as the rule book sets it up; its events are those of its creation."""
    return Scene(None).when(creation(ruleset, seats, **given), draws=draws)


def given(
    ruleset: str,
    *players: ev.PositionPlayer,
    active: int = A,
    phase: str = "roll",
    rows: Sequence[ev.PositionRow] | None = None,
    clock: ev.Clock | None = None,
    draws: Sequence[str] = (),
    **options: Any,
) -> Scene:
    """A match that starts from a table."""
    position = ev.Position(active, phase, players, None if rows is None else tuple(rows))
    create = creation(ruleset, len(players), clock=clock, position=position, options=options)
    scene = Scene(None).when(create, draws=draws)
    assert scene.refusal is None, f"the table is refused: {scene.refusal}"
    return scene
