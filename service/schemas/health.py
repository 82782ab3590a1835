"""How the service is."""

from marshmallow import Schema

from service.schemas.fields import one_of


class StatusSchema(Schema):
    """All is well."""

    status = one_of(("ok", "ready"), required=True)
