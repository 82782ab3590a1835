"""How the service is."""

from marshmallow import Schema

from service.schemas.fields import one_of
from service.schemas.names import HEALTH


class HealthSchema(Schema):
    """All is well."""

    status = one_of(HEALTH, required=True)
