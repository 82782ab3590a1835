"""The tables of a ladder's next rated round: what pairing makes of its history."""

from collections.abc import Mapping, Sequence

from domain.ladder.events import Table
from domain.ladder.pairing import Strength, tables
from domain.ladder.publishing import entry_line
from domain.ladder.state import ACTIVE, LadderState


def seatable(state: LadderState) -> list[int]:
    """The numbers of the entries that can be seated."""
    return [entry.number for entry in state.entries if entry.status == ACTIVE]


def planned(state: LadderState, blocks: int, strengths: Mapping[str, Strength]) -> Sequence[Table]:
    """The tables of that many blocks, of those that can be seated; strengths are by id of the entry.

    Raises:
        RuleViolation: `too_few_entries`.
    """
    entries = [entry_line(state.entries[number]) for number in seatable(state)]
    found = tables(state.config, entries, _history(state), state.next_block, blocks, strengths)
    return [tuple([state.numbers[entry] for entry in table]) for table in found]


def _history(state: LadderState) -> list[list[str]]:
    """The base orders of this season's blocks, in the order of their numbers."""
    rated = [round for round in state.rounds if round.purpose == "rated" and round.season == state.season]
    blocks = [block for round in rated for block in round.blocks if not block.is_given_up]
    return [[state.entries[number].id for number in block.table] for block in blocks]
