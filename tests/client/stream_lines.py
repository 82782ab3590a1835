"""Streams of events as a service would send them, made by hand."""

import json
from urllib.parse import parse_qs, urlsplit

from tests.client.scripted import Asked

ZERO = "sha-256:" + "0" * 64


def event_line(sequence: int, kind: str = "build_passed") -> bytes:
    """One event as a line."""
    event = {
        "match_id": "mat_1",
        "sequence": sequence,
        "type": kind,
        "schema": 1,
        "time": "2026-11-20T15:14:45.069Z",
        "actor": "seat:1",
        "command_id": f"cmd_{sequence}",
        "rules_version": "base@1",
        "data": {"seat": sequence % 2},
        "previous_hash": ZERO,
        "hash": ZERO,
    }
    return json.dumps(event).encode() + b"\n"


def end_line(version: int) -> bytes:
    end = {"type": "stream_end", "match_id": "mat_1", "version": version, "status": "finished"}
    return json.dumps(end).encode() + b"\n"


def whole(version: int, after: int = 0) -> bytes:
    """All lines behind `after` of a match that is over at this version."""
    return b"".join(event_line(number) for number in range(after + 1, version + 1)) + end_line(version)


def after(asked: Asked) -> int:
    """Where the request wants the stream to begin."""
    return int(parse_qs(urlsplit(asked.target).query)["after"][0])
