"""What the API shows of ladders, their entries and rounds, and of the jobs that play these."""

from math import ceil
from typing import Any, Final

from domain.ladder.config import digest
from domain.ladder.events import Fault
from domain.ladder.publishing import entry_line
from domain.ladder.state import FINISHED, RUNNING, Entry, LadderState, Round
from events.ladders.entries import Ladder
from events.matches.envelope import hash_text, rfc3339
from service.accounts.accounts import now_ms
from service.ladders.speed import matches_per_second

Shape = dict[str, Any]

SHOWN_ROUNDS: Final = 100
"""As many of its last rounds are shown with a ladder."""

KINDS: Final = {"rated": "ladder_round", "test": "sequential_test", "probe": "probe"}
"""What a job does, by the purpose of its round."""

QUEUED: Final = "queued"

AWAITING: Final = "awaiting_value"
"""A round that would be played if its public value were there."""


def path_of(ladder_id: str) -> str:
    """The address of the ladder."""
    return f"/v1/ladders/{ladder_id}"


def ladder_shape(ladder: Ladder) -> Shape:
    """The ladder with all of its entries and its last rounds, the newest first."""
    state = ladder.state
    return {
        "ladder_id": ladder.id,
        "name": state.name,
        "owner": state.owner,
        "created_at": rfc3339(ladder.created_at_ms),
        "version": ladder.version,
        "head": hash_text(ladder.head_hash),
        "season": state.season,
        "config": state.config,
        "digest": digest(state.config),
        "entries": [entry_shape(ladder.id, entry) for entry in state.entries],
        "rounds": [round_shape(round) for round in state.rounds[: -SHOWN_ROUNDS - 1 : -1]],
    }


def summary_shape(ladder: Ladder) -> Shape:
    """The ladder as lists show it."""
    state = ladder.state
    return {
        "ladder_id": ladder.id,
        "name": state.name,
        "owner": state.owner,
        "created_at": rfc3339(ladder.created_at_ms),
        "ruleset": state.config.ruleset,
        "seats": state.config.seats,
        "season": state.season,
        "entries": sum([entry.status != "removed" for entry in state.entries]),
        "is_playing": any(round.status == RUNNING for round in state.rounds),
    }


def entry_shape(ladder_id: str, entry: Entry) -> Shape:
    """The entry, with the evidence where it is suspended."""
    return {
        "entry_id": entry.id,
        "player": entry_line(entry).player,
        "name": entry.name,
        "owner": entry.owner,
        "status": entry.status,
        "removed_for": entry.removed_for or None,
        "evidence": _evidence(ladder_id, entry) if entry.evidence else None,
        "good_probes": entry.good_probes,
    }


def _evidence(ladder_id: str, entry: Entry) -> Shape:
    return {
        "matches": len(entry.recent),
        "faults": [_fault(fault) for fault in entry.evidence],
        "details": f"{path_of(ladder_id)}/entries/{entry.id}/faults",
    }


def _fault(fault: Fault) -> Shape:
    return {
        "match_id": fault.match_id,
        "timeouts": fault.timeouts,
        "errors": fault.errors,
        "events": f"/v1/matches/{fault.match_id}/events",
    }


def round_shape(round: Round) -> Shape:
    """The round and how far it is, in blocks."""
    return {
        "round": round.number,
        "season": round.season,
        "purpose": round.purpose,
        "status": AWAITING if round.status == RUNNING and round.awaits_value else round.status,
        "stopped_for": round.stopped_for or None,
        "opened_at": rfc3339(round.opened_at_ms),
        "blocks": len(round.blocks),
        "finished": round.finished_blocks,
        "given_up": given_up_blocks(round),
        "job_id": round.job,
        "public_value": _public_value(round),
    }


def _public_value(round: Round) -> Shape | None:
    bound = round.public_value
    if bound is None:
        return None
    return {
        "source": bound.source,
        "at": rfc3339(bound.at_ms),
        "commitment": bound.commitment,
        "key_id": bound.key_id,
        "value": round.value or None,
        "seed": round.seed or None,
    }


def given_up_blocks(round: Round) -> int:
    """How many blocks of the round will never be played to the end."""
    return sum([block.is_given_up for block in round.blocks])


def job_shape(ladder: Ladder, round: Round) -> Shape:
    """The job that plays the round, and how far it is."""
    done, total = len(round.blocks) - len(round.left), len(round.blocks)
    is_running = round.status == RUNNING
    speed = matches_per_second(ladder, round, now_ms()) if is_running and done else None
    left = len(round.left) * ladder.state.config.seats
    return {
        "job_id": round.job,
        "kind": KINDS[round.purpose],
        "status": QUEUED if is_running and not done else round.status,
        "stopped_for": round.stopped_for or None,
        "ladder_id": ladder.id,
        "round": round.number,
        "opened_at": rfc3339(round.opened_at_ms),
        "progress": {
            "done": done,
            "total": total,
            "percent": 100 if round.status == FINISHED else 100 * done // total,
        },
        "matches_per_second": speed,
        "eta_s": ceil(left / speed) if speed else None,
        "table": None,
        "result": _result(ladder, round),
    }


def _result(ladder: Ladder, round: Round) -> str:
    """Where to look at what comes out."""
    path = path_of(ladder.id)
    if round.purpose == "rated":
        return f"{path}/standings?season={round.season}"
    return f"{path}/tests/{round.number}" if round.purpose == "test" else path


def finished_blocks(state: LadderState, season: int) -> int:
    """How many blocks of the season count."""
    rounds = [round for round in state.rounds if round.purpose == "rated" and round.season == season]
    return sum([round.finished_blocks for round in rounds])
