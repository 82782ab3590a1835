"""The state of a match as it is shown."""

from collections.abc import Mapping
from typing import Final

from marshmallow import Schema, fields

from service.contract.fields import (
    CARD,
    CARD_COUNTS,
    STACK_COUNTS,
    Component,
    Counts,
    QueryFlag,
    Union,
    exactly,
    integer,
    list_of,
    matching,
    nested,
    one_of,
)
from service.contract.names import END_REASON, MATCH_STATUS, PHASE, REFUSAL, RULESET
from service.matches.command_schemas import CommandSchema
from service.matches.match_schemas import DEADLINE, MOST_SEATS, TURN, WINNER, ResolvedOptionsSchema

SEAT_TO_ACT: Final = integer(0, MOST_SEATS - 1, required=True, allow_none=True)


class DiceSchema(Schema):
    """The throw that counts."""

    values = list_of(integer(1, 6), 1, 2, required=True)
    total = integer(1, 14, required=True, metadata={"description": "What counts, `added` included."})
    added = integer(
        0, 2, required=True, metadata={"description": "What `add_two` has added to the dice: 0 or 2."}
    )
    rerolled = fields.Boolean(required=True)


class PlayerSchema(Schema):
    """A seat's purse and city."""

    seat = integer(0, MOST_SEATS - 1, required=True)
    name = fields.String(required=True, allow_none=True)
    coins = integer(required=True)
    establishments = Counts(CARD_COUNTS, required=True)
    landmarks = list_of(matching(CARD), required=True)


class OpenMarketSchema(Schema):
    """All stacks face up, empty ones as 0."""

    kind = exactly("open")
    supply = Counts(
        STACK_COUNTS, required=True, metadata={"description": "An empty object before the match starts."}
    )


class LimitedMarketSchema(Schema):
    """Ten kinds face up, the rest in one deck. Before the match starts both are empty."""

    kind = exactly("limited")
    face_up = Counts(CARD_COUNTS, required=True)
    deck_remaining = integer(required=True)


class FaceUpRowsSchema(Schema):
    """Three rows, face up."""

    low = Counts(CARD_COUNTS, required=True)
    high = Counts(CARD_COUNTS, required=True)
    landmarks = Counts(CARD_COUNTS, required=True)


class DecksRemainingSchema(Schema):
    """How many cards are left in each deck."""

    low = integer(required=True)
    high = integer(required=True)
    landmarks = integer(required=True)


class RowsMarketSchema(Schema):
    """The three rows of machi_koro_2. Before the match starts they and their decks are empty."""

    kind = exactly("rows")
    rows = nested(FaceUpRowsSchema(), required=True)
    decks_remaining = nested(DecksRemainingSchema(), required=True)


class MarketSchema(Union):
    """What can be built."""

    tag = "kind"
    members: Mapping[str, Schema] = {
        "open": OpenMarketSchema(),
        "limited": LimitedMarketSchema(),
        "rows": RowsMarketSchema(),
    }


class PendingChoiceSchema(Schema):
    """The card that an open choice is about."""

    card = matching(CARD, required=True)
    copies = integer(
        1, required=True, metadata={"description": "Still to be answered for, this one counted."}
    )


class MatchResultSchema(Schema):
    """Why a match is over."""

    reason = one_of(END_REASON, required=True)


class StateSchema(Schema):
    """Everything on the table."""

    match_id = fields.String(required=True)
    version = integer(1, required=True)
    status = one_of(MATCH_STATUS, required=True)
    ruleset = one_of(RULESET, required=True)
    options = nested(ResolvedOptionsSchema(), required=True)
    rules_version = fields.String(required=True)
    turn = TURN
    active_seat = SEAT_TO_ACT
    phase = one_of(PHASE, required=True, allow_none=True)
    extra_turn = fields.Boolean(
        required=True,
        metadata={"description": "Whether this turn is an extra one, not whether one is to come."},
    )
    dice = nested(
        DiceSchema(),
        required=True,
        allow_none=True,
        metadata={"description": "Null before the first throw of a turn."},
    )
    pending = nested(PendingChoiceSchema(), metadata={"description": "Only while a choice is open."})
    players = list_of(nested(PlayerSchema()), required=True)
    market = nested(MarketSchema(), required=True)
    winner = WINNER
    result = Component("MatchResult", required=True, allow_none=True)
    deadline = DEADLINE


class LegalQuerySchema(Schema):
    """How much is said."""

    explain = QueryFlag(
        load_default=False,
        metadata={"description": "With `true` also the cards that cannot be built, and why."},
    )


class UnbuildableSchema(Schema):
    """A card that the seat to act cannot build now."""

    card = matching(CARD, required=True)
    cost = integer(required=True)
    code = one_of(REFUSAL, required=True)
    detail = fields.String(required=True)


class LegalCommandsSchema(Schema):
    """What the seat to act can do; `resign`, which every seat always can, is not listed."""

    version = integer(1, required=True)
    seat = SEAT_TO_ACT
    phase = one_of(PHASE, required=True, allow_none=True)
    commands = list_of(nested(CommandSchema()), required=True)
    unbuildable = list_of(nested(UnbuildableSchema()), metadata={"description": "With explain=true."})
