"""What an auditor reads: verifications, signed checkpoints, and what the dice were made of."""

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
    """One thing that was checked."""

    name: AuditCheckName
    status: AuditStatus
    first_failed_sequence: Positive | None
    """The first event that fails; null where none does, or the fault is in no event."""
    detail: str
    """In words, for people; empty where all is well."""


class Verification(Answer, frozen=True):
    """The outcome of an audit."""

    match_id: str
    version: Count
    """As many events were there to be checked."""
    verdict: AuditVerdict
    first_failed_sequence: Positive | None
    """The least of all checks."""
    checks: tuple[AuditCheck, ...]


class Checkpoint(Answer, frozen=True):
    """The end of a match, signed: a line of the log of all matches that ended.

    All members but `hash` and `signature` are what is signed, as canonical JSON (RFC 8785).
    """

    type: Literal["match_checkpoint"]
    number: Positive
    """The line of the log: from 1, without gaps."""
    match_id: str | None
    """Null unless the match is public."""
    match_digest: Hash
    """The SHA-256 of the match id."""
    rules_version: str
    status: MatchEnd
    version: Positive
    """The number of the match's events."""
    head_hash: Hash
    """The hash of the last of them."""
    time: SignedTime
    """When that one was recorded."""
    key_id: KeyId
    """The key that signed it."""
    previous_hash: Hash
    """The `hash` of the line before; of the first line 64 zeros."""
    hash: Hash
    """The SHA-256 of what is signed."""
    signature: Annotated[str, text(r"[A-Za-z0-9+/]{86}==")]
    """Ed25519, over what is signed, in base64."""


class CheckpointPage(Answer, frozen=True):
    """One page of the log, in the order of numbers."""

    items: tuple[Checkpoint, ...]
    next: str | None


class SigningKey(Answer, frozen=True):
    """A public key that signs checkpoints, or has signed some."""

    key_id: KeyId
    algorithm: Literal["Ed25519"]
    public_key: Annotated[str, text(r"[A-Za-z0-9+/]{43}=")]
    """Its 32 bytes (RFC 8032) in base64."""
    is_current: bool
    """Whether it signs now."""


class SigningKeyPage(Answer, frozen=True):
    """All keys, the current one first."""

    items: tuple[SigningKey, ...]
    next: str | None


class FairDie(Answer, frozen=True):
    """A die that was thrown, and the byte that made it."""

    address: str
    """What the digest is of. Until the seed is known its last part, the block, is missing."""
    digest: Hex | None
    """HMAC-SHA256 of the address with the table key, in hex. Null until the seed is known."""
    byte_index: Annotated[int, integer(0, 31)] | None
    """Which byte of the digest decides: the first below 252. Null until the seed is known."""
    byte: Annotated[int, integer(0, 251)] | None
    """That byte. Null until the seed is known."""
    value: Die | None
    """The byte modulo 6, plus 1. Null until the seed is known."""


class FairThrow(Answer, frozen=True):
    """A throw as it was recorded, and where its dice come from."""

    sequence: Positive
    turn: TurnNumber
    seat: SeatNumber
    seat_turn: Positive
    """The turns that the seat had begun, this one counted."""
    purpose: ThrowPurpose
    values: Annotated[tuple[Die, ...], length(1, 2)]
    """As recorded."""
    scripted: bool
    """Whether the throw is from the script of an analysis board."""
    dice: Annotated[tuple[FairDie, ...], length(0, 2)]
    """Those of the throw, in their order; none of a scripted one."""


class FairPick(Answer, frozen=True):
    """A choice of one among several, and the number that made it."""

    address: str
    """What the digest is of. Until the seed is known its last part, the block, is missing."""
    digest: Hex | None
    """HMAC-SHA256 of the address with the table key, in hex. Null until the seed is known."""
    number_index: Annotated[int, integer(0, 15)] | None
    """Which of the sixteen 16-bit numbers of the digest decides: among n, the first below 65536 - 65536 %
    n. Null until the seed is known."""
    number: Annotated[int, integer(0, 65535)] | None
    """That number. Null until the seed is known."""
    place: Count | None
    """The number modulo n: what is chosen, from 0. Null until the seed is known."""


class FairFirstSeat(Answer, frozen=True):
    """The seat that begins, chosen among all."""

    sequence: Positive
    seat: SeatNumber
    """As recorded."""
    seats: SeatCount
    """Among how many."""
    pick: FairPick


class CardsLeft(Answer, frozen=True):
    """Equal cards in a deck."""

    card: CardId
    copies: Positive


class FairDraw(Answer, frozen=True):
    """A card that was drawn, chosen among all that were left."""

    sequence: Positive
    row: CardId
    number: Positive
    """The cards drawn from the row, this one counted."""
    card: CardId
    """As recorded."""
    left: Positive
    """Among how many cards."""
    deck: Annotated[tuple[CardsLeft, ...], length(1)]
    """Those cards, in the order in which `place` counts through them."""
    pick: FairPick | None
    """Null where the order of the deck was given."""


class FairCommitment(Answer, frozen=True):
    """A seat that has committed to its seed, or has forgone one."""

    seat: SeatNumber
    sequence: Positive
    """The event in which it did that."""
    commitment: Hash | None
    """SHA-256 of the JSON array `[commitment, seat, seed]`, with the match's own `commitment`. Null where
    the seat has forgone its seed."""
    opened_sequence: Positive | None
    """The event that tells the seed. All that commit come before it."""
    seed: str | None
    """Null until it is told."""


class Fairness(Answer, frozen=True):
    """Where the luck of a match comes from."""

    match_id: str
    version: Positive
    mode: DiceMode
    key_id: str
    """Which key of the service the seed was derived from."""
    commitment: Hash
    """SHA-256 of the seed."""
    seat_seeds: Annotated[tuple[str, ...], length(2, 5)]
    """What each seat has added; empty texts of those that have added nothing."""
    seat_commitments: Annotated[tuple[FairCommitment, ...], length(0, 5)]
    """In their order; none where seats do not commit to seeds."""
    seed: Hex | None
    """The match seed in hex. Null until the seed is known."""
    table_key: Hex | None
    """HMAC-SHA256 of the seat seeds, as a JSON array, with the match seed; in hex. Null until the seed is
    known."""
    first_seat: FairFirstSeat | None
    """Null before the match starts, and where the first seat was given."""
    throws: tuple[FairThrow, ...]
    draws: tuple[FairDraw, ...]
