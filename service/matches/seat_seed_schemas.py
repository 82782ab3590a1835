"""Seeds that seats commit to and open, as they are sent."""

from typing import Final

from marshmallow import Schema

from contract.values import HASH, MOST_SEATS
from service.matches.match_schemas import SEAT_SEED, seeds_within_ms
from service.openapi.fields import integer, matching

DEFAULT_MS: Final = 60_000


class NewSeatSeedsSchema(Schema):
    """Accounts add seeds to the dice before the match starts: each commits to one, then all open theirs."""

    within_ms = seeds_within_ms(load_default=DEFAULT_MS)


class SeatSeedCommitmentSchema(Schema):
    """What a seat commits to."""

    seat = integer(0, MOST_SEATS - 1, required=True)
    commitment = matching(
        HASH,
        required=True,
        metadata={
            "description": "`sha-256:` and the SHA-256, in hex, of the JSON array `[dice.commitment of the "
            "match, seat, seed]` without spaces."
        },
    )


class SeatSeedOpeningSchema(Schema):
    """The seed that a seat has committed to."""

    seat = integer(0, MOST_SEATS - 1, required=True)
    seed = matching(
        SEAT_SEED,
        required=True,
        metadata={"description": "Random, and made for this match alone, such as 32 hex digits."},
    )


COMMITMENT_EXAMPLES: Final = {
    "one": {
        "summary": "The hash of a seed, the seat and the commitment of the match",
        "value": {
            "seat": 0,
            "commitment": "sha-256:4d36ef8a70ae25800d7c010cc32ed17abf35b6b842779b11173819547c9323a0",
        },
    }
}

OPENING_EXAMPLES: Final = {
    "one": {"summary": "128 random bits", "value": {"seat": 0, "seed": "0f1e2d3c4b5a69788796a5b4c3d2e1f0"}}
}
