"""What is computed from the results of ladders: standings, crosstables, and tests of two entries."""

from typing import Any, Final

from marshmallow import Schema, fields

from service.contract.fields import Hundredths, instant, integer, list_of, matching, nested, one_of
from service.contract.names import ROUND_STATUS, TEST_DECISION
from service.ladders.ladder_schemas import JOB_ID, LADDER_ID
from service.ladders.new_ladder_schemas import ENTRY_ID

_DESCRIBED_RATING: Final = "In points; 400 more are odds of ten to one."


def number(**options: Any) -> fields.Float:
    """Any number."""
    return fields.Float(required=True, **options)


def interval(least: fields.Field[Any], description: str, **options: Any) -> fields.Field[Any]:
    """A lower and an upper bound."""
    return list_of(least, 2, 2, required=True, metadata={"description": description}, **options)


class MeanLuckSchema(Schema):
    """Luck of a match on average; null where it was not measured."""

    coins = number(allow_none=True, metadata={"description": "In coins, against the mean of the others."})
    wins = number(allow_none=True, metadata={"description": "In wins, by the value function."})


class LiveRatingSchema(Schema):
    """What an entry is worth at a glance: a rating that follows every block, beside the official one."""

    entry = matching(ENTRY_ID, required=True)
    name = fields.String(required=True)
    rating = number()
    rating_interval = interval(fields.Float(), "95 %.")
    matches = integer(required=True)


class StandingSchema(Schema):
    """An entry's line of the official table."""

    rank = integer(1, required=True, metadata={"description": "Equal ratings share a rank."})
    rank_interval = interval(integer(1), "The ranks that it has in 95 % of the replicates.")
    entry = matching(ENTRY_ID, required=True)
    name = fields.String(required=True)
    rating = number(metadata={"description": _DESCRIBED_RATING})
    rating_interval = interval(fields.Float(), "95 %, from a bootstrap over blocks.")
    provisional = fields.Boolean(
        required=True, metadata={"description": "Half of the interval is still too wide to go by."}
    )
    above_next = number(
        allow_none=True,
        metadata={
            "description": "Per cent of the replicates in which it is above the next; null for the last."
        },
    )
    blocks = integer(required=True)
    matches = integer(required=True)
    wins = integer(required=True)
    score = number(allow_none=True, metadata={"description": "The share of its matches that it won."})
    score_interval = interval(fields.Float(), "95 %.", allow_none=True)
    score_adjusted = number(
        allow_none=True,
        metadata={"description": "The same with its luck taken out; null where no luck was measured."},
    )
    score_adjusted_interval = interval(fields.Float(), "95 %.", allow_none=True)
    variance_reduction = number(
        allow_none=True,
        metadata={"description": "As many times fewer matches would do with the adjusted score."},
    )
    wins_by_seat = list_of(integer(), required=True)
    timeouts = integer(required=True)
    errors = integer(required=True, metadata={"description": "Commands that were refused."})
    mean_luck = nested(MeanLuckSchema(), required=True)
    live = nested(
        LiveRatingSchema(),
        required=True,
        allow_none=True,
        metadata={"description": "Its rating at a glance; null before its first block."},
    )


class TableAgeSchema(Schema):
    """How old a table is."""

    version = integer(
        required=True, metadata={"description": "Results up to this event of the ladder are counted."}
    )
    blocks = integer(required=True, metadata={"description": "As many blocks are counted."})
    computed_at = instant(required=True)


AS_OF: Final = nested(
    TableAgeSchema(),
    required=True,
    allow_none=True,
    metadata={"description": "Null before there is a table; `items` is empty then."},
)


class TableProgressSchema(Schema):
    """How far an official table is that takes a while."""

    blocks = integer(required=True, metadata={"description": "As many blocks will be counted."})
    done = integer(required=True, metadata={"description": "Replicates for the intervals; 0 before these."})
    total = integer(1, required=True)


COMPUTING: Final = nested(
    TableProgressSchema(),
    required=True,
    allow_none=True,
    metadata={"description": "How far the next official table is; null if none is being computed."},
)
_COUNTED: Final = integer(
    required=True,
    metadata={"description": "As many blocks are in the table; fewer than are finished while it is behind."},
)
_FINISHED: Final = integer(required=True, metadata={"description": "As many blocks of the season count."})


