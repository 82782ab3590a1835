"""Knock-outs: in each stage, the last of every table are out, until one entry is left.

A bracket has lines, the best first. At the start, the entries are on the lines in order of their seeds; who
advances takes over the best lines of the table. Each stage follows from the lines alone.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from domain.ladder.events import FinalPlace
from domain.ladder.state import ACTIVE, FINISHED, LadderState, Round, Tournament
from domain.ladder.tournament.meetings import Meeting, meetings

MOST_REPLAYS: Final = 3
"""The most rounds in which tables of a stage that are not decided play on."""


class Plan(Struct, frozen=True):
    """The tables of a stage, by the numbers of their lines from 0."""

    byes: int
    """So many of the best lines do not play."""
    tables: tuple[tuple[int, ...], ...]
    advance: int
    """So many of each table advance."""


class Table(Struct, frozen=True):
    """A table of a stage as it stands."""

    members: tuple[int, ...]
    """Entry numbers, by line."""
    order: tuple[int, ...]
    """The members from first to last; final once the stage is decided."""
    is_tied: bool
    """Whether it plays on before it is known who advances."""


class Stage(Struct, frozen=True):
    """A stage of a bracket."""

    rounds: tuple[int, ...]
    """The numbers of the ladder's rounds: the first one, and replays."""
    lines: tuple[int, ...]
    """The entries at its start, by line."""
    byes: tuple[int, ...]
    tables: tuple[Table, ...]
    advance: int
    is_decided: bool


class Bracket(Struct, frozen=True):
    """A knock-out as far as it has come."""

    stages: tuple[Stage, ...]
    lines: tuple[int, ...]
    """Who is left after the last decided stage, by line; after the final the order of its table."""
    places: tuple[FinalPlace, ...]
    """Of those who are out."""
    is_over: bool
    """Whether the final is decided."""


def plan(entries: int, seats: int) -> Plan:
    """The next stage of that many entries; at least a table must fill.

    With two seats, the first stage leaves a power of two, so that nobody has a bye later. With more seats,
    there are as many tables as can be filled. As many of each are out as still leave a table for the final.
    """
    if seats == 2:
        full = 1 << (entries - 1).bit_length() - 1
        count = entries - full
    else:
        count = entries // seats
    byes = entries - count * seats
    is_final = entries == seats
    advance = 1
    while not is_final and entries - count * (seats - advance) < seats:
        advance += 1
    tables: list[list[int]] = [[] for _ in range(count)]
    for row in range(seats):
        # The rows run forth and back, so that the best line meets the worst.
        for place, table in enumerate(tables if row % 2 == 0 else tables[::-1]):
            table.append(byes + row * count + place)
    return Plan(byes, tuple(map(tuple, tables)), advance)


def stage_count(entries: int, seats: int) -> int:
    """The number of stages of a knock-out in which nobody leaves."""
    count = 1
    while entries > seats:
        found = plan(entries, seats)
        entries -= len(found.tables) * (seats - found.advance)
        count += 1
    return count


def bracket(state: LadderState, tournament: Tournament) -> Bracket:
    """The bracket, from the rounds that there are."""
    lines, stages, places, is_over = tournament.field, list[Stage](), list[FinalPlace](), False
    rounds = state.rated_rounds(tournament.season)
    while rounds:
        stage = _stage(lines, rounds)
        stages.append(stage)
        rounds = rounds[len(stage.rounds) :]
        places += left(lines, stage.lines)
        lines = stage.lines
        if stage.is_decided:
            lines, out, is_over = _after(stage)
            places += out
    return Bracket(tuple(stages), lines, tuple(places), is_over)


def left(before: Sequence[int], lines: Sequence[int]) -> list[FinalPlace]:
    """The places of the entries on earlier lines that are not in a stage, because they were not active."""
    return [FinalPlace(entry, len(lines) + 1) for entry in before if entry not in lines]


