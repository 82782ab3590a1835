"""Ladders as they are shown: their configuration, entries and rounds."""

from collections.abc import Mapping
from typing import Final

from marshmallow import Schema, fields

from service.contract.fields import (
    CARD,
    CARD_PRICES,
    GREATEST,
    HASH,
    Counts,
    QueryInteger,
    Union,
    exactly,
    instant,
    integer,
    list_of,
    matching,
    nested,
    one_of,
)
from service.contract.names import (
    ENTRY_STATUS,
    LADDER_LUCK,
    MARKET_KIND,
    RATING_METHOD,
    ROUND_PURPOSE,
    ROUND_STATUS,
    RULESET,
)
from service.ladders.new_ladder_schemas import ENTRY_ID, LADDER_SEED
from service.matches.match_schemas import MOST_SEATS

LADDER_ID: Final = r"lad_[0-9A-Z]{26}"
JOB_ID: Final = r"job_[0-9A-Z]{26}"


class LadderOptionsSchema(Schema):
    """The options of all matches, with every default filled in."""

    box = fields.String(required=True, metadata={"description": "Empty where the ruleset has one box."})
    market = one_of(MARKET_KIND, required=True)
    max_copies = integer(2, 2, required=True, allow_none=True)
    card_costs = Counts(CARD_PRICES, required=True)


class RatingRulesSchema(Schema):
    """How ratings are computed."""

    method = one_of(RATING_METHOD, required=True)
    anchor = fields.String(required=True)
    anchor_rating = integer(required=True)
    prior_half_wins = integer(required=True)
    replicates = integer(required=True)
    provisional_above = integer(required=True)


class SuspensionSchema(Schema):
    """When a remote bot is no longer seated, and when it comes back."""

    window = integer(required=True)
    most_faults = integer(required=True)
    probes = integer(required=True)


class LadderConfigSchema(Schema):
    """All that matches, tables and ratings depend on; frozen when a season opens."""

    ruleset = one_of(RULESET, required=True)
    rules_version = fields.String(required=True)
    rules_digest = matching(HASH, required=True)
    options = nested(LadderOptionsSchema(), required=True)
    seats = integer(2, MOST_SEATS, required=True)
    seed = matching(LADDER_SEED, required=True, metadata={"description": "Of pairing and the bootstrap."})
    luck = one_of(LADDER_LUCK, required=True)
    luck_version = fields.String(
        required=True, metadata={"description": "The digest of the value function; empty without one."}
    )
    rating = nested(RatingRulesSchema(), required=True)
    meetings = integer(required=True)
    random_percent = integer(0, 100, required=True)
    clock_ms = integer(required=True)
    suspension = nested(SuspensionSchema(), required=True)


class LadderStrategySchema(Schema):
    """A built-in player, in one version."""

    kind = exactly("strategy")
    name = matching(CARD, required=True)
    version = fields.String(required=True)


class LadderBotSchema(Schema):
    """A remote bot, in one version."""

    kind = exactly("bot")
    handle = fields.String(required=True)
    account = fields.String(required=True)
    version = fields.String(required=True)


class LadderPlayerSchema(Union):
    """Who plays for an entry; another version is another entry."""

    tag = "kind"
    members: Mapping[str, Schema] = {"strategy": LadderStrategySchema(), "bot": LadderBotSchema()}


class FaultedMatchSchema(Schema):
    """A match in which a bot was late or answered wrongly."""

    match_id = fields.String(required=True)
    timeouts = integer(required=True, metadata={"description": "Decisions that came too late or never."})
    errors = integer(required=True, metadata={"description": "Commands that were refused."})
    events = fields.String(required=True, metadata={"description": "Where the match can be read."})


class SuspensionEvidenceSchema(Schema):
    """Why a bot is suspended."""

    matches = integer(required=True, metadata={"description": "As many of its last matches were looked at."})
    faults = list_of(nested(FaultedMatchSchema()), required=True)
    details = fields.String(
        required=True, metadata={"description": "Where single time-outs and refusals can be read."}
    )


