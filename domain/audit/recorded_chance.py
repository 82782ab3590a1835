"""The source of chance that replays recorded rolls and draws, and compares them with the seed's."""

from collections.abc import Sequence
from typing import Final

from domain.audit.envelopes import ReadEvent
from domain.audit.report import Findings
from domain.errors import RuleViolation
from domain.match import events as ev
from domain.match.chance import StartChance, Throws
from domain.match.state import MatchState

FACES: Final = frozenset(range(1, 7))


class NotRecorded(Exception):
    """The rules need a roll or a draw that the events of the command do not record."""


class RecordedChance:
    """Returns the recorded rolls and draws of a command, and reports those that differ from the seed's.

    A wrong die is therefore distinguished from coins that do not follow from the die.
    """

    def __init__(self, throws: Throws | None, draws: StartChance | None, findings: Findings) -> None:
        """`throws` and `draws` derive from the script and the seed; None while the seed is secret."""
        self._derived_throws = throws
        self._derived_draws = draws
        self._findings = findings
        self._begin(())

    def begin(self, batch: Sequence[ReadEvent]) -> "RecordedChance":
        """Continue with the events of the next command."""
        self._begin(batch)
        return self

    def _begin(self, batch: Sequence[ReadEvent]) -> None:
        self._batch = batch
        self._thrown = iter([one for one in batch if type(one.event) is ev.DiceRolled])
        self._refills: dict[str, ReadEvent] = {}
        for one in batch:
            if isinstance(one.event, ev.MarketRefilled):
                self._refills.setdefault(one.event.row, one)
        self._first_drawn: dict[int, int] = {}

    def throw(self, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
        found = next(self._thrown, None)
        if found is None:
            raise NotRecorded
        event, sequence = found.event, found.place
        assert isinstance(event, ev.DiceRolled)
        if len(event.values) != dice or not FACES.issuperset(event.values):
            self._findings.fail("dice", sequence, f"{list(event.values)} is no roll of {dice} dice")
            raise NotRecorded
        if self._derived_throws is not None:
            values = _thrown(self._derived_throws, state, purpose, dice)
            if values != event.values:
                detail = f"it should be {list(values)}, not {list(event.values)}"
                self._findings.fail("dice", sequence, detail)
        return event.values

    def draw(self, state: MatchState, row: int, number: int, weights: Sequence[int]) -> int:
        refill = self._refill(state, row, number)
        event = refill.event
        assert isinstance(event, ev.MarketRefilled)
        cards = state.rules.row_cards[row]
        card = state.rules.index.get(event.cards[number - self._first_drawn[row]], -1)
        place = cards.index(card) if card in cards else -1
        if place < 0 or not weights[place]:
            self._findings.fail("draws", refill.place, "a card that is not in the deck")
            raise NotRecorded
        if self._derived_draws is not None:
            given = self._derived_draws.draw(state, row, number, weights)
            if given != place:
                name, drawn = state.rules.ids[cards[given]], state.rules.ids[card]
                detail = f"draw {number} of the row should be {name}, not {drawn}"
                self._findings.fail("draws", refill.place, detail)
        return place

    def first_seat(self, state: MatchState) -> int:
        for one in self._batch:
            if isinstance(one.event, ev.MatchStarted):
                seat = one.event.first_seat
                derived = self._derived_draws
                if derived is not None and derived.first_seat(state) != seat:
                    self._findings.fail("draws", one.place, f"it is not seat {seat} that begins")
                if 0 <= seat < state.rules.seats:
                    return seat
        raise NotRecorded

    def reveal(self) -> tuple[str, str]:
        for one in self._batch:
            if isinstance(one.event, ev.DiceRevealed):
                return one.event.key_id, one.event.seed
        return "", ""

    def _refill(self, state: MatchState, row: int, number: int) -> ReadEvent:
        """The refill event of this command that contains draw `number` of the row."""
        first = self._first_drawn.setdefault(row, number)
        one = self._refills.get(state.rules.rows[row].name)
        drawn = one.event.cards if one and isinstance(one.event, ev.MarketRefilled) else ()
        if one is None or number - first >= len(drawn):
            raise NotRecorded
        return one


def _thrown(derived: Throws, state: MatchState, purpose: str, dice: int) -> tuple[int, ...]:
    """The derived roll; empty if the script has no fitting one."""
    try:
        return derived.throw(state, purpose, dice)
    except RuleViolation:
        return ()
