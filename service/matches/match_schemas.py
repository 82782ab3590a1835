"""Parts of requests that several resources of matches share."""

import re
from typing import Final

from marshmallow import Schema

from contract.matches import BANK, INCREMENT
from contract.names import MatchStatus, RulesetId, TimeoutPolicy
from domain.match.events import MOST_BANKED_MS
from service.accounts.account_schemas import HANDLE
from service.openapi.fields import QueryFlag, QueryInteger, integer, matching, one_of

ACCOUNT_ID: Final = re.compile(r"acc_[0-9A-Z]{26}", re.ASCII)


class ClockSchema(Schema):
    """The same component as in responses: `contract.matches.Clock`."""

    decision_ms = integer(1000, 86_400_000, required=True)
    on_timeout = one_of(TimeoutPolicy, required=True)
    bank_ms = integer(0, MOST_BANKED_MS, metadata={"description": BANK})
    increment_ms = integer(0, MOST_BANKED_MS, metadata={"description": INCREMENT})


TAG: Final = r"[A-Za-z0-9_.:-]{1,32}"
"""A tag that the creator gave to a match."""


class MatchListQuerySchema(Schema):
    """Filters of the list of matches."""

    status = one_of(MatchStatus, metadata={"description": "Only matches with this status, such as `open`."})
    ruleset = one_of(RulesetId, metadata={"description": "Only matches of this ruleset, such as `harbor`."})
    player = matching(
        HANDLE,
        metadata={
            "description": "Only matches in which this player has or had a seat: the handle or id of an "
            "account, which may be deleted, or the name of a built-in player, such as `greedy`. With an "
            "unknown name, the list is empty."
        },
    )
    ladder = matching(
        r"[A-Za-z0-9_-]{1,40}",
        metadata={"description": "Only matches of finished blocks of the ladder with this `ladder_id`."},
    )
    tag = matching(TAG, metadata={"description": "Only matches with this tag."})
    rated = QueryFlag(metadata={"description": "`true`: only matches that were created as rated ones."})
    limit = QueryInteger(1, 500, load_default=50, metadata={"description": "The most matches per page."})
    cursor = matching(
        r"mat_[0-9A-Z]{26}",
        metadata={"description": "The `next` of the previous page; omit it for the first page."},
    )
