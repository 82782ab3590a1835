"""The luck of a match as it is shown."""

from typing import Any, Final

from marshmallow import Schema, fields

from service.contract.fields import GREATEST, QueryInteger, integer, list_of, matching, nested, one_of
from service.contract.names import MATCH_STATUS, THROW_PURPOSE
from service.matches.match_schemas import MOST_SEATS

_FRACTION: Final = r"-?[0-9]+(/[0-9]+)?"


def _coins(description: str, **options: Any) -> fields.String:
    """A number of coins against the mean of the other seats, exactly."""
    return matching(_FRACTION, required=True, metadata={"description": description}, **options)


class LuckQuerySchema(Schema):
    """Which throws are given."""

    after = QueryInteger(
        0,
        GREATEST,
        load_default=0,
        metadata={"description": "Only throws whose event has a greater sequence, such as `42`; 0 for all."},
    )
    limit = QueryInteger(1, 500, load_default=500, metadata={"description": "The most throws in the answer."})


class SeatLuckSchema(Schema):
    """What one throw was to one seat: realised = expected + luck - error.

    Numbers are coins against the mean of the other seats in play, as fractions in lowest terms. They sum to
    zero over the seats.
    """

    seat = integer(0, MOST_SEATS - 1, required=True)
    expected = _coins("Before the throw, over all that fair dice can show, with the best choices to come.")
    luck = _coins("After the throw, with the best choices to come, less what was expected.")
    error = _coins(
        "What the best choices about this throw would have been worth more to the seat than those that were "
        "made. Null while one of them is open.",
        allow_none=True,
    )
    realised = _coins(
        "What the turn's next throw expects, or what the turn's dice moved. Null while a choice is open.",
        allow_none=True,
    )
    coins = integer(
        -GREATEST,
        required=True,
        allow_none=True,
        metadata={
            "description": "How many coins the turn's dice have moved into the purse; below 0 for a loss. "
            "Null except for the throw that settles the turn's dice."
        },
    )


class ThrowLuckSchema(Schema):
    """One `dice_rolled`."""

    sequence = integer(1, required=True, metadata={"description": "Of its event."})
    turn = integer(1, required=True)
    seat = integer(0, MOST_SEATS - 1, required=True, metadata={"description": "Who threw."})
    purpose = one_of(THROW_PURPOSE, required=True)
    values = list_of(integer(1, 6), 1, 2, required=True)
    seats = list_of(nested(SeatLuckSchema()), required=True)


class LuckDecimalsSchema(Schema):
    """The same as decimals, rounded to four places."""

    expected = fields.Float(required=True)
    luck = fields.Float(required=True)
    error = fields.Float(required=True)
    realised = fields.Float(required=True)


class LuckTotalsSchema(Schema):
    """The sums of one seat over all turns whose dice are settled: realised = expected + luck - error."""

    seat = integer(0, MOST_SEATS - 1, required=True)
    expected = _coins("What the turns were worth before their first throw.")
    luck = _coins("Over all throws. The luck of all seats sums to zero.")
    error = _coins("Over all throws.")
    realised = _coins("What the dice of the turns have moved.")
    decimals = nested(LuckDecimalsSchema(), required=True)


class LuckSchema(Schema):
    """Expected and realised coins, throw by throw, and their sums over the match."""

    match_id = fields.String(required=True)
    version = integer(1, required=True)
    status = one_of(MATCH_STATUS, required=True)
    rules_version = fields.String(required=True)
    turns = integer(required=True, metadata={"description": "How many turns the totals are of."})
    totals = list_of(
        nested(LuckTotalsSchema()),
        required=True,
        metadata={"description": "By seat, over the whole match, whichever throws are shown."},
    )
    throws = list_of(nested(ThrowLuckSchema()), required=True)
    next = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The `after` of the next throws; null if there are no more."},
    )
