"""The luck of a match as it is shown."""

from marshmallow import Schema

from contract.values import GREATEST
from service.contract.fields import QueryInteger


class LuckQuerySchema(Schema):
    """Which throws are given."""

    after = QueryInteger(
        0,
        GREATEST,
        load_default=0,
        metadata={"description": "Only throws whose event has a greater sequence, such as `42`; 0 for all."},
    )
    limit = QueryInteger(1, 500, load_default=500, metadata={"description": "The most throws in the answer."})
