"""What must hold after each simulation: nothing lost, doubled or changed, and no match that stands still."""

from collections import Counter
from functools import partial
from typing import Final

from domain.audit.checkpoints import fault_of
from domain.match.events import ClockExpired
from domain.match.state import RUNNING, is_over
from events import Loaded, Matches, Notary, Outbox, SigningKeys
from events.matches import entries
from events.matches.lists import summaries_of
from events.matches.projections import account_to_act, indexes_of, player_indexes
from events.store import keys
from events.store.chain import NO_HASH
from events.store.records import Entry
from tests.simulation.people import Journal
from tests.simulation.service import Place

SETTLED_S: Final = 120.0
"""After so long every match is over, once its people have resigned."""


class Checks:
    """The checks of one simulation; what they find goes to its journal."""

    def __init__(self, place: Place, journal: Journal) -> None:
        self._journal = journal
        self._world = place.world
        self._client = place.events.client(place.world.outside, retries=0)
        self._place = place

    def run(self) -> None:
        """Wait until the service has settled, and check everything."""
        self._matches: Matches = self._place.matches(self._world.outside)
        self._notary = Notary(self._matches.store, SigningKeys(self._place.keys[1]))
        for match_id in [*self._journal.matches]:
            if not self._matches.store.read(match_id):
                self._journal.fault(f"{match_id} was created and is lost")
                self._journal.matches.remove(match_id)
        deadline_s = self._world.now_s + SETTLED_S
        while (waiting := self._waiting()) and self._world.now_s < deadline_s:
            self._world.pause(0.5)
        for text in waiting:
            self._journal.fault(text)
        for error in self._place.damages:
            self._journal.fault(f"damage was reported: {error}")
        seen: Counter[str] = Counter()
        for match_id in self._journal.matches:
            self._check_match(match_id, seen)
        self._check_commands(seen)
        self._check_lines()
        for text in self._place.events.recorder.faults():
            self._journal.fault(text)

    def _waiting(self) -> list[str]:
        """What the service has still to do."""
        found = []
        for match_id in self._journal.matches:
            loaded = self._matches.load(match_id)
            state = loaded.state
            if is_over(state):
                if self._notary.of_match(match_id) is None:
                    found.append(f"{match_id} is over and not signed")
            elif state.status == RUNNING:
                found.append(f"{match_id} stands still at {loaded.version}")
        return found

    def _check_match(self, match_id: str, seen: Counter[str]) -> None:
        stored = self._matches.store.read(match_id)
        loaded = entries.from_entries(match_id, stored)  # checks the chain and folds all events
        first = 1
        for entry in stored:
            command_id = entry.command_id(match_id, first)
            seen[command_id] += 1
            known = self._journal.acknowledged.get(command_id)
            if known and (known.match_id, known.first, known.last, known.head_hash) != (
                match_id,
                first,
                entry.last,
                entry.hash,
            ):
                self._journal.fault(f"{command_id} was acknowledged as {known}, and is {entry}")
            first = entry.last + 1
        if loaded.state.created.clock:
            self._check_clocks(match_id, stored, loaded.state.created.clock.decision_ms)
        self._check_keys(loaded, {entry.last for entry in stored})

    def _check_clocks(self, match_id: str, stored: list[Entry], decision_ms: int) -> None:
        """No clock ran out before its time."""
        before_ms, at = stored[0].time_ms, entries.CODEC.reader(match_id)
        for entry in stored:
            for event in at.events(entry):
                if isinstance(event, ClockExpired) and entry.time_ms - before_ms < decision_ms:
                    self._journal.fault(f"the clock of {match_id} ran out early at {entry.last}")
            before_ms = entry.time_ms

    def _check_keys(self, loaded: Loaded, versions: set[int]) -> None:
        """The log, the due set, the turns, the summary and the indexes say the same as the stream."""
        match_id, state = loaded.match_id, loaded.state
        key = partial(self._place.partitions.key, stream_id=match_id)
        outbox = Outbox(self._client, tag=self._place.partitions.of(match_id))
        told = {one.version for one in outbox.read_log("0-0", 100_000) if one.match_id == match_id}
        if not told <= versions or loaded.version not in told:
            self._journal.fault(f"the log tells {told} of {match_id}, whose entries end at {versions}")
        (due_ms,) = outbox.due_ms([match_id])
        if is_over(state) and due_ms is not None:
            self._journal.fault(f"{match_id} is over and due")
        if not is_over(state) and due_ms is None and (not account_to_act(state) or state.created.clock):
            self._journal.fault(f"{match_id} waits and is never due")
        for account in sorted(self._journal.people):
            is_there = self._client.zscore(key(keys.turns(account)), match_id) is not None
            if is_there != (account_to_act(state) == account):
                self._journal.fault(f"the turns of {account} are wrong about {match_id}")
        (summary,) = summaries_of(self._matches.store, [match_id])
        if summary.status != state.status:
            self._journal.fault(f"the summary of {match_id} says {summary.status}")
        for index in indexes_of(summary) | player_indexes(state.controllers):
            if not self._matches.store.are_members(keys.index(index), [match_id])[0]:
                self._journal.fault(f"{match_id} is not in {index}")

    def _check_commands(self, seen: Counter[str]) -> None:
        for command_id, times in seen.items():
            if times > 1:
                self._journal.fault(f"{command_id} was carried out {times} times")
        for command_id in self._journal.acknowledged.keys() - seen.keys():
            self._journal.fault(f"{command_id} was acknowledged and is lost")
        for command_id in self._journal.refused & seen.keys():
            self._journal.fault(f"{command_id} was refused and carried out")

    def _check_lines(self) -> None:
        """Each ended match has one line, and the lines are a chain."""
        lines = self._notary.lines(0, 10_000)
        previous = NO_HASH.decode()
        for number, line in enumerate(lines, 1):
            fault = fault_of(line, self._notary.is_good)
            if fault or line.number != number:
                self._journal.fault(f"line {number} is wrong: {fault}")
            if number > 1 and line.previous_hash != previous:
                self._journal.fault(f"line {number} does not follow line {number - 1}")
            previous = line.hash
        times = Counter([line.match_id for line in lines])
        for match_id, lines_of_it in times.items():
            if lines_of_it > 1:
                self._journal.fault(f"{match_id} has {lines_of_it} lines")
