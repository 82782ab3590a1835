"""Audits: verifications, signed checkpoints, and the derivation of the dice."""

from typing import Annotated, Literal

from contract.names import AuditCheckName, AuditStatus, AuditVerdict, DiceMode, MatchEnd, ThrowPurpose
from contract.values import (
    Answer,
    CardId,
    Count,
    Die,
    Hash,
    Hex,
    Positive,
    SeatCount,
    SeatNumber,
    SignedTime,
    TurnNumber,
    integer,
    length,
    text,
)

KeyId = Annotated[str, text(r"[A-Za-z0-9_-]{1,32}")]


class AuditCheck(Answer, frozen=True):
    """The result of one check."""

    name: AuditCheckName
    status: AuditStatus
    first_failed_sequence: Positive | None
    """The first event that fails the check; null if none does, or if the failure is in no event."""
    detail: str
    """An explanation for people; empty if there is nothing to explain."""


class Verification(Answer, frozen=True):
    """The result of an audit."""

    match_id: str
    version: Count
    """The number of events in the record."""
    verdict: AuditVerdict
    first_failed_sequence: Positive | None
    """The lowest `first_failed_sequence` of all checks."""
    checks: tuple[AuditCheck, ...]


class Checkpoint(Answer, frozen=True):
    """A line of the checkpoint log: the signed end of a match.

    The signature covers all members except `hash` and `signature`, as canonical JSON (RFC 8785).
    """

    type: Literal["match_checkpoint"]
    number: Positive
    """The number of the line, from 1, without gaps."""
    match_id: str | None
    """Null unless the match is public."""
    match_digest: Hash
    """The SHA-256 of the match id."""
    rules_version: str
    status: MatchEnd
    version: Positive
    """The number of the match's events."""
    head_hash: Hash
    """The hash of its last event."""
    time: SignedTime
    """When its last event was recorded."""
    key_id: KeyId
    """The key that signed the line."""
    previous_hash: Hash
    """The `hash` of the previous line; 64 zeros in the first line."""
    hash: Hash
    """The SHA-256 of the signed members."""
    signature: Annotated[str, text(r"[A-Za-z0-9+/]{86}==")]
    """The Ed25519 signature of the signed members, in base64."""


class CheckpointPage(Answer, frozen=True):
    """One page of the checkpoint log, ordered by number."""

    items: tuple[Checkpoint, ...]
    next: str | None


class SigningKey(Answer, frozen=True):
    """A public key that verifies the signatures of checkpoints."""

    key_id: KeyId
    algorithm: Literal["Ed25519"]
    public_key: Annotated[str, text(r"[A-Za-z0-9+/]{43}=")]
    """The 32 bytes of the key (RFC 8032), in base64."""
    is_current: bool
    """Whether the service signs new checkpoints with this key."""


class SigningKeyPage(Answer, frozen=True):
    """All keys, the current one first."""

    items: tuple[SigningKey, ...]
    next: str | None


class FairDie(Answer, frozen=True):
    """A die of a roll, and the byte that determined its value."""

    address: str
    """The input of the digest. Its last part, the block, is missing until the seed is known."""
    digest: Hex | None
    """The HMAC-SHA256 of the address under the table key, in hex. Null until the seed is known."""
    byte_index: Annotated[int, integer(0, 31)] | None
    """The index of the byte in the digest: the first byte below 252. Null until the seed is known."""
    byte: Annotated[int, integer(0, 251)] | None
    """That byte. Null until the seed is known."""
    value: Die | None
    """The byte modulo 6, plus 1. Null until the seed is known."""


class FairThrow(Answer, frozen=True):
    """A recorded roll, and the derivation of its dice."""

    sequence: Positive
    turn: TurnNumber
    seat: SeatNumber
    seat_turn: Positive
    """The number of turns that the seat has begun, including this one."""
    purpose: ThrowPurpose
    values: Annotated[tuple[Die, ...], length(1, 2)]
    """The recorded values."""
    scripted: bool
    """Whether the roll comes from the scripted dice of an analysis board."""
    dice: Annotated[tuple[FairDie, ...], length(0, 2)]
    """The dice of the roll, in order; empty for a scripted roll."""


class FairPick(Answer, frozen=True):
    """A random choice of one of n items, and the number that determined it."""

    address: str
    """The input of the digest. Its last part, the block, is missing until the seed is known."""
    digest: Hex | None
    """The HMAC-SHA256 of the address under the table key, in hex. Null until the seed is known."""
    number_index: Annotated[int, integer(0, 15)] | None
    """The index of the number among the sixteen 16-bit numbers of the digest: the first number below
    65536 - 65536 % n. Null until the seed is known."""
    number: Annotated[int, integer(0, 65535)] | None
    """That number. Null until the seed is known."""
    place: Count | None
    """The number modulo n: the position of the chosen item, from 0. Null until the seed is known."""


class FairFirstSeat(Answer, frozen=True):
    """The first seat, chosen among all seats."""

    sequence: Positive
    seat: SeatNumber
    """The recorded seat."""
    seats: SeatCount
    """The number of seats."""
    pick: FairPick


class CardsLeft(Answer, frozen=True):
    """The copies of one card in a deck."""

    card: CardId
    copies: Positive


class FairDraw(Answer, frozen=True):
    """A drawn card, chosen among all cards left in the deck."""

    sequence: Positive
    row: CardId
    number: Positive
    """The number of cards drawn for the row, including this one."""
    card: CardId
    """The recorded card."""
    left: Positive
    """The number of cards in the deck before the draw."""
    deck: Annotated[tuple[CardsLeft, ...], length(1)]
    """These cards, in the order in which `place` counts them."""
    pick: FairPick | None
    """Null if the order of the deck was given."""


class FairCommitment(Answer, frozen=True):
    """A seat that committed to a seed, or did not do so in time."""

    seat: SeatNumber
    sequence: Positive
    """The event that recorded this."""
    commitment: Hash | None
    """The SHA-256 of the JSON array `[commitment, seat, seed]`, with the `commitment` of the match. Null if
    the seat did not commit in time."""
    opened_sequence: Positive | None
    """The event that opens the seed. All commitments come before it."""
    seed: str | None
    """Null until the seat opens it."""


class Fairness(Answer, frozen=True):
    """The derivation of all random results of a match."""

    match_id: str
    version: Positive
    mode: DiceMode
    key_id: str
    """The service's key from which the seed was derived."""
    commitment: Hash
    """The SHA-256 of the match seed."""
    seat_seeds: Annotated[tuple[str, ...], length(2, 5)]
    """The seed of each seat; empty if the seat added none."""
    seat_commitments: Annotated[tuple[FairCommitment, ...], length(0, 5)]
    """In order; empty if the seats of the match do not commit to seeds."""
    seed: Hex | None
    """The match seed in hex. Null until it is known."""
    table_key: Hex | None
    """The HMAC-SHA256 of the seat seeds, as a JSON array, under the match seed; in hex. Null until the seed
    is known."""
    first_seat: FairFirstSeat | None
    """Null before the match starts, and if the first seat was given."""
    throws: tuple[FairThrow, ...]
    draws: tuple[FairDraw, ...]
