"""What the tests of ladders share: a ladder with entries, rounds in it, and jobs that play them here."""

import time
from typing import Any

from msgspec.structs import replace

from domain.ladder import decide
from domain.ladder.config import LadderConfig, RatingRules
from domain.ladder.events import (
    EntryPlayer,
    SequentialTest,
    Table,
)
from domain.ladder.state import Block, LadderState, Round
from domain.match.rulesets import CURRENT, digest, resolve_options
from events import Matches, RedisStore
from events.checkpoints.audit import Auditor
from events.ladders import tables as ladder_tables
from events.ladders.ladders import Ladders
from events.ladders.tables import PublishedTable
from events.store import keys
from runtime.strategies import STRATEGIES, Strategy
from tests.workers import kit
from workers.ladders import blocks
from workers.ladders.context import Context, RoundLimits
from workers.ladders.dispatch import Rounds, WebPort
from workers.ladders.round_job import BlocksPlayed, play_round
from workers.ladders.table_job import update_tables
from workers.queue.client import connect, open_ladder_queue

OWNER = "acc_owner"
UNHURRIED = RoundLimits(seconds=kit.DEADLINE_S, overtime_s=kit.DEADLINE_S, fits_s=kit.DEADLINE_S)
"""A job does all there is to do, however slow the machine is."""
QUICK = replace(UNHURRIED, live_s=0.0, table_s=0.0, bots_s=0.0)
"""Every job does everything."""


