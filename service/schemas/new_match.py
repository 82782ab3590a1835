"""Matches as they are asked for."""

from collections.abc import Mapping
from typing import Final

from marshmallow import Schema

from domain.rulesets import CURRENT
from service.schemas.accounts import HANDLE
from service.schemas.fields import (
    CARD,
    Counts,
    Union,
    exactly,
    integer,
    list_of,
    matching,
    nested,
    one_of,
)
from service.schemas.matches import MOST_SEATS, VISIBILITIES, ClockSchema

SEED: Final = r"[!-~]{1,64}"
"""What a seat adds to the seed of the dice: visible ASCII."""

MOST_THROWS: Final = 2000
MOST_COINS: Final = 1000


class OptionsSchema(Schema):
    """Options of a new match; what is left out gets the ruleset's default."""

    box = one_of(("four_player", "five_player"), load_default=None, allow_none=True)
    market = one_of(("open", "limited", "rows"), load_default=None, allow_none=True)
    max_copies = integer(2, 2, load_default=None, allow_none=True)
    card_costs = Counts(0, 100, load_default=dict)


class MySeatSchema(Schema):
    """A seat for the caller; it may stand several times."""

    kind = exactly("me")
    seed = matching(SEED, metadata={"description": "Enters the dice of the match."})


class OpenSeatSchema(Schema):
    """A seat that anybody may take."""

    kind = exactly("open")


class AccountSeatSchema(Schema):
    """A seat for another account."""

    kind = exactly("account")
    handle = matching(HANDLE, required=True)


class StrategySeatSchema(Schema):
    """A seat for a built-in player; see `GET /v1/strategies`."""

    kind = exactly("strategy")
    strategy = matching(CARD, required=True)


class BotSeatSchema(Schema):
    """A seat for a remote bot, by the handle of its account: for the match the same as `account`."""

    kind = exactly("bot")
    bot = matching(HANDLE, required=True)


class NewSeatSchema(Union):
    """Who is to sit on a seat."""

    tag = "kind"
    members: Mapping[str, Schema] = {
        "me": MySeatSchema(),
        "open": OpenSeatSchema(),
        "account": AccountSeatSchema(),
        "strategy": StrategySeatSchema(),
        "bot": BotSeatSchema(),
    }


class CommittedDiceSchema(Schema):
    """Dice from a secret seed that the first event commits to."""

    mode = exactly("committed")


class ScriptedDiceSchema(Schema):
    """An analysis board: these throws, in this order."""

    mode = exactly("scripted")
    throws = list_of(list_of(integer(1, 6), 1, 2), 0, MOST_THROWS, required=True)


class NewDiceSchema(Union):
    """Where the dice come from."""

    tag = "mode"
    members: Mapping[str, Schema] = {"committed": CommittedDiceSchema(), "scripted": ScriptedDiceSchema()}


class PositionPlayerSchema(Schema):
    """One city of a given table."""

    coins = integer(0, MOST_COINS, required=True)
    establishments = Counts(0, 100, required=True)
    landmarks = list_of(matching(CARD), 0, 20, load_default=list)


class RowCountsSchema(Schema):
    """The three rows of machi_koro_2, face up."""

    low = Counts(0, 100)
    high = Counts(0, 100)
    landmarks = Counts(0, 100)


class RowDecksSchema(Schema):
    """Decks of the three rows, from the top."""

    low = list_of(matching(CARD), 0, 100)
    high = list_of(matching(CARD), 0, 100)
    landmarks = list_of(matching(CARD), 0, 100)


class PositionMarketSchema(Schema):
    """A given market: `supply` (open), `face_up` and `deck` (limited), `rows` and `decks` (rows)."""

    supply = Counts(0, 100)
    face_up = Counts(0, 100)
    deck = list_of(matching(CARD), 0, 300)
    rows = nested(RowCountsSchema())
    decks = nested(RowDecksSchema())


class PositionSchema(Schema):
    """A table to start from, for an analysis board."""

    active_seat = integer(0, MOST_SEATS - 1, required=True)
    phase = one_of(("roll", "build", "setup"), required=True)
    players = list_of(nested(PositionPlayerSchema()), 2, MOST_SEATS, required=True)
    market = nested(PositionMarketSchema(), load_default=None, allow_none=True)


class NewMatchSchema(Schema):
    """A match to be made."""

    ruleset = one_of(CURRENT, required=True)
    options = nested(OptionsSchema(), load_default=dict)
    seats = list_of(nested(NewSeatSchema()), 2, MOST_SEATS, required=True)
    first_seat = integer(0, MOST_SEATS - 1, load_default=None, allow_none=True)
    clock = nested(ClockSchema(), load_default=None, allow_none=True)
    dice = nested(NewDiceSchema(), metadata={"description": "Committed where it is left out."})
    position = nested(PositionSchema(), load_default=None, allow_none=True)
    visibility = one_of(VISIBILITIES, load_default="public")
    tags = list_of(matching(r"[A-Za-z0-9_.:-]{1,32}"), 0, 10, load_default=list)


class JoinSchema(Schema):
    """A seat to be taken; without `seat`, the first that is open."""

    seat = integer(0, MOST_SEATS - 1, load_default=None, allow_none=True)
    seed = matching(SEED)


class AbortSchema(Schema):
    """Nothing needs to be said to call a match off."""


EXAMPLES: Final = {
    "against_strategies": {
        "summary": "One account against two built-in players",
        "value": {
            "ruleset": "harbor",
            "seats": [
                {"kind": "me"},
                {"kind": "strategy", "strategy": "greedy"},
                {"kind": "strategy", "strategy": "random"},
            ],
        },
    },
    "analysis_board": {
        "summary": "A given table with scripted dice",
        "value": {
            "ruleset": "base",
            "seats": [{"kind": "me"}, {"kind": "me"}],
            "dice": {"mode": "scripted", "throws": [[3], [4]]},
            "position": {
                "active_seat": 0,
                "phase": "roll",
                "players": [
                    {"coins": 3, "establishments": {"wheat_field": 1, "cafe": 1}, "landmarks": []},
                    {"coins": 0, "establishments": {"bakery": 2}, "landmarks": []},
                ],
            },
        },
    },
}
