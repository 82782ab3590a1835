"""Who is suspended for the faults in its matches, and who comes back after good probes."""

from collections.abc import Sequence

from domain.ladder.events import EntryReinstated, EntrySuspended, Event, Fault, MatchResult, Table
from domain.ladder.state import ACTIVE, SUSPENDED, Entry, LadderState, Round


def consequences(
    state: LadderState, entry: Entry, round: Round, table: Table, results: Sequence[MatchResult]
) -> list[Event]:
    """What the matches of a block that is over mean for a bot that played in them: events, if anything.

    `entry` is the one at the table; faults count for the version that takes part now.
    """
    seats = len(table)
    matches = [
        Fault(result.match_id, result.timeouts[seat], result.errors[seat])
        for rotation, result in enumerate(results)
        for seat in [(table.index(entry.number) - rotation) % seats]
    ]
    rules = state.config.suspension
    if round.purpose == "probe":
        good = entry.good_probes + [one.match_id for one in matches]
        is_good = not any(_is_fault(one) for one in matches)
        if entry.status == SUSPENDED and is_good and len(good) >= rules.probes:
            return [EntryReinstated(entry.id, tuple(good))]
        return []
    entry = state.current(entry)
    new = [one for one in matches if one.match_id not in entry.judged]
    recent = [*entry.recent, *new][-rules.window :]
    faults = tuple([one for one in recent if _is_fault(one)])
    if entry.status == ACTIVE and len(faults) > rules.most_faults:
        return [EntrySuspended(entry.id, faults, len(recent))]
    return []


def _is_fault(match: Fault) -> bool:
    return bool(match.timeouts or match.errors)
