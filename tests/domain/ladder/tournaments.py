"""Tournaments that are played by chance: whole ones, and single rounds of them."""

from collections.abc import Callable, Sequence
from random import Random

from domain.audit.envelopes import hash_of
from domain.ladder import decide
from domain.ladder import events as ev
from domain.ladder.config import LadderConfig, Schedule, Suspension
from domain.ladder.derivation import match_id
from domain.ladder.events import EntryPlayer, Event, MatchResult, Table
from domain.ladder.state import Round, Tournament, fold, initial_state
from domain.ladder.tournament.schedule import follow, start
from domain.match.events import Options
from tests.audited import chained
from tests.domain.ladder.bound import LADDER, Json, written

Winner = Callable[[Table], int]
"""The seat that wins a match of these entries, by seat."""


class Cup:
    """A ladder whose season is a tournament; entry n is called `e` and n."""

    def __init__(
        self,
        kind: str,
        entries: int,
        seats: int = 2,
        seeding: str = "entry",
        seed: str = "ab" * 32,
        **more: int,
    ) -> None:
        schedule = Schedule(kind, seeding=seeding, **more)
        config = LadderConfig(
            "base",
            "base@1",
            "sha-256:00",
            Options(),
            seats,
            seed,
            suspension=Suspension(4, 1, 2),
            schedule=schedule,
        )
        self.state = initial_state()
        self.events: list[Event] = []
        self.matches: dict[str, list[Json]] = {}
        """The events of the matches, as far as verifications read them."""
        self.add(ev.LadderCreated("Cup", "acc_1", config))
        for number in range(entries):
            player = EntryPlayer("strategy", f"s{number}", "1")
            self.add(*decide.add_entry(self.state, f"e{number}", player, f"s{number}", "service"))

    def add(self, *events: Event) -> None:
        self.events += events
        fold(self.state, events)

    def start(self) -> "Cup":
        self.add(*start(self.state, 1000, "job_1"))
        return self

    @property
    def tournament(self) -> Tournament:
        return self.state.tournaments[self.state.season]

    @property
    def round(self) -> Round:
        """The last round."""
        return self.state.rounds[-1]

    @property
    def is_over(self) -> bool:
        return bool(self.tournament.places)

    def places(self) -> dict[int, int]:
        """The final places by entry."""
        return {one.entry: one.place for one in self.tournament.places}

    def tables(self) -> list[set[int]]:
        """Who is at each table of the last round, a table that repeats once."""
        return [set(members) for members in dict.fromkeys(frozenset(one.table) for one in self.round.blocks)]

    def play(self, winner: Winner, turns: Callable[[int], int] = lambda entry: 30) -> "Cup":
        """Play what is open of the last round, and open what follows."""
        return self.play_blocks(winner, turns).end_round()

    def play_blocks(self, winner: Winner, turns: Callable[[int], int] = lambda entry: 30) -> "Cup":
        """Play what is open of the last round, which goes on."""
        for block in self.round.blocks:
            if block.is_open:
                results = []
                for rotation in range(len(block.table)):
                    seats = block.seats(rotation)
                    won = winner(seats)
                    at_ms = self.round.opened_at_ms
                    id = match_id(LADDER, at_ms, block.number, block.attempt, rotation)
                    results.append(self._result(id, seats, won, turns(seats[won])))
                self.add(*decide.finish_block(self.state, block.number, block.attempt, results))
        return self

    def _result(self, id: str, seats: Table, winner: int, turns: int) -> MatchResult:
        none = (0,) * len(seats)
        self.matches[id] = [
            {"type": "match_created", "match_id": id, "data": {}},
            *[_taken(seat, self.state.entries[entry].player) for seat, entry in enumerate(seats)],
            {"type": "match_finished", "data": {"winner": winner}},
        ]
        return MatchResult(id, winner, turns, 200, hash_of(self.matches[id][-1]), none, none)

    def history(self) -> list[Json]:
        """The history as the API shows it."""
        return chained([*map(written, self.events)])

    def end_round(self) -> "Cup":
        self.add(*decide.finish_round(self.state, self.round.number))
        self.add(*follow(self.state, 1000, "job_2"))
        return self

    def leave(self, *entries: int) -> None:
        """The entries are removed, and their open blocks are given up."""
        for entry in entries:
            self.add(*decide.remove_entry(self.state, f"e{entry}", "command"))
        for block in self.round.blocks:
            if block.is_open and not {*entries}.isdisjoint(block.table):
                self.add(*decide.void_block(self.state, block.number, 1, "entry_removed", ""))

    def play_out(self, winner: Winner) -> "Cup":
        """Play it to its end."""
        while not self.is_over:
            self.play(winner)
        return self


def _taken(seat: int, player: EntryPlayer) -> Json:
    data = {"seat": seat, "kind": "strategy", "id": player.name, "version": player.version}
    return {"type": "seat_taken", "data": data}


def better(seats: Table) -> int:
    """The entry with the lower number always wins."""
    return seats.index(min(seats))


def by_chance(seed: int) -> Winner:
    """Anybody wins."""
    random = Random(seed)
    return lambda seats: random.randrange(len(seats))


def first_seat(seats: Table) -> int:
    """Whoever sits first wins, so that all are equal after a block."""
    return 0


def pairs(members: Sequence[int]) -> list[tuple[int, int]]:
    low = sorted(members)
    return [(a, b) for place, a in enumerate(low) for b in low[place + 1 :]]
