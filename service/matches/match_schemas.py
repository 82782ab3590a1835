"""Matches as they are shown."""

import re
from typing import Any, Final

from marshmallow import Schema, fields

from contract.names import MatchStatus, RulesetId, TimeoutPolicy
from domain.match.seat_seeds import LONGEST_MS, SHORTEST_MS
from service.accounts.account_schemas import HANDLE
from service.openapi.fields import (
    QueryInteger,
    integer,
    matching,
    one_of,
)

ACCOUNT_ID: Final = re.compile(r"acc_[0-9A-Z]{26}", re.ASCII)


SEAT_SEED: Final = r"[0-9A-Za-z_-]{32,64}"
"""A seed that a seat has committed to before; `domain.match.derivation` says why it is so long."""


class ClockSchema(Schema):
    """As answers have it: `contract.matches.Clock`."""

    decision_ms = integer(1000, 86_400_000, required=True)
    on_timeout = one_of(TimeoutPolicy, required=True)


def seeds_within_ms(**options: Any) -> fields.Integer:
    """How long each of the two steps may take in which seats give their seeds."""
    about = (
        "Milliseconds that the match waits after its last event: first for commitments, once every seat is "
        "taken, then for seeds, once every seat has committed."
    )
    return integer(SHORTEST_MS, LONGEST_MS, metadata={"description": about}, **options)


TAG: Final = r"[A-Za-z0-9_.:-]{1,32}"
"""A word that the creator gave to a match."""


class MatchListQuerySchema(Schema):
    """Which matches are listed."""

    status = one_of(MatchStatus, metadata={"description": "Only matches that are so far, such as `open`."})
    ruleset = one_of(RulesetId, metadata={"description": "Only matches of this game, such as `harbor`."})
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
