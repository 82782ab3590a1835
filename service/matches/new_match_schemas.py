"""Matches as they are asked for."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import Schema, fields

from contract.names import Box, CardPrices, GivenCounts, MarketKind, PositionPhase, RulesetId, Visibility
from contract.values import CARD, MOST_SEATS
from service.accounts.account_schemas import HANDLE
from service.edge.requests import CODE
from service.matches.match_schemas import TAG, ClockSchema
from service.matches.seat_seed_schemas import NewSeatSeedsSchema
from service.openapi.fields import Counts, Union, exactly, integer, list_of, matching, nested, one_of

SEED: Final = r"[!-~]{1,64}"
"""What a seat adds to the seed of the dice: visible ASCII."""

MOST_THROWS: Final = 2000
MOST_COINS: Final = 1000


def given_throws() -> fields.Field[Any]:
    """The tape of scripted dice."""
    return list_of(list_of(integer(1, 6), 1, 2), 0, MOST_THROWS, required=True)


def given_tags() -> fields.Field[Any]:
    return list_of(
        matching(TAG),
        0,
        10,
        load_default=list,
        metadata={
            "description": "Words of your own, shown with the match and found by `?tag=` of the list. "
            "They change nothing."
        },
    )


def plain_seed() -> fields.Field[Any]:
    """A seed that is told when the seat is taken."""
    return matching(
        SEED,
        metadata={
            "deprecated": True,
            "description": "Enters the dice of the match. Sent with the match itself, it is no protection "
            "from a service that tries match ids until it likes the dice; sent for the last seat, it lets "
            "whoever knows the match seed choose the dice. Use `seat_seeds` of `dice`, with which it is "
            "refused.",
        },
    )


class NewOptionsSchema(Schema):
    """Options of a new match; what is left out gets the ruleset's default."""

    box = one_of(Box, load_default=None, allow_none=True)
    market = one_of(MarketKind, load_default=None, allow_none=True)
    max_copies = integer(2, 2, load_default=None, allow_none=True)
    card_costs = Counts(CardPrices, load_default=dict)


class MySeatSchema(Schema):
    """A seat for the caller; it may stand several times."""

    kind = exactly("me")
    seed = plain_seed()


class OpenSeatSchema(Schema):
    """A seat that anybody may take."""

    kind = exactly("open")


class AccountSeatSchema(Schema):
    """A seat for another account, which gets it at once or is invited, as its `seating` says."""

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
    seat_seeds = nested(
        NewSeatSeedsSchema(),
        metadata={
            "description": "With it, `{}` at the least, accounts commit to seeds once the match is made, "
            "and open them when all have committed; then the match starts."
        },
    )


class ScriptedDiceSchema(Schema):
    """An analysis board: these throws, in this order."""

    mode = exactly("scripted")
    throws = given_throws()


class NewDiceSchema(Union):
    """Where the dice come from."""

    tag = "mode"
    members: Mapping[str, Schema] = {"committed": CommittedDiceSchema(), "scripted": ScriptedDiceSchema()}


class PositionPlayerSchema(Schema):
    """One city of a given table."""

    coins = integer(0, MOST_COINS, required=True)
    establishments = Counts(GivenCounts, required=True)
    landmarks = list_of(matching(CARD), 0, 20, load_default=list)


class RowCountsSchema(Schema):
    """The three rows of machi_koro_2, face up."""

    low = Counts(GivenCounts)
    high = Counts(GivenCounts)
    landmarks = Counts(GivenCounts)


class RowDecksSchema(Schema):
    """Decks of the three rows, from the top."""

    low = list_of(matching(CARD), 0, 100)
    high = list_of(matching(CARD), 0, 100)
    landmarks = list_of(matching(CARD), 0, 100)


class PositionMarketSchema(Schema):
    """A given market: `supply` (open), `face_up` and `deck` (limited), `rows` and `decks` (rows)."""

    supply = Counts(GivenCounts)
    face_up = Counts(GivenCounts)
    deck = list_of(matching(CARD), 0, 300)
    rows = nested(RowCountsSchema())
    decks = nested(RowDecksSchema())


class PositionSchema(Schema):
    """A table to start from, for an analysis board."""

    active_seat = integer(0, MOST_SEATS - 1, required=True)
    phase = one_of(PositionPhase, required=True)
    players = list_of(nested(PositionPlayerSchema()), 2, MOST_SEATS, required=True)
    market = nested(PositionMarketSchema(), load_default=None, allow_none=True)


class NewMatchSchema(Schema):
    """A match to be made."""

    ruleset = one_of(RulesetId, required=True)
    options = nested(NewOptionsSchema(), load_default=dict)
    seats = list_of(nested(NewSeatSchema()), 2, MOST_SEATS, required=True)
    first_seat = integer(
        0,
        MOST_SEATS - 1,
        load_default=None,
        allow_none=True,
        metadata={"description": "Who begins. Without it the dice choose, or `position` says."},
    )
    clock = nested(
        ClockSchema(),
        load_default=None,
        allow_none=True,
        metadata={"description": "Without it every decision may take for ever."},
    )
    dice = nested(NewDiceSchema(), metadata={"description": "Committed where it is left out."})
    position = nested(
        PositionSchema(),
        load_default=None,
        allow_none=True,
        metadata={"description": "Without it the match starts as the rule book has it. One player a seat."},
    )
    visibility = one_of(Visibility, load_default="public")
    tags = given_tags()


