"""The state of a match as it is shown."""

from marshmallow import Schema

from service.contract.fields import QueryFlag


class LegalQuerySchema(Schema):
    """How much is said."""

    explain = QueryFlag(
        load_default=False,
        metadata={"description": "With `true` also the cards that cannot be built, and why."},
    )
