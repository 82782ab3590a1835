"""The way of every command: load, decide, append, and again if somebody else was faster."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import structlog
from msgspec.structs import replace

from domain.match.chance import MatchChance
from domain.match.commands import Command, CreateMatch
from domain.match.decide import advance, create
from domain.match.envelope import Envelope
from domain.match.events import Dice, Event
from domain.match.state import MatchState, is_over
from events.checkpoints.notary import Notary
from events.matches import history
from events.matches.appending import Move, Ready, prepared
from events.matches.outcome import Outcome, outcome_of
from events.matches.sealing import Batch, canonical_request
from events.matches.seeds import Seeds
from events.store.chain import NO_HASH
from events.store.clock import now_ms
from events.store.errors import StaleVersion, StoreError, StreamCorrupt, VersionNotFound
from events.store.execution import Known, Made, Order, Unchanged, error_of, execute, order_of
from events.store.ids import new_id
from events.store.loading import Loaded, Loader, extended, from_entries, rules_version_of
from events.store.records import MISSED_LIMIT, Append, Appended, Store
from runtime import metrics

Choose: TypeAlias = Callable[[MatchState], tuple[str, Command]]
"""Who does what on the state at hand: the actor and the command. May refuse by raising what it likes."""

_DECISIONS: Final = 4
"""The most that one command is decided: on the cached state, on the latest, and after two lost races."""

_logger: Final = structlog.get_logger(__name__)


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
    ) -> None:
        """`clock` gives the time in ms since 1970. The `notary` is told of every match that ends here, and
        `on_damage` of whatever is found wrong with one."""
        self.store: Final = store
        self._notary = notary
        self._seeds = seeds
        self._clock = clock
        self._loader = Loader(store, from_entries, extended, cache_matches, on_damage)
        self._ai_grace_ms = ai_grace_ms

    def load(self, match_id: str) -> Loaded:
        """The match as of now.

        Raises:
            MatchNotFound, StreamCorrupt, StoreUnavailable.
        """
        return self._loader.load(match_id)

    def load_many(self, match_ids: Sequence[str]) -> list[Loaded | StoreError]:
        """Each match as of now, or why it cannot be loaded, in one round trip.

        Raises:
            StoreUnavailable.
        """
        return self._loader.load_many(match_ids)

    def forget(self, match_id: str) -> None:
        """Read and check the match from its first event on the next time."""
        self._loader.forget(match_id)

    def note_damage(self, error: StreamCorrupt) -> None:
        """Say what was found wrong with a match in its stored events: no cached state of it is used."""
        self._loader.note_damage(error)

    def state_at(self, match_id: str, version: int) -> MatchState:
        """The state after the first `version` events; the caller's own.

        Raises:
            MatchNotFound, VersionNotFound, StoreUnavailable.
        """
        return history.state_at(match_id, self.store.read(match_id), version)

    def command_at(self, match_id: str, sequence: int) -> Outcome:
        """What the command did that the event of that sequence is of; its state is the one it led to.

        Raises:
            MatchNotFound, VersionNotFound, StreamCorrupt, StoreUnavailable.
        """
        entries = self.store.read(match_id)
        found = from_entries(match_id, entries)
        last = next((entry.last for entry in entries if entry.last >= sequence), None)
        if last is None or sequence < 1:
            raise VersionNotFound(match_id, sequence, found.version)
        return outcome_of(match_id, entries, last, replayed=True)

    def events(self, match_id: str, after: int = 0, limit: int = 500, verify: bool = True) -> list[Envelope]:
        """The events after the version `after`, at most `limit`; empty if there are none (yet).

        Raises:
            MatchNotFound: no match has that id.
            StreamCorrupt: an entry is not what was written; without `verify` its hash is not compared.
            StoreUnavailable.
        """
        loaded = self._loader.cached(match_id) or self.load(match_id)
        rules_version = rules_version_of(loaded.state)
        return history.read_envelopes(self.store, match_id, rules_version, after, limit, verify)

    def chance_for(self, state: MatchState, match_id: str) -> MatchChance:
        """Where the luck of a match comes from. Not for several threads at once."""
        return self._seeds.chance(state.created.dice, match_id)

    @property
    def seeds(self) -> Seeds:
        """What all luck of matches comes from."""
        return self._seeds

    def has_seed(self, dice: Dice) -> bool:
        """Whether the master key of the dice is still there; if not, no luck of theirs can be had."""
        return self._seeds.has_key(dice.key_id)

    def secret_for(self, dice: Dice, purpose: str) -> bytes:
        """32 secret bytes from the master key of the dice, for another purpose than their luck.

        Raises:
            LookupError: the master key is gone.
        """
        return self._seeds.secret_for(dice.key_id, purpose)

    def create(
        self,
        command: CreateMatch,
        command_id: str | None = None,
        match_id: str | None = None,
        request: bytes | None = None,
    ) -> Outcome:
        """Make a match; its dice get their key and commitment, unless they are those of another match's seed.
        For `request` see `execute`.

        To repeat a creation safely, repeat it with the same `match_id` and `command_id`.

        Raises:
            RuleViolation: the command is refused.
            CommandReused, StaleVersion: another command has created a match of that id.
            StreamCorrupt, StoreUnavailable.
        """
        match_id = match_id or new_id("mat")
        actor = f"account:{command.creator}"
        request = request or canonical_request(command, actor)
        order = order_of(match_id, request, command_id)
        move = self._creation(order, command)

        def decided(_: Loaded) -> tuple[Append, Loaded]:
            return prepared(move, move.loaded.created_at_ms, self._ai_grace_ms)

        return self._outcome(order, execute(self._loader, move.loaded, order, decided, tries=1))

    def creation(self, command: CreateMatch, match_id: str, command_id: str) -> Move:
        """The move that makes a match, for `append_many`; whoever goes on with it may add decisions before.

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
        before = Loaded(order.stream_id, None, NO_HASH, at_ms, at_ms)
        return Move(before, (batch,), state)

    def check_creation(self, command: CreateMatch) -> None:
        """Check whether a match could be made, and make none.

        Raises:
            RuleViolation: the command is refused.
        """
        self._made(new_id("mat"), command)

    def _made(self, match_id: str, command: CreateMatch) -> tuple[MatchState, list[Event]]:
        dice = self._seeds.new_dice(command.dice, match_id)
        return create(replace(command, dice=dice), self._seeds.chance(dice, match_id))

    def execute(
        self,
        match_id: str,
        command: Command,
        actor: str,
        command_id: str | None = None,
        if_match: int | None = None,
        request: bytes | None = None,
        not_before_ms: int = 0,
    ) -> Outcome:
        """Carry out a command, or find out what it did when it came before under the same id.

        It is recorded as of now, but not before `not_before_ms` (since 1970). `request` is what makes two
        commands the same when they come under one id: as a rule the account and the canonical body of the
        request; by default the command and its actor.

        Raises:
            RuleViolation: the command is refused; the match is as it was.
            StaleVersion: the match is not at `if_match`; without that, others were faster again and again.
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
    ) -> Outcome:
        """As `execute`, for a command that depends on the state: `choose` is asked anew for each it meets.

        What it raises is raised here if it met the latest state and the command was not carried out before.
        """
        order = order_of(match_id, request, command_id)

        def decided(loaded: Loaded) -> tuple[Append, Loaded]:
            if if_match is not None and if_match != loaded.version:
                raise StaleVersion(match_id, if_match, loaded.version, if_match=if_match)
            actor, command = choose(loaded.state)
            state = loaded.state.copy()
            events = advance(state, command, self.chance_for(state, match_id))
            batch = Batch(events, actor, order.command_id, order.fingerprint)
            at_ms = max(self._clock(), not_before_ms)
            return prepared(Move(loaded, (batch,), state), at_ms, self._ai_grace_ms)

        loaded = self._loader.cached(match_id) or self.load(match_id)
        try:
            return self._outcome(order, execute(self._loader, loaded, order, decided, _DECISIONS))
        except StaleVersion as error:
            if error.if_match is not None:
                error.missed = tuple(self.events(match_id, if_match or 0, MISSED_LIMIT))
            raise

    def append_many(self, moves: Sequence[Move]) -> list[Loaded | StoreError]:
        """Record decisions that were made elsewhere, those of several matches in one round trip.

        Each result is the match afterwards, or why nothing was added: `StaleVersion` (others were faster, or
        the move had arrived before: load and go on), `CommandReused` or `StreamCorrupt`.

        Raises:
            StoreUnavailable: any of the moves may have arrived.
        """
        return self.append_ready(self.ready(moves))

    def ready(self, moves: Sequence[Move]) -> list[Ready]:
        """The moves, encoded and hashed as of now: half of what it takes to append them."""
        at_ms = self._clock()
        return [Ready(move.loaded, *prepared(move, at_ms, self._ai_grace_ms)) for move in moves]

    def append_ready(self, moves: Sequence[Ready]) -> list[Loaded | StoreError]:
        """As `append_many`, of moves that are ready.

        Raises:
            StoreUnavailable.
        """
        replies = self.store.append_many([move.append for move in moves])
        found = [
            self._kept(move) if isinstance(reply, Appended) else error_of(reply, move.append)
            for move, reply in zip(moves, replies, strict=True)
        ]
        self._note([one for one in found if isinstance(one, Loaded)])
        return found

    def dry_run(self, match_id: str, choose: Choose) -> Loaded:
        """Check a command against the latest state and change nothing.

        What it would lead to is not told: that would show the dice before they are thrown.

        Raises:
            RuleViolation, MatchNotFound, StreamCorrupt, StoreUnavailable.
        """
        loaded = self.load(match_id)
        _, command = choose(loaded.state)
        advance(loaded.state.copy(), command, self.chance_for(loaded.state, match_id))
        return loaded

    def find_command(self, match_id: str, command_id: str) -> Outcome | None:
        """What a command did, by the id that it came with or was given; None if it never arrived.

        Raises:
            MatchNotFound, StreamCorrupt, StoreUnavailable.
        """
        self.load(match_id)
        entry = history.find_command(self.store, match_id, command_id)
        return self._outcome_at(match_id, entry.last) if entry else None

    def _outcome(self, order: Order, done: Made[Loaded] | Known | Unchanged[Loaded]) -> Outcome:
        """The outcome of a command that others did not get ahead of."""
        match_id = order.stream_id
        if isinstance(done, Known):
            # Under an id of our own making it is this very call that Redis was sent twice.
            if order.is_repeatable:
                metrics.REPLAYED.inc()
            return self._outcome_again(match_id, done.last, order.is_repeatable)
        assert isinstance(done, Made), "every command to a match has events"
        _count(done.append)
        self._note([done.after])
        before, (entry,) = done.before, done.append.entries
        return Outcome(match_id, entry, before.version, before.head_hash, done.after.state, replayed=False)

    def _kept(self, move: Ready) -> Loaded:
        """The match after an append that was made."""
        _count(move.append)
        return self._loader.keep(move.after)

    def _note(self, matches: Sequence[Loaded]) -> None:
        """Have those that are over signed. What fails is left to the relay: the command is carried out."""
        over = [match for match in matches if is_over(match.state)]
        if self._notary is None or not over:
            return
        try:
            metrics.SIGNED_AT_THE_END.inc(self._notary.note(over))
        except StoreError as error:
            metrics.NOT_SIGNED.inc(len(over))
            _logger.error("matches_not_signed", matches=[one.match_id for one in over], error=str(error))

    def _outcome_again(self, match_id: str, last: int, replayed: bool = True) -> Outcome:
        """The outcome of a command that came before, perhaps without its answer and what follows from it."""
        outcome = self._outcome_at(match_id, last, replayed)
        if is_over(outcome.state):
            self._note([self.load(match_id)])
        return outcome

    def _outcome_at(self, match_id: str, last: int, replayed: bool = True) -> Outcome:
        return outcome_of(match_id, self.store.read(match_id), last, replayed)


def _count(append: Append) -> None:
    """Count what was appended."""
    metrics.CARRIED_OUT.inc(len(append.entries))
    metrics.EVENTS.inc(append.entries[-1].last - append.expected)
