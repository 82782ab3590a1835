"""A ladder that is played in memory, the same to the last byte whenever it is played from the same seed.

The rules, the pairing, the players and the results are those of real ladders. What a service takes from its
clock and from secrets comes from the seed here: ids, times and dice. A match begins ten minutes after the one
before, and its commands are a second apart.
"""

import hashlib
import signal
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from ulid import ULID

from domain import create
from domain.audit.files import event_line, manifest_line, reveal_line, ruleset_line
from domain.ladder import decide
from domain.ladder.config import LadderConfig, RatingRules
from domain.ladder.events import EntryPlayer, MatchResult
from domain.ladder.pairing import planned
from domain.ladder.state import Block, LadderState, Round, fold, initial_state
from domain.match.chance import SeededChance, commitment
from domain.match.events import Dice, DiceRevealed, Event
from domain.match.rulesets import CURRENT, digest, resolve_options
from domain.match.state import FINISHED, RUNNING, MatchState
from events import Batch, Loaded
from events.matches.entries import CODEC
from events.store.chain import NO_HASH, EntryMetadata
from events.store.keys import ai_command_id
from kernel.engine import engine
from machi.tabular import MatchRows, recorded_match, rows_of
from players import prepare
from runtime.strategies import STRATEGIES
from workers.ladders.blocks import creation, match_ids, result_of
from workers.turns.decisions import decision

OWNER: Final = "acc_dataset"
KEY_ID: Final = "dataset"
OPENED_AT_MS: Final = 1_767_225_600_000
"""2026-01-01, when the round of every such ladder opens."""
BETWEEN_MS: Final = 600_000
"""From the beginning of a match to that of the next one."""
COMMAND_MS: Final = 1_000
RATING: Final = RatingRules(replicates=200)
"""Few replicates, so that the table is computed in seconds; they are enough for its intervals."""


class LadderPlan(Struct, frozen=True):
    """Everything that such a ladder depends on."""

    ruleset: str
    seats: int
    matches: int
    """A multiple of `seats`."""
    seed: int
    players: tuple[str, ...]


class FrozenLadder(NamedTuple):
    """A ladder whose round is open."""

    id: str
    state: LadderState

    @property
    def round(self) -> Round:
        """Its only round."""
        return self.state.rounds[0]


class ExportedMatch(NamedTuple):
    """A played match, with its export and its events."""

    match_id: str
    lines: list[bytes]
    """The lines of its export, without a signature."""
    loaded: Loaded
    events: list[Event]


class PlayedBlock(NamedTuple):
    """A block all of whose matches were won."""

    number: int
    voided: tuple[tuple[str, ...], ...]
    """By attempt before the last: its matches, one of which was aborted."""
    results: tuple[MatchResult, ...]
    matches: tuple[tuple[str, MatchRows], ...]
    """By rotation: the id and the rows of each match."""


