"""Decisions that open the rounds of a ladder: rated rounds, sequential tests and probes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder.events import STAND_IN, Event, PublicValue, SequentialTest, Table
from domain.ladder.pairing import Strength, planned, seatable
from domain.ladder.state import ACTIVE, SUSPENDED, EntryState, LadderState
from events.ladders.ladders import Decide
from events.ladders.tables import PublishedTable
from events.store.keys import new_id, now_ms
from service.edge.native_threads import in_native_thread

MOST_PAIRED: Final = 400_000
MOST_PAIRED_OF_MANY: Final = 55_000
"""The most blocks times the square of the number of entries, with two seats and with more. Pairing is part of
the request; this many take about five seconds."""


def rated_round(
    blocks: int,
    published: Callable[[int], PublishedTable | None],
    bound: Callable[[int], PublicValue | None] = lambda number: None,
) -> Decide:
    """A decision that opens a rated round of so many blocks.

    `published` returns the table of a season, whose ratings refine the pairing; the round records which table
    that was. `bound` returns the public value of a round by its number. The decision raises `RuleViolation`:
    `too_few_entries`, `round_running`, or `validation_failed` for too many blocks or a public value that is
    due too soon or too late.
    """
    made: dict[tuple[int, ...], tuple[Sequence[Table], int]] = {}

    def decided(state: LadderState) -> Sequence[Event]:
        require_none_running(state)
        active = seatable(state)
        # A retry after a conflict, as with workers that play a test, can reuse the tables.
        key = (state.season, state.next_block, *active)
        if key not in made:
            require_few(state, len(active), blocks)
            known = published(state.season)
            tables = in_native_thread(planned, state, blocks, _strengths(known))
            made[key] = tables, known.version if known else 0
        drawn, refined_by = made[key]
        number = len(state.rounds) + 1
        return decide.open_round(
            state, "rated", drawn, now_ms(), new_id("job"), refined_by=refined_by, public_value=bound(number)
        )

    return decided


def require_few(state: LadderState, active: int, blocks: int) -> None:
    """Refuse a round whose pairing would take too long.

    Raises:
        RuleViolation: `validation_failed`.
    """
    seats = state.config.seats
    most = (MOST_PAIRED if seats == 2 else MOST_PAIRED_OF_MANY) // max(1, active) ** 2
    if blocks > max(1, most):
        detail = f"with {active} entries and {seats} seats, a round has at most {max(1, most)} blocks"
        raise RuleViolation("validation_failed", detail, "/blocks")


def require_none_running(state: LadderState) -> None:
    """Refuse a second rated round, before its tables are paired in vain.

    Raises:
        RuleViolation: `round_running`.
    """
    if any(round.status != "finished" and round.purpose == "rated" for round in state.rounds):
        raise RuleViolation("round_running", "another rated round is not finished")


def _strengths(published: PublishedTable | None) -> Mapping[str, Strength]:
    if published is None or published.table is None:
        return {}
    rows: list[dict[str, Any]] = published.table["standings"]
    return {row["entry"]: _strength(row) for row in rows}


def _strength(row: Mapping[str, Any]) -> Strength:
    low, high = row["rating_interval"]
    return Strength(row["rating"], high - low)


def sequential_test(state: LadderState, body: Mapping[str, Any]) -> Sequence[Event]:
    """The events that open a sequential test. Every table has both entries, in alternating order, and
    stand-ins.

    Raises:
        RuleViolation: `entry_not_found`, `entry_not_active`, `round_running`.
    """
    a, b = (_active(state, body[name], f"/{name}") for name in ("a", "b"))
    others = (STAND_IN,) * (state.config.seats - 2)
    orders: tuple[Table, Table] = (a, b, *others), (b, a, *others)
    test = SequentialTest(
        a,
        b,
        body["elo0"],
        body["elo1"],
        _percent(body["alpha"]),
        _percent(body["beta"]),
        body["most_blocks"],
    )
    made = [orders[block % 2] for block in range(body["most_blocks"])]
    return decide.open_round(state, "test", made, now_ms(), new_id("job"), test)


def _percent(share: float) -> int:
    return round(100 * share)


def _active(state: LadderState, entry_id: str, pointer: str) -> int:
    number = state.numbers.get(entry_id)
    if number is None:
        raise RuleViolation("entry_not_found", f"the ladder has no entry {entry_id!r}", pointer)
    status = state.entries[number].status
    if status != ACTIVE:
        raise RuleViolation("entry_not_active", f"the entry is {status}", pointer)
    return number


def probes(state: LadderState, entry: EntryState) -> Sequence[Event]:
    """The events that open a round of probes: the matches against stand-ins that can reinstate a bot.

    Raises:
        RuleViolation: `entry_not_active`, `round_running`.
    """
    if entry.status != SUSPENDED:
        raise RuleViolation("entry_not_active", f"the entry is {entry.status}, not suspended")
    tables = decide.probe_tables(state, entry.number)
    return decide.open_round(state, "probe", tables, now_ms(), new_id("job"))