class StandingsSchema(Schema):
    """The official table of a season, and the ratings at a glance."""

    ladder_id = matching(LADDER_ID, required=True)
    season = integer(required=True, metadata={"description": "0 before the first round."})
    digest = fields.String(
        required=True,
        metadata={"description": "Of the season's configuration; empty before the first round."},
    )
    blocks_counted = _COUNTED
    blocks_finished = _FINISHED
    as_of = AS_OF
    computing = COMPUTING
    anchor = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The entry whose rating is fixed; null where the mean of all is."},
    )
    seat_ratings = list_of(
        fields.Float(),
        required=True,
        metadata={"description": "What each seat is worth in points, against the mean of all seats."},
    )
    groups = integer(
        required=True,
        metadata={"description": "1 if the matches link all entries; else ratings of groups do not compare."},
    )
    items = list_of(
        nested(StandingSchema()), required=True, metadata={"description": "From the first to the last."}
    )
    live = list_of(
        nested(LiveRatingSchema()), required=True, metadata={"description": "The best first; not official."}
    )


class CrosstableCellSchema(Schema):
    """One entry against another: the matches in which both had a seat."""

    entry = matching(ENTRY_ID, required=True)
    opponent = matching(ENTRY_ID, required=True)
    blocks = integer(required=True)
    matches = integer(required=True)
    wins = integer(required=True, metadata={"description": "Of the entry."})
    losses = integer(
        required=True,
        metadata={"description": "Won by the opponent; at tables of three and more others may win too."},
    )
    score = number(
        allow_none=True,
        metadata={"description": "The entry's share of what one of the two won; null without such a match."},
    )


class CrosstableEntrySchema(Schema):
    """Whom a row and a column are of."""

    entry = matching(ENTRY_ID, required=True)
    name = fields.String(required=True)


class CrosstableSchema(Schema):
    """Who met whom how often, and who won."""

    ladder_id = matching(LADDER_ID, required=True)
    season = integer(required=True)
    blocks_counted = _COUNTED
    blocks_finished = _FINISHED
    as_of = AS_OF
    computing = COMPUTING
    entries = list_of(nested(CrosstableEntrySchema()), required=True)
    items = list_of(
        nested(CrosstableCellSchema()),
        required=True,
        metadata={"description": "A cell for every ordered pair of entries."},
    )


class SequentialTestSchema(Schema):
    """Is A better than B? What was asked, and how far the answer is."""

    test_id = fields.String(required=True)
    ladder_id = matching(LADDER_ID, required=True)
    job_id = matching(JOB_ID, required=True)
    season = integer(1, required=True)
    status = one_of(ROUND_STATUS, required=True)
    a = matching(ENTRY_ID, required=True)
    b = matching(ENTRY_ID, required=True)
    elo0 = integer(-1000, 1000, required=True)
    elo1 = integer(-1000, 1000, required=True)
    alpha = Hundredths(required=True)
    beta = Hundredths(required=True)
    most_blocks = integer(1, required=True)
    blocks = integer(
        required=True, metadata={"description": "As many are counted: all up to the first that is not over."}
    )
    wins_a = integer(required=True)
    wins_b = integer(required=True)
    others = integer(required=True, metadata={"description": "Matches that neither won; they do not count."})
    llr = number(
        allow_none=True, metadata={"description": "The log-likelihood ratio; null before the first block."}
    )
    lower = number(
        allow_none=True, metadata={"description": "At this ratio or below, A is found not better."}
    )
    upper = number(allow_none=True, metadata={"description": "At this ratio or above, A is found better."})
    elo = number(
        allow_none=True,
        metadata={"description": "The difference as it was seen; an early end makes it look larger."},
    )
    elo_interval = interval(fields.Float(), "95 %, for a number of blocks fixed in advance.", allow_none=True)
    decision = one_of(TEST_DECISION, required=True, allow_none=True)
    results = fields.String(
        required=True,
        metadata={"format": "uri-reference", "description": "Where the results of its matches are."},
    )
