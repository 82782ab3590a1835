"""Ladders, entries, rounds, seasons and tests as they are asked for."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import Schema, fields, validate

from contract.names import LadderLuck, RulesetId
from contract.values import CARD, MOST_SEATS
from domain.ladder.decide import MOST_BLOCKS
from service.accounts.account_schemas import HANDLE
from service.contract.fields import Hundredths, Union, exactly, integer, label, matching, nested, one_of
from service.ladders.new_ladder_rules_schemas import NewRatingSchema, NewSuspensionSchema
from service.matches.new_match_schemas import NewOptionsSchema

LADDER_SEED: Final = r"[0-9a-f]{64}"
ENTRY_ID: Final = r"ent_[0-9A-Z]{26}"
LONGEST_NAME: Final = 64
LONGEST_SOURCE: Final = 200


_SEED: Final = matching(
    LADDER_SEED,
    metadata={
        "description": "Pairing and the bootstrap draw from it; 64 hexadecimal digits. Drawn by the service "
        "where it is left out. No dice depend on it."
    },
)
_LUCK: Final = one_of(
    LadderLuck,
    metadata={"description": "Where it is left out: in wins, if there is a value function, else in coins."},
)


class NewLadderSchema(Schema):
    """A ladder to be made."""

    name = label(LONGEST_NAME, required=True)
    ruleset = one_of(RulesetId, required=True)
    options = nested(NewOptionsSchema(), load_default=dict)
    seats = integer(2, MOST_SEATS, required=True, metadata={"description": "At every table."})
    luck = _LUCK
    rating = nested(NewRatingSchema(), load_default=dict)
    meetings = integer(
        0,
        1000,
        load_default=20,
        metadata={"description": "In as many blocks every pair meets before pairing refines."},
    )
    random_percent = integer(
        0,
        100,
        load_default=15,
        metadata={"description": "Per cent of the tables that stay random once pairing refines."},
    )
    clock_ms = integer(
        1000,
        86_400_000,
        load_default=10_000,
        metadata={"description": "Milliseconds that a remote bot has for each decision."},
    )
    suspension = nested(NewSuspensionSchema(), load_default=dict)
    seed = _SEED


class NewSeasonSchema(Schema):
    """What changes with the next season; what is left out stays, but the seed: it is drawn anew."""

    rating = nested(NewRatingSchema())
    luck = one_of(LadderLuck, metadata={"description": "How luck is measured from then on."})
    seed = _SEED


class StrategyEntrySchema(Schema):
    """A built-in player that is to take part; for the owner of the ladder."""

    kind = exactly("strategy")
    strategy = matching(CARD, required=True, metadata={"description": "See `GET /v1/strategies`."})
    name = label(LONGEST_NAME, metadata={"description": "As tables show it; else the player's name."})


class BotEntrySchema(Schema):
    """A remote bot that is to take part; a new version takes the place of the one before."""

    kind = exactly("bot")
    bot = matching(HANDLE, metadata={"description": "The handle of its account; else it is the caller's."})
    version = matching(
        r"[A-Za-z0-9_.+-]{1,32}",
        required=True,
        metadata={"description": "Another one whenever the bot may play otherwise: it is rated anew."},
    )
    name = label(LONGEST_NAME, metadata={"description": "As tables show it; else handle and version."})


class NewEntrySchema(Union):
    """Who is to take part."""

    tag = "kind"
    members: Mapping[str, Schema] = {"strategy": StrategyEntrySchema(), "bot": BotEntrySchema()}


class NewPublicValueSchema(Schema):
    """A value to come, from where nobody can choose it."""

    source = label(
        LONGEST_SOURCE,
        required=True,
        metadata={
            "description": "Where exactly it will be published, such as `drand quicknet, round 12345678: "
            "randomness`. Anybody has to find one value by it, and no other."
        },
    )
    at = fields.String(
        required=True,
        validate=validate.Length(max=40),
        metadata={
            "format": "date-time",
            "description": "When it will be published: RFC 3339 with a time zone, 60 seconds to 30 days "
            "ahead.",
        },
    )


class NewRoundSchema(Schema):
    """Blocks to be played; a block is one table in all its seat rotations."""

    blocks = integer(1, MOST_BLOCKS, required=True)
    public_value = nested(
        NewPublicValueSchema(),
        load_default=None,
        allow_none=True,
        metadata={
            "description": "The dice of the round follow from a seed that is committed to now, and from "
            "this. Nothing is begun before it is recorded."
        },
    )


class RecordedValueSchema(Schema):
    """The public value of a round, now that it is published."""

    value = matching(
        r"[ -~]{1,1024}",
        required=True,
        metadata={"description": "As it was published, letter by letter; printable ASCII."},
    )


class NewTestSchema(Schema):
    """A sequential test to be played: is A better than B?"""

    a = matching(ENTRY_ID, required=True, metadata={"description": "The entry that is to be better."})
    b = matching(ENTRY_ID, required=True)
    elo0 = integer(
        -1000,
        1000,
        load_default=0,
        metadata={"description": "The difference in rating if A is not better, in points."},
    )
    elo1 = integer(
        -1000,
        1000,
        load_default=50,
        metadata={"description": "The difference in rating if A is better; more than `elo0`."},
    )
    alpha = Hundredths(
        load_default=0.01,
        metadata={"description": "The chance to call A better that is not, in hundredths."},
    )
    beta = Hundredths(
        load_default=0.01,
        metadata={"description": "The chance to miss an A that is better, in hundredths."},
    )
    most_blocks = integer(
        1,
        MOST_BLOCKS,
        load_default=1000,
        metadata={"description": "After as many blocks it ends undecided."},
    )


class NothingSchema(Schema):
    """Nothing needs to be said."""


EXAMPLES: Final = {
    "plain": {
        "summary": "Two at a table of the first game, everything else as the service has it",
        "value": {"name": "Base for two", "ruleset": "base", "seats": 2},
    },
    "full": {
        "summary": "Four at a table of Machi Koro 2, with rules of its own",
        "value": {
            "name": "Autumn cup",
            "ruleset": "machi_koro_2",
            "seats": 4,
            "luck": "off",
            "rating": {"anchor": "greedy", "anchor_rating": 1000},
            "meetings": 10,
            "random_percent": 20,
            "clock_ms": 5000,
            "suspension": {"window": 10, "most_faults": 1, "probes": 3},
            "seed": "5e" * 32,
        },
    },
}
ENTRY_EXAMPLES: Final = {
    "strategy": {
        "summary": "A built-in player",
        "value": {"kind": "strategy", "strategy": "greedy"},
    },
    "bot": {
        "summary": "A bot of the caller, in its third version",
        "value": {"kind": "bot", "version": "3", "name": "bakers"},
    },
}
ROUND_EXAMPLES: Final = {
    "small": {"value": {"blocks": 2}},
    "bound": {
        "summary": "With a public value that nobody knows yet",
        "value": {
            "blocks": 2,
            "public_value": {
                "source": "drand quicknet, round 12345678: randomness",
                "at": "2026-09-29T12:00:00Z",
            },
        },
    },
}
VALUE_EXAMPLES: Final = {
    "drand": {"value": {"value": "5f3c9a07d1e2b4c6880917a6b5c4d3e2f10f9e8d7c6b5a493827160514233241"}}
}
SEASON_EXAMPLES: Final = {
    "same": {"summary": "As before, with a new seed", "value": {}},
    "other_anchor": {"summary": "With another anchor", "value": {"rating": {"anchor": "random"}}},
}
TEST_EXAMPLES: Final = {
    "better": {
        "summary": "Is A better by 50 points, or not at all?",
        "value": {
            "a": "ent_01M7WD7YKSS6TZ90RECWJ67GZH",
            "b": "ent_01M7WD7YKSS6TZ90RECWJ67GZJ",
            "elo0": 0,
            "elo1": 50,
            "alpha": 0.05,
            "beta": 0.05,
            "most_blocks": 500,
        },
    }
}
NOTHING: Final[dict[str, Any]] = {"nothing": {"value": {}}}