def opened(plan: LadderPlan) -> FrozenLadder:
    """The ladder with its entries and its open round.

    Raises:
        RuleViolation: the plan is not one of a ladder.
    """
    rules = CURRENT[plan.ruleset]
    config = LadderConfig(
        plan.ruleset,
        rules.version,
        digest(rules),
        resolve_options(rules, plan.seats),
        plan.seats,
        _hash(plan, "pairing").hex(),
        luck="coins",
        rating=RATING,
    )
    state = fold(initial_state(), decide.create(f"{plan.ruleset}, seed {plan.seed}", OWNER, config))
    for name in plan.players:
        player = EntryPlayer("strategy", name, STRATEGIES[name].version)
        entry = f"ent_{_ulid(plan, f'entry {name}')}"
        state = fold(state, decide.add_entry(state, entry, player, name, "service"))
    tables = planned(state, plan.matches // plan.seats, {})
    job = f"job_{_ulid(plan, 'job')}"
    state = fold(state, decide.open_round(state, "rated", tables, OPENED_AT_MS, job))
    return FrozenLadder(f"lad_{_ulid(plan, 'ladder')}", state)


def blocks(plan: LadderPlan, ladder: FrozenLadder, processes: int) -> Iterator[PlayedBlock]:
    """Play all blocks, on so many processes, and yield them in order."""
    tasks = [(plan, number) for number in range(1, len(ladder.round.blocks) + 1)]
    if processes == 1:
        _prepare(plan)
        yield from map(_play_block, tasks)
        return
    with get_context("spawn").Pool(processes, _prepare_process, (plan,)) as pool:
        yield from pool.imap(_play_block, tasks)


def finished(ladder: FrozenLadder, block: PlayedBlock) -> FrozenLadder:
    """The ladder with the results of a block."""
    state = ladder.state
    for attempt, matches in enumerate(block.voided, 1):
        state = fold(
            state, decide.void_block(state, block.number, attempt, "match_aborted", "turn_limit", matches)
        )
    attempt = len(block.voided) + 1
    state = fold(state, decide.finish_block(state, block.number, attempt, block.results))
    return FrozenLadder(ladder.id, state)


_ladders: dict[LadderPlan, FrozenLadder] = {}
"""The ladder of this process."""


def _prepare_process(plan: LadderPlan) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the process that collects the blocks
    _prepare(plan)


def _prepare(plan: LadderPlan) -> None:
    if {"expected_value", "learned"} & {*plan.players}:
        engine()  # compiled if it can be: the same choices, sooner
        prepare()
    _ladders[plan] = opened(plan)


def _play_block(task: tuple[LadderPlan, int]) -> PlayedBlock:
    plan, number = task
    ladder = _ladders[plan]
    block = ladder.round.blocks[number - 1]
    voided: list[tuple[str, ...]] = []
    while True:
        played = [_play(plan, ladder, block, rotation) for rotation in range(plan.seats)]
        if all(one.loaded.state.status == FINISHED for one in played):
            break
        voided.append(tuple([one.match_id for one in played]))
        assert len(voided) < decide.MOST_ATTEMPTS, "not every attempt reaches the turn limit"
        block = replace(block, attempt=block.attempt + 1)
    config = ladder.state.config
    results = [result_of(one.loaded, one.events, config, None) for one in played]
    rows = [(one.match_id, rows_of(recorded_match(one.lines))) for one in played]
    return PlayedBlock(number, tuple(voided), tuple(results), tuple(rows))


def _play(plan: LadderPlan, ladder: FrozenLadder, block: Block, rotation: int) -> ExportedMatch:
    match_id = match_ids(ladder.id, ladder.round, block)[rotation]
    seed = _hash(plan, match_id)
    chance = SeededChance(seed, KEY_ID)
    command = creation(ladder.state, ladder.id, ladder.round, block, rotation)
    dice = Dice("committed", KEY_ID, commitment(seed))
    state, events = create(replace(command, dice=dice), chance)
    batches = [Batch(events, f"account:{OWNER}", "create")]
    while state.status == RUNNING:
        batches.append(decision(state, chance))
    place = (block.number - 1) * plan.seats + rotation
    return _recorded(match_id, state, batches, OPENED_AT_MS + place * BETWEEN_MS)


def _recorded(match_id: str, state: MatchState, batches: Sequence[Batch], time_ms: int) -> ExportedMatch:
    """The match as a service would record and export it."""
    rules_version = state.created.rules_version
    lines, events, head = [ruleset_line(rules_version)], list[Event](), NO_HASH
    for number, batch in enumerate(batches):
        version = len(events)
        command_id = batch.command_id or ai_command_id(match_id, version)
        at_ms = time_ms + number * COMMAND_MS
        metadata = EntryMetadata(match_id, rules_version, batch.actor, command_id, at_ms)
        recorded = [CODEC.recorded(event) for event in batch.events]
        envelopes = CODEC.envelopes(metadata, version + 1, recorded, head)
        lines += [event_line(one) for one in envelopes]
        events += batch.events
        head = bytes.fromhex(envelopes[-1].hash.partition(":")[2])
    last = events[-1]
    if isinstance(last, DiceRevealed):
        lines.append(reveal_line(state, last))
    found: list[dict[str, Any]] = [manifest_line(match_id, state, f"sha-256:{head.hex()}"), *lines]
    ended_ms = time_ms + (len(batches) - 1) * COMMAND_MS
    loaded = Loaded(match_id, len(events), state, head, time_ms, ended_ms)
    return ExportedMatch(match_id, [msgspec.json.encode(one) + b"\n" for one in found], loaded, events)


def _hash(plan: LadderPlan, label: str) -> bytes:
    """32 bytes that depend on the seed, what is played, and the label."""
    text = f"dataset|{plan.ruleset}|{plan.seats}|{plan.seed}|{label}"
    return hashlib.sha256(text.encode()).digest()


def _ulid(plan: LadderPlan, label: str) -> ULID:
    return ULID.from_bytes(OPENED_AT_MS.to_bytes(6, "big") + _hash(plan, label)[:10])
