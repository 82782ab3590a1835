"""The state of a ladder and the fold of its events, which applies no rules.

The owner of a state may change it by folding events; everybody else gets a copy.
"""

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from domain.ladder import events as ev
from domain.ladder.config import LadderConfig
from domain.ladder.events import (
    EntryPlayer,
    Event,
    FinalPlace,
    MatchFaults,
    MatchResult,
    PublicValue,
    SequentialTest,
    Table,
)

RUNNING: Final = "running"
STOPPED: Final = "stopped"
FINISHED: Final = "finished"

COMMAND: Final = "command"
"""The reason to stop a round when the owner of the ladder asks for it."""
RULES_GONE: Final = "rules_gone"
"""The reason to stop a round whose version of the rules no worker has any more."""
VALUE_FUNCTION_GONE: Final = "value_function_gone"
"""The reason to stop a round whose value function no worker has any more."""
TABLE_FAILED: Final = "table_failed"
"""The reason to stop a round whose official table cannot be computed."""
OWNER_DELETED: Final = "owner_deleted"
"""The reason to stop a round that waits for a value which only the owner of its ladder could record."""

ACTIVE: Final = "active"
SUSPENDED: Final = "suspended"
REMOVED: Final = "removed"


class EntryState:
    """The state of an entry."""

    def __init__(self, number: int, event: ev.EntryAdded) -> None:
        self.number = number
        self.id: str = event.entry
        self.player: EntryPlayer = event.player
        self.name: str = event.name
        self.owner: str = event.owner
        self.status: str = ACTIVE
        self.removed_for: str = ""
        self.recent: list[MatchFaults] = []
        """A remote bot's last matches since it was entered or reinstated, oldest first."""
        self.evidence: tuple[MatchFaults, ...] = ()
        """The matches that it is suspended for."""
        self.examined: int = 0
        """The number of its last matches that were examined before it was suspended; 0 unless it is."""
        self.judged: frozenset[str] = frozenset()
        """The ids of all matches that it was ever suspended for; none counts twice."""
        self.good_probes: list[str] = []
        """The ids of consecutive probes without a fault since it was suspended."""

    @property
    def is_bot(self) -> bool:
        """Whether it plays over the API."""
        return self.player.kind == "bot"


