"""Schemas of requests for new matches and seats."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import Schema, fields

from contract.names import Box, CardPrices, GivenCounts, MarketKind, PositionPhase, RulesetId, Visibility
from contract.values import CARD, MOST_SEATS, Named
from domain.match.positions import MOST_COINS
from service.accounts.account_schemas import HANDLE
from service.edge.requests import CODE
from service.matches.match_schemas import TAG, ClockSchema
from service.matches.seat_seed_schemas import NewSeatSeedsSchema
from service.openapi.fields import (
    CountsField,
    Flag,
    Union,
    exactly,
    integer,
    list_of,
    matching,
    nested,
    one_of,
)

SEED: Final = r"[!-~]{1,64}"
"""A seed that a seat adds to the dice: visible ASCII."""

MOST_THROWS: Final = 2000

_TAGS: Final = Named(
    "GivenTags",
    "Tags of your choice, shown with the match. The list of matches can be filtered by them; they have no "
    "other effect.",
)


def given_throws() -> fields.Field[Any]:
    """The scripted rolls."""
    return list_of(list_of(integer(1, 6), 1, 2), 0, MOST_THROWS, required=True)


def given_tags() -> fields.Field[Any]:
    return list_of(matching(TAG), 0, 10, load_default=list, metadata={"component": _TAGS})


def plain_seed() -> fields.Field[Any]:
    """A seed that is public as soon as the seat is taken."""
    return matching(
        SEED,
        metadata={
            "deprecated": True,
            "description": "A seed for the dice of the match. Sent with the match itself, it does not "
            "protect against a service that tries match ids until it likes the dice. Sent for the last seat, "
            "it lets anybody who knows the match seed choose the dice. Use the `seat_seeds` of `dice` "
            "instead; a match with these refuses it.",
        },
    )


class NewOptionsSchema(Schema):
    """The options of matches, by default those of the ruleset."""

    box = one_of(Box, load_default=None, allow_none=True)
    market = one_of(MarketKind, load_default=None, allow_none=True)
    max_copies = integer(2, 2, load_default=None, allow_none=True)
    card_costs = CountsField(CardPrices, load_default=dict)


class NewMatchOptionsSchema(NewOptionsSchema):
    """The options of a new match, by default those of the ruleset, without commentary, and not rated."""

    commentary = Flag(
        load_default=False,
        metadata={
            "description": "Whether everybody may see the chances of winning (`GET "
            "/v1/matches/{match_id}/chances`) while the match is running. Only public matches show them, and "
            "matches of ladders never do."
        },
    )
    rated = Flag(
        load_default=False,
        metadata={"description": "Whether the result counts for the ratings of the players."},
    )


class MySeatSchema(Schema):
    """A seat for the caller, who can have several."""

    kind = exactly("me")
    seed = plain_seed()


class OpenSeatSchema(Schema):
    """A seat that anybody can take."""

    kind = exactly("open")


class AccountSeatSchema(Schema):
    """A seat for another account, which gets it at once or is invited, depending on its `seating`."""

    kind = exactly("account")
    handle = matching(HANDLE, required=True)


class StrategySeatSchema(Schema):
    """A seat for a built-in player; see `GET /v1/strategies`."""

    kind = exactly("strategy")
    strategy = matching(CARD, required=True)


class BotSeatSchema(Schema):
    """A seat for a remote bot, by the handle of its account; equivalent to `account`."""

    kind = exactly("bot")
    bot = matching(HANDLE, required=True)


class NewSeatSchema(Union):
    """The player of a seat."""

    tag = "kind"
    members: Mapping[str, Schema] = {
        "me": MySeatSchema(),
        "open": OpenSeatSchema(),
        "account": AccountSeatSchema(),
        "strategy": StrategySeatSchema(),
        "bot": BotSeatSchema(),
    }


class CommittedDiceSchema(Schema):
    """Dice from a secret seed to which the first event commits."""

    mode = exactly("committed")
    seat_seeds = nested(
        NewSeatSeedsSchema(),
        metadata={
            "description": "With this member, even if it is `{}`, accounts commit to seeds after the match "
            "is created and open them when all have committed; then the match starts."
        },
    )


class ScriptedDiceSchema(Schema):
    """The rolls of an analysis board, in order."""

    mode = exactly("scripted")
    throws = given_throws()


class NewDiceSchema(Union):
    """The source of the dice."""

    tag = "mode"
    members: Mapping[str, Schema] = {"committed": CommittedDiceSchema(), "scripted": ScriptedDiceSchema()}


class PositionPlayerSchema(Schema):
    """The coins and the city of a player in a given position."""

    coins = integer(0, MOST_COINS, required=True)
    establishments = CountsField(GivenCounts, required=True)
    landmarks = list_of(matching(CARD), 0, 20, load_default=list)
    closed = CountsField(
        GivenCounts,
        metadata={"description": "Of the establishments, those that are closed for renovation."},
    )
    invested = integer(0, MOST_COINS, metadata={"description": "The coins on the Tech Startup."})


class RowCountsSchema(Schema):
    """The face-up cards in the three rows of machi_koro_2."""

    low = CountsField(GivenCounts)
    high = CountsField(GivenCounts)
    landmarks = CountsField(GivenCounts)


class RowDecksSchema(Schema):
    """The decks of the three rows, from the top."""

    low = list_of(matching(CARD), 0, 100)
    high = list_of(matching(CARD), 0, 100)
    landmarks = list_of(matching(CARD), 0, 100)


class PositionMarketSchema(Schema):
    """A given market: `supply` (open), `face_up` and `deck` (limited), `rows` and `decks` (rows)."""

    supply = CountsField(GivenCounts)
    face_up = CountsField(GivenCounts)
    deck = list_of(matching(CARD), 0, 300)
    rows = nested(RowCountsSchema())
    decks = nested(RowDecksSchema())


class PositionSchema(Schema):
    """A given position to start from, as on an analysis board."""

    active_seat = integer(0, MOST_SEATS - 1, required=True)
    phase = one_of(PositionPhase, required=True)
    players = list_of(nested(PositionPlayerSchema()), 2, MOST_SEATS, required=True)
    market = nested(PositionMarketSchema(), load_default=None, allow_none=True)


class NewMatchSchema(Schema):
    """A new match."""

    ruleset = one_of(RulesetId, required=True)
    options = nested(NewMatchOptionsSchema(), load_default=dict)
    seats = list_of(nested(NewSeatSchema()), 2, MOST_SEATS, required=True)
    first_seat = integer(
        0,
        MOST_SEATS - 1,
        load_default=None,
        allow_none=True,
        metadata={"description": "The first seat. By default, `position` gives it, or the dice choose it."},
    )
    clock = nested(
        ClockSchema(),
        load_default=None,
        allow_none=True,
        metadata={"description": "By default, decisions have no time limit."},
    )
    dice = nested(NewDiceSchema(), metadata={"description": "`committed` by default."})
    position = nested(
        PositionSchema(),
        load_default=None,
        allow_none=True,
        metadata={"description": "By default, the match starts as in the rule book. One player per seat."},
    )
    visibility = one_of(Visibility, load_default="public")
    tags = given_tags()


class JoinSchema(Schema):
    """The seat to take; by default, the first one that the caller can take."""

    seat = integer(0, MOST_SEATS - 1, load_default=None, allow_none=True)
    seed = plain_seed()
    code = matching(
        CODE, metadata={"description": "The `invitation_code` of a private match; other matches need none."}
    )


class AbortSchema(Schema):
    """An empty object."""
