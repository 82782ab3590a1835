"""The rules of a ladder as they are asked for: how ratings are computed, and when a bot is suspended."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import Schema, ValidationError, validates, validates_schema

from contract.names import RatingMethod
from contract.values import CARD
from domain.ladder.config import METHOD, RatingRules, Suspension
from runtime.strategies import STRATEGIES
from service.contract.fields import integer, matching, one_of

_DEFAULTS: Final = RatingRules()
_SUSPENSION: Final = Suspension()


class NewRatingSchema(Schema):
    """How ratings are to be computed; what is left out is as in docs/ladders.md."""

    method = one_of(RatingMethod, load_default=METHOD)
    anchor = matching(
        CARD,
        load_default=_DEFAULTS.anchor,
        metadata={
            "description": "The built-in player whose entry has the rating `anchor_rating`; see "
            "`GET /v1/strategies`."
        },
    )
    anchor_rating = integer(0, 10_000, load_default=_DEFAULTS.anchor_rating)
    prior_half_wins = integer(
        1,
        100,
        load_default=_DEFAULTS.prior_half_wins,
        metadata={"description": "Halves of a virtual win, and of a virtual loss, of each entry."},
    )
    replicates = integer(
        10,
        10_000,
        load_default=_DEFAULTS.replicates,
        metadata={"description": "How often the blocks are drawn anew for the intervals."},
    )
    provisional_above = integer(
        1,
        10_000,
        load_default=_DEFAULTS.provisional_above,
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
