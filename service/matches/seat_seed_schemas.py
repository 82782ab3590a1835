"""Schemas of requests about the seeds of seats, and their examples."""

from typing import Final

from marshmallow import Schema

from contract.matches import SEAT_SEED, SEAT_SEED_WAIT
from contract.values import HASH, MOST_SEATS
from domain.match.seat_seeds import LONGEST_MS, SHORTEST_MS
from service.openapi.fields import integer, matching

DEFAULT_MS: Final = 60_000


class NewSeatSeedsSchema(Schema):
    """Seeds that accounts add to the dice before the match starts: first all commit, then all open."""

    within_ms = integer(
        SHORTEST_MS, LONGEST_MS, load_default=DEFAULT_MS, metadata={"description": SEAT_SEED_WAIT}
    )


class SeatSeedCommitmentSchema(Schema):
    """The commitment of a seat to its seed."""

    seat = integer(0, MOST_SEATS - 1, required=True)
    commitment = matching(
        HASH,
        required=True,
        metadata={
            "description": "`sha-256:` and the SHA-256 in hex of the JSON array `[commitment, seat, seed]` "
            "without spaces, with the `dice.commitment` of the match."
        },
    )


class SeatSeedOpeningSchema(Schema):
    """The seed to which a seat has committed."""

    seat = integer(0, MOST_SEATS - 1, required=True)
    seed = matching(
        SEAT_SEED,
        required=True,
        metadata={"description": "A random seed for this match only, such as 32 hex digits."},
    )


COMMITMENT_EXAMPLES: Final = {
    "one": {
        "summary": "The hash of the match's commitment, the seat and the seed",
        "value": {
            "seat": 0,
            "commitment": "sha-256:4d36ef8a70ae25800d7c010cc32ed17abf35b6b842779b11173819547c9323a0",
        },
    }
}

OPENING_EXAMPLES: Final = {
    "one": {"summary": "128 random bits", "value": {"seat": 0, "seed": "0f1e2d3c4b5a69788796a5b4c3d2e1f0"}}
}
