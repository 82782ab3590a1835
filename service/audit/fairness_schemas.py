"""What the dice and draws of a match were made of, as it is shown."""

from typing import Any

from marshmallow import Schema, fields

from service.contract.fields import CARD, HASH, integer, list_of, matching, nested, one_of
from service.contract.names import DICE_MODE, THROW_PURPOSE
from service.matches.match_schemas import MOST_SEATS, TURN

_HEX = r"[0-9a-f]{64}"
_SECRET = "Null until the seed is known."


def _known(field: Any, what: str) -> Any:
    """A member that is null until the seed is known."""
    field.metadata["description"] = f"{what} {_SECRET}"
    return field


def _digest() -> Any:
    return _known(
        matching(_HEX, required=True, allow_none=True),
        "HMAC-SHA256 of the address with the table key, in hex.",
    )


def _address() -> Any:
    about = "What the digest is of. Until the seed is known its last part, the block, is missing."
    return fields.String(required=True, metadata={"description": about})


class FairDieSchema(Schema):
    """A die that was thrown, and the byte that made it."""

    address = _address()
    digest = _digest()
    byte_index = _known(
        integer(0, 31, required=True, allow_none=True),
        "Which byte of the digest decides: the first below 252.",
    )
    byte = _known(integer(0, 251, required=True, allow_none=True), "That byte.")
    value = _known(integer(1, 6, required=True, allow_none=True), "The byte modulo 6, plus 1.")


class FairThrowSchema(Schema):
    """A throw as it was recorded, and where its dice come from."""

    sequence = integer(1, required=True)
    turn = TURN
    seat = integer(0, MOST_SEATS - 1, required=True)
    seat_turn = integer(
        1, required=True, metadata={"description": "The turns that the seat had begun, this one counted."}
    )
    purpose = one_of(THROW_PURPOSE, required=True)
    values = list_of(integer(1, 6), 1, 2, required=True, metadata={"description": "As recorded."})
    scripted = fields.Boolean(
        required=True, metadata={"description": "Whether the throw is from the script of an analysis board."}
    )
    dice = list_of(
        nested(FairDieSchema()),
        0,
        2,
        required=True,
        metadata={"description": "Those of the throw, in their order; none of a scripted one."},
    )


class FairPickSchema(Schema):
    """A choice of one among several, and the number that made it."""

    address = _address()
    digest = _digest()
    number_index = _known(
        integer(0, 15, required=True, allow_none=True),
        "Which of the sixteen 16-bit numbers of the digest decides: among n, the first below "
        "65536 - 65536 % n.",
    )
    number = _known(integer(0, 65535, required=True, allow_none=True), "That number.")
    place = _known(integer(required=True, allow_none=True), "The number modulo n: what is chosen, from 0.")


class FairFirstSeatSchema(Schema):
    """The seat that begins, chosen among all."""

    sequence = integer(1, required=True)
    seat = integer(0, MOST_SEATS - 1, required=True, metadata={"description": "As recorded."})
    seats = integer(2, MOST_SEATS, required=True, metadata={"description": "Among how many."})
    pick = nested(FairPickSchema(), required=True)


class CardsLeftSchema(Schema):
    """Equal cards in a deck."""

    card = matching(CARD, required=True)
    copies = integer(1, required=True)


class FairDrawSchema(Schema):
    """A card that was drawn, chosen among all that were left."""

    sequence = integer(1, required=True)
    row = matching(CARD, required=True)
    number = integer(
        1, required=True, metadata={"description": "The cards drawn from the row, this one counted."}
    )
    card = matching(CARD, required=True, metadata={"description": "As recorded."})
    left = integer(1, required=True, metadata={"description": "Among how many cards."})
    deck = list_of(
        nested(CardsLeftSchema()),
        1,
        required=True,
        metadata={"description": "Those cards, in the order in which `place` counts through them."},
    )
    pick = nested(
        FairPickSchema(),
        required=True,
        allow_none=True,
        metadata={"description": "Null where the order of the deck was given."},
    )


class FairCommitmentSchema(Schema):
    """A seat that has committed to its seed, or has forgone one."""

    seat = integer(0, MOST_SEATS - 1, required=True)
    sequence = integer(1, required=True, metadata={"description": "The event in which it did that."})
    commitment = matching(
        HASH,
        required=True,
        allow_none=True,
        metadata={
            "description": "SHA-256 of the JSON array `[commitment, seat, seed]`, with the match's own "
            "`commitment`. Null where the seat has forgone its seed."
        },
    )
    opened_sequence = integer(
        1,
        required=True,
        allow_none=True,
        metadata={"description": "The event that tells the seed. All that commit come before it."},
    )
    seed = fields.String(required=True, allow_none=True, metadata={"description": "Null until it is told."})


class FairnessSchema(Schema):
    """Where the luck of a match comes from."""

    match_id = fields.String(required=True)
    version = integer(1, required=True)
    mode = one_of(DICE_MODE, required=True)
    key_id = fields.String(
        required=True, metadata={"description": "Which key of the service the seed was derived from."}
    )
    commitment = matching(HASH, required=True, metadata={"description": "SHA-256 of the seed."})
    seat_seeds = list_of(
        fields.String(),
        2,
        MOST_SEATS,
        required=True,
        metadata={"description": "What each seat has added; empty texts of those that have added nothing."},
    )
    seat_commitments = list_of(
        nested(FairCommitmentSchema()),
        0,
        MOST_SEATS,
        required=True,
        metadata={"description": "In their order; none where seats do not commit to seeds."},
    )
    seed = _known(matching(_HEX, required=True, allow_none=True), "The match seed in hex.")
    table_key = _known(
        matching(_HEX, required=True, allow_none=True),
        "HMAC-SHA256 of the seat seeds, as a JSON array, with the match seed; in hex.",
    )
    first_seat = nested(
        FairFirstSeatSchema(),
        required=True,
        allow_none=True,
        metadata={"description": "Null before the match starts, and where the first seat was given."},
    )
    throws = list_of(nested(FairThrowSchema()), required=True)
    draws = list_of(nested(FairDrawSchema()), required=True)