def _stage(before: Sequence[int], rounds: Sequence[Round]) -> Stage:
    """The stage that begins with the first of these rounds, with all its replays."""
    first = rounds[0]
    there = {*first.byes, *[entry for block in first.blocks for entry in block.table]}
    lines = tuple([entry for entry in before if entry in there])
    by_line = {entry: line for line, entry in enumerate(lines)}
    seats = len(first.blocks[0].table)
    planned = plan(len(lines), seats)
    taken = 1
    while True:
        played = {frozenset(one.members): one for one in meetings(*rounds[:taken])}
        tables = tuple(
            [
                _table(tuple([lines[line] for line in wanted]), played, planned.advance, by_line, taken)
                for wanted in planned.tables
            ]
        )
        is_played = all(round.status == FINISHED for round in rounds[:taken])
        is_tied = any(table.is_tied for table in tables)
        if not is_played or not is_tied or taken == len(rounds):
            break
        taken += 1
    numbers = tuple([round.number for round in rounds[:taken]])
    is_decided = is_played and not is_tied
    return Stage(numbers, lines, first.byes, tables, planned.advance, is_decided)


def _table(
    members: tuple[int, ...],
    played: dict[frozenset[int], Meeting],
    advance: int,
    lines: dict[int, int],
    rounds: int,
) -> Table:
    meeting = played[frozenset(members)]

    def rank(entry: int) -> tuple[bool, int]:
        return meeting.has_left(entry), -meeting.won(entry)

    order = sorted(members, key=lambda entry: (rank(entry), meeting.turns_of(entry), lines[entry]))
    is_tied = rank(order[advance - 1]) == rank(order[advance])
    may_play_on = rounds <= MOST_REPLAYS and not meeting.absent
    return Table(members, tuple(order), is_tied and may_play_on)


def _after(stage: Stage) -> tuple[tuple[int, ...], list[FinalPlace], bool]:
    """The lines after a decided stage, the places of those who are out, and whether that was the final."""
    seats = len(stage.tables[0].members)
    if len(stage.lines) == seats:
        order = stage.tables[0].order
        return order, [FinalPlace(entry, place) for place, entry in enumerate(order, 1)], True
    rows = [
        [table.order[row] for table in (stage.tables if row % 2 == 0 else stage.tables[::-1])]
        for row in range(stage.advance)
    ]
    lines = (*stage.byes, *[entry for row in rows for entry in row])
    out = [FinalPlace(entry, len(lines) + 1) for entry in stage.lines if entry not in lines]
    return lines, out, False


def next_stage(
    state: LadderState, tournament: Tournament
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """The tables of the next round, by entry numbers, and the byes; no tables if the knock-out is over.

    Everything that was played is over. Tables that are tied play on; otherwise the next stage begins with the
    entries that are active.
    """
    found = bracket(state, tournament)
    if found.stages and not found.stages[-1].is_decided:
        return tuple([table.members for table in found.stages[-1].tables if table.is_tied]), ()
    seats = state.configs[tournament.season - 1].seats
    lines = [entry for entry in found.lines if state.entries[entry].status == ACTIVE]
    if found.is_over or len(lines) < seats:
        return (), ()
    planned = plan(len(lines), seats)
    tables = tuple([tuple([lines[line] for line in table]) for table in planned.tables])
    return tables, tuple(lines[: planned.byes])


def places(state: LadderState, tournament: Tournament) -> tuple[FinalPlace, ...]:
    """The final places: those who went out in the same stage share one.

    If too few entries are left for a table, those who are active come first, in the order of their lines.
    """
    found = bracket(state, tournament)
    last = []
    if not found.is_over:
        rest = sorted(found.lines, key=lambda entry: state.entries[entry].status != ACTIVE)
        last = [FinalPlace(entry, place) for place, entry in enumerate(rest, 1)]
    return tuple(
        sorted([*last, *found.places], key=lambda one: (one.place, tournament.field.index(one.entry)))
    )
