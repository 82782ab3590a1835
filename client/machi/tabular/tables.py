"""The tables of a match: all rows, from one walk over its events."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from domain.luck import Luck, Unexplained, luck_of
from domain.match.events import MatchFinished
from domain.match.evolve import begin
from machi.tabular.decision_table import DecisionRow, decision_row
from machi.tabular.event_table import EventRow, event_row
from machi.tabular.recorded import Damaged, RecordedMatch, steps
from machi.tabular.result_table import ResultRow, result_rows

TABLES: Final[dict[str, type[Struct]]] = {"events": EventRow, "decisions": DecisionRow, "results": ResultRow}
"""By name: the type of the rows."""


class MatchRows(NamedTuple):
    """The rows of one match; the members are named as the tables are."""

    events: Sequence[EventRow]
    decisions: Sequence[DecisionRow]
    results: Sequence[ResultRow]


def rows_of(match: RecordedMatch, *, luck: bool = True) -> MatchRows:
    """All rows of a match. Without `luck`, its columns are null; it takes most of the time.

    Raises:
        Damaged: the events do not follow from the rules.
    """
    try:
        return _rows(match, luck)
    except Damaged:
        raise
    except Exception as error:
        # A forged record that its maker has hashed anew can be wrong in any way.
        raise Damaged(f"it does not follow from the rules ({type(error).__name__})") from None


def _rows(match: RecordedMatch, luck: bool) -> MatchRows:
    events = [one.event for one in match.events]
    winner = next((event.winner for event in events if isinstance(event, MatchFinished)), None)
    state = begin(events[0])
    made = [event_row(match.events[0], state)]
    decisions: list[DecisionRow] = []
    for step in steps(match):
        state = step.after
        made.append(event_row(step.recorded, state))
        if step.command is not None:
            decisions.append(decision_row(step, winner))
    counts = Counter([row.seat for row in decisions])
    return MatchRows(made, decisions, result_rows(match, state, counts, _luck(match) if luck else None))


def _luck(match: RecordedMatch) -> Luck:
    try:
        return luck_of([one.event for one in match.events])
    except Unexplained as error:
        raise Damaged(f"event {error.sequence} does not follow from the rules") from None
