"""The part of the story in which nothing goes well: requests that are refused, and a service in trouble."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import redis
from flask import Flask

from events.matches.entries import CODEC
from events.store import keys
from events.store.chain import NO_HASH, EntryMetadata
from events.store.fields import from_fields, pack_events, unpack_events
from events.store.recorded import text_of
from runtime.settings import rates_from_env
from service.accounts.tokens import MOST_TOKENS
from service.app import BODY_LIMIT, create_app
from service.context import EXTENSION
from service.edge.requests import RequestTimeout
from tests.golden.recorder import Person, Recorder, get, post
from tests.golden.story import COMMANDS, MATCHES, WISHES, People
from tests.service.served import wait_until

_OTHER_KEY = "k2:" + "6f" * 32
_NOWHERE = "redis://127.0.0.1:1"
_NOON_S = 43_200.0
_SHORT_LIFE = timedelta(milliseconds=500)


def tell_of_requests(rec: Recorder, people: People) -> None:
    """What is no good request, whatever the state of any match."""
    rec.begin_chapter()
    ada = people.ada
    rec.problem("token_missing", get("/v1/me"))
    rec.problem("token_invalid", get("/v1/me", Person("nobody", "mk_unknown")))
    rec.problem("token_expired", get("/v1/me", _expired(rec, ada)))
    wish = post("/v1/me/tokens", {"name": "one of many", "scopes": ["play"]}, people.eve)
    for _ in range(MOST_TOKENS - 1):
        rec.send(wish)
    rec.problem("too_many_tokens", wish)
    rec.problem("handle_taken", post("/v1/accounts", {"handle": "Ada"}))
    rec.problem("invalid_parameter", get(f"{MATCHES}?limit=1000"))
    rec.problem("malformed_json", post("/v1/accounts", b'{"handle": ada}'))
    rec.problem("malformed_request", post("/v1/accounts", b"{}", Content_Length="100"))
    rec.problem("unknown_field", post("/v1/accounts", {"handle": "mallory", "colour": "red"}))
    rec.problem("validation_failed", post("/v1/accounts", {"handle": "x"}))
    rec.problem("body_too_large", post("/v1/accounts", {"handle": "x" * BODY_LIMIT}))
    form = post("/v1/accounts", b"handle=ada", Content_Type="application/x-www-form-urlencoded")
    rec.problem("unsupported_media_type", form)
    rec.problem("not_acceptable", get("/v1/rulesets", Accept="text/html"))
    rec.problem("ruleset_not_found", get("/v1/rulesets/chess"))
    rec.problem("not_found", get("/v1/chess"))
    rec.problem("method_not_allowed", post("/v1/rulesets", {}))


def _expired(rec: Recorder, by: Person) -> Person:
    """Somebody whose token has just run out."""
    end = datetime.now(UTC) + _SHORT_LIFE
    wish = {"name": "short", "scopes": ["play"], "expires_at": end.isoformat()}
    token = rec.send(post("/v1/me/tokens", wish, by)).json["token"]
    wait_until(lambda: datetime.now(UTC) > end)
    return Person("a bot of yesterday", token)


def tell_of_building(rec: Recorder, people: People) -> None:
    """What cannot be built, and rolls that cannot be made."""
    rec.begin_chapter()
    ada = people.ada
    city = {"wheat_field": 2, "stadium": 1}
    position = {
        "active_seat": 0,
        "phase": "build",
        "players": [
            {"coins": 7, "establishments": city, "landmarks": ["train_station"]},
            {"coins": 2, "establishments": {"bakery": 1}},
        ],
        "market": {"supply": {"cafe": 0}},
    }
    wish = {
        **WISHES["analysis_board"],
        "options": {"max_copies": 2},
        "dice": {"mode": "scripted", "throws": [[3], [4, 4]]},
        "position": position,
    }
    path = f"{MATCHES}/{rec.send(post(MATCHES, wish, ada)).json['match_id']}/commands"
    for card, code in (
        ("castle", "unknown_card"),
        ("cafe", "card_not_available"),
        ("stadium", "major_already_owned"),
        ("wheat_field", "copy_limit_reached"),
        ("train_station", "landmark_already_built"),
        ("radio_tower", "insufficient_coins"),
    ):
        rec.problem(code, post(path, {"type": "build", "card": card}, ada))
    one_die, two_dice = COMMANDS["roll_dice"], post(path, {"type": "roll_dice", "dice": 2}, ada)
    rec.send(post(path, COMMANDS["pass"], ada))
    rec.problem("two_dice_need_station", two_dice)
    rec.send(post(path, one_die, ada))
    rec.send(post(path, COMMANDS["pass"], ada))
    rec.problem("dice_tape_mismatch", post(path, one_die, ada))
    rec.send(two_dice)
    rec.send(post(path, COMMANDS["pass"], ada))
    rec.problem("dice_tape_exhausted", post(path, one_die, ada))


def tell_of_services_in_trouble(rec: Recorder, people: People, admin_url: str) -> None:
    """Without the store, with no more requests, matches or streams to be had, without the master key, with a
    damaged match."""
    rec.begin_chapter()
    ada = people.ada
    path = f"{MATCHES}/{rec.send(post(MATCHES, WISHES['open_seat'], ada)).json['match_id']}"
    rec.send(post(f"{path}/seats", {}, people.bob))
    roll = post(f"{path}/commands", COMMANDS["roll_dice"], ada)
    with _another(rec, events_redis_url=_NOWHERE) as app:
        rec.problem("store_unavailable", get(path), app)
    rates = rates_from_env({"RATE_ANONYMOUS": "1/minute"})
    with _another(rec, lambda: _NOON_S, rates=rates) as app, rec.opened(get(path), app):
        rec.problem("rate_limited", get(path), app)
    stream = get(f"{path}/events", ada, Accept="text/event-stream")
    wish = post(MATCHES, WISHES["against_strategies"], ada)
    with _another(rec, account_matches=1) as app:
        rec.problem("too_many_matches", wish, app)
    with _another(rec, high_water_memory=0.0) as app:
        rec.problem("overloaded", wish, app)
    with _another(rec, web_streams=0) as app:
        rec.problem("streams_exhausted", stream, app)
    with _another(rec, account_streams=2) as app, rec.opened(stream, app), rec.opened(stream, app):
        rec.problem("too_many_streams", stream, app)
    with _another(rec) as app:
        app.wsgi_app = _half_sent(app.wsgi_app)  # type: ignore[method-assign]  # as Flask's manual has it
        rec.problem("request_timeout", post("/v1/accounts", b'{"handle": '), app)
    with _another(rec, master_keys=_OTHER_KEY) as app:
        rec.problem("internal_error", roll, app)
    rec.send(roll)
    of_old = f"{MATCHES}/{rec.send(post(MATCHES, WISHES['open_seat'], ada)).json['match_id']}"
    _age(admin_url, of_old.rpartition("/")[2])
    _damage(admin_url, keys.match(path.rpartition("/")[2]))
    with _another(rec) as app:
        rec.problem("stream_corrupt", get(path), app)
        rec.problem("rules_changed", get(of_old), app)


class _Half:
    """A body of which the rest never came."""

    def read(self, size: int) -> bytes:
        raise RequestTimeout


def _half_sent(wsgi_app: Callable[..., Any]) -> Callable[..., Any]:
    return lambda environ, start: wsgi_app({**environ, "wsgi.input": _Half()}, start)


@contextmanager
def _another(rec: Recorder, clock: Callable[[], float] = time.time, **settings: Any) -> Iterator[Flask]:
    """The app with some other settings and nothing in its caches. Its quotas go by the clock."""
    app = create_app(replace(rec.app.extensions[EXTENSION].settings, **settings), clock=clock)
    yield app
    app.extensions[EXTENSION].watcher.stop()


def _damage(admin_url: str, key: str) -> None:
    """Remove the first entry of the stream."""
    with redis.Redis.from_url(admin_url) as admin:
        stream: Any = admin.xrange(key, count=1)
        admin.xdel(key, stream[0][0])


def _age(admin_url: str, match_id: str) -> None:
    """Have the match made with tables that nobody has any more."""
    digest = b'"sha-256:' + b"0" * 64 + b'"'
    with redis.Redis.from_url(admin_url) as admin:
        stream: Any = admin.xrange(keys.match(match_id))
        admin.delete(keys.match(match_id))
        rules_version, head_hash, version = "", NO_HASH, 0
        for id, fields in stream:
            events = unpack_events(fields[b"e"])
            fields[b"e"] = pack_events(re.sub(rb'"sha-256:[0-9a-f]{64}"', digest, events, count=1))
            (entry,) = from_fields(match_id, [(id, fields)])
            command_id = entry.command_id(match_id, version + 1)
            events = CODEC.decode_recorded(entry.events)
            rules_version = rules_version or events[0].data["rules_version"]
            metadata = EntryMetadata(match_id, rules_version, entry.actor, command_id, entry.time_ms)
            head_hash = CODEC.hashes(metadata, version + 1, map(text_of, events), head_hash)[-1]
            admin.xadd(keys.match(match_id), {**fields, b"h": head_hash}, id)
            version = entry.last
