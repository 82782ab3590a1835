"""One request for each POST below a ladder and to a job, to be sent again and again under a key."""

from collections.abc import Callable
from typing import Any, NamedTuple

from flask import Flask

from tests.service.contract import Account
from tests.service.ladder_kit import Operated, finish_blocks


class LadderPost(NamedTuple):
    """A request that changes something, with what has to be there before it."""

    path: Callable[[Flask, Operated], str]
    body: Callable[[Operated], dict[str, Any]]
    other: dict[str, Any]
    """What another body that would do as well has in other ways; empty if there is none."""


def _job(app: Flask, ladder: Operated) -> str:
    return ladder.open_round(2).headers["Location"]


def _stopped_job(app: Flask, ladder: Operated) -> str:
    job = _job(app, ladder)
    assert ladder.owner.post(f"{job}/stop").status_code == 200
    return job


def _waiting(app: Flask, ladder: Operated) -> str:
    """The path of a round whose public value is due."""
    ladder.open_due(app)
    return f"{ladder.path}/rounds/1"


def _suspended(app: Flask, ladder: Operated) -> str:
    """The path of a bot that was late."""
    bot = ladder.owner.post(f"{ladder.path}/entries", {"kind": "bot", "version": "1"}).json["entry_id"]
    ladder.open_round(3)
    finish_blocks(app, ladder.id, timeouts=(1, 1))
    return f"{ladder.path}/entries/{bot}"


def _pair(ladder: Operated) -> dict[str, Any]:
    a, b = (entry["entry_id"] for entry in ladder.shown()["entries"][:2])
    return {"a": a, "b": b}


def _below(name: str) -> Callable[[Flask, Operated], str]:
    return lambda app, ladder: f"{ladder.path}/{name}"


LADDER_POSTS = {
    "entry": LadderPost(
        _below("entries"),
        lambda ladder: {"kind": "strategy", "strategy": "greedy", "name": "x"},
        {"name": "y"},
    ),
    "round": LadderPost(_below("rounds"), lambda ladder: {"blocks": 1}, {"blocks": 2}),
    "public value": LadderPost(
        lambda app, ladder: f"{_waiting(app, ladder)}/public-value",
        lambda ladder: {"value": "5f3c9a"},
        {"value": "5f3c9b"},
    ),
    "season": LadderPost(_below("seasons"), lambda ladder: {}, {"luck": "off"}),
    "test": LadderPost(_below("tests"), _pair, {"most_blocks": 2}),
    "probes": LadderPost(lambda app, ladder: f"{_suspended(app, ladder)}/probes", lambda ladder: {}, {}),
    "stop": LadderPost(lambda app, ladder: f"{_job(app, ladder)}/stop", lambda ladder: {}, {}),
    "resume": LadderPost(lambda app, ladder: f"{_stopped_job(app, ladder)}/resume", lambda ladder: {}, {}),
}


def operated(ada: Account) -> Operated:
    """A ladder of two built-in players."""
    ladder = Operated(ada, suspension={"most_faults": 0})
    for name in ("greedy", "random"):
        ladder.enter(name)
    return ladder
