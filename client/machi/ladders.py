"""Ladders as they are shown: who takes part, what was ordered, and the tables."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from msgspec import Raw, Struct

from machi.jobs import TableProgress


class LadderEntry(Struct, frozen=True):
    """One who takes part."""

    entry_id: str
    player: dict[str, str]
    """Its `kind` (`strategy` or `bot`), name or handle, and version."""
    name: str
    owner: str
    status: str
    """`active`, `suspended` or `removed`."""
    removed_for: str | None = None
    evidence: dict[str, Any] | None = None
    """Of a suspension, in the shape of the API."""
    good_probes: tuple[str, ...] = ()


class PublicValue(Struct, frozen=True):
    """What a round is bound to: a seed of its own, and a value from elsewhere that nobody knew yet."""

    source: str
    """Where it is published."""
    at: datetime
    commitment: str
    """`sha-256:` and the hex digest of the round's seed."""
    key_id: str
    value: str | None = None
    """None until it is recorded."""
    seed: str | None = None
    """Of the round, in hex; None until the round is finished."""


class LadderRound(Struct, frozen=True):
    """Blocks that were ordered together."""

    round: int
    season: int
    purpose: str
    """`rated`, `test` or `probe`."""
    status: str
    """`awaiting_value`, `running`, `stopped` or `finished`."""
    opened_at: datetime
    blocks: int
    finished: int
    given_up: int
    job_id: str
    stopped_for: str | None = None
    public_value: PublicValue | None = None


class LadderEventPage(Struct, frozen=True):
    """A page of what happened in a ladder."""

    items: tuple[Raw, ...]
    next: str | None


# Dataclasses where the JSON as it came is kept, which is neither shown nor compared.
@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """A ladder."""

    ladder_id: str
    name: str
    owner: str
    created_at: datetime
    version: int
    head: str
    season: int
    """0 before the first round."""
    config: dict[str, Any]
    digest: str
    entries: tuple[LadderEntry, ...]
    rounds: tuple[LadderRound, ...]
    """The last ones, newest first."""
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The JSON as it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedLadder:
    """A ladder as lists show it."""

    ladder_id: str
    name: str
    owner: str
    created_at: datetime
    ruleset: str
    seats: int
    season: int
    entries: int
    is_playing: bool
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The JSON as it came."""


class MeanLuck(Struct, frozen=True):
    """Luck of a match on average; None where it was not measured."""

    coins: float | None = None
    wins: float | None = None


class LiveRating(Struct, frozen=True):
    """A rating at a glance."""

    entry: str
    name: str
    rating: float
    rating_interval: tuple[float, float]
    matches: int


class Standing(Struct, frozen=True):
    """An entry's line of the official table."""

    rank: int
    rank_interval: tuple[int, int]
    entry: str
    name: str
    rating: float
    rating_interval: tuple[float, float]
    provisional: bool
    matches: int
    wins: int
    score: float | None
    score_adjusted: float | None
    wins_by_seat: tuple[int, ...]
    timeouts: int
    errors: int
    mean_luck: MeanLuck = MeanLuck()
    above_next: float | None = None
    score_adjusted_interval: tuple[float, float] | None = None
    live: LiveRating | None = None


class TableAge(Struct, frozen=True):
    """How old a table is."""

    version: int
    blocks: int
    computed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """The official table of a season."""

    ladder_id: str
    season: int
    blocks_counted: int
    blocks_finished: int
    as_of: TableAge | None
    """None before there is a table."""
    items: tuple[Standing, ...]
    """From the first to the last."""
    live: tuple[LiveRating, ...] = ()
    computing: TableProgress | None = None
    """How far the next official table is; None if none is being computed."""
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The JSON as it came."""


class Cell(Struct, frozen=True):
    """One entry against another: the matches in which both had a seat."""

    entry: str
    opponent: str
    blocks: int
    matches: int
    wins: int
    losses: int
    score: float | None


class NamedEntry(Struct, frozen=True):
    """Whom a row of a crosstable is of."""

    entry: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Crosstable:
    """Who met whom how often, and who won."""

    ladder_id: str
    season: int
    blocks_counted: int
    blocks_finished: int
    entries: tuple[NamedEntry, ...]
    items: tuple[Cell, ...]
    """For every ordered pair of entries."""
    computing: TableProgress | None = None
    """How far the next one is; None if none is being computed."""
    raw: bytes = field(default=b"", repr=False, compare=False)
    """The JSON as it came."""