class JoinSchema(Schema):
    """A seat to be taken; without `seat`, the first that is open."""

    seat = integer(0, MOST_SEATS - 1, load_default=None, allow_none=True)
    seed = plain_seed()
    code = matching(
        CODE, metadata={"description": "The `invitation_code` of a private match; no other match needs one."}
    )


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
            "first_seat": 0,
        },
    },
    "open_seat": {
        "summary": "A seat for whoever comes, and a clock",
        "value": {
            "ruleset": "harbor",
            "seats": [{"kind": "me"}, {"kind": "open"}],
            "first_seat": 0,
            "clock": {"decision_ms": 300_000, "on_timeout": "strategy"},
            "dice": {"mode": "committed"},
            "tags": ["friendly"],
        },
    },
    "seat_seeds": {
        "summary": "Two accounts that both add a seed to the dice",
        "value": {
            "ruleset": "base",
            "seats": [{"kind": "me"}, {"kind": "open"}],
            "first_seat": 0,
            "dice": {"mode": "committed", "seat_seeds": {"within_ms": 300_000}},
        },
    },
    "private": {
        "summary": "A private match with an account and a remote bot, and with options",
        "value": {
            "ruleset": "base",
            "options": {"box": "five_player", "max_copies": 2, "card_costs": {"stadium": 4}},
            "seats": [
                {"kind": "me"},
                {"kind": "account", "handle": "bob"},
                {"kind": "bot", "bot": "eve"},
            ],
            "first_seat": 0,
            "visibility": "private",
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
    "table_of_two": {
        "summary": "A given table of two accounts in the middle of a match",
        "value": {
            "ruleset": "harbor",
            "seats": [{"kind": "me"}, {"kind": "account", "handle": "bob"}],
            "clock": {"decision_ms": 300_000, "on_timeout": "strategy"},
            "dice": {
                "mode": "scripted",
                "throws": [[6], [2], [3, 2], [4, 6], [2, 3], [3], [5, 5], [1], [6]],
            },
            "position": {
                "active_seat": 0,
                "phase": "roll",
                "players": [
                    {
                        "coins": 8,
                        "establishments": {
                            "wheat_field": 1,
                            "bakery": 2,
                            "tuna_boat": 1,
                            "tv_station": 1,
                            "business_center": 1,
                            "town_hall": 1,
                        },
                        "landmarks": ["train_station", "radio_tower", "harbor"],
                    },
                    {
                        "coins": 9,
                        "establishments": {"wheat_field": 1, "ranch": 1, "cafe": 1, "town_hall": 1},
                        "landmarks": [],
                    },
                ],
            },
        },
    },
    "limited_market": {
        "summary": "A given table with a limited market and its deck",
        "value": {
            "ruleset": "base",
            "options": {"market": "limited"},
            "seats": [{"kind": "me"}, {"kind": "me"}],
            "dice": {"mode": "scripted", "throws": [[3], [4, 4]]},
            "position": {
                "active_seat": 0,
                "phase": "build",
                "players": [
                    {"coins": 7, "establishments": {"wheat_field": 1, "cafe": 1}},
                    {"coins": 2, "establishments": {"bakery": 2}},
                ],
                "market": {
                    "face_up": {
                        "wheat_field": 2,
                        "ranch": 1,
                        "bakery": 1,
                        "convenience_store": 1,
                        "forest": 3,
                        "stadium": 1,
                        "cheese_factory": 1,
                        "mine": 1,
                        "family_restaurant": 2,
                        "apple_orchard": 1,
                    },
                    "deck": ["ranch", "cafe", "mine", "tv_station"],
                },
            },
        },
    },
    "three_rows": {
        "summary": "A given table of Machi Koro 2 with its rows and decks",
        "value": {
            "ruleset": "machi_koro_2",
            "seats": [{"kind": "me"}, {"kind": "account", "handle": "bob"}],
            "dice": {"mode": "scripted", "throws": [[4, 4], [1]]},
            "position": {
                "active_seat": 0,
                "phase": "roll",
                "players": [
                    {"coins": 11, "establishments": {"mine": 2, "stadium": 1}},
                    {"coins": 3, "establishments": {"cafe": 1}, "landmarks": ["moving_company"]},
                ],
                "market": {
                    "rows": {
                        "low": {"bakery": 2, "cafe": 1, "forest": 1, "sushi_bar": 1, "vineyard": 1},
                        "high": {
                            "corn_field": 1,
                            "family_restaurant": 1,
                            "mine": 1,
                            "stadium": 1,
                            "winery": 2,
                        },
                        "landmarks": {
                            "airport": 1,
                            "launch_pad": 1,
                            "loan_office": 1,
                            "museum": 1,
                            "park": 1,
                        },
                    },
                    "decks": {
                        "low": ["cafe", "flower_shop", "wheat_field"],
                        "high": ["apple_orchard", "winery"],
                        "landmarks": ["forge", "temple"],
                    },
                },
            },
        },
    },
}
