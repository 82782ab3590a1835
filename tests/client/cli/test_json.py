"""`--json`: every command prints the JSON of the API, and every error is a problem object."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import click
import pytest

from machi import Client, me
from machi.cli.config import config_path, read_config
from machi.cli.main import machi
from ops.redis_conf import free_port
from tests.client.commands import Run, finished
from tests.client.scripted import answer, in_turn, problem, serving

Path = tuple[str, ...]


def leaves(command: click.Command, path: Path = ()) -> Iterator[tuple[Path, click.Command]]:
    """All commands without subcommands, and those that also do something themselves."""
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from leaves(inner, (*path, name))
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield path, command


def got(url: str, path: str) -> bytes:
    """What the service answers to the account that is logged in."""
    token = read_config(config_path()).services[url].token
    request = urllib.request.Request(f"{url}{path}", headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=60) as found:
            body: bytes = found.read()
    except urllib.error.HTTPError as error:
        body = error.read()
    return body


def test_every_command_can_print_json() -> None:
    found = dict(leaves(machi))
    assert len(found) > 40
    lacking = [
        path for path, one in found.items() if "--json" not in {name for p in one.params for name in p.opts}
    ]
    assert lacking == []


def test_one_object_is_the_answer_of_the_service_byte_by_byte(
    logged_in: Run, my_client: Client, url: str
) -> None:
    match = finished(my_client).match_id
    for words, path in (
        (("whoami",), "/v1/me"),
        (("seating",), "/v1/me"),
        (("state", match), f"/v1/matches/{match}/state"),
        (("state", match, "--at", "4"), f"/v1/matches/{match}/states/4"),
        (("luck", match), f"/v1/matches/{match}/luck"),
    ):
        assert logged_in(*words, "--json") == (0, f"{got(url, path).decode()}\n", ""), words


def test_a_list_is_the_items_of_the_service_one_per_line(logged_in: Run, my_client: Client, url: str) -> None:
    match = finished(my_client).match_id
    my_client.create_match("base", [me(), me()])
    for words, path in (
        (("turns",), "/v1/me/turns"),
        (("strategies",), "/v1/strategies"),
        (("cards", "harbor", "--lang", "cs"), "/v1/rulesets/harbor/cards?lang=cs"),
        (("matches", "--mine"), f"/v1/matches?player={my_client.me().account_id}"),
        (("log", match, "--lang", "uk"), f"/v1/matches/{match}/log?lang=uk"),
    ):
        code, out, err = logged_in(*words, "--json")
        assert (code, err) == (0, ""), words
        assert [json.loads(line) for line in out.splitlines()] == json.loads(got(url, path))["items"], words
        assert out != ""


def test_json_may_be_asked_for_before_the_command(logged_in: Run) -> None:
    assert logged_in("--json", "whoami") == logged_in("whoami", "--json")


def test_a_login_tells_who_came_in_and_no_token(machi_run: Run, handle: str) -> None:
    code, out, _ = machi_run("login", handle, "--json")
    assert (code, json.loads(out).keys(), json.loads(out)["handle"]) == (0, {"account_id", "handle"}, handle)


def test_what_is_played_with_json_is_a_stream_of_events_and_the_menus_are_messages(
    logged_in: Run, my_client: Client
) -> None:
    match = my_client.create_match("base", [me(), me()], first_seat=0)
    code, out, err = logged_in("play", match.match_id, "--json", typed="\n\nresign\ny\n")
    assert code == 0
    events = [event.raw.decode() for event in my_client.history(match.match_id)]
    assert out.splitlines() == events
    assert "Your choice" in err


def test_the_problem_of_the_service_is_the_error(logged_in: Run, url: str) -> None:
    code, out, err = logged_in("state", "mat_01M7WRCDMSTWH04BB37TCCPEC7", "--json")
    sent = json.loads(got(url, "/v1/matches/mat_01M7WRCDMSTWH04BB37TCCPEC7/state"))
    told = json.loads(err)
    assert (code, out) == (1, "")
    assert {**told, "request_id": ""} == {**sent, "request_id": ""}
    assert told["code"] == "match_not_found"


@pytest.mark.parametrize(
    ("words", "code", "problem_code"),
    [
        (("turns",), 1, "not_possible"),
        (("dance",), 2, "wrong_usage"),
        (("state",), 2, "wrong_usage"),
        (("puzzles", "--solution"), 2, "wrong_usage"),
        (("matches", "--limit", "0"), 2, "wrong_usage"),
        (("matches", "--url", f"http://127.0.0.1:{free_port()}"), 3, "unreachable"),
        (("ladder", "rate", "nothing.ndjson"), 3, "unusable_input"),
    ],
)
def test_an_error_of_the_command_is_a_problem_with_a_code_of_its_own(
    words: tuple[str, ...], code: int, problem_code: str, machi_run: Run
) -> None:
    ended, out, err = machi_run(*words, "--json")
    assert (ended, out) == (code, "")
    assert (told := json.loads(err)).keys() == {"type", "title", "detail", "code"}
    assert told["code"] == problem_code


def test_what_is_not_the_service_is_told_as_such(machi_run: Run) -> None:
    with serving(in_turn(answer(200, b"<html>", kind="text/html"))) as server:
        code, _, err = machi_run("strategies", "--url", server.url, "--json")
    assert (code, json.loads(err)["code"]) == (3, "unusable_answer")
    with serving(in_turn(answer(404, b"<html>", kind="text/html"))) as server:
        code, _, err = machi_run("strategies", "--url", server.url, "--json")
    assert (code, json.loads(err)["code"], json.loads(err)["status"]) == (1, "http_404", 404)


def test_notices_stand_before_the_error_as_text(machi_run: Run) -> None:
    away = problem(503, "store_unavailable", {"Retry-After": "0"})
    with serving(in_turn(away, problem(422, "odd"))) as server:
        code, _, err = machi_run("strategies", "--url", server.url, "--json")
    *notices, error = err.splitlines()
    assert (code, json.loads(error)["code"]) == (1, "odd")
    assert notices
    assert notices[0].endswith("retrying")


def test_accounts_that_are_allowed_are_listed(logged_in: Run, sign_up: Callable[[], Client]) -> None:
    assert logged_in("allow", "--json") == (0, "", "")
    assert logged_in("block", "--undo")[0] == 2
    other = sign_up().me()
    assert logged_in("allow", other.handle, "--json")[:2] == (0, "")
    code, out, _ = logged_in("allow", "--json")
    assert (code, json.loads(out)) == (0, {"account_id": other.account_id, "handle": other.handle})
    assert logged_in("allow") == (0, f"{other.handle}\n", "")
