"""kill -9 of all that a season is played by, one after the other: no block is lost or counted twice."""

import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import combinations

import msgspec
import pytest

from domain.ladder import decide
from domain.ladder.config import LadderConfig
from domain.ladder.events import BlockFinished, EntryPlayer
from domain.ladder.results import lines, read, write
from domain.ladder.standings import standings
from domain.ladder.state import FINISHED, LadderState
from domain.match.rulesets import CURRENT, digest, resolve_options
from events import RedisStore
from events.ladders import tables as ladder_tables
from events.ladders.ladders import CODEC, Ladders, envelopes
from events.store import keys
from events.store.errors import StoreUnavailable
from events.store.keys import new_id
from runtime.strategies import STRATEGIES
from tests.e2e.stack import PAUSE_S, Stack, wait_until

ENTRIES = ("random", "landmark_first") * 4
PAIRS = (*combinations(range(len(ENTRIES)), 2),)
MOST_MEETINGS = decide.MOST_BLOCKS // len(PAIRS)
SEASON_S = 600.0

VICTIMS = (
    "the worker's job",
    "the events server",
    "the worker with its job",
    "the queue server",
    "the relay",
)


class Season:
    """A season of built-in entries on a stack, watched through the event store."""

    def __init__(self, stack: Stack) -> None:
        self.client = stack.events_client()
        self._ladders = Ladders(RedisStore(self.client))
        rules = CURRENT["base"]
        options = resolve_options(rules, 2)
        config = LadderConfig("base", rules.version, digest(rules), options, 2, seed="5e" * 32)
        made = self._ladders.create(
            lambda: decide.create("A season", "acc_owner", config), "account:acc_owner"
        )
        self.id = made.ladder.id
        for number, name in enumerate(ENTRIES):
            player = EntryPlayer("strategy", name, STRATEGIES[name].version)
            self._enter(f"ent_{number}", player, f"{name} {number}")
        self._meetings = 1

    def _enter(self, id: str, player: EntryPlayer, name: str) -> None:
        self._do(lambda state: decide.add_entry(state, id, player, name, "service"))

    def _do(self, decided: object) -> None:
        self._ladders.execute(self.id, decided, "account:acc_owner")  # type: ignore[arg-type]

    @property
    def state(self) -> LadderState:
        return self._ladders.load(self.id).state

    @contextmanager
    def held_in_the_middle(self, stack: Stack) -> Iterator[None]:
        """The worker stands still meanwhile in a job, when some blocks of a round are over and some are not.

        A round that is over before the worker is halted is followed by one of twice as many blocks.
        """
        while True:
            if self._is_over():
                self._open_round()
            with stack.held("worker") as pids:
                if len(pids) > 1 and self._is_in_the_middle():
                    yield
                    return
            threading.Event().wait(PAUSE_S)

    def _open_round(self) -> None:
        tables = PAIRS * self._meetings
        at_ms, job = time.time_ns() // 1_000_000, new_id("job")
        self._do(lambda state: decide.open_round(state, "rated", tables, at_ms, job))
        self._meetings = min(2 * self._meetings, MOST_MEETINGS)

    def _is_over(self) -> bool:
        return all(round.status == FINISHED for round in self.state.rounds)

    def _is_in_the_middle(self) -> bool:
        round = self.state.rounds[-1]
        return 0 < round.finished_blocks < len(round.blocks)

    def wait_for_the_server(self) -> None:
        wait_until(self._is_there)

    def _is_there(self) -> bool:
        with suppress(StoreUnavailable):
            return bool(self.state)
        return False

    def wait_for_the_end(self) -> None:
        wait_until(self._is_over, SEASON_S)

    def assert_whole(self) -> None:
        """Every block is there once with all its matches, and they ended as the ladder says."""
        ladder = Ladders(RedisStore(self.client)).load(self.id)
        assert len(envelopes(ladder)) == ladder.version
        found, version = [], 0
        for entry in ladder.entries:
            found += [
                one for one in CODEC.events_of(self.id, version, entry) if isinstance(one, BlockFinished)
            ]
            version = entry.last
        blocks = [block.number for round in self.state.rounds for block in round.blocks]
        assert sorted(one.block for one in found) == blocks
        results = [result for one in found for result in one.results]
        assert len({result.match_id for result in results}) == 2 * len(blocks)
        store = RedisStore(self.client)
        wait_until(lambda: all(store.fields(keys.LINES, [result.match_id for result in results])))
        for result in results:
            line = store.find_command(keys.CHECKPOINT_STREAM, result.match_id)
            assert line is not None
            signed = json.loads(line.events)
            assert (signed["status"], signed["version"], signed["head_hash"]) == (
                "finished",
                result.version,
                result.head,
            )

    def assert_table_recomputed(self) -> None:
        """Elsewhere, from the results in another order, to the last digit."""
        texts = write(lines(self.id, self.state, 1)).splitlines()
        random.Random(7).shuffle(texts)
        published = ladder_tables.load(self.client, self.id, 1)
        assert published is not None
        assert published.table == json.loads(msgspec.json.encode(standings(read(texts))))


@pytest.mark.long
def test_a_season_goes_on_by_itself_whatever_is_killed_and_every_block_is_there_once(
    shared_stack: Stack,
) -> None:
    season = Season(shared_stack)
    for victim in VICTIMS:
        with season.held_in_the_middle(shared_stack):
            shared_stack.kill(victim)
        season.wait_for_the_server()
    season.wait_for_the_end()
    season.assert_whole()
    season.assert_table_recomputed()
