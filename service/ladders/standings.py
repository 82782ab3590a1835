"""What the API shows of the tables that workers computed: never more than they saved, and how old it is."""

from typing import Any, Final

from msgspec import Struct

from domain.ladder.state import FINISHED, RUNNING, TABLE_FAILED, LadderState, Round
from events.ladders import fits as ladder_fits
from events.ladders import tables as ladder_tables
from events.ladders.entries import Ladder
from events.ladders.fits import Progress
from events.ladders.tables import LiveRating, PublishedTable, SequentialProgress
from events.matches.envelope import rfc3339
from service.context import services
from service.ladders.shapes import Shape, finished_blocks, path_of


class Tables(Struct, frozen=True):
    """What there is of the tables of a season."""

    published: PublishedTable | None
    """None before they were computed, and where they got lost."""
    progress: Progress | None
    """How far the next official table is; None if none is being computed."""


def tables_of(ladder: Ladder, season: int) -> Tables:
    """The tables of that season. Those that are missing are asked for: workers compute them.

    Raises:
        StoreUnavailable.
    """
    client = services().events_redis
    found = ladder_tables.load(client, ladder.id, season)
    if _is_missing(ladder.state, season, found):
        ladder_tables.want(client, ladder.id, season)
    return Tables(found, ladder_fits.progress(client, ladder.id, season))


def _is_missing(state: LadderState, season: int, found: PublishedTable | None) -> bool:
    """Whether results are not in the official table, and nothing that is under way brings them there."""
    rated = [round for round in state.rounds if round.season == season and round.purpose == "rated"]
    if any(round.status == RUNNING or round.stopped_for == TABLE_FAILED for round in rated):
        return False
    return (found.blocks if found is not None else 0) < finished_blocks(state, season)


def mark(ladder: Ladder, tables: Tables) -> str:
    """What tells this answer from the others that there were and will be."""
    published, progress = tables.published, tables.progress
    saved = (published.version, published.computed_at_ms, published.live_version) if published else (0,)
    far = (progress.version, progress.spent_ms) if progress else ()
    return "-".join(map(str, (ladder.version, *saved, *far)))


def standings_shape(ladder: Ladder, season: int, tables: Tables) -> Shape:
    """The official table with the ratings at a glance; both empty where nothing was computed yet."""
    state, published = ladder.state, tables.published
    table = _table(published)
    live = {each.entry: _live(state, each) for each in (published.live if published else ())}
    return {
        "ladder_id": ladder.id,
        "season": season,
        "digest": state.digests[season - 1] if season else "",
        **_age(state, season, tables),
        "anchor": table.get("anchor"),
        "seat_ratings": table.get("seat_ratings", []),
        "groups": table.get("groups", 0),
        "items": [{**row, "live": live.get(row["entry"])} for row in table.get("standings", ())],
        "live": [*live.values()],
    }


def crosstable_shape(ladder: Ladder, season: int, tables: Tables) -> Shape:
    """A cell for every ordered pair of entries."""
    published = tables.published
    cells = (published.crosstable if published else None) or []
    names = {entry.id: entry.name for entry in ladder.state.entries}
    return {
        "ladder_id": ladder.id,
        "season": season,
        **_age(ladder.state, season, tables),
        "entries": [
            {"entry": id, "name": names[id]} for id in dict.fromkeys([cell["entry"] for cell in cells])
        ],
        "items": cells,
    }


def _table(published: PublishedTable | None) -> dict[str, Any]:
    return (published.table if published else None) or {}


def _age(state: LadderState, season: int, tables: Tables) -> Shape:
    published, progress = tables.published, tables.progress
    table = _table(published)
    as_of = None
    if published and table:
        as_of = {
            "version": published.version,
            "blocks": published.blocks,
            "computed_at": rfc3339(published.computed_at_ms),
        }
    return {
        "blocks_counted": published.blocks if published else 0,
        "blocks_finished": finished_blocks(state, season),
        "as_of": as_of,
        "computing": _progress(progress) if progress else None,
    }


def table_progress(ladder: Ladder, round: Round) -> Shape | None:
    """How far the official table is that a rated round waits for; None if none is being computed.

    Raises:
        StoreUnavailable.
    """
    if round.purpose != "rated" or round.status == FINISHED:
        return None
    progress = ladder_fits.progress(services().events_redis, ladder.id, round.season)
    return _progress(progress) if progress else None


def _progress(progress: Progress) -> Shape:
    return {"blocks": progress.blocks, "done": progress.done, "total": progress.total}


def _live(state: LadderState, live: LiveRating) -> Shape:
    entry = state.entry(live.entry)
    return {
        "entry": live.entry,
        "name": entry.name if entry else "",
        "rating": live.rating,
        "rating_interval": [live.low, live.high],
        "matches": live.matches,
    }


def test_shape(ladder: Ladder, round: Round) -> Shape:
    """A sequential test, as far as workers have counted it.

    Raises:
        StoreUnavailable.
    """
    test, entries = round.test, ladder.state.entries
    assert test is not None, "the round is a test"
    client = services().events_redis
    found = ladder_tables.load(client, ladder.id, round.season)
    counted = [one for one in (found.tests if found else ()) if one.round == round.number]
    if not counted and round.status != RUNNING:
        ladder_tables.want(client, ladder.id, round.season)
    return {
        "test_id": str(round.number),
        "ladder_id": ladder.id,
        "job_id": round.job,
        "season": round.season,
        "status": round.status,
        "a": entries[test.a].id,
        "b": entries[test.b].id,
        "elo0": test.elo0,
        "elo1": test.elo1,
        "alpha": test.alpha_percent / 100,
        "beta": test.beta_percent / 100,
        "most_blocks": test.most_blocks,
        **(_counted(counted[0]) if counted else _NOT_COUNTED),
        "decision": round.decision or None,
        "results": f"{path_of(ladder.id)}/results?test={round.number}",
    }


_NOT_COUNTED: Final[Shape] = {
    **dict.fromkeys(("blocks", "wins_a", "wins_b", "others"), 0),
    **dict.fromkeys(("llr", "lower", "upper", "elo", "elo_interval")),
}


def _counted(progress: SequentialProgress) -> Shape:
    return {name: getattr(progress, name) for name in _NOT_COUNTED}
