"""What is tried again, with what, how often, and what is not."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from machi import (
    Client,
    ConnectionFailed,
    MachiError,
    NotAllowed,
    NotFound,
    Pass,
    Refused,
    Retries,
    StaleVersion,
    Throttled,
    Unavailable,
    UnusableAnswer,
)
from ops.redis_conf import free_port
from tests.client.scripted import (
    QUICK,
    SILENT_S,
    Clock,
    Move,
    answer,
    cut,
    cut_short,
    in_turn,
    problem,
    serving,
    silence,
    speaking,
)
from tests.marks import long_unless

SHORT = Retries(total_s=0.3, first_s=0.01, most_s=0.05)

ACCOUNT = {"account_id": "acc_1", "handle": "ada", "token": "mk_secret"}
ACCEPTED = {
    "command_id": "cmd_1",
    "version": 7,
    "events": [],
    "next": {"seat": 0, "phase": "roll", "deadline": None},
}
TURNS: dict[str, Any] = {"items": []}


TROUBLE = {
    "no answer": cut(),
    "half a head": cut_short(answer(201, ACCEPTED), 20),
    "half a body": cut_short(answer(201, ACCEPTED), 150),
    "silence": silence(),
    "half a body and silence": Move(b"".join(answer(201, ACCEPTED).sent)[:150], hold=True),
    "502": problem(502, "http_502"),
    "503": problem(503, "store_unavailable"),
    "504": problem(504, "http_504"),
    "429": problem(429, "rate_limited"),
    "a proxy's 503": answer(503, b"<html>busy</html>", kind="text/html"),
}
SLOW = {"silence", "half a body and silence"}
"""Each silence is waited for until the client gives up."""
in_trouble = pytest.mark.parametrize("trouble", long_unless(TROUBLE.keys() - SLOW, TROUBLE))


@in_trouble
def test_a_post_is_sent_again_with_the_same_key_and_the_same_bytes(trouble: str) -> None:
    with speaking(TROUBLE[trouble], TROUBLE[trouble], answer(201, ACCEPTED)) as (server, machi):
        assert machi.command("mat_1", Pass(0), if_match=6).version == 7
    assert len(server.asked) == 3
    assert len({asked.headers["idempotency-key"] for asked in server.asked}) == 1
    assert {(asked.target, asked.body) for asked in server.asked} == {
        ("/v1/matches/mat_1/commands", b'{"type":"pass","seat":0}')
    }
    assert {asked.headers["if-match"] for asked in server.asked} == {'"6"'}


@in_trouble
def test_a_get_is_sent_again(trouble: str) -> None:
    with speaking(TROUBLE[trouble], TROUBLE[trouble], answer(200, TURNS)) as (server, machi):
        assert machi.turns() == ()
    assert len(server.asked) == 3


SAY: list[Callable[[Client], object]] = [
    lambda machi: machi.sign_up("ada"),
    lambda machi: machi.create_token("bot", ["play"]),
    lambda machi: machi.create_match("base", []),
    lambda machi: machi.join("mat_1"),
    lambda machi: machi.abort("mat_1"),
    lambda machi: machi.branch("mat_1", 5),
    lambda machi: machi.command("mat_1", Pass(0)),
    lambda machi: machi.validate("mat_1", Pass(0)),
]


@pytest.mark.parametrize("say", SAY)
def test_every_post_has_a_key_of_its_own(say: Callable[[Client], object]) -> None:
    with speaking(problem(409, "wrong_phase")) as (server, machi):
        for _ in range(2):
            with pytest.raises(Refused):
                say(machi)
    first, second = [asked.headers["idempotency-key"] for asked in server.asked]
    assert first != second
    assert {len(first), len(second)} == {36}


def test_a_key_of_ones_own_is_sent_as_it_is() -> None:
    with speaking(answer(201, ACCEPTED)) as (server, machi):
        machi.command("mat_1", Pass(0), key="turn-7")
    assert server.asked[0].headers["idempotency-key"] == "turn-7"


@pytest.mark.parametrize("key", ["", "two words", "ä", "x" * 256, "a\nb"])
def test_a_key_that_the_service_cannot_take_is_not_sent(key: str) -> None:
    is_refused = pytest.raises(ValueError, match="an idempotency key has 1 to 255 visible ASCII characters")
    with speaking(answer(201, ACCEPTED)) as (server, machi), is_refused:
        machi.command("mat_1", Pass(0), key=key)
    assert server.asked == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 406, 409, 412, 413, 422, 500, 501])
def test_an_answer_that_would_be_the_same_again_is_not_asked_for_again(status: int) -> None:
    is_refused = pytest.raises(MachiError, match=r"it is told_so \(told_so")
    with speaking(problem(status, "told_so"), answer(201, ACCEPTED)) as (server, machi), is_refused:
        machi.command("mat_1", Pass(0))
    assert len(server.asked) == 1


@pytest.mark.parametrize("lost", [cut(), silence(), problem(502, "http_502"), problem(504, "http_504")])
def test_a_token_that_is_not_found_after_a_lost_answer_is_gone(lost: Move) -> None:
    with speaking(lost, problem(404, "not_found")) as (server, machi):
        machi.delete_token("tok_1")
    assert [asked.method for asked in server.asked] == ["DELETE", "DELETE"]


@pytest.mark.parametrize("first", [[], [problem(429, "rate_limited")]], ids=["at once", "after a 429"])
def test_a_token_that_was_never_found_is_told(first: list[Move]) -> None:
    with speaking(*first, problem(404, "not_found")) as (_, machi), pytest.raises(NotFound):
        machi.delete_token("tok_1")


def test_a_401_after_a_lost_answer_says_nothing_of_another_token() -> None:
    moves = [cut(), problem(401, "token_invalid")]
    with speaking(*moves) as (_, machi), pytest.raises(NotAllowed):
        machi.delete_token("tok_other")


def test_an_account_whose_token_is_refused_after_a_lost_answer_is_deleted() -> None:
    with speaking(cut(), problem(401, "token_invalid")) as (server, machi):
        machi.delete_account("ada")
    assert [asked.target for asked in server.asked] == ["/v1/me?handle=ada"] * 2


def test_an_account_whose_token_was_never_valid_is_not_deleted() -> None:
    with speaking(problem(401, "token_invalid")) as (_, machi), pytest.raises(NotAllowed):
        machi.delete_account("ada")


@pytest.mark.parametrize("status", [408, 429, 503])
def test_nothing_is_sent_before_retry_after_is_over(status: int, clock: Clock) -> None:
    later = problem(status, "later", {"Retry-After": "30"})
    with speaking(later, answer(200, TURNS)) as (server, machi):
        machi.turns()
    assert 30 <= clock.slept_s < 31
    assert len(server.asked) == 2


def test_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    later = problem(429, "later", {"Retry-After": date})
    with speaking(later) as (_, machi), pytest.raises(Throttled) as refused:
        machi.turns()
    assert refused.value.retry_after == pytest.approx(3600, abs=5)


@pytest.mark.parametrize("words", ["soon", "-1", "", "٣"])
def test_a_retry_after_without_meaning_asks_for_nothing(words: str) -> None:
    later = problem(503, "later", {"Retry-After": words})
    with speaking(later, answer(200, TURNS)) as (_, machi):
        assert machi.turns() == ()


def test_who_is_asked_to_wait_longer_than_there_is_time_is_told_at_once(clock: Clock) -> None:
    limited = problem(429, "rate_limited", {"Retry-After": "3600"})
    with speaking(limited) as (server, machi), pytest.raises(Throttled) as refused:
        machi.turns()
    assert clock.slept_s == 0
    assert (refused.value.status, refused.value.code, refused.value.retry_after) == (
        429,
        "rate_limited",
        3600,
    )
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("trouble", "error"), [(cut(), ConnectionFailed), (problem(503, "not_ready"), Unavailable)]
)
def test_the_last_failure_is_raised_when_the_time_is_up(
    trouble: Move, error: type[MachiError], clock: Clock
) -> None:
    with speaking(trouble, retries=SHORT) as (server, machi), pytest.raises(error):
        machi.turns()
    assert SHORT.total_s / 2 < clock.slept_s < SHORT.total_s
    assert len(server.asked) > 3


def test_pauses_double_vary_and_have_a_longest(clock: Clock) -> None:
    pauses: list[float] = []
    retries = Retries(total_s=0.4, first_s=0.01, most_s=0.08)
    told = speaking(cut(), retries=retries, on_retry=lambda _, pause_s: pauses.append(pause_s))
    with told as (_, machi), pytest.raises(ConnectionFailed):
        machi.turns()
    longest = [0.01, 0.02, 0.04, *[0.08] * len(pauses)]
    assert len(pauses) > 4
    assert all(most / 2 <= pause <= most for pause, most in zip(pauses, longest, strict=False))


def test_a_service_that_does_not_listen_is_named(clock: Clock) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    is_refused = pytest.raises(ConnectionFailed, match=f"no response from {url}: .*refused")
    with Client(url, retries=SHORT) as machi, is_refused:
        machi.turns()


def test_a_service_that_does_not_listen_yet_is_waited_for() -> None:
    port, started = free_port(), ExitStack()

    def start(failure: MachiError, pause_s: float) -> None:
        if isinstance(failure, ConnectionFailed):
            started.enter_context(serving(in_turn(answer(200, TURNS)), port))

    with started, Client(f"http://127.0.0.1:{port}", retries=QUICK, on_retry=start) as machi:
        assert machi.turns() == ()


def test_a_body_that_trickles_without_end_is_given_up() -> None:
    endless = Move(b"HTTP/1.1 200 OK\r\n\r\n", *[b" "] * 1000, wait_s=0.05)
    with speaking(endless, answer(200, TURNS), timeout=SILENT_S) as (server, machi):
        assert machi.turns() == ()
    assert len(server.asked) == 2


@pytest.mark.long
def test_a_long_poll_is_not_taken_for_silence() -> None:
    slow = Move(*answer(200, TURNS).sent, wait_s=2 * SILENT_S)
    with speaking(slow, timeout=SILENT_S) as (server, machi):
        assert machi.turns(wait=30) == ()
    assert [asked.target for asked in server.asked] == ["/v1/me/turns?wait=30"]


def test_a_redirection_is_not_followed() -> None:
    with serving(in_turn(answer(200, TURNS))) as elsewhere:
        moved = answer(307, b"", {"Location": elsewhere.url})
        is_refused = pytest.raises(UnusableAnswer, match=r"redirect \(307\)")
        with speaking(moved) as (_, machi), is_refused:
            machi.turns()
    assert elsewhere.asked == []


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"items": 3}', b"\xff", b"[" * 5000])
def test_what_is_no_answer_of_the_service_is_said_to_be_none(body: bytes) -> None:
    is_refused = pytest.raises(UnusableAnswer, match="not a response of this API")
    with speaking(answer(200, body)) as (_, machi), is_refused:
        machi.turns()


def test_an_error_says_all_that_the_service_said() -> None:
    faults = [{"pointer": "/card", "code": "insufficient_coins", "detail": "too dear", "hint": "new"}]
    refusal = problem(422, "insufficient_coins", errors=faults, more=1)
    with speaking(refusal) as (_, machi), pytest.raises(Refused) as refused:
        machi.command("mat_1", Pass(0))
    error = refused.value
    assert (error.status, error.code, error.detail) == (422, "insufficient_coins", "it is insufficient_coins")
    assert (error.request_id, error.errors[0].pointer) == ("req-1", "/card")
    assert str(error) == "it is insufficient_coins; /card: too dear (insufficient_coins, request req-1)"


def test_an_error_that_is_no_problem_has_the_status_for_its_code() -> None:
    page = answer(401, b"<html>who are you</html>", {"X-Request-Id": "req-2"}, "text/html")
    with speaking(page) as (_, machi), pytest.raises(NotAllowed) as refused:
        machi.me()
    assert (refused.value.code, refused.value.request_id) == ("http_401", "req-2")
    assert refused.value.detail == "the service answered 401 Said"


def test_a_stale_version_tells_what_was_missed() -> None:
    missed = {
        "match_id": "mat_1",
        "sequence": 7,
        "type": "build_passed",
        "schema": 1,
        "time": "2026-11-20T15:14:45.069Z",
        "actor": "seat:1",
        "command_id": "cmd_1",
        "rules_version": "base@1",
        "data": {"seat": 1},
        "previous_hash": "sha-256:00",
        "hash": "sha-256:01",
    }
    stale = problem(412, "stale_version", expected=6, current=7, events=[missed])
    with speaking(stale) as (_, machi), pytest.raises(StaleVersion) as error:
        machi.command("mat_1", Pass(0), if_match=6)
    assert (error.value.expected, error.value.current) == (6, 7)
    assert [event.type for event in error.value.events] == ["build_passed"]
