"""New ladders, created once per Idempotency-Key, and new seasons: their requests and their configuration.

As with matches, the id of a ladder is recorded under the key before the ladder is created.
"""

import secrets
from collections.abc import Mapping
from typing import Any, Final

from marshmallow import Schema, ValidationError, validates, validates_schema
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from contract.names import LadderLuck, RatingMethod, RulesetId
from contract.tournaments import ScheduleKind, Seeding
from contract.values import CARD, MOST_SEATS, Named
from domain.ladder import decide
from domain.ladder.config import METHOD, LadderConfig, RatingRules, Schedule, Suspension
from domain.ladder.tournament.schedule import BY_ENTRY, KNOCK_OUT
from domain.match.rulesets import CURRENT, digest, require_sold, resolve_options
from events.ladders.ladders import LadderOutcome
from events.store import keys
from events.store.errors import LadderNotFound
from events.store.keys import new_id
from runtime.strategies import LUCK_VERSIONS, OFFERED
from service.accounts.tokens import Token
from service.context import services
from service.edge.idempotency import Keyed, Record
from service.edge.problems import Problem, problem_at
from service.matches.new_match_schemas import NewOptionsSchema
from service.openapi.fields import integer, label, matching, nested, one_of

Body = Mapping[str, Any]

MOST_LADDERS: Final = 100
"""The most ladders of an account."""

_PLAIN: Final = ("seats", "meetings", "random_percent", "clock_ms")
"""The members that the configuration takes unchanged from the body."""
MOST_ROUNDS: Final = 50
MOST_TABLE_BLOCKS: Final = 100
LONGEST_NAME: Final = 64
"""The longest name of a ladder or an entry, in characters."""
NAME: Final = Named(
    "DisplayName",
    "A name for display: one line, without invisible characters and without blanks at its ends.",
)

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
        if value not in OFFERED:
            raise ValidationError(f"must be one of: {', '.join(OFFERED)}")


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


class NewScheduleSchema(Schema):
    """The schedule of a tournament; docs/tournaments.md explains the kinds."""

    kind = one_of(ScheduleKind, required=True)
    rounds = integer(
        1,
        MOST_ROUNDS,
        metadata={
            "description": "The number of rounds. By default 1 in a round robin; in a Swiss tournament as "
            "many as a knock-out would have, which with two seats is log2 of the number of entries, rounded "
            "up. A knock-out has as many as it needs."
        },
    )
    blocks = integer(
        1,
        MOST_TABLE_BLOCKS,
        load_default=1,
        metadata={
            "description": "The number of blocks that the entries of a table play against each other in a "
            "round; a block is one table in all its seat rotations."
        },
    )
    seeding = one_of(Seeding, load_default=BY_ENTRY)

    @validates_schema
    def _can_happen(self, data: Mapping[str, Any], **options: object) -> None:
        if data["kind"] == KNOCK_OUT and "rounds" in data:
            raise ValidationError("is not for a knock-out, which has as many as it needs", "rounds")


class NewLadderSchema(Schema):
    """A new ladder."""

    name = label(LONGEST_NAME, required=True, metadata={"component": NAME})
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
    schedule = nested(
        NewScheduleSchema(),
        load_default=None,
        allow_none=True,
        metadata={"description": "Makes the first season a tournament."},
    )
    seed = _SEED


class NewSeasonSchema(Schema):
    """Changes for the next season. By default nothing changes but the seed, which is drawn anew."""

    rating = nested(NewRatingSchema())
    luck = one_of(LadderLuck, metadata={"description": "The measure of luck."})
    schedule = nested(
        NewScheduleSchema(),
        allow_none=True,
        metadata={"description": "Makes the season a tournament; null makes it an ordinary one."},
    )
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
    "swiss": {
        "summary": "A Swiss tournament of five rounds, with four matches at each table",
        "value": {
            "name": "Spring open",
            "ruleset": "base",
            "seats": 2,
            "schedule": {"kind": "swiss", "rounds": 5, "blocks": 2},
        },
    },
}
SEASON_EXAMPLES: Final = {
    "same": {"summary": "The same configuration with a new seed", "value": {}},
    "knock_out": {
        "summary": "A knock-out, seeded by the ratings so far",
        "value": {"schedule": {"kind": "knock_out", "blocks": 2, "seeding": "ratings"}},
    },
    "other_anchor": {"summary": "Another anchor", "value": {"rating": {"anchor": "random"}}},
}


class _Record(Record, frozen=True):
    """The id of a ladder that is created under an Idempotency-Key."""

    ladder_id: str


