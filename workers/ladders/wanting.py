"""Tables that are wanted though their round is not being played: which jobs bring them up to date."""

import redis
import structlog

from domain.ladder.state import RUNNING
from events import StoreError, StoreUnavailable
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladders
from workers.queueing import LadderRound

log = structlog.get_logger("workers.ladders.wanting")


def wanted_rounds(ladders: Ladders, client: redis.Redis) -> list[LadderRound]:
    """For each season whose tables are wanted the last round that is not being played.

    A job for that computes them. `client` is one of the event store.

    Raises:
        StoreUnavailable.
    """
    found = []
    for ladder_id, season in ladder_tables.wanted(client):
        number = _last_round(ladders, ladder_id, season)
        if number:
            found.append((ladder_id, number))
        else:
            ladder_tables.want_no_more(client, ladder_id, season)
    return found


def _last_round(ladders: Ladders, ladder_id: str, season: int) -> int:
    """Its number; 0 where there is none."""
    try:
        rounds = ladders.load(ladder_id).state.rounds
    except StoreUnavailable:
        raise
    except StoreError as error:
        log.error("ladder_not_loaded", ladder_id=ladder_id, error=str(error))
        return 0
    quiet = [round.number for round in rounds if round.season == season and round.status != RUNNING]
    return quiet[-1] if quiet else 0
