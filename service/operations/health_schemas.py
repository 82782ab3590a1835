"""How the service is."""

from marshmallow import Schema

from service.contract.fields import one_of
from service.contract.names import HEALTH


class HealthSchema(Schema):
    """All is well."""

    status = one_of(HEALTH, required=True)
