"""Jobs: what workers play, and how far they are."""

from marshmallow import Schema, fields

from service.contract.fields import instant, integer, matching, nested, one_of
from service.contract.names import JOB_KIND, JOB_STATUS
from service.ladders.ladder_schemas import JOB_ID, LADDER_ID
from service.ladders.table_schemas import COMPUTING


class JobProgressSchema(Schema):
    """How far a job is, in blocks."""

    done = integer(required=True, metadata={"description": "Blocks that are finished or given up."})
    total = integer(1, required=True)
    percent = integer(
        0, 100, required=True, metadata={"description": "Rounded down; 100 once it is finished."}
    )


class JobSchema(Schema):
    """A round of a ladder as something to wait for."""

    job_id = matching(JOB_ID, required=True)
    kind = one_of(JOB_KIND, required=True)
    status = one_of(JOB_STATUS, required=True)
    stopped_for = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "`command`, or why it cannot go on; null unless it is stopped."},
    )
    ladder_id = matching(LADDER_ID, required=True)
    round = integer(1, required=True)
    opened_at = instant(required=True)
    progress = nested(JobProgressSchema(), required=True)
    matches_per_second = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "Of late; null while too little is finished to tell, or nothing runs."},
    )
    eta_s = integer(
        required=True,
        allow_none=True,
        metadata={"description": "Seconds until it is finished, if it goes on like that."},
    )
    table = COMPUTING
    result = fields.String(
        required=True,
        metadata={"format": "uri-reference", "description": "Where to look at what comes out."},
    )
