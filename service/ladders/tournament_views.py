"""The tournaments of ladders, as they stand."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from flask import Response

from contract import tournaments as contract
from domain.ladder.config import Schedule
from domain.ladder.state import LadderState, Round, Tournament
from domain.ladder.tournament.knock_out import Bracket, Stage, bracket
from domain.ladder.tournament.meetings import Meeting, meetings
from domain.ladder.tournament.schedule import KNOCK_OUT, schedule_of
from domain.ladder.tournament.scores import Score, scores
from service.catalogue.views import NOT_MODIFIED
from service.edge.answers import cached_answer, has_current
from service.edge.native_threads import in_native_thread
from service.edge.problems import Problem
from service.ladders.ladder_views import present_round
from service.ladders.ladders import ABOUT_LADDER, PUBLIC, ladder_named, season_of
from service.ladders.table_views import SeasonQuerySchema
from service.openapi.endpoints import Endpoints, Success

blueprint = Endpoints("tournaments", "The tournaments of ladders: their rounds and their places.")


@blueprint.endpoint(
    "GET",
    "/v1/ladders/<ladder_id>/tournament",
    {200: Success("The tournament.", contract.Tournament, ("ETag",)), 304: NOT_MODIFIED},
    query=SeasonQuerySchema(),
    headers=("If-None-Match",),
    refusals=(*ABOUT_LADDER, "season_not_found", "tournament_not_found"),
)
def show_tournament(ladder_id: str, query: dict[str, Any]) -> Response:
    """Show the tournament of a season: its rounds, and how the entries stand.

    All of it follows from the events of the ladder, as `machi ladder verify` checks. `POST .../rounds` starts
    a tournament, and workers open its further rounds.
    """
    ladder = ladder_named(ladder_id)
    season = season_of(ladder.state, query)
    config = ladder.state.configs[season - 1] if season else ladder.state.config
    schedule = schedule_of(config)
    if schedule is None:
        raise Problem("tournament_not_found")
    etag = f"{ladder.version}-{season}"
    if has_current(etag):
        return cached_answer(None, etag, PUBLIC)
    # The largest ones take half a second.
    shown = in_native_thread(_presented, ladder.id, ladder.state, season, schedule)
    return cached_answer(shown, etag, PUBLIC)


def _presented(ladder_id: str, state: LadderState, season: int, schedule: Schedule) -> contract.Tournament:
    tournament = state.tournaments.get(season)
    rounds: Iterable[contract.TournamentRound] = ()
    items: Iterable[contract.TournamentStanding] = ()
    if tournament is not None:
        if schedule.kind == KNOCK_OUT:
            found = bracket(state, tournament)
            rounds, items = _stages(state, found), _by_bracket(state, tournament, found)
        else:
            played = enumerate(state.rated_rounds(season), 1)
            rounds = [_round(state, round, number) for number, round in played]
            items = [_standing(state, tournament, one, one.place) for one in scores(state, tournament)]
    return contract.Tournament(
        ladder_id=ladder_id,
        season=season,
        schedule=msgspec.convert(schedule, contract.Schedule, from_attributes=True),
        status=_status(state, season, tournament),
        planned=tournament.rounds if tournament else 0,
        seeded_by=tournament.seeded_by if tournament else None,
        rounds=tuple(rounds),
        items=tuple(items),
    )


def _status(state: LadderState, season: int, tournament: Tournament | None) -> str:
    if tournament is None:
        return "not_started" if season == state.season else "abandoned"
    if tournament.places:
        return "finished"
    return "running" if season == state.season else "abandoned"


def _stages(state: LadderState, found: Bracket) -> Iterator[contract.TournamentRound]:
    for number, stage in enumerate(found.stages, 1):
        for replay, round in enumerate(stage.rounds):
            yield _round(state, state.rounds[round - 1], number, replay, stage)


def _round(
    state: LadderState, round: Round, number: int, replay: int = 0, stage: Stage | None = None
) -> contract.TournamentRound:
    """A round of a tournament; in a knock-out, of that stage."""
    tables = [_table(state, meeting, stage) for meeting in meetings(round)]
    byes = [state.entries[entry] for entry in round.byes]
    return contract.TournamentRound(
        number=number,
        replay=replay,
        round=round.number,
        job_id=round.job,
        status=present_round(round).status,
        tables=tuple(tables),
        byes=tuple([contract.TournamentBye(entry=entry.id, name=entry.name) for entry in byes]),
    )


def _table(state: LadderState, meeting: Meeting, stage: Stage | None) -> contract.TournamentTable:
    players = [_player(state, meeting, entry, stage) for entry in _in_order(meeting, stage)]
    return contract.TournamentTable(
        players=tuple(players),
        blocks=meeting.blocks,
        finished=meeting.finished,
        given_up=meeting.given_up,
        first_block=meeting.first_block,
    )


def _in_order(meeting: Meeting, stage: Stage | None) -> Sequence[int]:
    """The members by line of the bracket, or else as they are seated."""
    return meeting.members if stage is None else sorted(meeting.members, key=stage.lines.index)


def _player(
    state: LadderState, meeting: Meeting, entry: int, stage: Stage | None
) -> contract.TournamentPlayer:
    points, advances = None, None
    if stage is None and meeting.is_over:
        points = sum([meeting.result(entry, other) for other in meeting.members if other != entry]) / 2
    if stage is not None and stage.is_decided:
        advances = any(entry in table.order[: stage.advance] for table in stage.tables)
    return contract.TournamentPlayer(
        entry=state.entries[entry].id,
        name=state.entries[entry].name,
        wins=meeting.won(entry),
        points=points,
        advances=advances,
    )


def _by_bracket(
    state: LadderState, tournament: Tournament, found: Bracket
) -> Iterator[contract.TournamentStanding]:
    """Those who are still in, then those who are out."""
    out = {one.entry: one.place for one in tournament.places or found.places}
    left = [entry for entry in found.lines if entry not in out]
    scored = {one.entry: one for one in scores(state, tournament)}
    for entry in [*left, *sorted(out, key=lambda entry: (out[entry], tournament.field.index(entry)))]:
        yield _standing(state, tournament, scored[entry], out.get(entry), is_scored=False)


def _standing(
    state: LadderState, tournament: Tournament, score: Score, place: int | None, *, is_scored: bool = True
) -> contract.TournamentStanding:
    entry = state.entries[score.entry]
    return contract.TournamentStanding(
        place=place,
        entry=entry.id,
        name=entry.name,
        seed=tournament.field.index(score.entry) + 1,
        points=score.points / 2 if is_scored else None,
        buchholz=score.buchholz / 2 if is_scored else None,
        sonneborn_berger=score.sonneborn_berger / 4 if is_scored else None,
        wins=score.wins,
        meetings=score.meetings,
        byes=score.byes,
    )
