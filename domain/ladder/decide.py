"""All rules of ladders except pairing and rating: from a state and a request to events or a refusal.

Each function leaves the state unchanged and raises `RuleViolation` to refuse. A request for what has happened
already is not refused: it returns no events.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.errors import RuleViolation
from domain.ladder import events as ev
from domain.ladder.config import METHOD, LadderConfig, digest
from domain.ladder.derivation import LATEST_MS, SOONEST_MS
from domain.ladder.events import (
    STAND_IN,
    EntryPlayer,
    Event,
    MatchFaults,
    MatchResult,
    PublicValue,
    SequentialTest,
    Table,
)
from domain.ladder.state import (
    ACTIVE,
    FINISHED,
    REMOVED,
    RUNNING,
    STOPPED,
    SUSPENDED,
    EntryState,
    LadderState,
    Round,
)
from domain.match.chance import commitment

WITHDRAWN: Final = "withdrawn"
"""The reason to remove an entry whose own bot withdrew it."""
VERSION_GONE: Final = "version_gone"
"""The reason to remove a built-in player of which the service plays a newer version."""
MOST_ENTRIES: Final = 100
"""Most entries that are not removed."""
MOST_VERSIONS: Final = 50
"""Most versions of one bot, in the lifetime of a ladder."""
MOST_BLOCKS: Final = 5000
"""Most blocks of a round."""
MOST_ATTEMPTS: Final = 3
"""Most attempts of a block."""


def create(name: str, owner: str, config: LadderConfig) -> list[Event]:
    """Create a ladder without entries.

    Raises:
        RuleViolation: `validation_failed`, an unknown rating method.
    """
    if config.rating.method != METHOD:
        raise RuleViolation("validation_failed", f"no method {config.rating.method!r}", "/rating/method")
    return [ev.LadderCreated(name, owner, config)]


def add_entry(state: LadderState, id: str, player: EntryPlayer, name: str, owner: str) -> list[Event]:
    """Enter a player under a unique name.

    A new version of a bot replaces the one before and inherits its suspension. A version cannot be entered
    twice, since its rating would start again.

    Raises:
        RuleViolation: `already_entered` or `too_many_entries`.
    """
    seated = [entry for entry in state.entries if entry.status != REMOVED]
    if player.account and any(entry.player == player for entry in state.entries):
        raise RuleViolation("already_entered", f"{player.name} {player.version} took part before", "/version")
    if any(entry.name == name and not _is_of(entry, player.account) for entry in seated):
        raise RuleViolation("already_entered", f"an entry is called {name!r} already", "/name")
    before = [entry for entry in state.entries if _is_of(entry, player.account)]
    replaced = [entry for entry in before if entry.status != REMOVED]
    if len(seated) - len(replaced) >= MOST_ENTRIES:
        raise RuleViolation("too_many_entries", f"a ladder can have at most {MOST_ENTRIES} entries at a time")
    if len(before) >= MOST_VERSIONS:
        raise RuleViolation("too_many_entries", f"{MOST_VERSIONS} versions of {player.name} have taken part")
    return [
        *[ev.EntryRemoved(entry.id, "new_version") for entry in replaced],
        ev.EntryAdded(id, player, name, owner),
        *[
            ev.EntrySuspended(id, entry.evidence, len(entry.evidence))
            for entry in before[-1:]
            if entry.evidence
        ],
    ]


def require_consent(state: LadderState, player: EntryPlayer, by: str) -> None:
    """Refuse to enter a bot that has withdrawn, unless its own account asks.

    Raises:
        RuleViolation: `entry_not_active`.
    """
    before = [entry for entry in state.entries if _is_of(entry, player.account)]
    if before and before[-1].removed_for == WITHDRAWN and by != player.account:
        detail = f"{player.name} has withdrawn, and only it may enter itself again"
        raise RuleViolation("entry_not_active", detail, "/bot")


def _is_of(entry: EntryState, account: str) -> bool:
    """Whether the entry is a bot of that account."""
    return bool(account) and entry.player.account == account


def remove_entry(state: LadderState, id: str, reason: str) -> list[Event]:
    """Remove an entry: it is no longer seated, and its blocks that have not begun will be given up."""
    entry = _entry(state, id)
    return [] if entry.status == REMOVED else [ev.EntryRemoved(id, reason)]


def remove_outdated(state: LadderState, versions: Mapping[str, str]) -> list[ev.EntryRemoved]:
    """Remove the built-in players of which there is a newer version; `versions` has the newest by name."""
    return [
        ev.EntryRemoved(entry.id, VERSION_GONE)
        for entry in state.entries
        if entry.status != REMOVED
        and not entry.is_bot
        and int(versions.get(entry.player.name, "0")) > int(entry.player.version)
    ]


def withdraw(state: LadderState, id: str, by: str) -> list[Event]:
    """Remove an entry at the request of an account.

    If that is the bot's own account, nobody else may enter the bot again. This also works for a bot that was
    removed already.
    """
    entry = _entry(state, id)
    if not _is_of(entry, by):
        return remove_entry(state, id, "command")
    is_last = state.current(entry) is entry
    is_news = entry.status != REMOVED or (is_last and entry.removed_for != WITHDRAWN)
    return [ev.EntryRemoved(id, WITHDRAWN)] if is_news else []


def open_season(
    state: LadderState, config: LadderConfig, seeds: Mapping[int, str] | None = None
) -> list[Event]:
    """Open the next season and finish stopped rounds.

    `seeds` maps the numbers of rounds with a public value to their seeds in hex.

    Raises:
        RuleViolation: `round_running`.
    """
    if any(round.status == RUNNING for round in state.rounds):
        raise RuleViolation("round_running", "a round of this season is being played")
    stopped = [round for round in state.rounds if round.status == STOPPED]
    return [
        *[event for round in stopped for event in _ended(round, "", (seeds or {}).get(round.number, ""))],
        ev.SeasonOpened(state.season + 1, config, digest(config)),
    ]


def open_round(
    state: LadderState,
    purpose: str,
    tables: Sequence[Table],
    opened_at_ms: int,
    job: str,
    test: SequentialTest | None = None,
    refined_by: int | None = None,
    public_value: PublicValue | None = None,
    byes: tuple[int, ...] | None = None,
) -> list[Event]:
    """Open a round with a block for each table; the first round also opens the first season.

    A round with a public value begins when that is recorded. `byes` are those of a round of a tournament.

    Raises:
        RuleViolation: `validation_failed`, `round_running` or `entry_not_active`.
    """
    if not 1 <= len(tables) <= MOST_BLOCKS:
        raise RuleViolation("validation_failed", f"a round has 1 to {MOST_BLOCKS} blocks", "/blocks")
    require_none_running(state, purpose)
    for table in tables:
        _check_table(state, table, purpose)
    if public_value is not None:
        _check_moment(public_value.at_ms - opened_at_ms)
    season = [] if state.season else open_season(state, state.config)
    number = len(state.rounds) + 1
    opened = ev.RoundOpened(
        number,
        state.season or 1,
        purpose,
        state.next_block,
        tuple(tables),
        opened_at_ms,
        job,
        test,
        refined_by,
        public_value,
        byes,
    )
    return [*season, opened]


def require_none_running(state: LadderState, purpose: str = "rated") -> None:
    """Refuse a second round of that purpose.

    Raises:
        RuleViolation: `round_running`.
    """
    for round in state.rounds:
        if round.purpose == purpose and round.status != FINISHED:
            raise RuleViolation("round_running", _unfinished(round))


def _unfinished(round: Round) -> str:
    if round.status != STOPPED:
        return f"another {round.purpose} round is not finished"
    is_stopped = f"{round.purpose} round {round.number} is stopped"
    return f"{is_stopped}: resume its job, {round.job}, or open the next season, which ends it"


def _check_moment(wait_ms: int) -> None:
    if not SOONEST_MS <= wait_ms <= LATEST_MS:
        detail = "the value must be published between 60 seconds and 30 days from now"
        raise RuleViolation("validation_failed", detail, "/public_value/at")


def record_value(state: LadderState, number: int, value: str, at_ms: int) -> list[Event]:
    """Record the public value of a round; `at_ms` is the current time in ms since 1970.

    Recording the same value again does nothing.

    Raises:
        RuleViolation: `round_not_found`, `no_value_awaited` or `value_too_early`.
    """
    if not 1 <= number <= len(state.rounds):
        raise RuleViolation("round_not_found", f"the ladder has {len(state.rounds)} rounds so far")
    round = state.rounds[number - 1]
    if round.public_value is not None and round.value == value:
        return []
    if round.public_value is None or not round.awaits_value:
        raise RuleViolation("no_value_awaited", f"round {number} waits for no value")
    if at_ms < round.public_value.at_ms:
        raise RuleViolation("value_too_early", "the value is not published yet, by the time of the service")
    return [ev.PublicValueRecorded(number, value, at_ms)]


def probe_tables(state: LadderState, number: int) -> list[Table]:
    """Tables of one suspended bot against stand-ins, enough to reinstate it."""
    seats = state.config.seats
    blocks = -(-state.config.suspension.probes // seats)
    return [(number, *[STAND_IN] * (seats - 1))] * blocks


def _check_table(state: LadderState, table: Table, purpose: str) -> None:
    named = [number for number in table if number != STAND_IN]
    wanted = SUSPENDED if purpose == "probe" else ACTIVE
    assert len(table) == state.config.seats, "a table is full"
    assert len(set(named)) == len(named), "nobody is there twice"
    assert purpose != "rated" or len(named) == len(table), "nobody stands in where it counts"
    if any(state.entries[number].status != wanted for number in named):
        raise RuleViolation("entry_not_active", f"an entry at the table is not {wanted}")


def finish_block(
    state: LadderState, number: int, attempt: int, results: Sequence[MatchResult]
) -> list[Event]:
    """Record the results of a block; suspend bots with too many faults, reinstate probed bots without any."""
    block = state.block(number)
    assert block is not None, "there is such a block"
    assert len(results) == len(block.table), "every match of it has a result"
    round = state.round_of(number)
    assert round is not None, "every block belongs to a round"
    if round.status == FINISHED or not block.is_open or block.attempt != attempt:
        return []
    found: list[Event] = [ev.BlockFinished(number, attempt, tuple(results))]
    for member in block.table:
        if member != STAND_IN and state.entries[member].is_bot:
            found += _consequences(state, state.entries[member], round, block.table, results)
    return found


def suspend(state: LadderState, id: str, fault: MatchFaults) -> list[Event]:
    """Suspend the last version of a remote bot that no longer answers in a match."""
    entry = state.current(_entry(state, id))
    is_due = entry.status == ACTIVE and fault.match_id not in entry.judged
    return [ev.EntrySuspended(entry.id, (fault,), 1)] if is_due else []


def void_block(
    state: LadderState, number: int, attempt: int, reason: str, detail: str, matches: Sequence[str] = ()
) -> list[Event]:
    """Void an attempt of a block: the block begins again, or is given up if that would not help."""
    block = state.block(number)
    assert block is not None, "a block that there is"
    round = state.round_of(number)
    assert round is not None, "every block belongs to a round"
    if round.status == FINISHED or not block.is_open or block.attempt != attempt:
        return []
    is_final = attempt >= MOST_ATTEMPTS or reason in ("entry_suspended", "entry_removed")
    return [ev.BlockVoided(number, attempt, reason, detail, is_final, tuple(matches))]


def stop_round(state: LadderState, number: int, reason: str) -> list[Event]:
    """Stop a round: no further block begins.

    Raises:
        RuleViolation: `job_finished`.
    """
    round = state.rounds[number - 1]
    if round.status == FINISHED:
        raise RuleViolation("job_finished", "the round is finished")
    return [] if round.status == STOPPED else [ev.RoundStopped(number, reason)]


def resume_round(state: LadderState, number: int) -> list[Event]:
    """Resume a stopped round.

    Raises:
        RuleViolation: `job_finished`.
    """
    round = state.rounds[number - 1]
    if round.status == FINISHED:
        raise RuleViolation("job_finished", "the round is finished")
    return [] if round.status == RUNNING else [ev.RoundResumed(number)]


def finish_round(state: LadderState, number: int, decision: str = "", seed: str = "") -> list[Event]:
    """Finish a round whose blocks are all finished or given up, or whose test has a `decision`.

    `seed` is the seed of a round with a public value, in hex.
    """
    round = state.rounds[number - 1]
    if round.status == FINISHED:
        return []
    assert decision or not round.left, "every block is finished or given up"
    return _ended(round, decision, seed)


def _ended(round: Round, decision: str, seed: str) -> list[Event]:
    finished = ev.RoundFinished(round.number, decision)
    if round.public_value is None:
        return [finished]
    assert commitment(bytes.fromhex(seed)) == round.public_value.commitment, "the seed that was committed to"
    return [finished, ev.RoundSeedRevealed(round.number, seed)]


def unseatable(state: LadderState, table: Table, purpose: str) -> str:
    """Why no match may begin at the table: `entry_removed` or `entry_suspended`; empty if one may."""
    statuses = [state.entries[number].status for number in table if number != STAND_IN]
    if REMOVED in statuses:
        return "entry_removed"
    return "entry_suspended" if SUSPENDED in statuses and purpose != "probe" else ""


def _entry(state: LadderState, id: str) -> EntryState:
    entry = state.entry(id)
    if entry is None:
        raise RuleViolation("entry_not_found", f"no entry {id!r}")
    return entry


def _consequences(
    state: LadderState, entry: EntryState, round: Round, table: Table, results: Sequence[MatchResult]
) -> list[Event]:
    """The events that a finished block causes for one of its bots, if any.

    `entry` is the entry at the table; faults count for the version that is entered now.
    """
    seats = len(table)
    matches = [
        MatchFaults(result.match_id, result.timeouts[seat], result.errors[seat])
        for rotation, result in enumerate(results)
        for seat in [(table.index(entry.number) - rotation) % seats]
    ]
    rules = state.config.suspension
    if round.purpose == "probe":
        good = entry.good_probes + [one.match_id for one in matches]
        is_good = not any(_is_fault(one) for one in matches)
        if entry.status == SUSPENDED and is_good and len(good) >= rules.probes:
            return [ev.EntryReinstated(entry.id, tuple(good))]
        return []
    entry = state.current(entry)
    new = [one for one in matches if one.match_id not in entry.judged]
    recent = [*entry.recent, *new][-rules.window :]
    faults = tuple([one for one in recent if _is_fault(one)])
    if entry.status == ACTIVE and len(faults) > rules.most_faults:
        return [ev.EntrySuspended(entry.id, faults, len(recent))]
    return []


def _is_fault(match: MatchFaults) -> bool:
    return bool(match.timeouts or match.errors)
