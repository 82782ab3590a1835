"""Exports of matches that are played in memory, signed with a key that everybody may know."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final, NamedTuple

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain import decide, fold, legal_commands
from domain.audit.checkpoints import NO_HASH, Checkpoint, digest_of_match, message_of
from domain.audit.envelopes import read
from domain.audit.files import event_line, manifest_line, reveal_line, ruleset_line, signature_line
from domain.audit.inference import actor_of
from domain.canonical import canonical, sha256
from domain.match import events as events_of
from domain.match.branches import branch_command
from domain.match.chance import Chance, SeededChance, TapeChance, commitment, seat_commitment
from domain.match.commands import Command, CommitSeatSeed, CreateMatch, OpenSeatSeed, Resign, SeatPlan
from domain.match.envelope import Envelope
from domain.match.events import Dice, DiceRevealed, SeatSeeds
from domain.match.rulesets import CURRENT, resolve_options
from domain.match.seat_seeds import due_step, seats_due
from domain.match.state import MatchState
from events.matches.entries import CODEC
from events.store.chain import NO_HASH as NO_DIGEST
from events.store.chain import EntryMetadata

KEY_ID: Final = "vectors"
START_MS: Final = 1_790_000_000_000
_PRIVATE: Final = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"a key for test vectors").digest())
PUBLIC_KEY: Final = base64.b64encode(_PRIVATE.public_key().public_bytes_raw()).decode()

SEAT_SEEDS: Final = [hashlib.sha256(b"the seed of seat %d" % seat).hexdigest()[:32] for seat in range(5)]
"""What seats commit to, by seat."""

Line = dict[str, Any]


class Played(NamedTuple):
    """A match with its events as the API shows them."""

    match_id: str
    state: MatchState
    events: tuple[Envelope, ...]

    @property
    def head_hash(self) -> str:
        return self.events[-1].hash


def creation(
    ruleset: str,
    seats: int,
    seed: bytes,
    throws: tuple[tuple[int, ...], ...] = (),
    visibility: str = "public",
    commits: bool = False,
    **options: Any,
) -> CreateMatch:
    """A match of accounts; the dice choose who begins.

    The first seat tells a seed of its own when it sits down. Where seats commit, each has one.
    """
    book = CURRENT[ruleset]
    seeds = ["" if seat or commits else "chosen by seat 0" for seat in range(seats)]
    plans = [
        SeatPlan("account", f"acc_{seat}", f"player {seat}", seed=told) for seat, told in enumerate(seeds)
    ]
    dice = Dice("scripted" if throws else "committed", "k1", commitment(seed), throws)
    if commits:
        dice = msgspec.structs.replace(dice, seat_seeds=SeatSeeds(60_000))
    resolved = resolve_options(book, seats, **options)
    return CreateMatch(book.version, resolved, tuple(plans), dice, "acc_0", visibility=visibility)


def play(
    match_id: str,
    create: CreateMatch,
    seed: bytes,
    choices: Random,
    most: int = 100_000,
    resigns: bool = False,
) -> Played:
    """The match to its end, or to so many events, where the seat to act may resign.

    The players build landmarks where they can, and else anything.
    """
    seeded = SeededChance(seed, create.dice.key_id)
    chance: Chance = TapeChance(create.dice.throws, seeded) if create.dice.throws else seeded
    events: list[Envelope] = []
    command: Command = create
    state: MatchState | None = None
    while True:
        decided = decide(state, command, chance)
        state = fold(state, decided)
        actor, time_ms = actor_of(command), START_MS + 1000 * len(events)
        metadata = EntryMetadata(match_id, create.rules_version, actor, f"cmd_{len(events)}", time_ms)
        before = bytes.fromhex(events[-1].hash[8:]) if events else NO_DIGEST
        events += CODEC.envelopes(
            metadata, len(events) + 1, [CODEC.recorded(event) for event in decided], before
        )
        is_long = len(events) >= most
        if due_step(state) is not None:
            command = _about_seed(state)
            continue
        if state.status != "running" or (is_long and not resigns):
            return Played(match_id, state, tuple(events))
        command = Resign(state.active) if is_long else _choice(state, choices)


def _about_seed(state: MatchState) -> Command:
    """What the first seat that is due says about its seed."""
    seat = seats_due(state)[0]
    if due_step(state) == "open":
        return OpenSeatSeed(seat, SEAT_SEEDS[seat])
    return CommitSeatSeed(seat, seat_commitment(state.created.dice.commitment, seat, SEAT_SEEDS[seat]))


def _choice(state: MatchState, choices: Random) -> Command:
    legal = legal_commands(state)
    cards = [(getattr(command, "card", ""), command) for command in legal]
    landmarks = [one for card, one in cards if card and state.rules.index[card] >= state.rules.establishments]
    return choices.choice(landmarks or list(legal))


def branch_of(played: Played, version: int, seed: bytes, choices: Random, match_id: str) -> Played:
    """A branch with the same dice, played to its end; `version` is the last event of a command."""
    events = [read(one.sequence, as_json(one)).event for one in played.events[:version]]
    state = fold(None, events)
    origin = events_of.Origin(played.match_id, version, played.events[version - 1].hash, "same")
    seats = [SeatPlan("account", f"acc_{seat}", f"player {seat}") for seat in range(len(state.coins))]
    return play(match_id, branch_command(state, origin, seats, "acc_0"), seed, choices)


def last_of_command(played: Played, near: int) -> int:
    """The sequence of the last event of the command that event `near` is of."""
    command_id = played.events[near - 1].command_id
    return max(event.sequence for event in played.events if event.command_id == command_id)


def checkpoint_of(played: Played, number: int = 1, previous_hash: str = NO_HASH) -> Checkpoint:
    """The signed end of the match, as that line of the log."""
    unsigned = Checkpoint(
        number=number,
        match_id=played.match_id,
        match_digest=digest_of_match(played.match_id),
        rules_version=played.events[-1].rules_version,
        status=played.state.status,
        version=len(played.events),
        head_hash=played.head_hash,
        time=played.events[-1].time,
        key_id=KEY_ID,
        previous_hash=previous_hash,
    )
    return sealed(unsigned)


def sealed(checkpoint: Checkpoint) -> Checkpoint:
    """The same with its hash and signature."""
    message = message_of(checkpoint)
    signature = base64.b64encode(_PRIVATE.sign(message)).decode()
    return msgspec.structs.replace(checkpoint, hash=sha256(message), signature=signature)


def lines_of(played: Played, checkpoint: Checkpoint | None) -> list[Line]:
    """The lines of the match's export."""
    last = played.events[-1]
    lines = [
        manifest_line(played.match_id, played.state, played.head_hash),
        ruleset_line(last.rules_version),
        *[event_line(event) for event in played.events],
    ]
    if last.type == "dice_revealed":
        lines.append(reveal_line(played.state, DiceRevealed(**last.data)))
    if checkpoint is not None:
        lines.append(signature_line(checkpoint, PUBLIC_KEY))
    return [as_json(line) for line in lines]


def as_json(value: object) -> Line:
    """The object as it comes out of JSON."""
    found: Line = msgspec.json.decode(msgspec.json.encode(value))
    return found


def written(lines: Sequence[Line]) -> bytes:
    """The lines as a file has them."""
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def rehashed(lines: Sequence[Line]) -> list[Line]:
    """The same with a chain that holds together, as who forges it would write it."""
    before, found = NO_HASH, []
    for line in lines:
        if line["kind"] == "event":
            event = {**line["event"], "previous_hash": before}
            del event["hash"]
            before = sha256(canonical(event))
            line = {"kind": "event", "event": {**event, "hash": before}}
        found.append(line)
    return [{**found[0], "head_hash": before}, *found[1:]]


def seed_of(name: str) -> bytes:
    """32 bytes for the dice of a match."""
    return hashlib.sha256(name.encode()).digest()


def matches(count: int, ruleset: str = "base", **limits: Any) -> Iterator[Played]:
    """So many matches of two seats, each another one."""
    for number in range(count):
        seed = seed_of(f"{ruleset} {number}")
        yield play(f"mat_{number:026}", creation(ruleset, 2, seed), seed, Random(number), **limits)