class Ladder:
    """A ladder on the servers of a place."""

    def __init__(self, place: kit.Place, seats: int = 2, ruleset: str = "base", **config: Any) -> None:
        self.place = place
        self.ladders = Ladders(RedisStore(place.client))
        rules = CURRENT[ruleset]
        options = resolve_options(rules, seats)
        plain = LadderConfig(ruleset, rules.version, digest(rules), options, seats, seed="5e" * 32)
        made = replace(plain, rating=RatingRules(replicates=20), **config)
        self.id = self.ladders.create(lambda: decide.create("A ladder", OWNER, made), "account:x").ladder.id

    @property
    def state(self) -> LadderState:
        """As of now, read anew."""
        return Ladders(RedisStore(self.place.client)).load(self.id).state

    def round(self, number: int = 1) -> Round:
        return self.state.rounds[number - 1]

    def do(self, decided: Any) -> LadderState:
        """Carry out a command."""
        return self.ladders.execute(self.id, decided, "account:x").ladder.state

    def enter(self, *names: str) -> None:
        """Strategies take part, under their names; a name that stands again gets a number."""
        for name in names:
            self._enter(EntryPlayer("strategy", name, STRATEGIES[name].version), "service")

    def enter_bots(self, *handles: str) -> None:
        for handle in handles:
            self._enter(EntryPlayer("bot", handle, "1", f"acc_{handle}"), f"acc_{handle}")

    def _enter(self, player: EntryPlayer, owner: str) -> None:
        number = len(self.state.entries)
        name = f"{player.name} {number}"
        self.do(lambda state: decide.add_entry(state, f"ent_{number}", player, name, owner))

    def open(self, *tables: Table, purpose: str = "rated", test: SequentialTest | None = None) -> Round:
        at_ms = time.time_ns() // 1_000_000
        job = f"job_{at_ms}{purpose}"
        state = self.do(lambda state: decide.open_round(state, purpose, tables, at_ms, job, test))
        return state.rounds[-1]

    def open_bound(self, *tables: Table, value: str = "") -> Round:
        """A rated round that is bound to a public value, due a minute ago; recorded if it is given."""
        at_ms = time.time_ns() // 1_000_000 - 120_000
        number = len(self.state.rounds) + 1
        bound = self.place.matches.seeds.public_value(self.id, number, "drand round 7", at_ms + 60_000)
        job = f"job_{at_ms}bound"
        self.do(lambda state: decide.open_round(state, "rated", tables, at_ms, job, public_value=bound))
        if value:
            self.record_value(value, number)
        return self.round(number)

    def record_value(self, value: str, number: int = 1) -> None:
        at_ms = time.time_ns() // 1_000_000
        self.do(lambda state: decide.record_value(state, number, value, at_ms))

    def worker(self, limits: RoundLimits = QUICK, matches: Matches | None = None, **more: Any) -> Context:
        """What a job has in a process of its own: with empty caches."""
        client = self.place.client
        queue = connect(self.place.settings.queue_redis_url)
        return Context(
            matches or self.place.new_matches(),
            Ladders(RedisStore(client)),
            client,
            queue,
            limits=limits,
            **more,
        )

    def play(self, number: int = 1, limits: RoundLimits = QUICK, **more: Any) -> BlocksPlayed:
        """One job for the round, and one for the tables of its season."""
        counts = play_round(self.worker(limits, **more), self.id, number)
        self.compute(self.round(number).season, limits, **more)
        return counts

    def compute(self, season: int = 1, limits: RoundLimits = QUICK, **more: Any) -> None:
        """One job for the tables of a season."""
        update_tables(self.worker(limits, **more), self.id, season)

    def handed_out(self) -> list[tuple[str, int]]:
        """The jobs that wait once the relay has handed out what is missing: function, round or season."""
        queue = open_ladder_queue(self.place.queue_client)
        ladders = Ladders(RedisStore(self.place.client))
        Rounds(ladders, self.place.client, queue, WebPort("127.0.0.1", 9)).run()
        return [(job.func_name, job.args[1]) for job in queue.jobs]

    def published(self, season: int = 1) -> PublishedTable:
        """The tables that were saved last; without any an empty one."""
        return ladder_tables.load(self.place.client, self.id, season) or PublishedTable(season)

    def play_to_the_end(self, number: int = 1, deadline_s: float = kit.DEADLINE_S) -> Round:
        """Job after job until the round is finished."""
        end_s = time.monotonic() + deadline_s
        while self.round(number).status != "finished":
            assert time.monotonic() < end_s, "it did not come to an end"
            self.play(number)
        return self.round(number)

    def match_ids(self, block: Block, number: int = 1) -> list[str]:
        return blocks.match_ids(self.id, self.round(number), block)

    def matches(self) -> set[str]:
        """The ids of all matches there are."""
        return {*self.place.matches.store.members(keys.index("all"), None, 10_000)}

    def assert_whole(self, number: int = 1) -> None:
        """Every finished block is there once, and its matches are there, verify, and ended as it says."""
        auditor = Auditor(self.place.matches.store, self.place.notary)
        blocks = [block for block in self.round(number).blocks if block.results]
        found = [result for block in blocks for result in block.results]
        assert len({result.match_id for result in found}) == len(found)
        for block in blocks:
            assert [result.match_id for result in block.results] == self.match_ids(block, number)
            for result in block.results:
                loaded = self.place.latest(result.match_id)
                assert (loaded.state.winner, loaded.version) == (result.winner, result.version)
                assert f"sha-256:{loaded.head_hash.hex()}" == result.head
                report = auditor.audit(result.match_id)
                assert report.verdict == "verified", report


def recorded(ladder: Ladder, kind: type) -> list[Any]:
    """The ladder's events of that type."""
    from events.ladders.ladders import CODEC

    found, version = [], 0
    loaded = Ladders(RedisStore(ladder.place.client)).load(ladder.id)
    for entry in loaded.entries:
        found += [one for one in CODEC.events_of(ladder.id, version, entry) if isinstance(one, kind)]
        version = entry.last
    return found


A_BLOCK_AT_A_TIME = RoundLimits(seconds=20.0, chunk_s=0.0)


A_LITTLE = RoundLimits(decisions=5, live_s=0.0)
"""A few decisions of a match."""


def _begin(ladder: Ladder) -> str:
    """The first match of the first block, which is there now."""
    round = ladder.round()
    (match_id, *_) = ladder.match_ids(round.blocks[0])
    command = blocks.creation(ladder.state, ladder.id, round, round.blocks[0], 0)
    matches = ladder.place.matches
    matches.append_many([matches.creation(command, match_id, "create")])
    return match_id


def _without(name: str) -> dict[str, Strategy]:
    """As a process has them that does not know that one."""
    return {known: strategy for known, strategy in STRATEGIES.items() if known != name}
