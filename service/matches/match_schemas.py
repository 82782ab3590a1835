"""Matches as they are shown."""

import re
from typing import Any, Final

from marshmallow import Schema, fields

from domain.match.seat_seeds import LONGEST_MS, SHORTEST_MS
from service.accounts.account_schemas import HANDLE
from service.contract.fields import (
    CARD_PRICES,
    HASH,
    Component,
    Counts,
    QueryInteger,
    instant,
    integer,
    list_of,
    matching,
    nested,
    one_of,
)
from service.contract.names import (
    BOX,
    BRANCH_DICE,
    DICE_MODE,
    MARKET_KIND,
    MATCH_STATUS,
    RULESET,
    SEAT_KIND,
    SEAT_SEED_STATUS,
    SEAT_SEED_STEP,
    TIMEOUT,
    VISIBILITY,
)

MOST_SEATS: Final = 5

TURN: Final = integer(
    required=True,
    metadata={
        "description": "The number of the turn: all turns count, from 1, extra ones and those of building "
        "rounds too. 0 before the match starts."
    },
)
WINNER: Final = integer(
    0,
    MOST_SEATS - 1,
    required=True,
    allow_none=True,
    metadata={"description": "The seat that has won; null before that, and where the match was called off."},
)
DEADLINE: Final = instant(
    required=True,
    allow_none=True,
    metadata={
        "description": "When the clock of the decision that is due runs out, or the time for the seeds that "
        "a match waits for before it starts, as far as is known: it may move later. Null in a match without "
        "a clock and where no person's decision is due."
    },
)

ACCOUNT_ID: Final = re.compile(r"acc_[0-9A-Z]{26}", re.ASCII)


SEAT_SEED: Final = r"[0-9A-Za-z_-]{32,64}"
"""A seed that a seat has committed to before; `domain.match.derivation` says why it is so long."""


class ResolvedOptionsSchema(Schema):
    """The options of a match, with every default filled in."""

    box = one_of(BOX, required=True, allow_none=True)
    market = one_of(MARKET_KIND, required=True)
    max_copies = integer(2, 2, required=True, allow_none=True)
    card_costs = Counts(CARD_PRICES, required=True)


class ClockSchema(Schema):
    """How long a decision of a person may take, and what happens when it takes longer.

    The clock of a decision starts when the last event of the match was recorded. The service records that it
    ran out within about a second after the deadline; a command that arrives before that still counts. Time in
    which the service was away does not count: the deadline moves by as much.
    """

    decision_ms = integer(
        1000,
        86_400_000,
        required=True,
        metadata={"description": "Milliseconds for each single decision, not for a turn or the match."},
    )
    on_timeout = one_of(TIMEOUT, required=True)


_INVITED: Final = {
    "description": "Of an open seat that is reserved: the handle of the account that alone may take it."
}


class SeatSchema(Schema):
    """A seat of a match and who plays it."""

    seat = integer(0, MOST_SEATS - 1, required=True)
    kind = one_of(SEAT_KIND, required=True)
    account_id = fields.String(required=True, allow_none=True)
    strategy = fields.String(required=True, allow_none=True)
    name = fields.String(required=True, allow_none=True)
    resigned = fields.Boolean(required=True)
    invited = fields.String(required=True, allow_none=True, metadata=_INVITED)


class DiceSourceSchema(Schema):
    """Where the dice of a match come from."""

    mode = one_of(DICE_MODE, required=True)
    commitment = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "sha-256 of the secret seed; of a branch with the same dice, that of its origin's."
        },
    )
    throws = fields.List(fields.List(integer(1, 6)), metadata={"description": "The tape of scripted dice."})


def seeds_within_ms(**options: Any) -> fields.Integer:
    """How long each of the two steps may take in which seats give their seeds."""
    about = (
        "Milliseconds that the match waits after its last event: first for commitments, once every seat is "
        "taken, then for seeds, once every seat has committed."
    )
    return integer(SHORTEST_MS, LONGEST_MS, metadata={"description": about}, **options)


class SeatSeedSchema(Schema):
    """What a seat has done about its seed."""

    seat = integer(0, MOST_SEATS - 1, required=True)
    status = one_of(SEAT_SEED_STATUS, required=True)
    commitment = matching(HASH, required=True, allow_none=True)
    seed = matching(
        SEAT_SEED, required=True, allow_none=True, metadata={"description": "Null until it is opened."}
    )


