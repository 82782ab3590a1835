"""Answers in gzip: for whom, which ones, and what becomes of their headers."""

import gzip
import os
import zlib
from collections.abc import Iterator

import msgspec
import pytest
from flask import Flask, Response
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.edge import answers
from service.edge.answers import LEAST, accepts_gzip
from tests.service.contract import Account, uncompressed
from tests.service.written_document import written_document

GZIP = {"Accept-Encoding": "gzip"}
CARDS = "/v1/rulesets/harbor/cards"


def is_compressed(answer: TestResponse) -> bool:
    return answer.headers.get("Content-Encoding") == "gzip"


@pytest.mark.parametrize(
    ("accept_encoding", "is_accepted"),
    [
        ("gzip", True),
        ("GZip", True),
        ("gzip, deflate, br, zstd", True),
        ("br;q=1, gzip;q=0.2", True),
        ("*", True),
        ("gzip;q=0.5, identity;q=0.5", True),
        ("identity;q=0, gzip;q=0.001", True),
        ("", False),
        ("br", False),
        ("identity", False),
        ("gzip;q=0", False),
        ("*, gzip;q=0", False),
        ("gzip;q=0, *;q=1", False),
        ("*;q=0", False),
        ("gzip;q=0.5, identity", False),
        ("nonsense;;q=,", False),
    ],
)
def test_the_client_says_by_weights_whether_it_likes_gzip(accept_encoding: str, is_accepted: bool) -> None:
    assert accepts_gzip(accept_encoding) == is_accepted


@pytest.mark.parametrize("path", ["/openapi.yaml", "/openapi.json", CARDS])
def test_a_large_answer_comes_in_the_form_that_the_client_likes(client: FlaskClient, path: str) -> None:
    plain = client.get(path)
    packed = client.get(path, headers=GZIP)

    assert (is_compressed(plain), is_compressed(packed)) == (False, True)
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 3
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    assert "Accept-Encoding" in plain.vary
    assert "Accept-Encoding" in packed.vary


def test_the_document_is_the_same_in_json(client: FlaskClient) -> None:
    answer = client.get("/openapi.json")

    assert answer.mimetype == "application/json"
    assert msgspec.json.decode(answer.data) == written_document()


@pytest.mark.parametrize("path", ["/openapi.yaml", "/openapi.json", CARDS])
def test_the_etag_of_a_compressed_answer_is_weak_and_spares_the_next_one(
    client: FlaskClient, path: str
) -> None:
    strong = client.get(path).headers["ETag"]
    weak = client.get(path, headers=GZIP).headers["ETag"]

    assert weak == f"W/{strong}"
    for etag in (weak, strong):
        held = client.get(path, headers={**GZIP, "If-None-Match": etag})
        assert (held.status_code, held.data, held.headers["ETag"]) == (304, b"", etag)
        assert "Accept-Encoding" in held.vary


def test_head_tells_of_the_compressed_answer(client: FlaskClient) -> None:
    got, head = client.get("/openapi.yaml", headers=GZIP), client.head("/openapi.yaml", headers=GZIP)

    for name in ("Content-Length", "Content-Encoding", "ETag", "Vary"):
        assert head.headers[name] == got.headers[name]
    assert head.data == b""


def test_a_small_answer_goes_out_as_it_is(client: FlaskClient) -> None:
    answer = client.get("/healthz", headers=GZIP)

    assert len(answer.data) < LEAST
    assert not is_compressed(answer)
    assert "Vary" not in answer.headers


def test_an_answer_with_a_version_as_its_etag_goes_out_as_it_is(ada: Account) -> None:
    match_id = ada.create(ruleset="harbor", seats=[{"kind": "me"}] * 5)["match_id"]
    answer = ada.get(f"/v1/matches/{match_id}/state", GZIP)

    assert len(answer.data) > LEAST
    assert not is_compressed(answer)
    assert answer.headers["ETag"] == f'"{answer.json["version"]}"'


def test_an_invitation_code_is_never_compressed(ada: Account) -> None:
    seats = [{"kind": "me"}, {"kind": "open"}]
    private = ada.post(
        "/v1/matches", {"ruleset": "base", "seats": seats, "visibility": "private"}, headers=GZIP
    )
    shown = ada.get(private.headers["Location"], GZIP)

    assert private.json["invitation_code"] == shown.json["invitation_code"]
    assert not is_compressed(private)
    assert not is_compressed(shown)


def test_an_answer_to_post_is_never_compressed(ada: Account) -> None:
    match_id = ada.create()["match_id"]
    path = f"/v1/matches/{match_id}/commands?embed=state,legal_commands"
    answer = ada.post(path, {"type": "roll_dice", "dice": 1}, GZIP)

    assert answer.status_code == 201
    assert len(answer.data) > LEAST
    assert not is_compressed(answer)


@pytest.mark.parametrize(
    ("accept", "query"), [("text/event-stream", ""), ("application/x-ndjson", "?follow=true")]
)
def test_a_stream_that_stays_open_is_never_compressed(ada: Account, accept: str, query: str) -> None:
    match_id = ada.create()["match_id"]
    ada.post(f"/v1/matches/{match_id}/abort")
    answer = ada.get(f"/v1/matches/{match_id}/events{query}", {**GZIP, "Accept": accept})

    assert len(answer.data) > LEAST
    assert "stream_end" in answer.text
    assert not is_compressed(answer)


@pytest.mark.parametrize("what", ["export", "replay", "events", "log"])
def test_what_is_sent_part_by_part_is_compressed_part_by_part(ada: Account, what: str) -> None:
    match_id = ada.create()["match_id"]
    accept = {"Accept": "text/plain" if what == "log" else "application/x-ndjson"}
    path = f"/v1/matches/{match_id}/{what}"
    packed = ada.get(path, {**GZIP, **accept})

    assert is_compressed(packed)
    assert "Content-Length" not in packed.headers
    assert "Accept-Encoding" in packed.vary
    assert uncompressed(packed) == ada.get(path, accept).data
    head = ada.client.head(path, headers={**ada.authorization, **GZIP, **accept})
    for name in ("Content-Encoding", "ETag", "Content-Length"):
        assert head.headers.get(name) == packed.headers.get(name)


def test_compression_gives_what_it_has_before_it_takes_all(served_app: Flask) -> None:
    taken = 0

    def parts() -> Iterator[bytes]:
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield os.urandom(65_536)

    with served_app.test_request_context(headers=GZIP):
        response = answers.negotiated(Response(parts(), direct_passthrough=True))
        compressed = response.iter_encoded()
        first = next(iter(compressed))

    assert zlib.decompressobj(31).decompress(first)
    assert taken < 10
