"""What keeps blocks from being played, or a whole round: found before anything is begun.

A block that has begun is played to its end and counts, whoever leaves meanwhile: nobody can drop a loss so.
"""

from typing import Final

from domain.ladder.state import ACTIVE, REMOVED, RUNNING, LadderState, Round
from domain.match.rulesets import VERSIONS, digest
from events.ladders.entries import Ladder
from workers.ladders import seating
from workers.ladders.changes import Change, given_up, removed, stopped
from workers.ladders.place import Place

VERSION_GONE: Final = "version_gone"


def obstacles(place: Place, ladder: Ladder, round: Round) -> list[Change]:
    """What is to be recorded of them.

    Raises:
        StoreUnavailable.
    """
    state = ladder.state
    if round.status != RUNNING:
        return []
    if reason := _why_not(place, state, round):
        return [stopped(round.number, reason)]
    gone = {entry.number for entry in state.entries if entry.status != REMOVED and seating.is_gone(entry)}
    return [
        *[removed(state.entries[number].id, VERSION_GONE) for number in sorted(gone)],
        *_without_members(place, ladder, round, gone),
    ]


def _without_members(place: Place, ladder: Ladder, round: Round, gone: set[int]) -> list[Change]:
    """Open blocks at whose tables somebody may not be seated any more: those that have not begun, those that
    nobody can go on with, and those of probes, which count for nothing.
    """
    entries = ladder.state.entries
    lost = gone | {entry.number for entry in entries if entry.removed_for == VERSION_GONE}
    away = gone | {entry.number for entry in entries if entry.status != ACTIVE}
    found = []
    for number in sorted(round.left) if away else ():
        block = round.blocks[number - round.first_block]
        if away.isdisjoint(block.table):
            continue
        begun = seating.begun(place.matches, ladder.id, round, block)
        if not begun or round.purpose == "probe" or not lost.isdisjoint(block.table):
            found.append(given_up(block, round.purpose, begun))
    return found


def _why_not(place: Place, state: LadderState, round: Round) -> str:
    """Why matches cannot be played as the season has it; empty if they can."""
    config = state.configs[round.season - 1]
    ruleset = VERSIONS.get(config.rules_version)
    if ruleset is None or digest(ruleset) != config.rules_digest:
        return "rules_gone"
    values = place.values(config.ruleset) if config.luck == "wins" else None
    if config.luck == "wins" and (values is None or values.digest != config.luck_version):
        return "value_function_gone"
    return ""
