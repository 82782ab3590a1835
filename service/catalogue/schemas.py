"""Rulesets, cards and built-in strategies."""

from marshmallow import Schema

from contract.names import Language
from service.contract.fields import one_of


class CardQuerySchema(Schema):
    """How cards are told."""

    lang = one_of(
        Language,
        metadata={
            "description": "The language of names and texts, such as `uk`; goes before `Accept-Language`."
        },
    )
