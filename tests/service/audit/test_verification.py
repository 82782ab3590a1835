"""Forgeries of stored matches are caught and named; the file of a match says the same without the service."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from bench.matches import new_match
from domain.audit.files import read_exports
from domain.audit.verify import verify
from domain.match.events import Dice
from events.matches.entries import CODEC
from events.matches.matches import Matches
from events.store import keys
from ops.servers import Server
from service.context import EXTENSION, Services
from tests.events.example_matches import play
from tests.service.contract import Account
from tests.service.stored_streams import Stream, packed, replace_stream, stream_of


@pytest.fixture
def services(app: Flask) -> Services:
    found: Services = app.extensions[EXTENSION]
    return found


@pytest.fixture
def admin(events_server: Server) -> Iterator[Any]:
    """Somebody who may do everything to the event store."""
    with redis.Redis.from_url(events_server.admin_url) as client:
        yield client


def finished(matches: Matches, seed: int = 1, ruleset: str = "base") -> str:
    """A match of random players that is over."""
    created = matches.create(new_match(ruleset, ["random"] * 3, Dice("committed")))
    play(matches, matches.load(created.match_id), Random(seed))
    return created.match_id


def verification(client: FlaskClient, match_id: str, **query: str) -> dict[str, Any]:
    answer = client.get(f"/v1/matches/{match_id}/verification", query_string=query)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json
    return found


def failed(report: dict[str, Any]) -> dict[str, int | None]:
    """The checks that failed, each with its first sequence."""
    return {
        check["name"]: check["first_failed_sequence"]
        for check in report["checks"]
        if check["status"] == "failed"
    }


def with_events(entry: dict[bytes, bytes], events: list[Any]) -> dict[bytes, bytes]:
    return {**entry, b"e": json.dumps(events, separators=(",", ":")).encode()}


def throw_in(stream: Stream) -> int:
    """The place of an entry with a throw that pays somebody."""
    return next(
        i for i, (_, entry) in enumerate(stream) if b"dice_rolled" in entry[b"e"] and b"income" in entry[b"e"]
    )


def first_of(stream: Stream, place: int) -> int:
    """The first sequence in an entry."""
    return int(stream[place - 1][0][:-2]) + 1 if place else 1


def test_an_honest_match_is_verified(client: FlaskClient, services: Services) -> None:
    for ruleset in ("base", "harbor", "machi_koro_2"):
        report = verification(client, finished(services.matches, ruleset=ruleset))
        assert report["verdict"] == "verified", report
        assert {check["status"] for check in report["checks"]} == {"passed"}
        assert report["first_failed_sequence"] is None


def test_a_running_match_is_incomplete(client: FlaskClient, ada: Account) -> None:
    match_id = ada.create()["match_id"]
    report = verification(client, match_id)
    assert report["verdict"] == "incomplete"
    assert failed(report) == {}


def test_a_die_that_was_changed_is_named(client: FlaskClient, services: Services, admin: Any) -> None:
    match_id = finished(services.matches)
    stream = stream_of(admin, match_id)
    place = throw_in(stream)
    events = json.loads(stream[place][1][b"e"])
    (thrown,) = [i for i, event in enumerate(events) if event[0] == "dice_rolled"]
    events[thrown][2][0] = events[thrown][2][0] % 6 + 1
    events[thrown][3] = sum(events[thrown][2])
    stream[place] = (stream[place][0], with_events(stream[place][1], events))
    replace_stream(admin, match_id, stream)
    report = verification(client, match_id)
    assert report["verdict"] == "failed"
    assert failed(report)["dice"] == report["first_failed_sequence"] == first_of(stream, place) + thrown
    assert "chain" in failed(report)


def test_a_last_event_that_was_cut_is_named(client: FlaskClient, services: Services, admin: Any) -> None:
    match_id = finished(services.matches)
    version = services.matches.load(match_id).version
    stream = stream_of(admin, match_id)
    _, entry = stream[-1]
    stream[-1] = (b"%d-0" % (version - 1), with_events(entry, json.loads(entry[b"e"])[:-1]))
    replace_stream(admin, match_id, stream)
    report = verification(client, match_id)
    assert failed(report)["checkpoint"] == version
    assert failed(report)["result"] == version


def test_an_entry_that_was_removed_is_named(client: FlaskClient, services: Services, admin: Any) -> None:
    match_id = finished(services.matches)
    stream = stream_of(admin, match_id)
    first = first_of(stream, 10)
    admin.xdel(keys.match(match_id), stream[10][0])
    report = verification(client, match_id)
    assert failed(report)["stream"] == failed(report)["sequence"] == report["first_failed_sequence"] == first


def test_two_events_that_were_swapped_are_named(client: FlaskClient, services: Services, admin: Any) -> None:
    match_id = finished(services.matches)
    stream = stream_of(admin, match_id)
    place = throw_in(stream)
    events = json.loads(stream[place][1][b"e"])
    events[0], events[1] = events[1], events[0]
    stream[place] = (stream[place][0], with_events(stream[place][1], events))
    replace_stream(admin, match_id, stream)
    report = verification(client, match_id)
    assert report["first_failed_sequence"] == first_of(stream, place)
    assert {"chain", "decisions"} <= failed(report).keys()


def test_two_commands_that_were_swapped_are_named(
    client: FlaskClient, services: Services, admin: Any
) -> None:
    match_id = finished(services.matches)
    stream = stream_of(admin, match_id)
    (id_a, a), (id_b, b) = stream[10], stream[11]
    stream[10], stream[11] = (id_a, b), (id_b, a)
    replace_stream(admin, match_id, stream)
    report = verification(client, match_id)
    assert report["verdict"] == "failed"
    assert report["first_failed_sequence"] in (first_of(stream, 10), first_of(stream, 11))


def test_a_lawful_history_in_place_of_the_true_one_is_caught_by_the_checkpoint_alone(
    client: FlaskClient, services: Services, admin: Any
) -> None:
    match_id = finished(services.matches, 1)
    kept = services.matches.load(match_id)
    rewrite(services.matches, admin, match_id)
    report = verification(client, match_id)
    assert failed(report).keys() == {"checkpoint"}
    old = f'v={kept.version}; h="sha-256:{kept.head_hash.hex()}"'
    assert failed(verification(client, match_id, receipt=old)).keys() == {"checkpoint", "receipt"}


def rewrite(matches: Matches, admin: Any, match_id: str) -> None:
    """Put another match by the same seed in its place: every hash, die and coin is as it should be."""
    stream = stream_of(admin, match_id)
    first = CODEC.decode(stream[0][1][b"e"])
    version, head_hash = len(first), stream[0][1][b"h"]
    admin.delete(keys.match(match_id))
    admin.xadd(keys.match(match_id), packed(stream[0][1]), stream[0][0])
    fresh = Matches(matches.store, matches.seeds)
    loaded = fresh.load(match_id)
    assert (loaded.version, loaded.head_hash) == (version, head_hash)
    play(fresh, loaded, Random(99))


def test_a_match_that_was_deleted_is_named(client: FlaskClient, services: Services, admin: Any) -> None:
    match_id = finished(services.matches)
    admin.delete(keys.match(match_id))
    report = verification(client, match_id)
    assert report["verdict"] == "failed"
    assert failed(report).keys() == {"log"}
    assert "gone" in report["checks"][0]["detail"]


def test_what_never_was_is_not_found(client: FlaskClient) -> None:
    answer = client.get("/v1/matches/mat_00000000000000000000000000/verification")
    assert answer.json["code"] == "match_not_found"


def test_garbage_in_the_place_of_events_is_named(client: FlaskClient, services: Services, admin: Any) -> None:
    match_id = finished(services.matches)
    stream = stream_of(admin, match_id)
    stream[5] = (stream[5][0], {**stream[5][1], b"e": b"\xff\x00"})
    replace_stream(admin, match_id, stream)
    assert failed(verification(client, match_id))["schema"] == first_of(stream, 5)
    stream[5] = (stream[5][0], {b"x": b""})
    replace_stream(admin, match_id, stream)
    assert failed(verification(client, match_id))["schema"] == first_of(stream, 5)


@pytest.mark.parametrize(
    ("true", "forged", "check"),
    [(b'"sha-256:', b'"sha-256:0', "ruleset"), (b'"base@1"', b'"base@9"', "chain")],
)
def test_what_nobody_can_load_is_named(
    true: bytes, forged: bytes, check: str, client: FlaskClient, services: Services, admin: Any
) -> None:
    match_id = finished(services.matches)
    stream = stream_of(admin, match_id)
    assert true in stream[0][1][b"e"]
    stream[0] = (stream[0][0], {**stream[0][1], b"e": stream[0][1][b"e"].replace(true, forged, 1)})
    replace_stream(admin, match_id, stream)
    assert check in failed(verification(client, match_id))


@pytest.mark.parametrize("time_ms", [b"1" + b"0" * 30, b"-1" + b"0" * 15])
def test_a_time_that_never_was_is_named(
    time_ms: bytes, client: FlaskClient, services: Services, admin: Any
) -> None:
    match_id = finished(services.matches)
    stream = stream_of(admin, match_id)
    stream[3] = (stream[3][0], {**stream[3][1], b"t": time_ms})
    replace_stream(admin, match_id, stream)
    assert failed(verification(client, match_id))["schema"] == first_of(stream, 3)


def test_a_private_match_is_verified_for_its_people_alone(
    client: FlaskClient, services: Services, ada: Account, bob: Account, admin: Any
) -> None:
    match_id = ada.create(visibility="private")["match_id"]
    path = f"/v1/matches/{match_id}/verification"
    assert ada.get(path).status_code == 200
    assert [one.get(path).status_code for one in (bob, client)] == [404, 404]
    stream = stream_of(admin, match_id)
    replace_stream(admin, match_id, [(stream[0][0], {**stream[0][1], b"e": b"[]"})])
    services.matches._loader.forget(match_id)
    assert [one.get(path).status_code for one in (ada, bob, client)] == [200, 404, 404]
    assert ada.get(path).json["verdict"] == "failed"


def test_a_receipt_that_was_kept_is_checked(client: FlaskClient, services: Services) -> None:
    match_id = finished(services.matches)
    event = client.get(f"/v1/matches/{match_id}/events/7").json
    right = f'v=7; h="{event["hash"]}"'
    assert verification(client, match_id, receipt=right)["verdict"] == "verified"
    wrong = right.replace("v=7", "v=8")
    assert failed(verification(client, match_id, receipt=wrong)) == {"receipt": 8}
    answer = client.get(f"/v1/matches/{match_id}/verification?receipt=v=7")
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (400, "/receipt")


def exported(client: FlaskClient, match_id: str) -> bytes:
    answer = client.get(f"/v1/matches/{match_id}/export")
    assert (answer.status_code, answer.mimetype) == (200, "application/x-ndjson")
    assert answer.headers["Match-Head"].startswith("v=")
    return bytes(answer.data)


def test_the_file_of_a_match_says_the_same_as_the_service(client: FlaskClient, services: Services) -> None:
    for ruleset in ("base", "harbor", "machi_koro_2"):
        match_id = finished(services.matches, ruleset=ruleset)
        lines = exported(client, match_id).splitlines()
        assert [json.loads(line)["kind"] for line in (*lines[:3], *lines[-3:])] == [
            "manifest",
            "ruleset",
            "event",
            "event",
            "reveal",
            "signature",
        ]
        (evidence,) = read_exports(lines)
        report = verify(evidence, services.notary.is_good)
        assert report.verdict == "verified", report


def test_the_file_of_a_running_match_ends_with_its_last_event(client: FlaskClient, ada: Account) -> None:
    made = ada.create()
    lines = exported(client, made["match_id"]).splitlines()
    kinds = [json.loads(line)["kind"] for line in lines]
    assert kinds == ["manifest", "ruleset", *["event"] * made["version"]]


def test_no_seed_is_in_the_file_before_the_end(client: FlaskClient, services: Services, ada: Account) -> None:
    match_id = ada.create()["match_id"]
    loaded = services.matches.load(match_id)
    _, seed = services.matches.chance_for(loaded.state, match_id).reveal()
    for path in ("export", "verification"):
        answer = client.get(f"/v1/matches/{match_id}/{path}")
        assert answer.status_code == 200
        assert seed.encode() not in answer.data


@pytest.mark.parametrize("forgery", ["die", "cut"])
def test_what_is_forged_in_the_store_is_found_in_the_file_too(
    client: FlaskClient, services: Services, admin: Any, forgery: str
) -> None:
    match_id = finished(services.matches)
    stream = stream_of(admin, match_id)
    place = throw_in(stream) if forgery == "die" else len(stream) - 1
    id, entry = stream[place]
    events = json.loads(entry[b"e"])
    if forgery == "die":
        (thrown,) = [event for event in events if event[0] == "dice_rolled"]
        thrown[2][0] = thrown[2][0] % 6 + 1
        thrown[3] = sum(thrown[2])
    else:
        events.pop()
        id = b"%d-0" % (int(id[:-2]) - 1)
    stream[place] = (id, with_events(entry, events))
    replace_stream(admin, match_id, stream)
    services.matches._loader.forget(match_id)
    report = verification(client, match_id)
    (evidence,) = read_exports(exported(client, match_id).splitlines())
    offline = verify(evidence, services.notary.is_good)
    assert (offline.verdict, offline.first_failed_sequence) == ("failed", report["first_failed_sequence"])
    assert {check.name for check in offline.checks if check.status == "failed"} == failed(report).keys()


def test_a_signed_end_outlives_the_record(client: FlaskClient, services: Services, admin: Any) -> None:
    match_id = finished(services.matches)
    path = f"/v1/matches/{match_id}/checkpoint"
    signed = client.get(path).json
    stream = stream_of(admin, match_id)
    replace_stream(admin, match_id, [(stream[0][0], {b"x": b""})])
    services.matches._loader.forget(match_id)
    assert client.get(path).json == signed
    admin.delete(keys.match(match_id))
    assert client.get(path).json == signed
