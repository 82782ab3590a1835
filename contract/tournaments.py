"""Tournaments of ladders: rounds with their tables, and who has which place."""

from typing import Annotated

from contract.names import RoundStatus, names
from contract.values import Answer, Count, EntryId, JobId, LadderId, Positive

ScheduleKind = Annotated[
    str,
    names(
        "ScheduleKind",
        "`round_robin`: in each round, every table that there can be meets once. `swiss`: those with equal "
        "points meet, and nobody meets the same opponent again while that can be avoided. `knock_out`: in "
        "each stage, the last of every table are out.",
        "round_robin",
        "swiss",
        "knock_out",
    ),
]
Seeding = Annotated[
    str,
    names(
        "Seeding",
        "What the field of a tournament is ordered by: the order of entering, or the official ratings of the "
        "season before.",
        "entry",
        "ratings",
    ),
]
TournamentStatus = Annotated[
    str,
    names(
        "TournamentStatus",
        "`not_started`: its first round is not open yet. `abandoned`: the next season opened before its end.",
        "not_started",
        "running",
        "finished",
        "abandoned",
    ),
]


class Schedule(Answer, frozen=True):
    """The schedule of a tournament."""

    kind: ScheduleKind
    rounds: Count
    """The number of rounds; 0 for as many as the kind needs with the entries there are at the start."""
    blocks: Positive
    """The number of blocks that the entries of a table play against each other in a round."""
    seeding: Seeding


class TournamentPlayer(Answer, frozen=True):
    """An entry at a table of a tournament."""

    entry: EntryId
    name: str
    wins: Count
    """The matches that it has won at this table, in this round."""
    points: float | None
    """What it has from this table; null in a knock-out, and until all its blocks are over."""
    advances: bool | None
    """Whether it goes on to the next stage, or has won the final; null in other tournaments, and until the
    stage is decided."""


class TournamentTable(Answer, frozen=True):
    """A table of a round: entries that play blocks against each other."""

    players: tuple[TournamentPlayer, ...]
    """In a knock-out the better lines first, otherwise in the order of seats in the first match."""
    blocks: Positive
    finished: Count
    given_up: Count
    """The number of abandoned blocks: an entry left before they began, or they could not be played."""
    first_block: Positive
    """The number of the table's first block in the ladder's history."""


class TournamentBye(Answer, frozen=True):
    """An entry that does not play in a round."""

    entry: EntryId
    name: str


class TournamentRound(Answer, frozen=True):
    """A round of a tournament."""

    number: Positive
    """From 1 in the tournament; in a knock-out, the number of the stage."""
    replay: Count
    """0, or in a knock-out, for how many times tied tables of the stage play on."""
    round: Positive
    """The number of the round in the ladder."""
    job_id: JobId
    status: RoundStatus
    tables: tuple[TournamentTable, ...]
    byes: tuple[TournamentBye, ...]


class TournamentStanding(Answer, frozen=True):
    """The line of an entry in the table of a tournament."""

    place: Positive | None
    """Equal entries share a place. Null for entries that are still in a knock-out."""
    entry: EntryId
    name: str
    seed: Positive
    """1 for the best seed."""
    points: float | None
    """1 for each opponent with fewer wins in a meeting, and a half for each with as many; byes count, too.
    Null in a knock-out, as are the next two."""
    buchholz: float | None
    """The points of all opponents together."""
    sonneborn_berger: float | None
    """The points of the opponents that it was ahead of, and half the points of its equals."""
    wins: Count
    """The matches won."""
    meetings: Count
    """The tables at which it has played to the end."""
    byes: Count


class Tournament(Answer, frozen=True):
    """The tournament of a season."""

    ladder_id: LadderId
    season: Count
    """0 before the first round."""
    schedule: Schedule
    status: TournamentStatus
    planned: Count
    """The number of rounds, or of stages of a knock-out; 0 before the start."""
    seeded_by: Count | None
    """The table of the season before whose ratings seeded the field has the results up to this event of the
    ladder; 0 without a table. Null if the order of entering seeded it."""
    rounds: tuple[TournamentRound, ...]
    """In order."""
    items: tuple[TournamentStanding, ...]
    """The whole field, the first place first; those that are still in a knock-out come before all others."""