class SeatSeedsSchema(Schema):
    """How far the seats are with the seeds that they add to the dice."""

    within_ms = seeds_within_ms(required=True)
    step = one_of(
        SEAT_SEED_STEP,
        required=True,
        allow_none=True,
        metadata={
            "description": "What the match waits for. Null while seats are open, though seats may commit "
            "then, and from the start of the match on."
        },
    )
    deadline = instant(
        required=True,
        allow_none=True,
        metadata={"description": "When the time for this step is over; null without a step."},
    )
    seats = list_of(nested(SeatSeedSchema()), required=True)


class OriginSchema(Schema):
    """Where a branch comes from."""

    match_id = fields.String(
        required=True, metadata={"description": "The match; not all who see the branch may see it."}
    )
    version = integer(
        1,
        required=True,
        metadata={"description": "The branch goes on behind this event, the last one of its command."},
    )
    head_hash = matching(HASH, required=True, metadata={"description": "The hash of that event."})
    dice = one_of(BRANCH_DICE, required=True)


class MatchSchema(Schema):
    """A match."""

    match_id = fields.String(required=True)
    version = integer(1, required=True)
    status = one_of(MATCH_STATUS, required=True)
    ruleset = one_of(RULESET, required=True)
    rules_version = fields.String(required=True)
    options = nested(ResolvedOptionsSchema(), required=True)
    seats = list_of(nested(SeatSchema()), required=True)
    first_seat = integer(
        0,
        MOST_SEATS - 1,
        required=True,
        allow_none=True,
        metadata={"description": "As it was asked for; null where the dice were to choose."},
    )
    clock = nested(ClockSchema(), required=True, allow_none=True)
    dice = nested(DiceSourceSchema(), required=True)
    position = Component("Position", required=True, allow_none=True)
    seat_seeds = nested(
        SeatSeedsSchema(),
        required=True,
        allow_none=True,
        metadata={"description": "Null where seats do not commit to seeds."},
    )
    origin = nested(
        OriginSchema(),
        required=True,
        allow_none=True,
        metadata={"description": "What a branch goes on from; null for every other match."},
    )
    visibility = one_of(VISIBILITY, required=True)
    tags = list_of(fields.String(), required=True)
    creator = fields.String(required=True)
    created_at = instant(required=True)
    turn = TURN
    active_seat = integer(0, MOST_SEATS - 1, required=True, allow_none=True)
    winner = WINNER
    result = Component("MatchResult", required=True, allow_none=True)
    invitation_code = fields.String(
        metadata={
            "description": "For the creator of a private match alone, as long as that is open: whoever sends "
            "it as `code` may take an open seat."
        }
    )


class JoinedSchema(MatchSchema):
    """The match, and the seat that was taken."""

    seat = integer(0, MOST_SEATS - 1, required=True)


class ListedSeatSchema(Schema):
    """A seat as lists show it."""

    seat = integer(0, MOST_SEATS - 1, required=True)
    kind = one_of(SEAT_KIND, required=True)
    name = fields.String(required=True, allow_none=True)
    invited = fields.String(required=True, allow_none=True, metadata=_INVITED)


class ListedMatchSchema(Schema):
    """A match as lists show it."""

    match_id = fields.String(required=True)
    status = one_of(MATCH_STATUS, required=True)
    ruleset = one_of(RULESET, required=True)
    rules_version = fields.String(required=True)
    seats = list_of(nested(ListedSeatSchema()), required=True)
    visibility = one_of(VISIBILITY, required=True)
    tags = list_of(fields.String(), required=True)
    creator = fields.String(required=True)
    created_at = instant(required=True)
    winner = WINNER


class MatchPageSchema(Schema):
    """One page of matches, the newest first."""

    items = list_of(nested(ListedMatchSchema()), required=True)
    next = fields.String(required=True, allow_none=True)


TAG: Final = r"[A-Za-z0-9_.:-]{1,32}"
"""A word that the creator gave to a match."""


class MatchListQuerySchema(Schema):
    """Which matches are listed."""

    status = one_of(MATCH_STATUS, metadata={"description": "Only matches that are so far, such as `open`."})
    ruleset = one_of(RULESET, metadata={"description": "Only matches of this game, such as `harbor`."})
    player = matching(
        HANDLE,
        metadata={
            "description": "Who sits in it or has: the handle or id of an account, or a built-in player's "
            "name, such as `greedy`. With a name that nobody has, the list is empty."
        },
    )
    ladder = matching(
        r"[A-Za-z0-9_-]{1,40}",
        metadata={"description": "Only those of finished blocks of this ladder, by its `ladder_id`."},
    )
    tag = matching(TAG, metadata={"description": "Only matches that were made with this tag."})
    limit = QueryInteger(1, 500, load_default=50, metadata={"description": "The most matches on the page."})
    cursor = matching(
        r"mat_[0-9A-Z]{26}",
        metadata={"description": "The `next` of the page before; left out for the first page."},
    )
