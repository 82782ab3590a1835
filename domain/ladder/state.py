"""The state of a ladder: what a fold of its events gives. Whoever folds owns it, others get a copy.

`domain.ladder.evolve` has the fold.
"""

from collections.abc import Iterator
from copy import copy
from typing import Final

from msgspec import Struct

from domain.ladder import events as ev
from domain.ladder.config import LadderConfig
from domain.ladder.events import Fault, MatchResult, Player, PublicValue, SequentialTest, Table

RUNNING: Final = "running"
STOPPED: Final = "stopped"
FINISHED: Final = "finished"

TABLE_FAILED: Final = "table_failed"
"""Why a round is stopped whose official table cannot be computed."""

ACTIVE: Final = "active"
SUSPENDED: Final = "suspended"
REMOVED: Final = "removed"


class Entry:
    """One who takes part."""

    def __init__(self, number: int, event: ev.EntryAdded) -> None:
        self.number = number
        self.id: str = event.entry
        self.player: Player = event.player
        self.name: str = event.name
        self.owner: str = event.owner
        self.status: str = ACTIVE
        self.removed_for: str = ""
        self.recent: list[Fault] = []
        """A remote bot's last matches since it was seated or reinstated, faults or not, oldest first."""
        self.evidence: tuple[Fault, ...] = ()
        """Why it is suspended."""
        self.judged: frozenset[str] = frozenset()
        """The matches that it was ever suspended for: none is held against it twice."""
        self.good_probes: list[str] = []
        """The matches without a fault that it played in a row since it was suspended."""

    @property
    def is_bot(self) -> bool:
        """Whether it plays over the API."""
        return self.player.kind == "bot"


class Block(Struct, frozen=True):
    """One table and all its seat rotations."""

    number: int
    table: Table
    attempt: int = 1
    """The one under way, or the last."""
    results: tuple[MatchResult, ...] = ()
    """By rotation; empty until all are over."""
    is_given_up: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it is still to be played to the end."""
        return not self.results and not self.is_given_up

    def seats(self, rotation: int) -> Table:
        """Who sits where in the match of that rotation."""
        return self.table[rotation:] + self.table[:rotation]


class Round:
    """Blocks that were ordered together."""

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
        """That of a round with a public value, in hex; empty until it is revealed."""
        self.left: set[int] = {block.number for block in self.blocks}
        """The numbers of the blocks that are open."""

    def copy(self) -> "Round":
        """A round that shares nothing that can change; a finished one cannot."""
        if self.status == FINISHED:
            return self
        twin = copy(self)
        twin.blocks = self.blocks.copy()
        twin.left = self.left.copy()
        return twin

    def put(self, block: Block) -> None:
        """Take the block in place of the one of its number."""
        self.blocks[block.number - self.first_block] = block
        if not block.is_open:
            self.left.discard(block.number)

    @property
    def awaits_value(self) -> bool:
        """Whether the round waits for its public value: nothing is begun before it is recorded."""
        return self.public_value is not None and not self.value and self.status != FINISHED

    @property
    def may_begin(self) -> bool:
        """Whether further blocks may be begun."""
        return self.status == RUNNING and not self.awaits_value

    @property
    def finished_blocks(self) -> int:
        """How many blocks have results."""
        return sum([bool(block.results) for block in self.blocks])


class LadderState:
    """Everything about a ladder that the rules or a reader may ask for."""

    config: LadderConfig
    """Not there before the first event."""

    def __init__(self) -> None:
        self.version: int = 0
        self.name: str = ""
        self.owner: str = ""
        self.season: int = 0
        """0 before the first round."""
        self.configs: list[LadderConfig] = []
        """By season, less 1."""
        self.digests: list[str] = []
        """By season, less 1: of its configuration."""
        self.entries: list[Entry] = []
        """By number."""
        self.numbers: dict[str, int] = {}
        """By id of the entry."""
        self.rounds: list[Round] = []
        """The round of number n is at n - 1."""
        self.next_block: int = 1

    def copy(self) -> "LadderState":
        """A state that shares nothing that can change."""
        twin = copy(self)
        twin.entries = [copy(entry) for entry in self.entries]
        twin.numbers = self.numbers.copy()
        twin.configs = self.configs.copy()
        twin.digests = self.digests.copy()
        twin.rounds = [round.copy() for round in self.rounds]
        return twin

    def entry(self, id: str) -> Entry | None:
        """The entry of that id."""
        number = self.numbers.get(id)
        return None if number is None else self.entries[number]

    def current(self, entry: Entry) -> Entry:
        """The last version of a bot that came in: whoever plays answers under that one for all before."""
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

    def rated_blocks(self, season: int) -> Iterator[tuple[Round, Block]]:
        """The finished blocks that count for a season, in order of their numbers."""
        for round in self.rounds:
            if round.season == season and round.purpose == "rated":
                for block in round.blocks:
                    if block.results:
                        yield round, block


def initial_state() -> LadderState:
    """The state before the first event."""
    return LadderState()