def config_of(body: Body) -> LadderConfig:
    """The configuration for the validated body.

    Raises:
        Problem: the ruleset has no value function for this measure of luck.
        RuleViolation: an option or the number of seats does not fit the ruleset.
    """
    ruleset = CURRENT[body["ruleset"]]
    luck, luck_version = _luck(body["ruleset"], body.get("luck"))
    options = resolve_options(ruleset, body["seats"], **body["options"])
    require_sold(ruleset, options.card_costs)
    return LadderConfig(
        ruleset=ruleset.id,
        rules_version=ruleset.version,
        rules_digest=digest(ruleset),
        options=options,
        seed=body.get("seed") or secrets.token_hex(32),
        luck=luck,
        luck_version=luck_version,
        rating=RatingRules(**body["rating"]),
        suspension=Suspension(**body["suspension"]),
        schedule=_schedule(body["schedule"]),
        **{name: body[name] for name in _PLAIN},
    )


def next_config(config: LadderConfig, body: Body) -> LadderConfig:
    """The configuration of the next season, with the changes of the validated body, a new seed, and the
    current version of the rules.

    Raises:
        Problem: the ruleset has no value function for this measure of luck.
    """
    ruleset = CURRENT[config.ruleset]
    luck, luck_version = _luck(config.ruleset, body.get("luck", config.luck))
    return replace(
        config,
        rules_version=ruleset.version,
        rules_digest=digest(ruleset),
        seed=body.get("seed") or secrets.token_hex(32),
        luck=luck,
        luck_version=luck_version,
        rating=RatingRules(**body["rating"]) if "rating" in body else config.rating,
        schedule=_schedule(body["schedule"]) if "schedule" in body else config.schedule,
    )


def _schedule(wanted: Body | None) -> Schedule | UnsetType:
    return UNSET if wanted is None else Schedule(**wanted)


def _luck(ruleset: str, wanted: str | None) -> tuple[str, str]:
    """The measure of luck, and its version if it uses a value function."""
    known = LUCK_VERSIONS.get(ruleset, "")
    luck = wanted or ("wins" if known else "coins")
    if luck == "wins" and not known:
        raise problem_at("/luck", f"the service has no value function for {ruleset!r}")
    return luck, known if luck == "wins" else ""


def create_once(body: Body, caller: Token, keyed: Keyed | None) -> LadderOutcome:
    """Create the ladder for the validated body, or return the one that was created under the same key.

    Raises:
        Problem: `idempotency_key_reused`, `too_many_ladders`, or as `config_of`; nothing is recorded.
        RuleViolation, StreamCorrupt, StoreUnavailable.
    """
    record = keyed.recorded(services().events_redis, _Record) if keyed else None
    known = record.ladder_id if record else None
    # Before the body is resolved: the value functions and rules may have changed since.
    return (_created(known) if known else None) or _create(body, caller, keyed, known)


def _created(ladder_id: str) -> LadderOutcome | None:
    try:
        return LadderOutcome(services().ladders.load(ladder_id), 1, 1, True)
    except LadderNotFound:
        return None  # another request has recorded the id, but not created the ladder yet, or died


def _create(body: Body, caller: Token, keyed: Keyed | None, known: str | None) -> LadderOutcome:
    config, owned = config_of(body), keys.ladders(caller.account_id)
    events = decide.create(body["name"], caller.account_id, config)
    ladder_id = known or _recorded(keyed, _reserved_id(owned), owned)
    outcome = services().ladders.create(lambda: events, f"account:{caller.account_id}", ladder_id)
    services().events_redis.sadd(owned, ladder_id)  # a concurrent request may have removed the reserved id
    return outcome


def _reserved_id(owned: str) -> str:
    """The id of a new ladder, added to those of the account under the key `owned`.

    Raises:
        Problem: `too_many_ladders`.
    """
    client: Any = services().events_redis
    ladder_id = new_id("lad")
    client.sadd(owned, ladder_id)
    if client.scard(owned) > MOST_LADDERS:
        # If a process died before it created the ladder, the id has no ladder.
        lost = [one for one in client.smembers(owned) if client.zscore(keys.LADDERS, one) is None]
        client.srem(owned, *lost, ladder_id)
        if client.scard(owned) >= MOST_LADDERS:
            raise Problem("too_many_ladders", f"an account can have at most {MOST_LADDERS} ladders")
        client.sadd(owned, ladder_id)
    return ladder_id


def _recorded(keyed: Keyed | None, ladder_id: str, owned: str) -> str:
    """The first id recorded under the key; without a key, the given id."""
    if keyed is None:
        return ladder_id
    client: Any = services().events_redis
    first = keyed.record_once(client, _Record(keyed.fingerprint, ladder_id)).ladder_id
    if first != ladder_id:
        client.srem(owned, ladder_id)
    return first
