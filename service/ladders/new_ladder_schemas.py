"""Ladders and their seasons as they are asked for."""

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
"""Of a ladder or an entry, in characters."""

_RATING: Final = RatingRules()
_SUSPENSION: Final = Suspension()
_SEED: Final = matching(
    r"[0-9a-f]{64}",
    metadata={
        "description": "Pairing and the bootstrap draw from it; 64 hexadecimal digits. Drawn by the service "
        "where it is left out. No dice depend on it."
    },
)


class NewRatingSchema(Schema):
    """How ratings are to be computed; what is left out is as in docs/ladders.md."""

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
        metadata={"description": "Halves of a virtual win, and of a virtual loss, of each entry."},
    )
    replicates = integer(
        10,
        10_000,
        load_default=_RATING.replicates,
        metadata={"description": "How often the blocks are drawn anew for the intervals."},
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
            raise ValidationError(f"the strategies are {', '.join(STRATEGIES)}")


class NewSuspensionSchema(Schema):
    """When a remote bot is no longer seated, and when it comes back."""

    window = integer(
        1,
        1000,
        load_default=_SUSPENSION.window,
        metadata={"description": "As many of its last matches are looked at."},
    )
    most_faults = integer(
        0,
        1000,
        load_default=_SUSPENSION.most_faults,
        metadata={
            "description": "With more matches among them with a time-out or a refused command, it is; less "
            "than `window`."
        },
    )
    probes = integer(
        1,
        100,
        load_default=_SUSPENSION.probes,
        metadata={"description": "As many matches in a row without a fault bring it back."},
    )

    @validates_schema
    def _can_happen(self, data: Mapping[str, Any], **options: object) -> None:
        if data["most_faults"] >= data["window"]:
            raise ValidationError("must be less than window: else nobody is ever suspended", "most_faults")


class NewLadderSchema(Schema):
    """A ladder to be made."""

    name = label(LONGEST_NAME, required=True)
    ruleset = one_of(RulesetId, required=True)
    options = nested(NewOptionsSchema(), load_default=dict)
    seats = integer(2, MOST_SEATS, required=True, metadata={"description": "At every table."})
    luck = one_of(
        LadderLuck,
        metadata={
            "description": "Where it is left out: in wins, if there is a value function, else in coins."
        },
    )
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
SEASON_EXAMPLES: Final = {
    "same": {"summary": "As before, with a new seed", "value": {}},
    "other_anchor": {"summary": "With another anchor", "value": {"rating": {"anchor": "random"}}},
}
