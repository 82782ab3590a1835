"""What answers say of quotas."""

import re
from collections.abc import Callable
from typing import NamedTuple

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

POLICY = re.compile(r'"(?P<name>\w+)";q=(?P<q>\d+);w=(?P<w>\d+)')


LEFT = re.compile(r'"(?P<name>\w+)";r=(?P<r>\d+);t=(?P<t>\d+)')


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s


class Quota(NamedTuple):
    """What an answer says."""

    name: str
    size: int
    window_s: int
    left: int
    reset_s: int


def quota_of(answer: TestResponse) -> Quota:
    policy = POLICY.fullmatch(answer.headers["RateLimit-Policy"])
    left = LEFT.fullmatch(answer.headers["RateLimit"])
    assert policy
    assert left
    assert policy["name"] == left["name"]
    return Quota(policy["name"], int(policy["q"]), int(policy["w"]), int(left["r"]), int(left["t"]))


def name_of(answer: TestResponse) -> str:
    return quota_of(answer).name


Limited = Callable[..., FlaskClient]


def assert_refused(answer: TestResponse, name: str) -> None:
    quota = quota_of(answer)
    assert (answer.status_code, answer.json["code"]) == (429, "rate_limited")
    assert (quota.name, quota.left) == (name, 0)
    assert answer.headers["Retry-After"] == str(quota.reset_s)
    assert 1 <= quota.reset_s <= quota.window_s


def use_up(send: Callable[[], TestResponse]) -> TestResponse:
    """Send until the quota refuses; the refusal."""
    for _ in range(quota_of(send()).left + 1):
        answer = send()
    assert answer.status_code == 429
    return answer
