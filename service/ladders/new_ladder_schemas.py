"""Schemas of requests for new ladders and seasons, and their examples."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import Schema, ValidationError, validates, validates_schema

from contract.names import LadderLuck, RatingMethod, RulesetId
from contract.values import CARD, MOST_SEATS
from domain.ladder.config import METHOD, RatingRules, Suspension
from runtime.strategies import STRATEGIES
from service.matches.new_match_schemas import NewOptionsSchema
from service.openapi.fields import integer, label, matching, nested, one_of

LONGEST_NAME: Final = 64
"""The longest name of a ladder or an entry, in characters."""

_RATING: Final = RatingRules()
_SUSPENSION: Final = Suspension()
_SEED: Final = matching(
    r"[0-9a-f]{64}",
    metadata={
        "description": "The seed of pairing and the bootstrap: 64 hexadecimal digits, random by default. No "
        "dice depend on it."
    },
)


class NewRatingSchema(Schema):
    """The parameters of the ratings; docs/ladders.md explains the defaults."""

    method = one_of(RatingMethod, load_default=METHOD)
    anchor = matching(
        CARD,
        load_default=_RATING.anchor,
        metadata={
            "description": "The built-in player whose entry has the rating `anchor_rating`; see "
            "`GET /v1/strategies`."
        },
    )
    anchor_rating = integer(0, 10_000, load_default=_RATING.anchor_rating)
    prior_half_wins = integer(
        1,
        100,
        load_default=_RATING.prior_half_wins,
        metadata={"description": "The virtual half wins, and half losses, of each entry."},
    )
    replicates = integer(
        10,
        10_000,
        load_default=_RATING.replicates,
        metadata={"description": "The number of bootstrap replicates for the intervals."},
    )
    provisional_above = integer(
        1,
        10_000,
        load_default=_RATING.provisional_above,
        metadata={"description": "A rating is provisional while half of its interval is wider than this."},
    )

    @validates("anchor")
    def _is_known(self, value: str, **options: object) -> None:
        if value not in STRATEGIES:
            raise ValidationError(f"must be one of: {', '.join(STRATEGIES)}")


class NewSuspensionSchema(Schema):
    """The rules for suspending and reinstating remote bots."""

    window = integer(
        1,
        1000,
        load_default=_SUSPENSION.window,
        metadata={"description": "The number of the bot's last matches that are examined."},
    )
    most_faults = integer(
        0,
        1000,
        load_default=_SUSPENSION.most_faults,
        metadata={
            "description": "The bot is suspended if more of these matches have a time-out or a refused "
            "command. Less than `window`."
        },
    )
    probes = integer(
        1,
        100,
        load_default=_SUSPENSION.probes,
        metadata={"description": "The consecutive matches without a fault that reinstate it."},
    )

    @validates_schema
    def _can_happen(self, data: Mapping[str, Any], **options: object) -> None:
        if data["most_faults"] >= data["window"]:
            raise ValidationError("must be less than window", "most_faults")


class NewLadderSchema(Schema):
    """A new ladder."""

    name = label(LONGEST_NAME, required=True)
    ruleset = one_of(RulesetId, required=True)
    options = nested(NewOptionsSchema(), load_default=dict)
    seats = integer(
        2, MOST_SEATS, required=True, metadata={"description": "The number of seats in every match."}
    )
    luck = one_of(
        LadderLuck,
        metadata={"description": "By default `wins` if there is a value function, otherwise `coins`."},
    )
    rating = nested(NewRatingSchema(), load_default=dict)
    meetings = integer(
        0,
        1000,
        load_default=20,
        metadata={"description": "Blocks in which each pair meets before pairing is refined."},
    )
    random_percent = integer(
        0,
        100,
        load_default=15,
        metadata={"description": "The percentage of tables that stay random afterwards."},
    )
    clock_ms = integer(
        1000,
        86_400_000,
        load_default=10_000,
        metadata={"description": "The time limit of remote bots for each decision, in milliseconds."},
    )
    suspension = nested(NewSuspensionSchema(), load_default=dict)
    seed = _SEED


class NewSeasonSchema(Schema):
    """Changes for the next season. By default nothing changes but the seed, which is drawn anew."""

    rating = nested(NewRatingSchema())
    luck = one_of(LadderLuck, metadata={"description": "The measure of luck."})
    seed = _SEED


EXAMPLES: Final = {
    "plain": {
        "summary": "Two seats, the base game, and defaults",
        "value": {"name": "Base for two", "ruleset": "base", "seats": 2},
    },
    "full": {
        "summary": "Four seats, Machi Koro 2, and its own rating rules",
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
SEASON_EXAMPLES: Final = {
    "same": {"summary": "The same configuration with a new seed", "value": {}},
    "other_anchor": {"summary": "Another anchor", "value": {"rating": {"anchor": "random"}}},
}
