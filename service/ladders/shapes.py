"""What the API shows of ladders, their entries and rounds, and of the jobs that play these."""

from math import ceil
from typing import Final

import msgspec

from contract import ladders as contract
from contract import tables
from contract.values import Timestamp
from domain.ladder.config import LadderConfig, digest
from domain.ladder.events import Fault
from domain.ladder.state import FINISHED, RUNNING, Entry, LadderState, Round
from events.ladders.entries import Ladder
from events.matches.envelope import hash_text
from events.store.clock import now_ms
from service.ladders.speed import matches_per_second

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


def present_ladder(ladder: Ladder) -> contract.Ladder:
    """The ladder with all of its entries and its last rounds, the newest first."""
    state = ladder.state
    return contract.Ladder(
        ladder_id=ladder.id,
        name=state.name,
        owner=state.owner,
        created_at=Timestamp.at(ladder.created_at_ms),
        version=ladder.version,
        head=hash_text(ladder.head_hash),
        season=state.season,
        config=_config(state.config),
        digest=digest(state.config),
        entries=tuple([present_entry(ladder.id, entry) for entry in state.entries]),
        rounds=tuple([present_round(round) for round in state.rounds[: -SHOWN_ROUNDS - 1 : -1]]),
    )


def _config(config: LadderConfig) -> contract.LadderConfig:
    """What is stored has the same members by the same names."""
    return msgspec.convert(config, contract.LadderConfig, from_attributes=True)


def present_summary(ladder: Ladder) -> contract.ListedLadder:
    """The ladder as lists show it."""
    state = ladder.state
    return contract.ListedLadder(
        ladder_id=ladder.id,
        name=state.name,
        owner=state.owner,
        created_at=Timestamp.at(ladder.created_at_ms),
        ruleset=state.config.ruleset,
        seats=state.config.seats,
        season=state.season,
        entries=sum([entry.status != "removed" for entry in state.entries]),
        is_playing=any(round.status == RUNNING for round in state.rounds),
    )


def present_entry(ladder_id: str, entry: Entry) -> contract.LadderEntry:
    """The entry, with the evidence where it is suspended."""
    return contract.LadderEntry(
        entry_id=entry.id,
        player=_player(entry),
        name=entry.name,
        owner=entry.owner,
        status=entry.status,
        removed_for=entry.removed_for or None,
        evidence=_evidence(ladder_id, entry) if entry.evidence else None,
        good_probes=tuple(entry.good_probes),
    )


def _player(entry: Entry) -> contract.LadderPlayer:
    player = entry.player
    if entry.is_bot:
        return contract.LadderBot(handle=player.name, account=player.account, version=player.version)
    return contract.LadderStrategy(name=player.name, version=player.version)


def _evidence(ladder_id: str, entry: Entry) -> contract.SuspensionEvidence:
    return contract.SuspensionEvidence(
        matches=len(entry.recent),
        faults=tuple([_faulted(fault) for fault in entry.evidence]),
        details=f"{path_of(ladder_id)}/entries/{entry.id}/faults",
    )


def _faulted(fault: Fault) -> contract.FaultedMatch:
    return contract.FaultedMatch(
        match_id=fault.match_id,
        timeouts=fault.timeouts,
        errors=fault.errors,
        events=f"/v1/matches/{fault.match_id}/events",
    )


def present_round(round: Round) -> contract.LadderRound:
    """The round and how far it is, in blocks."""
    return contract.LadderRound(
        round=round.number,
        season=round.season,
        purpose=round.purpose,
        status=AWAITING if round.status == RUNNING and round.awaits_value else round.status,
        stopped_for=round.stopped_for or None,
        opened_at=Timestamp.at(round.opened_at_ms),
        blocks=len(round.blocks),
        finished=round.finished_blocks,
        given_up=sum([block.is_given_up for block in round.blocks]),
        job_id=round.job,
        public_value=_public_value(round),
    )


def _public_value(round: Round) -> contract.PublicValue | None:
    bound = round.public_value
    if bound is None:
        return None
    return contract.PublicValue(
        source=bound.source,
        at=Timestamp.at(bound.at_ms),
        commitment=bound.commitment,
        key_id=bound.key_id,
        value=round.value or None,
        seed=round.seed or None,
    )


def present_job(ladder: Ladder, round: Round, table: tables.TableProgress | None = None) -> contract.Job:
    """The job that plays the round, and how far it is; `table` is how far the next official table is."""
    done, total = len(round.blocks) - len(round.left), len(round.blocks)
    is_running = round.status == RUNNING
    speed = matches_per_second(ladder, round, now_ms()) if is_running and done else None
    left = len(round.left) * ladder.state.config.seats
    percent = 100 if round.status == FINISHED else 100 * done // total
    return contract.Job(
        job_id=round.job,
        kind=KINDS[round.purpose],
        status=QUEUED if is_running and not done else round.status,
        stopped_for=round.stopped_for or None,
        ladder_id=ladder.id,
        round=round.number,
        opened_at=Timestamp.at(round.opened_at_ms),
        progress=contract.JobProgress(done=done, total=total, percent=percent),
        matches_per_second=speed,
        eta_s=ceil(left / speed) if speed else None,
        table=table,
        result=_result(ladder, round),
    )


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
