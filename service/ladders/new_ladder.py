"""Making a ladder: from the body of the request to its configuration, and once under one Idempotency-Key.

First the id is recorded that the ladder gets, then the ladder is made under it: as with matches.
"""

import secrets
from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.ladder import decide
from domain.ladder.config import LadderConfig, RatingRules, Suspension
from domain.match.rulesets import CURRENT, digest, require_sold, resolve_options
from events.ladders.ladders import LadderOutcome
from events.store import keys as store_keys
from events.store.errors import LadderNotFound
from events.store.streams import new_id
from runtime.strategies import VALUE_FUNCTIONS
from service.accounts.tokens import Token
from service.context import services
from service.edge import keys
from service.edge.idempotency import KEPT_MS, Keyed
from service.edge.problems import Problem, at

Body = Mapping[str, Any]

MOST_LADDERS: Final = 100
"""As many ladders has an account at most."""

_PLAIN: Final = ("seats", "meetings", "random_percent", "clock_ms")
"""Members that the configuration has as they are sent."""


class _Record(Struct, frozen=True):
    """What a ladder gets that is made under an Idempotency-Key."""

    fingerprint: str
    ladder_id: str


_records: Final = msgspec.json.Decoder(_Record)


def config_of(body: Body) -> LadderConfig:
    """The configuration that the checked body asks for.

    Raises:
        Problem: the luck cannot be measured so.
        RuleViolation: an option does not fit the ruleset, or so many cannot play it.
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
        **{name: body[name] for name in _PLAIN},
    )


def next_config(config: LadderConfig, body: Body) -> LadderConfig:
    """The configuration of the next season: as before but for what the checked body says, a new seed, and
    the tables of the rules as they are now.

    Raises:
        Problem: the luck cannot be measured so.
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
    )


def _luck(ruleset: str, wanted: str | None) -> tuple[str, str]:
    """How luck is measured, and the digest of the value function if there is one to it."""
    known = VALUE_FUNCTIONS.get(ruleset, "")
    luck = wanted or ("wins" if known else "coins")
    if luck == "wins" and not known:
        raise at("/luck", f"no value function of {ruleset!r} is known")
    return luck, known if luck == "wins" else ""


def make_ladder(body: Body, caller: Token, keyed: Keyed | None) -> LadderOutcome:
    """The ladder that the checked body asks for, now or when it was made before.

    Raises:
        Problem: `idempotency_key_reused`, `too_many_ladders`, or see `config_of`; nothing is recorded then.
        RuleViolation, StreamCorrupt, StoreUnavailable.
    """
    known = _known(keyed) if keyed else None
    # Looked for before the body is resolved: what it names may have changed since.
    return (_made(known) if known else None) or _make(body, caller, keyed, known)


def _known(keyed: Keyed) -> str | None:
    stored = cast("bytes | None", services().events_redis.get(keyed.record))
    return _same(stored, keyed) if stored else None


def _same(stored: bytes, keyed: Keyed) -> str:
    record = _records.decode(stored)
    keyed.require_same(record.fingerprint)
    return record.ladder_id


def _made(ladder_id: str) -> LadderOutcome | None:
    try:
        return LadderOutcome(services().ladders.load(ladder_id), 1, 1, True)
    except LadderNotFound:
        return None  # whoever recorded it has not made it yet, or never came to it


def _make(body: Body, caller: Token, keyed: Keyed | None, known: str | None) -> LadderOutcome:
    config, whose = config_of(body), keys.ladders(caller.account_id)
    events = decide.create(body["name"], caller.account_id, config)
    ladder_id = known or _recorded(keyed, _placed(whose), whose)
    outcome = services().ladders.create(lambda: events, f"account:{caller.account_id}", ladder_id)
    services().events_redis.sadd(whose, ladder_id)  # as the place of one that was begun may be lost
    return outcome


def _placed(whose: str) -> str:
    """The id of a new ladder, which counts among those of the account.

    Raises:
        Problem: `too_many_ladders`.
    """
    client: Any = services().events_redis
    ladder_id = new_id("lad")
    client.sadd(whose, ladder_id)
    if client.scard(whose) > MOST_LADDERS:
        # Where a process ended between this and the making, there is a place without a ladder.
        lost = [one for one in client.smembers(whose) if client.zscore(store_keys.LADDERS, one) is None]
        client.srem(whose, *lost, ladder_id)
        if client.scard(whose) >= MOST_LADDERS:
            raise Problem("too_many_ladders", f"an account has {MOST_LADDERS} ladders at most")
        client.sadd(whose, ladder_id)
    return ladder_id


def _recorded(keyed: Keyed | None, ladder_id: str, whose: str) -> str:
    """The id in the first record that anybody wrote for the request; without a key the one that is given."""
    if keyed is None:
        return ladder_id
    client: Any = services().events_redis
    record = msgspec.json.encode(_Record(keyed.fingerprint, ladder_id))
    earlier = client.set(keyed.record, record, nx=True, get=True, px=KEPT_MS)
    if earlier is None:
        return ladder_id
    client.srem(whose, ladder_id)
    return _same(earlier, keyed)
