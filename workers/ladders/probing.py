"""Probing suspended bots: a few matches against stand-ins, while rounds are played."""

from typing import Final

from domain.ladder import decide
from domain.ladder.events import Event
from domain.ladder.state import FINISHED, RUNNING, SUSPENDED, LadderState, Round
from events.ladders.entries import Ladder
from events.store.ids import new_id
from workers.ladders.claims import Claims
from workers.ladders.place import Place

AT_A_TIME: Final = 8
"""Bots that are probed in one round at most."""


def look_after(place: Place, claims: Claims, ladder: Ladder, round: Round) -> Ladder:
    """Probe who is suspended, when a round begins and then from time to time.

    Raises:
        StoreUnavailable.
    """
    is_asked = round.purpose != "probe" and round.status == RUNNING and bool(_suspended(ladder.state))
    name = f"{ladder.id}:{round.number}:probes"
    if not is_asked or not claims.take(name, int(place.limits.probes_s * 1000)):
        return ladder
    at_ms, job = place.clock(), new_id("job")
    return place.record(ladder, [lambda state: probe_round(state, at_ms, job)])


def probe_round(state: LadderState, at_ms: int, job: str) -> list[Event]:
    """A round that probes those that are suspended; no events if nobody is, or if one is under way."""
    if any(round.purpose == "probe" and round.status != FINISHED for round in state.rounds):
        return []
    tables = [
        table for number in _suspended(state)[:AT_A_TIME] for table in decide.probe_tables(state, number)
    ]
    return decide.open_round(state, "probe", tables, at_ms, job) if tables else []


def _suspended(state: LadderState) -> list[int]:
    return [entry.number for entry in state.entries if entry.is_bot and entry.status == SUSPENDED]
