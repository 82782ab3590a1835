"""What the API shows of the tables that workers computed: never more than they saved, and how old it is."""

from typing import Any, Final

from domain.ladder.state import LadderState, Round
from events import ladder_tables
from events.envelope import rfc3339
from events.ladder_entries import Ladder
from events.ladder_tables import LiveRating, PublishedTable, SequentialProgress
from service.context import services
from service.ladder_shapes import Shape, finished_blocks, path_of


def published_of(ladder: Ladder, season: int) -> PublishedTable | None:
    """The tables of that season, if they are those that were saved last.

    Raises:
        StoreUnavailable.
    """
    found = ladder_tables.load(services().events_redis, ladder.id)
    return found if found is not None and found.season == season else None


def mark(ladder: Ladder, published: PublishedTable | None) -> str:
    """What tells this answer from the others that there were and will be."""
    saved = (published.version, published.computed_at_ms, published.live_version) if published else (0,)
    return "-".join(map(str, (ladder.version, *saved)))


def standings_shape(ladder: Ladder, season: int, published: PublishedTable | None) -> Shape:
    """The official table with the ratings at a glance; both empty where nothing was computed yet."""
    state = ladder.state
    table = _table(published)
    live = {each.entry: _live(state, each) for each in (published.live if published else ())}
    return {
        "ladder_id": ladder.id,
        "season": season,
        "digest": state.digests[season - 1] if season else "",
        **_age(state, season, published),
        "anchor": table.get("anchor"),
        "seat_ratings": table.get("seat_ratings", []),
        "groups": table.get("groups", 0),
        "items": [{**row, "live": live.get(row["entry"])} for row in table.get("standings", ())],
        "live": [*live.values()],
    }


def crosstable_shape(ladder: Ladder, season: int, published: PublishedTable | None) -> Shape:
    """A cell for every ordered pair of entries."""
    cells = (published.crosstable if published else None) or []
    names = {entry.id: entry.name for entry in ladder.state.entries}
    return {
        "ladder_id": ladder.id,
        "season": season,
        **_age(ladder.state, season, published),
        "entries": [
            {"entry": id, "name": names[id]} for id in dict.fromkeys([cell["entry"] for cell in cells])
        ],
        "items": cells,
    }


def _table(published: PublishedTable | None) -> dict[str, Any]:
    return (published.table if published else None) or {}


def _age(state: LadderState, season: int, published: PublishedTable | None) -> Shape:
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
    }


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
    found = ladder_tables.load(services().events_redis, ladder.id)
    counted = [one for one in (found.tests if found else ()) if one.round == round.number]
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