class Block(Struct, frozen=True):
    """One table and all its seat rotations."""

    number: int
    table: Table
    attempt: int = 1
    """The current or the last attempt."""
    results: tuple[MatchResult, ...] = ()
    """By rotation; empty until all are over."""
    is_given_up: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it is neither finished nor given up."""
        return not self.results and not self.is_given_up

    def seats(self, rotation: int) -> Table:
        """The entry numbers by seat in the match of that rotation."""
        return self.table[rotation:] + self.table[:rotation]


class Round:
    """The state of a round."""

    def __init__(self, event: ev.RoundOpened) -> None:
        self.number: int = event.round
        self.season: int = event.season
        self.purpose: str = event.purpose
        self.opened_at_ms: int = event.opened_at_ms
        self.job: str = event.job
        self.test: SequentialTest | None = event.test
        self.first_block: int = event.first_block
        self.blocks: list[Block] = [
            Block(number, table) for number, table in enumerate(event.tables, event.first_block)
        ]
        self.status: str = RUNNING
        self.stopped_for: str = ""
        self.decision: str = ""
        self.public_value: PublicValue | None = event.public_value
        self.value: str = ""
        """The public value; empty until it is recorded."""
        self.seed: str = ""
        """The seed of a round with a public value, in hex; empty until it is revealed."""
        self.left: set[int] = {block.number for block in self.blocks}
        """The numbers of the open blocks."""
        self.byes: tuple[int, ...] = event.byes or ()
        self.absent: frozenset[int] = frozenset()
        """The numbers of the entries that were not active at its end."""

    def copy(self) -> "Round":
        """A copy that shares nothing mutable; a finished round is immutable."""
        if self.status == FINISHED:
            return self
        twin = copy(self)
        twin.blocks = self.blocks.copy()
        twin.left = self.left.copy()
        return twin

    def put(self, block: Block) -> None:
        """Replace the block with the same number."""
        self.blocks[block.number - self.first_block] = block
        if not block.is_open:
            self.left.discard(block.number)

    @property
    def awaits_value(self) -> bool:
        """Whether the round waits for its public value, before which no block begins."""
        return self.public_value is not None and not self.value and self.status != FINISHED

    @property
    def may_begin(self) -> bool:
        """Whether further blocks may begin."""
        return self.status == RUNNING and not self.awaits_value

    @property
    def finished_blocks(self) -> int:
        """The number of blocks with results."""
        return sum([bool(block.results) for block in self.blocks])


class Tournament(Struct, frozen=True):
    """The tournament of a season."""

    season: int
    field: tuple[int, ...]
    """Entry numbers, the best seed first."""
    rounds: int
    """The number of rounds, or of stages of a knock-out."""
    seeded_by: int | None
    places: tuple[FinalPlace, ...] = ()
    """Empty until it is finished."""


class LadderState:
    """The state of a ladder."""

    config: LadderConfig
    """Not set before the first event."""

    def __init__(self) -> None:
        self.version: int = 0
        self.name: str = ""
        self.owner: str = ""
        self.season: int = 0
        """0 before the first round."""
        self.configs: list[LadderConfig] = []
        """The configuration of season n is at n - 1."""
        self.digests: list[str] = []
        """The digests of `configs`."""
        self.entries: list[EntryState] = []
        """By entry number."""
        self.numbers: dict[str, int] = {}
        """Entry numbers by entry id."""
        self.rounds: list[Round] = []
        """The round of number n is at n - 1."""
        self.next_block: int = 1
        self.tournaments: dict[int, Tournament] = {}
        """By season."""

    def copy(self) -> "LadderState":
        """A copy that shares nothing mutable."""
        twin = copy(self)
        twin.entries = [copy(entry) for entry in self.entries]
        twin.numbers = self.numbers.copy()
        twin.configs = self.configs.copy()
        twin.digests = self.digests.copy()
        twin.rounds = [round.copy() for round in self.rounds]
        twin.tournaments = self.tournaments.copy()
        return twin

    def entry(self, id: str) -> EntryState | None:
        """The entry of that id."""
        number = self.numbers.get(id)
        return None if number is None else self.entries[number]

    def current(self, entry: EntryState) -> EntryState:
        """The last entered version of a bot, which answers for its earlier versions; others themselves."""
        if not entry.is_bot:
            return entry
        return next(one for one in reversed(self.entries) if one.player.account == entry.player.account)

    def round_of(self, block: int) -> Round | None:
        """The round that the block belongs to."""
        for round in reversed(self.rounds):
            if round.first_block <= block < round.first_block + len(round.blocks):
                return round
        return None

    def block(self, number: int) -> Block | None:
        """The block of that number."""
        round = self.round_of(number)
        return None if round is None else round.blocks[number - round.first_block]

    def rated_rounds(self, season: int) -> list["Round"]:
        """The rounds that count for a season, in order of their numbers."""
        return [round for round in self.rounds if round.season == season and round.purpose == "rated"]

    def rated_blocks(self, season: int) -> Iterator[tuple[Round, Block]]:
        """The finished blocks that count for a season, in order of their numbers."""
        for round in self.rated_rounds(season):
            for block in round.blocks:
                if block.results:
                    yield round, block

    def finished_blocks(self, season: int) -> int:
        """The number of finished blocks that count for a season."""
        return sum([round.finished_blocks for round in self.rated_rounds(season)])


def initial_state() -> LadderState:
    """The state before the first event."""
    return LadderState()


def fold(state: LadderState, events: Iterable[Event]) -> LadderState:
    """Apply the events to the given state and return it."""
    for event in events:
        APPLY[type(event)](state, event)
        state.version += 1
    return state


def _ladder_created(state: LadderState, event: ev.LadderCreated) -> None:
    state.name = event.name
    state.owner = event.owner
    state.config = event.config


def _entry_added(state: LadderState, event: ev.EntryAdded) -> None:
    state.numbers[event.entry] = len(state.entries)
    entry = EntryState(len(state.entries), event)
    # A bot is judged by its last matches over all versions.
    before = [one for one in state.entries if entry.is_bot and one.player.account == entry.player.account]
    if before:
        entry.recent, entry.judged = before[-1].recent, before[-1].judged
    state.entries.append(entry)


def _entry_removed(state: LadderState, event: ev.EntryRemoved) -> None:
    entry = state.entries[state.numbers[event.entry]]
    entry.status = REMOVED
    entry.removed_for = event.reason


def _season_opened(state: LadderState, event: ev.SeasonOpened) -> None:
    state.season = event.season
    state.config = event.config
    state.configs.append(event.config)
    state.digests.append(event.digest)


def _round_opened(state: LadderState, event: ev.RoundOpened) -> None:
    state.rounds.append(Round(event))
    state.next_block = event.first_block + len(event.tables)


def _public_value_recorded(state: LadderState, event: ev.PublicValueRecorded) -> None:
    state.rounds[event.round - 1].value = event.value


def _block_finished(state: LadderState, event: ev.BlockFinished) -> None:
    round, block = _at(state, event.block)
    round.put(replace(block, attempt=event.attempt, results=event.results))
    for rotation, result in enumerate(event.results):
        for seat, number in enumerate(block.seats(rotation)):
            if number != ev.STAND_IN and state.entries[number].is_bot:
                fault = MatchFaults(result.match_id, result.timeouts[seat], result.errors[seat])
                _note_match(state, state.entries[number], round, fault)


def _note_match(state: LadderState, entry: EntryState, round: Round, fault: MatchFaults) -> None:
    if round.purpose == "probe":
        is_good = not (fault.timeouts or fault.errors)
        entry.good_probes = [*entry.good_probes, fault.match_id] if is_good else []
        return
    entry = state.current(entry)
    if not entry.evidence and fault.match_id not in entry.judged:
        entry.recent = [*entry.recent, fault][-state.config.suspension.window :]


def _block_voided(state: LadderState, event: ev.BlockVoided) -> None:
    round, block = _at(state, event.block)
    attempt = event.attempt + (not event.is_final)
    round.put(replace(block, attempt=attempt, is_given_up=event.is_final))


def _at(state: LadderState, number: int) -> tuple[Round, Block]:
    round = state.round_of(number)
    assert round is not None, "every block belongs to a round"
    return round, round.blocks[number - round.first_block]


def _round_stopped(state: LadderState, event: ev.RoundStopped) -> None:
    round = state.rounds[event.round - 1]
    round.status = STOPPED
    round.stopped_for = event.reason


def _round_resumed(state: LadderState, event: ev.RoundResumed) -> None:
    round = state.rounds[event.round - 1]
    round.status = RUNNING
    round.stopped_for = ""


def _round_finished(state: LadderState, event: ev.RoundFinished) -> None:
    round = state.rounds[event.round - 1]
    round.status = FINISHED
    round.decision = event.decision
    round.absent = frozenset([entry.number for entry in state.entries if entry.status != ACTIVE])


def _round_seed_revealed(state: LadderState, event: ev.RoundSeedRevealed) -> None:
    # Recorded together with `round_finished`, so no other state shares the round yet.
    state.rounds[event.round - 1].seed = event.seed


def _entry_suspended(state: LadderState, event: ev.EntrySuspended) -> None:
    entry = state.entries[state.numbers[event.entry]]
    entry.status = SUSPENDED
    entry.evidence = event.faults
    entry.examined = event.matches
    entry.judged |= {fault.match_id for fault in event.faults}
    entry.good_probes = []


def _entry_reinstated(state: LadderState, event: ev.EntryReinstated) -> None:
    entry = state.entries[state.numbers[event.entry]]
    entry.status = ACTIVE
    entry.evidence = ()
    entry.examined = 0
    entry.recent = []
    entry.good_probes = []


def _tournament_started(state: LadderState, event: ev.TournamentStarted) -> None:
    found = Tournament(event.season, event.field, event.rounds, event.seeded_by)
    state.tournaments[event.season] = found


def _tournament_finished(state: LadderState, event: ev.TournamentFinished) -> None:
    known = state.tournaments[event.season]
    state.tournaments[event.season] = replace(known, places=event.places)


APPLY: Final[dict[type, Callable[[LadderState, Any], None]]] = {
    ev.LadderCreated: _ladder_created,
    ev.EntryAdded: _entry_added,
    ev.EntryRemoved: _entry_removed,
    ev.SeasonOpened: _season_opened,
    ev.RoundOpened: _round_opened,
    ev.PublicValueRecorded: _public_value_recorded,
    ev.BlockFinished: _block_finished,
    ev.BlockVoided: _block_voided,
    ev.RoundStopped: _round_stopped,
    ev.RoundResumed: _round_resumed,
    ev.RoundFinished: _round_finished,
    ev.RoundSeedRevealed: _round_seed_revealed,
    ev.EntrySuspended: _entry_suspended,
    ev.EntryReinstated: _entry_reinstated,
    ev.TournamentStarted: _tournament_started,
    ev.TournamentFinished: _tournament_finished,
}
"""How each event changes the state; a test compares the keys with the event types."""
