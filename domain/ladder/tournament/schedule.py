"""The schedule of a tournament: how it starts, what comes after each of its rounds, and when it is over.

Each function leaves the state unchanged, as in `domain.ladder.decide`.
"""

from collections.abc import Mapping
from math import comb, inf
from typing import Final

from msgspec import Struct

from domain.errors import RuleViolation
from domain.ladder import decide
from domain.ladder.config import LadderConfig, Schedule
from domain.ladder.decide import MOST_BLOCKS
from domain.ladder.events import Event, FinalPlace, Table, TournamentFinished, TournamentStarted
from domain.ladder.pairing import group, seatable
from domain.ladder.results import entry_line
from domain.ladder.state import ACTIVE, FINISHED, LadderState, Tournament, fold
from domain.ladder.tournament import knock_out, round_robin, scores, swiss
from domain.ladder.tournament.seating import seated

ROUND_ROBIN: Final = "round_robin"
SWISS: Final = "swiss"
KNOCK_OUT: Final = "knock_out"
BY_ENTRY: Final = "entry"
BY_RATINGS: Final = "ratings"
_NOBODY: Final = swiss.Pairing((), ())
_LIMIT: Final = f"at most {MOST_BLOCKS} blocks in a round, and as many tables in all rounds"


class NextRound(Struct, frozen=True):
    """The next round of a tournament."""

    tables: tuple[Table, ...]
    """Base orders of its blocks."""
    byes: tuple[int, ...]


def schedule_of(config: LadderConfig) -> Schedule | None:
    """The schedule of a tournament; None for an ordinary season."""
    return config.schedule if isinstance(config.schedule, Schedule) else None


def start(
    state: LadderState,
    opened_at_ms: int,
    job: str,
    ratings: Mapping[str, float] | None = None,
    seeded_by: int = 0,
) -> list[Event]:
    """Start the tournament of the open season with all active entries, and open its first round.

    `ratings`, by entry id, are those of the season before, from its official table of the results up to the
    event `seeded_by`; they are only used if the schedule wants them.

    Raises:
        RuleViolation: `round_running`, `tournament_finished`, `too_few_entries`, `too_many_entries` or
            `entries_alike`.
    """
    _require_none(state)
    config, season = state.config, [] if state.season else decide.open_season(state, state.config)
    schedule, entries = schedule_of(config), seatable(state)
    assert schedule is not None, "the season is a tournament"
    _require_field(state, config.seats, schedule, entries)
    is_rated = schedule.seeding == BY_RATINGS
    started = TournamentStarted(
        state.season or 1,
        seeded(state, entries, ratings or {}) if is_rated else tuple(entries),
        _round_count(len(entries), config.seats, schedule),
        seeded_by if is_rated else None,
    )
    moving = fold(state.copy(), [*season, started])
    return [*season, started, *follow(moving, opened_at_ms, job)]


def seeded(state: LadderState, entries: list[int], ratings: Mapping[str, float]) -> tuple[int, ...]:
    """The entries in order of their ratings, and after them those without one in the order of entering."""

    def rating(number: int) -> float:
        return ratings.get(state.entries[number].id, -inf)

    return tuple(sorted(entries, key=rating, reverse=True))


def _require_none(state: LadderState) -> None:
    decide.require_none_running(state)
    if state.season in state.tournaments:
        detail = "the tournament of this season is over; open the next season for another one"
        raise RuleViolation("tournament_finished", detail)


def _require_field(state: LadderState, seats: int, schedule: Schedule, entries: list[int]) -> None:
    count = len(entries)
    if count < seats:
        raise RuleViolation("too_few_entries", f"a table needs {seats} entries, and {count} are active")
    if len({group(entry_line(state.entries[one]), seats) for one in entries}) < count:
        detail = f"with {seats} seats, each owner may enter one bot, and each strategy may be entered once"
        raise RuleViolation("entries_alike", detail)
    if schedule.kind == SWISS and schedule.rounds > swiss.most_rounds(count, seats):
        detail = f"{count} entries can play at most {swiss.most_rounds(count, seats)} rounds"
        raise RuleViolation("too_few_entries", f"{detail}, not {schedule.rounds}")
    tables = comb(count, seats) if schedule.kind == ROUND_ROBIN else count // seats
    if tables * max(schedule.blocks, schedule.rounds) > MOST_BLOCKS:
        raise RuleViolation("too_many_entries", f"{count} entries meet at {tables} tables; {_LIMIT}")


def _round_count(entries: int, seats: int, schedule: Schedule) -> int:
    if schedule.kind == KNOCK_OUT:
        return knock_out.stage_count(entries, seats)
    usual = swiss.usual_rounds(entries, seats) if schedule.kind == SWISS else 1
    return schedule.rounds or usual


def follow(state: LadderState, opened_at_ms: int, job: str) -> list[Event]:
    """What follows in the tournament of the open season: its next round, or its end.

    Nothing while one of its rounds is open, if it is over, or if the season has no tournament.
    """
    tournament = state.tournaments.get(state.season)
    is_played = all(round.status == FINISHED for round in state.rated_rounds(state.season))
    if tournament is None or tournament.places or not is_played:
        return []
    found = next_round(state, tournament)
    if found is None:
        return [TournamentFinished(tournament.season, places(state, tournament))]
    return decide.open_round(state, "rated", found.tables, opened_at_ms, job, byes=found.byes)


def next_round(state: LadderState, tournament: Tournament) -> NextRound | None:
    """The next round, from finished ones alone; None if there is none."""
    config = state.configs[tournament.season - 1]
    schedule = schedule_of(config)
    assert schedule is not None, "the season is a tournament"
    pairing = _paired(state, tournament, schedule, config.seats)
    if not pairing.tables:
        return None
    tables = seated(state, tournament.season, pairing.tables, schedule.blocks)
    return NextRound(tables, pairing.byes)


def _paired(state: LadderState, tournament: Tournament, schedule: Schedule, seats: int) -> swiss.Pairing:
    """Who meets at the tables of the next round; no tables if there is none."""
    if schedule.kind == KNOCK_OUT:
        return swiss.Pairing(*knock_out.next_stage(state, tournament))
    active = [entry for entry in tournament.field if state.entries[entry].status == ACTIVE]
    played = len(state.rated_rounds(tournament.season))
    if played == tournament.rounds or len(active) < seats:
        return _NOBODY
    if schedule.kind == ROUND_ROBIN:
        return swiss.Pairing(tuple(round_robin.tables(active, seats)), ())
    order = scores.candidates(state, tournament, active)
    return swiss.paired(order, scores.met(state, tournament), seats)


def places(state: LadderState, tournament: Tournament) -> tuple[FinalPlace, ...]:
    """The places of the whole field, as they stand."""
    schedule = schedule_of(state.configs[tournament.season - 1])
    assert schedule is not None, "the season is a tournament"
    by_kind = knock_out.places if schedule.kind == KNOCK_OUT else scores.places
    return by_kind(state, tournament)