class LadderEntrySchema(Schema):
    """One who takes part."""

    entry_id = matching(ENTRY_ID, required=True)
    player = nested(LadderPlayerSchema(), required=True)
    name = fields.String(required=True, metadata={"description": "As tables show it."})
    owner = fields.String(
        required=True, metadata={"description": "The account it belongs to; `service` for a built-in player."}
    )
    status = one_of(ENTRY_STATUS, required=True)
    removed_for = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "`command` (of the ladder's owner), `withdrawn` (by the bot itself, which alone "
            "may enter again), `new_version` (another one of the bot was entered) or `version_gone` (nobody "
            "plays it any more); null while it takes part."
        },
    )
    evidence = nested(
        SuspensionEvidenceSchema(),
        required=True,
        allow_none=True,
        metadata={"description": "Of a suspension; else null."},
    )
    good_probes = list_of(
        fields.String(),
        required=True,
        metadata={"description": "The matches in a row that it played well since it was suspended."},
    )


class PublicValueSchema(Schema):
    """What a round is bound to: a secret seed of its own, and a value from elsewhere that nobody knew yet."""

    source = fields.String(
        required=True, metadata={"description": "Where the value is published, in the owner's words."}
    )
    at = instant(required=True, metadata={"description": "When; it is recorded not before that."})
    commitment = matching(
        HASH,
        required=True,
        metadata={"description": "The SHA-256 of the seed of the round, which its match seeds follow from."},
    )
    key_id = fields.String(required=True, metadata={"description": "Of the service's secret key."})
    value = fields.String(
        required=True, allow_none=True, metadata={"description": "Null until it is recorded."}
    )
    seed = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "That of the round in hex; null until the round is finished."},
    )


class LadderRoundSchema(Schema):
    """Blocks that were ordered together."""

    round = integer(1, required=True)
    season = integer(1, required=True)
    purpose = one_of(ROUND_PURPOSE, required=True)
    status = one_of(ROUND_STATUS, required=True)
    stopped_for = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "`command`, or why it cannot go on; null unless it is stopped."},
    )
    opened_at = instant(required=True)
    blocks = integer(1, required=True)
    finished = integer(required=True, metadata={"description": "Blocks whose results count."})
    given_up = integer(
        required=True, metadata={"description": "Blocks that will never be played, and cost nobody anything."}
    )
    job_id = matching(JOB_ID, required=True)
    public_value = nested(
        PublicValueSchema(),
        required=True,
        allow_none=True,
        metadata={"description": "Null where the round is bound to none."},
    )


class LadderSchema(Schema):
    """A ladder."""

    ladder_id = matching(LADDER_ID, required=True)
    name = fields.String(required=True)
    owner = fields.String(required=True, metadata={"description": "The account that operates it."})
    created_at = instant(required=True)
    version = integer(1, required=True, metadata={"description": "The number of its events."})
    head = matching(HASH, required=True, metadata={"description": "The hash of the last of them."})
    season = integer(
        required=True, metadata={"description": "The one that is open; 0 before the first round."}
    )
    config = nested(
        LadderConfigSchema(), required=True, metadata={"description": "Of the open season, or of the first."}
    )
    digest = matching(
        HASH,
        required=True,
        metadata={"description": "The SHA-256 of `config` as canonical JSON (RFC 8785)."},
    )
    entries = list_of(nested(LadderEntrySchema()), required=True)
    rounds = list_of(
        nested(LadderRoundSchema()), required=True, metadata={"description": "The last 100, newest first."}
    )


class ListedLadderSchema(Schema):
    """A ladder as lists show it."""

    ladder_id = matching(LADDER_ID, required=True)
    name = fields.String(required=True)
    owner = fields.String(required=True)
    created_at = instant(required=True)
    ruleset = one_of(RULESET, required=True)
    seats = integer(2, MOST_SEATS, required=True)
    season = integer(required=True)
    entries = integer(required=True, metadata={"description": "How many take part."})
    is_playing = fields.Boolean(required=True, metadata={"description": "Whether a round is running."})


class LadderPageSchema(Schema):
    """One page of ladders, the newest first."""

    items = list_of(nested(ListedLadderSchema()), required=True)
    next = fields.String(required=True, allow_none=True)


class LadderListQuerySchema(Schema):
    """Which ladders are listed."""

    limit = QueryInteger(1, 500, load_default=50, metadata={"description": "The most ladders on the page."})
    cursor = matching(
        LADDER_ID, metadata={"description": "The `next` of the page before; left out for the first page."}
    )


class SeasonQuerySchema(Schema):
    """Of which season."""

    season = QueryInteger(
        1, GREATEST, metadata={"description": "Such as `1`; the one that is open if it is left out."}
    )
