"""Commands to matches: load, decide, append, and decide again if another append came first."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from domain.match.chance import MatchChance
from domain.match.commands import Command, CreateMatch
from domain.match.decide import advance, create
from domain.match.events import Event
from domain.match.evolve import fold
from domain.match.state import MatchState, is_over
from events.checkpoints.notary import Notary
from events.matches.entries import CODEC, Loaded, extended, from_entries
from events.matches.history import CommandResult, History
from events.matches.projections import index_change, next_step, writes_beside
from events.matches.seeds import Seeds
from events.store.aggregates import Decided, Known, Loader, Order, Unchanged, error_of, execute, order_of
from events.store.chain import NO_HASH, Batch
from events.store.errors import StaleVersion, StoreError, StreamCorrupt
from events.store.keys import new_id, now_ms
from events.store.records import MISSED_LIMIT, Append, Appended, Reply, Store
from runtime import metrics

Choose: TypeAlias = Callable[[MatchState], tuple[str, Command]]
"""Chooses the actor and the command for a state. Can raise any error to refuse."""

Passed: TypeAlias = Callable[[int, int], int]
"""The time between two instants (ms since 1970) during which the service was available."""

_DECISIONS: Final = 4
"""The most times that one command is decided: on the cached state, on the latest, and after two lost
races."""

_logger: Final = structlog.get_logger(__name__)


class Move(Struct, frozen=True, eq=False):
    """Decisions on one match that are appended together."""

    loaded: Loaded
    """The match on which they were decided."""
    batches: Sequence[Batch]
    """One for each command, in order; at least one."""
    state: MatchState | None = None
    """The state afterwards, if the caller has it; the caller must not change it any more."""
    is_held: bool = False
    """Whether the caller itself continues with this match as long as built-in players are to act."""


def prepared(move: Move, time_ms: int, ai_grace_ms: int) -> Decided[Loaded]:
    """The move, encoded and hashed, with the writes beside the stream.

    If the clock was set back, or is behind that of another machine, the move gets the time of the last event:
    within a match, times never decrease.
    """
    before = move.loaded
    time_ms = max(time_ms, before.last_at_ms)
    after = move.state
    if after is None:
        after = fold(before.state.copy(), (event for batch in move.batches for event in batch.events))
    match_id, rules_version = before.id, after.created.rules_version
    created_at_ms = before.created_at_ms if before.version else time_ms
    sealed = CODEC.sealed(match_id, rules_version, before.version, before.head_hash, move.batches, time_ms)
    entries = tuple([one.entry for one in sealed])
    step = next_step(after, time_ms, ai_grace_ms, move.is_held)
    change = index_change(match_id, before.folded, after, created_at_ms, time_ms)
    writes = writes_beside(match_id, after.version, time_ms, step, change)
    append = Append(match_id, before.version, before.head_hash, entries, writes)
    loaded = Loaded(match_id, after.version, after, entries[-1].hash, created_at_ms, time_ms)
    return Decided(before, append, loaded, sealed)


class Matches:
    """Matches in a store, and the commands to them; safe to share among threads."""

    def __init__(
        self,
        store: Store,
        seeds: Seeds,
        clock: Callable[[], int] = now_ms,
        cache_matches: int = 2000,
        ai_grace_ms: int = 10_000,
        notary: Notary | None = None,
        on_damage: Callable[[StreamCorrupt], None] = lambda error: None,
        passed_ms: Passed = lambda begun_ms, until_ms: until_ms - begun_ms,
    ) -> None:
        """`clock` gives the time in ms since 1970. The `notary` signs every match that ends here, and
        `on_damage` is called for every damage that is found. `passed_ms` measures what a decision takes of a
        bank of time; by default, there are no outages."""
        self.store: Final = store
        self._notary = notary
        self.seeds: Final = seeds
        """The seeds of all dice and draws."""
        self._clock = clock
        self._loader = Loader(store, from_entries, extended, cache_matches, on_damage)
        self.history: Final = History(store, self._loader)
        self._ai_grace_ms = ai_grace_ms
        self._passed_ms = passed_ms

    def load(self, match_id: str) -> Loaded:
        """The current match.

        Raises:
            MatchNotFound, StreamCorrupt, StoreUnavailable.
        """
        return self._loader.load(match_id)

    def load_many(self, match_ids: Sequence[str]) -> list[Loaded | StoreError]:
        """Each current match, or the reason why it cannot be loaded, in one round trip.

        Raises:
            StoreUnavailable.
        """
        return self._loader.load_many(match_ids)

    def forget(self, match_id: str) -> None:
        """Drop the match from the cache, so that the next load reads and checks all its events."""
        self._loader.forget(match_id)

    def report_damage(self, error: StreamCorrupt) -> None:
        """Report damage in the stored events of a match, and drop it from the cache."""
        self._loader.report_damage(error)

    def chance_for(self, state: MatchState, match_id: str) -> MatchChance:
        """The source of the dice and draws of a match. Not safe to share among threads."""
        return self.seeds.chance(state.created.dice, match_id)

    def create(
        self,
        command: CreateMatch,
        command_id: str | None = None,
        match_id: str | None = None,
        request: bytes | None = None,
    ) -> CommandResult:
        """Create a match. Its dice get their key and commitment, unless they use the seed of another match.

        For `request`, see `execute`. To retry safely, use the same `match_id` and `command_id`.

        Raises:
            RuleViolation: the command is refused.
            CommandReused, StaleVersion: another command has created a match with that id.
            StreamCorrupt, StoreUnavailable.
        """
        match_id = match_id or new_id("mat")
        actor = f"account:{command.creator}"
        request = request or canonical_request(command, actor)
        order = order_of(match_id, request, command_id)
        move = self._creation(order, command)

        def decided(_: Loaded) -> Decided[Loaded]:
            return prepared(move, move.loaded.created_at_ms, self._ai_grace_ms)

        return self._outcome(order, execute(self._loader, move.loaded, order, decided, tries=1))

    def creation(self, command: CreateMatch, match_id: str, command_id: str) -> Move:
        """The move that creates a match, for `append_many`; the caller can add further decisions to it.

        Raises:
            RuleViolation: the command is refused.
        """
        actor = f"account:{command.creator}"
        request = canonical_request(command, actor)
        return self._creation(order_of(match_id, request, command_id), command)

    def _creation(self, order: Order, command: CreateMatch) -> Move:
        state, events = self._made(order.stream_id, command)
        batch = Batch(events, f"account:{command.creator}", order.command_id, order.fingerprint)
        at_ms = self._clock()
        before = Loaded(order.stream_id, 0, None, NO_HASH, at_ms, at_ms)
        return Move(before, (batch,), state)

    def check_creation(self, command: CreateMatch) -> None:
        """Check whether a match could be created, without creating it.

        Raises:
            RuleViolation: the command is refused.
        """
        self._made(new_id("mat"), command)

    def _made(self, match_id: str, command: CreateMatch) -> tuple[MatchState, list[Event]]:
        dice = self.seeds.new_dice(command.dice, match_id)
        return create(replace(command, dice=dice), self.seeds.chance(dice, match_id))

    def execute(
        self,
        match_id: str,
        command: Command,
        actor: str,
        command_id: str | None = None,
        if_match: int | None = None,
        request: bytes | None = None,
        not_before_ms: int = 0,
    ) -> CommandResult:
        """Execute a command, or return its result if it was executed before under the same id.

        It is recorded with the current time, but not before `not_before_ms` (since 1970). Two commands under
        one id are the same if their `request` is: usually the account and the canonical body of the request,
        by default the command and its actor.

        Raises:
            RuleViolation: the command is refused; the match is unchanged.
            StaleVersion: the match is not at `if_match`; without that, other appends came first in every try.
            CommandReused: the command id was used for another command.
            ValueError: the command id is not 1 to 255 visible ASCII characters.
            MatchNotFound, StreamCorrupt, StoreUnavailable.
        """
        request = request or canonical_request(command, actor)
        return self.execute_chosen(
            match_id, lambda _: (actor, command), request, command_id, if_match, not_before_ms
        )

    def execute_chosen(
        self,
        match_id: str,
        choose: Choose,
        request: bytes,
        command_id: str | None = None,
        if_match: int | None = None,
        not_before_ms: int = 0,
    ) -> CommandResult:
        """As `execute`, for a command that depends on the state: `choose` is called again for each new state.

        What it raises on the latest state is raised here, unless the command was executed before.
        """
        order = order_of(match_id, request, command_id)

        def decided(loaded: Loaded) -> Decided[Loaded]:
            if if_match is not None and if_match != loaded.version:
                raise StaleVersion(match_id, if_match, loaded.version, if_match=if_match)
            actor, command = choose(loaded.state)
            state = loaded.state.copy()
            at_ms = max(self._clock(), not_before_ms)
            taken_ms = self._taken_ms(loaded, at_ms) if state.banks else 0
            events = advance(state, command, self.chance_for(state, match_id), taken_ms)
            batch = Batch(events, actor, order.command_id, order.fingerprint)
            return prepared(Move(loaded, (batch,), state), at_ms, self._ai_grace_ms)

        loaded = self._loader.cached(match_id) or self.load(match_id)
        try:
            return self._outcome(order, execute(self._loader, loaded, order, decided, _DECISIONS))
        except StaleVersion as error:
            if error.if_match is not None:
                error.missed = tuple(self.history.events(match_id, if_match or 0, MISSED_LIMIT))
            raise

    def _taken_ms(self, loaded: Loaded, at_ms: int) -> int:
        """The time since the last event of the match; without outages if it is more than a decision has."""
        taken_ms = max(at_ms - loaded.last_at_ms, 0)
        clock = loaded.state.created.clock
        if clock is None or taken_ms <= clock.decision_ms:
            return taken_ms
        return self._passed_ms(loaded.last_at_ms, at_ms)

    def append_many(self, moves: Sequence[Move]) -> list[Loaded | StoreError]:
        """Append decisions that the caller has made, on several matches in one round trip.

        Each result is the match afterwards, or the reason why nothing was added: `StaleVersion` (another
        append came first, or the move had arrived before: load the match and continue), `CommandReused` or
        `StreamCorrupt`.

        Raises:
            StoreUnavailable: any of the moves may have arrived.
        """
        done = self.prepare(moves)
        return self.appended(done, self.store.append_many([move.append for move in done]))

    def prepare(self, moves: Sequence[Move]) -> list[Decided[Loaded]]:
        """The moves, encoded and hashed with the current time, which is half the work of appending them."""
        at_ms = self._clock()
        return [prepared(move, at_ms, self._ai_grace_ms) for move in moves]

    def appended(
        self, moves: Sequence[Decided[Loaded]], replies: Sequence[Reply]
    ) -> list[Loaded | StoreError]:
        """The results of `append_many`, given the store's replies to prepared moves."""
        found = [
            self._kept(move) if isinstance(reply, Appended) else error_of(reply, move.append)
            for move, reply in zip(moves, replies, strict=True)
        ]
        self._note([one for one in found if isinstance(one, Loaded)])
        return found

    def dry_run(self, match_id: str, choose: Choose) -> Loaded:
        """Check a command against the latest state and change nothing.

        The result of the command is not returned, since that would reveal the dice before they are rolled.

        Raises:
            RuleViolation, MatchNotFound, StreamCorrupt, StoreUnavailable.
        """
        loaded = self.load(match_id)
        _, command = choose(loaded.state)
        advance(loaded.state.copy(), command, self.chance_for(loaded.state, match_id))
        return loaded

    def _outcome(self, order: Order, done: Decided[Loaded] | Known | Unchanged[Loaded]) -> CommandResult:
        """The outcome of a command after `execute`."""
        match_id = order.stream_id
        if isinstance(done, Known):
            # If the id was generated here, this is the same call, which was sent to Redis twice.
            if order.is_repeatable:
                metrics.REPLAYED.inc()
            return self._outcome_again(match_id, done.last, order.is_repeatable)
        assert isinstance(done, Decided), "every command to a match has events"
        _count(done.append)
        self._note([done.after])
        before, (sealed,) = done.before, done.sealed
        recorded = [CODEC.recorded(event) for event in sealed.events]
        return CommandResult(
            match_id,
            sealed.metadata.command_id,
            sealed.first,
            done.after.version,
            sealed.entry.hash,
            sealed.entry.time_ms,
            done.after.state,
            CODEC.envelopes(sealed.metadata, sealed.first, recorded, before.head_hash, sealed.hashes),
            replayed=False,
        )

    def _kept(self, move: Decided[Loaded]) -> Loaded:
        """Count the append, and cache the match after it."""
        _count(move.append)
        return self._loader.keep(move.after, move.before)

    def _note(self, matches: Sequence[Loaded]) -> None:
        """Get the finished matches signed. If that fails, the relay signs them later: the command is
        executed."""
        over = [match for match in matches if is_over(match.state)]
        if self._notary is None or not over:
            return
        try:
            metrics.SIGNED_AT_THE_END.inc(self._notary.sign(over))
        except StoreError as error:
            metrics.NOT_SIGNED.inc(len(over))
            _logger.error("matches_not_signed", matches=[one.match_id for one in over], error=str(error))

    def _outcome_again(self, match_id: str, last: int, replayed: bool = True) -> CommandResult:
        """The outcome of a command that was executed before; its match may not have been signed then."""
        outcome = self.history.outcome(match_id, last, replayed)
        if is_over(outcome.state):
            self._note([self.load(match_id)])
        return outcome


def _count(append: Append) -> None:
    """Count what was appended."""
    metrics.CARRIED_OUT.inc(len(append.entries))
    metrics.EVENTS.inc(append.entries[-1].last - append.expected)


def canonical_request(command: Command, actor: str) -> bytes:
    """The bytes for the fingerprint of a command that did not come in a request."""
    text = msgspec.json.encode(command, order="sorted")
    return b"%b\n%b\n%b" % (actor.encode(), type(command).__name__.encode(), text)
