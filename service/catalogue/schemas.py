"""Rulesets, cards and built-in strategies."""

from marshmallow import Schema, fields

from service.contract.fields import (
    CARD,
    CARD_COUNTS,
    HASH,
    Counts,
    integer,
    list_of,
    matching,
    nested,
    one_of,
)
from service.contract.names import CARD_COLOUR, CARD_KIND, LANGUAGE, NAME_SOURCE, RULESET


class PlayerRangeSchema(Schema):
    """How many can play."""

    min = integer(2, 5, required=True)
    max = integer(2, 5, required=True)


class GoalSchema(Schema):
    """What wins."""

    landmarks = integer(1, 20, required=True, metadata={"description": "As many built landmarks win."})
    instant = matching(
        CARD, required=True, allow_none=True, metadata={"description": "This landmark wins by itself."}
    )


class StartSchema(Schema):
    """What everybody starts with."""

    coins = integer(required=True)
    establishments = Counts(CARD_COUNTS, required=True)
    building_rounds = integer(required=True)


class RulesetOptionSchema(Schema):
    """An option and the values it can have."""

    values = fields.List(fields.Raw(allow_none=True), required=True)
    default = fields.Raw(required=True, allow_none=True)


class RulesetSchema(Schema):
    """A game that can be played."""

    id = one_of(RULESET, required=True)
    name = fields.String(required=True)
    rules_version = fields.String(required=True)
    digest = matching(HASH, required=True, metadata={"description": "Of the tables behind this version."})
    players = nested(PlayerRangeSchema(), required=True)
    goal = nested(GoalSchema(), required=True)
    start = nested(StartSchema(), required=True)
    options = fields.Dict(keys=fields.String(), values=nested(RulesetOptionSchema()), required=True)


class RulesetPageSchema(Schema):
    """All rulesets."""

    items = list_of(nested(RulesetSchema()), required=True)
    next = fields.String(required=True, allow_none=True)


class EffectSchema(Schema):
    """What a card does, as data."""

    kind = matching(CARD, required=True)
    amount = integer()
    symbols = list_of(fields.String())
    cards = list_of(matching(CARD))
    threshold = integer()
    requires = matching(CARD)


class CardSchema(Schema):
    """An establishment or a landmark."""

    id = matching(CARD, required=True)
    kind = one_of(CARD_KIND, required=True)
    activation = list_of(integer(1, 14), required=True, metadata={"description": "The totals that fire it."})
    colour = one_of(CARD_COLOUR, required=True, allow_none=True)
    symbol = fields.String(required=True, allow_none=True)
    cost = integer(metadata={"description": "In coins, where there is one price."})
    costs = list_of(
        integer(), metadata={"description": "By how many landmarks the builder has: none, one, two or more."}
    )
    copies = integer(required=True, metadata={"description": "In the reserve of the largest box."})
    effect = nested(EffectSchema(), required=True)
    language = one_of(LANGUAGE, required=True, metadata={"description": "Of `name` and `text`."})
    name = fields.String(required=True)
    name_source = one_of(NAME_SOURCE, required=True)
    text = fields.String(
        required=True, metadata={"description": "What the card does, in the service's own words."}
    )


class CardQuerySchema(Schema):
    """How cards are told."""

    lang = one_of(
        LANGUAGE,
        metadata={
            "description": "The language of names and texts, such as `uk`; goes before `Accept-Language`."
        },
    )


class CardPageSchema(Schema):
    """All cards of a ruleset, in catalogue order."""

    items = list_of(nested(CardSchema()), required=True)
    next = fields.String(required=True, allow_none=True)


class StrategySchema(Schema):
    """A built-in player."""

    name = matching(CARD, required=True)
    version = fields.String(required=True)
    description = fields.String(required=True)


class StrategyPageSchema(Schema):
    """All built-in players, the weakest first."""

    items = list_of(nested(StrategySchema()), required=True)
    next = fields.String(required=True, allow_none=True)
