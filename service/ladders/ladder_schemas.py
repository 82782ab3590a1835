"""Ladders as they are shown: their configuration, entries and rounds."""

from typing import Final

from marshmallow import Schema

from contract.values import GREATEST
from service.contract.fields import QueryInteger, matching

LADDER_ID: Final = r"lad_[0-9A-Z]{26}"
JOB_ID: Final = r"job_[0-9A-Z]{26}"


class LadderListQuerySchema(Schema):
    """Which ladders are listed."""

    limit = QueryInteger(1, 500, load_default=50, metadata={"description": "The most ladders on the page."})
    cursor = matching(
        LADDER_ID, metadata={"description": "The `next` of the page before; left out for the first page."}
    )


class SeasonQuerySchema(Schema):
    """Of which season."""

    season = QueryInteger(
        1, GREATEST, metadata={"description": "Such as `1`; the one that is open if it is left out."}
    )
