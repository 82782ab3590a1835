"""The decisions that open a rated round of a ladder, or start its tournament."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder.events import Event, PublicValue, Table
from domain.ladder.pairing import Strength, planned, seatable
from domain.ladder.state import LadderState
from domain.ladder.tournament.schedule import start
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Decide
from events.ladders.tables import PublishedTable
from events.store.keys import new_id, now_ms
from service.context import services
from service.edge.native_threads import in_native_thread
from service.edge.requests import milliseconds

MOST_PAIRED: Final = 400_000
MOST_PAIRED_OF_MANY: Final = 55_000
"""The most blocks times the square of the number of entries, with two seats and with more. Pairing is part of
the request; this many take about five seconds."""


def tournament(ladder_id: str, state: LadderState, body: Mapping[str, Any]) -> Sequence[Event]:
    """The events that start the tournament of the open season.

    Raises:
        RuleViolation: `validation_failed`, and those of `domain.ladder.tournament.schedule.start`.
    """
    for name in ("blocks", "public_value"):
        if body[name] is not None:
            raise RuleViolation("validation_failed", f"a tournament takes no {name}", f"/{name}")
    client = services().events_redis
    known = ladder_tables.load(client, ladder_id, state.season - 1) if state.season > 1 else None
    ratings = {entry: one.rating for entry, one in _strengths(known).items()}
    version = known.version if known and ratings else 0
    return in_native_thread(start, state, now_ms(), new_id("job"), ratings, version)


def bound_to(ladder_id: str, value: dict[str, str] | None) -> Callable[[int], PublicValue | None]:
    """The public value of a round of the ladder, by the number of the round.

    Raises:
        Problem: the time is malformed.
    """
    if value is None:
        return lambda number: None
    at_ms = milliseconds(value["at"], "/public_value/at")
    seeds = services().matches.seeds
    return lambda number: seeds.public_value(ladder_id, number, value["source"], at_ms)


def rated_round(ladder_id: str, blocks: int | None, bound: Callable[[int], PublicValue | None]) -> Decide:
    """A decision that opens a rated round of so many blocks.

    The ratings of the season's table refine the pairing; the round records which table that was. `bound`
    returns the public value of a round by its number. The decision raises `RuleViolation`: `too_few_entries`,
    `round_running`, or `validation_failed` for too many blocks or a public value that is due too soon or too
    late.
    """
    made: dict[tuple[int, ...], tuple[Sequence[Table], int]] = {}

    def decided(state: LadderState) -> Sequence[Event]:
        if blocks is None:
            raise RuleViolation("validation_failed", "is required", "/blocks")
        # Before the tables are paired in vain.
        decide.require_none_running(state)
        active = seatable(state)
        # A retry after a conflict, as with workers that play a test, can reuse the tables.
        key = (state.season, state.next_block, *active)
        if key not in made:
            _require_few(state, len(active), blocks)
            known = ladder_tables.load(services().events_redis, ladder_id, state.season)
            tables = in_native_thread(planned, state, blocks, _strengths(known))
            made[key] = tables, known.version if known else 0
        drawn, refined_by = made[key]
        number = len(state.rounds) + 1
        return decide.open_round(
            state, "rated", drawn, now_ms(), new_id("job"), refined_by=refined_by, public_value=bound(number)
        )

    return decided


def _require_few(state: LadderState, active: int, blocks: int) -> None:
    """Refuse a round whose pairing would take too long.

    Raises:
        RuleViolation: `validation_failed`.
    """
    seats = state.config.seats
    most = (MOST_PAIRED if seats == 2 else MOST_PAIRED_OF_MANY) // max(1, active) ** 2
    if blocks > max(1, most):
        detail = f"with {active} entries and {seats} seats, a round has at most {max(1, most)} blocks"
        raise RuleViolation("validation_failed", detail, "/blocks")


def _strengths(published: PublishedTable | None) -> Mapping[str, Strength]:
    if published is None or published.table is None:
        return {}
    rows: list[dict[str, Any]] = published.table["standings"]
    return {row["entry"]: _strength(row) for row in rows}


def _strength(row: Mapping[str, Any]) -> Strength:
    low, high = row["rating_interval"]
    return Strength(row["rating"], high - low)
