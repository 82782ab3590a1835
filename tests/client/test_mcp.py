"""`machi mcp` with the real service and the SDK's client; people play against each other, without workers."""

import json
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

import machi.cli.mcp
from machi import Client, Pass, RollDice, me, open_seat
from tests.client.commands import PROCESS_DEADLINE_S, Run, machi_process
from tests.client.mcp_callers import Json, Open, Refusal, Tools, http_server, over_http, over_stdio, using
from tests.client.scripted import Asked, Cutter, open_until_end
from tests.service.served import Served

ROLL = {"type": "roll_dice", "seat": 0, "dice": 1}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "list_matches", "arguments": {}},
}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Account:
    """An account, its client, and its token."""

    def __init__(self, url: str, handle: str) -> None:
        self.client = Client(url)
        self.token = self.client.sign_up(handle).token


@pytest.fixture
def ada(url: str, handle: str) -> Iterator[Account]:
    account = Account(url, handle)
    yield account
    account.client.close()


@pytest.fixture
def bob(url: str, handle: str) -> Iterator[Account]:
    account = Account(url, f"{handle}-b")
    yield account
    account.client.close()


@pytest.fixture(scope="module")
def served(web: Served) -> Iterator[str]:
    """The address of a server over HTTP."""
    with http_server(f"http://127.0.0.1:{web.port}") as address:
        yield address


@pytest.fixture(params=["stdio", "http", "legacy http"])
def opened(request: pytest.FixtureRequest, url: str, served: str, ada: Account) -> Open:
    """Opens the tools for ada in each of the ways."""
    if request.param == "stdio":
        return over_stdio(url, ada.token)
    return over_http(served, ada.token, "legacy" if request.param == "legacy http" else "auto")


def refused(call: Callable[[Tools], Any]) -> Callable[[Tools], Any]:
    """The call, whose refusal is its result."""

    async def tried(tools: Tools) -> Refusal:
        with pytest.raises(Refusal) as found:
            await call(tools)
        return found.value

    return tried


def test_a_model_can_find_make_and_join_a_match(opened: Open, ada: Account) -> None:
    async def play(tools: Tools) -> list[Json]:
        offer = await tools.call("list_rulesets")
        assert {"base", "harbor", "machi_koro_2"} <= {one["id"] for one in offer["rulesets"]}
        assert {"random", "greedy"} <= offer["opponents"].keys()
        rules = await tools.call("get_rules", ruleset="base", language="uk")
        assert "- wheat_field = " in rules["text"]
        table = await tools.call("create_match", ruleset="base", opponents=["open"], private=True)
        assert (table["state"]["status"], table["your_seats"], table["is_your_turn"]) == ("open", [0], False)
        listed = await tools.call("list_matches", status="open")
        assert [one["match_id"] for one in listed["items"]] == [table["state"]["match_id"]]
        joined = await tools.call(
            "join_match", match_id=table["state"]["match_id"], code=table["invitation_code"]
        )
        assert joined["your_seats"] == [0, 1]
        return [table, await tools.call("wait", match_id=table["state"]["match_id"], version=1)]

    table, running = using(opened, play)
    assert (running["is_your_turn"], running["state"]["status"]) == (True, "running")
    assert running["legal_commands"] == [
        {"type": "roll_dice", "seat": running["state"]["active_seat"], "dice": 1}
    ]
    assert running["happened"][1].endswith("takes seat 1.")
    match = ada.client.match(table["state"]["match_id"])
    assert (match.visibility, match.version) == ("private", running["state"]["version"])


def started(ada: Account, bob: Account, **wishes: Any) -> str:
    """A match in which ada is to roll, and bob sits on the other seat."""
    match = ada.client.create_match("base", [me(), open_seat()], first_seat=0, **wishes)
    bob.client.join(match.match_id, code=match.invitation_code)
    return match.match_id


def test_a_repeated_call_moves_once(served: str, ada: Account, bob: Account) -> None:
    match_id = started(ada, bob)
    version = ada.client.state(match_id).version

    async def play(tools: Tools) -> list[Json]:
        call = {"match_id": match_id, "version": version}
        first = await tools.call("act", **call, command=ROLL)
        again = await tools.call("act", **call, command={"dice": 1, "seat": 0, "type": "roll_dice"})
        for other, command, code in (
            (version, {"type": "pass", "seat": 0}, "idempotency_key_reused"),
            (version - 1, {"type": "pass", "seat": 0}, "stale_version"),
        ):
            with pytest.raises(Refusal) as refusal:
                await tools.call("act", match_id=match_id, version=other, command=command)
            assert refusal.value.code == code
            assert "get_state" in refusal.value.said["advice"]
        return [first, again]

    first, again = using(over_http(served, ada.token), play)
    assert first == again
    rolls = [one for one in ada.client.history(match_id) if one.type == "dice_rolled"]
    assert len(rolls) == 1
    assert " rolls one die: " in first["happened"][0]


def test_wait_returns_when_the_turn_comes_and_tells_what_happened(
    served: str, ada: Account, bob: Account
) -> None:
    match_id = started(ada, bob)

    async def play(tools: Tools) -> list[Json]:
        known = ada.client.state(match_id).version
        at_once = await tools.call("wait", match_id=match_id, version=known, seconds=0)
        ada.client.command(match_id, RollDice(0, 1))
        ada.client.command(match_id, Pass(0))
        return [at_once, await tools.call("wait", match_id=match_id, version=known, seconds=25)]

    at_once, later = using(over_http(served, bob.token), play)
    assert (at_once["is_your_turn"], at_once["happened"], at_once["legal_commands"]) == (False, [], [])
    assert (later["is_your_turn"], later["legal_commands"][0]["seat"]) == (True, 1)
    assert any(" rolls " in one for one in later["happened"])


def test_the_match_ends_for_who_waits_when_the_other_seat_gives_up(
    served: str, ada: Account, bob: Account
) -> None:
    match_id = started(ada, bob)

    async def play(tools: Tools) -> Json:
        version = (await tools.call("get_state", match_id=match_id))["state"]["version"]
        resigned = {"type": "resign", "seat": 1}
        await tools.call("act", match_id=match_id, version=version, command=resigned)
        return await tools.call("wait", match_id=match_id, version=version)

    table = using(over_http(served, bob.token), play)
    assert (table["is_over"], table["state"]["winner"], table["your_seats"]) == (True, 0, [])

    async def read(tools: Tools) -> list[Json]:
        log = await tools.call("get_log", match_id=match_id, after=3, limit=2)
        return [log, await tools.call("get_review", match_id=match_id, seconds=0)]

    log, review = using(over_http(served, ada.token), read)
    assert [line.split()[0] for line in log["text"].splitlines()] == ["4", "5"]
    assert (review["status"], review["percent_done"]) == ("queued", 0)


def test_a_seat_that_is_reserved_is_found_and_taken(served: str, ada: Account, bob: Account) -> None:
    async def invite(tools: Tools) -> Json:
        who = f"@{bob.client.me().handle}"
        return await tools.call("create_match", ruleset="harbor", opponents=[who], seat=1)

    match_id = using(over_http(served, ada.token), invite)["state"]["match_id"]

    async def accept(tools: Tools) -> Json:
        (invitation,) = (await tools.call("list_matches"))["invitations"]
        assert invitation["match_id"] == match_id
        return await tools.call("join_match", match_id=match_id)

    table = using(over_http(served, bob.token), accept)
    assert (table["your_seats"], table["state"]["status"]) == ([0], "running")


@pytest.mark.parametrize(
    "call",
    [
        lambda tools, match: tools.call("get_state", match_id=match),
        lambda tools, match: tools.call("get_legal_commands", match_id=match),
        lambda tools, match: tools.call("get_log", match_id=match),
        lambda tools, match: tools.call("wait", match_id=match, version=1, seconds=0),
        lambda tools, match: tools.call("get_review", match_id=match),
        lambda tools, match: tools.call("join_match", match_id=match),
        lambda tools, match: tools.call("act", match_id=match, version=5, command=ROLL),
    ],
    ids=["state", "legal", "log", "wait", "review", "join", "act"],
)
def test_a_private_match_of_others_can_neither_be_seen_nor_played(
    served: str, ada: Account, bob: Account, sign_up: Callable[[], Client], call: Any
) -> None:
    match_id = started(ada, bob, visibility="private")
    version = ada.client.match(match_id).version
    stranger = sign_up().create_token("tool", ["play"]).token
    refusal = using(over_http(served, stranger), refused(lambda tools: call(tools, match_id)))
    assert refusal.code == "match_not_found"
    assert ada.client.match(match_id).version == version


def test_callers_of_one_server_act_for_their_own_seats_only(served: str, ada: Account, bob: Account) -> None:
    match_id = started(ada, bob)
    version = ada.client.state(match_id).version

    async def look(tools: Tools) -> Json:
        return await tools.call("get_state", match_id=match_id)

    async def play(of_ada: Tools) -> list[Json]:
        async with over_http(served, bob.token)() as client:
            of_bob = Tools(client)
            tables = [await look(of_ada), await look(of_bob)]
            with pytest.raises(Refusal) as refusal:
                await of_bob.call("act", match_id=match_id, version=version, command=ROLL)
            assert refusal.value.code == "not_your_seat"
            return [*tables, await of_ada.call("act", match_id=match_id, version=version, command=ROLL)]

    first, second, after = using(over_http(served, ada.token), play)
    assert (first["your_seats"], first["is_your_turn"]) == ([0], True)
    assert (second["your_seats"], second["is_your_turn"], second["legal_commands"]) == ([1], False, [])
    assert after["state"]["version"] > version


def test_a_token_that_may_not_do_something_is_told_so(served: str, ada: Account) -> None:
    token = ada.client.create_token("tool", ["play"]).token
    create = refused(lambda tools: tools.call("create_match", ruleset="base", opponents=["random"]))
    assert using(over_http(served, token), create).code == "scope_missing"


def posted(address: str, token: str | None, body: Any = CALL, **headers: str) -> httpx2.Response:
    given = {"Accept": "application/json, text/event-stream", **headers}
    if token is not None:
        given["Authorization"] = f"Bearer {token}"
    return httpx2.post(address, json=body, headers=given, timeout=60)


def test_a_request_over_http_needs_a_valid_token_each_time(served: str, ada: Account) -> None:
    token = ada.client.create_token("tool", ["play"])
    assert posted(served, token.token).status_code == 200
    for wrong in (None, "mk_wrong", "mk wrong", "%C3%A4"):
        answer = posted(served, wrong)
        assert (answer.status_code, "Bearer" in answer.headers["www-authenticate"]) == (401, True)
    ada.client.delete_token(token.token_id)
    assert posted(served, token.token).status_code == 401


def test_a_page_of_another_site_reaches_nothing(served: str, ada: Account) -> None:
    assert posted(served, ada.token, Host="evil.example").status_code == 421
    assert posted(served, ada.token, Host="evil.example:8765").status_code == 421
    assert posted(served, ada.token, Origin="http://evil.example").status_code == 403
    assert posted(served, ada.token, Origin="null").status_code == 403
    assert posted(served, ada.token, Origin="http://localhost:1234").status_code == 200


def test_the_server_listens_on_this_machine_only_and_limits_requests(served: str, ada: Account) -> None:
    assert served.startswith("http://127.0.0.1:")
    assert posted(served, ada.token, body={"x": "y" * 70_000}).status_code == 413
    others = {str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    port = int(served.rpartition(":")[2].partition("/")[0])
    for address in others - {"127.0.0.1"}:
        if not address.startswith("127."):
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((address, port), 10)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("create_match", {"ruleset": "chess", "opponents": ["random"]}, "validation_failed /ruleset"),
        ("create_match", {"ruleset": "base", "opponents": ["nobody"]}, "validation_failed /seats/1/strategy"),
        ("create_match", {"ruleset": "base", "opponents": []}, "validation_failed /seats"),
        ("create_match", {"ruleset": "base", "opponents": ["open"], "seat": 2}, "invalid_argument "),
        (
            "create_match",
            {"ruleset": "base", "opponents": ["open"], "options": {"x": 1}},
            "unknown_field /options/x",
        ),
        ("get_rules", {"ruleset": "../../me"}, "not_found "),
        ("get_state", {"match_id": "../me"}, "not_found "),
        ("get_state", {"match_id": "mat_" + "0" * 26}, "match_not_found "),
        ("act", {"match_id": "MATCH", "version": 5, "command": {}}, "validation_failed /type"),
        (
            "act",
            {"match_id": "MATCH", "version": 5, "command": {"type": "roll_dice", "dice": 2}},
            "two_dice_need_station /dice",
        ),
        ("act", {"match_id": "MATCH", "version": 5, "command": {"type": "pass"}}, "wrong_phase "),
        ("act", {"match_id": "é", "version": 5, "command": ROLL}, "invalid_argument "),
    ],
)
def test_a_refusal_has_code_title_and_pointers(
    served: str, ada: Account, bob: Account, name: str, arguments: Json, said: str
) -> None:
    match_id = started(ada, bob)
    given = {key: match_id if value == "MATCH" else value for key, value in arguments.items()}
    if "version" in given:
        given["version"] = ada.client.state(match_id).version
    refusal = using(over_http(served, ada.token), refused(lambda tools: tools.call(name, **given))).said
    pointers = ",".join(one["pointer"] for one in refusal.get("errors", []))
    assert f"{refusal['code']} {pointers}" == said
    assert {"title", "detail"} <= refusal.keys()


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("act", {"match_id": "mat_1", "version": "new", "command": ROLL}, "version"),
        ("act", {"match_id": "mat_1", "version": 5, "command": "roll"}, "command"),
        ("wait", {"match_id": "mat_1", "version": 1, "seconds": 3600}, "less than or equal to 25"),
        ("get_log", {"match_id": 5}, "match_id"),
        ("get_rules", {"ruleset": "base", "language": "de"}, "'en', 'uk', 'ru', 'cs' or 'it'"),
        ("get_state", {}, "Field required"),
        ("undo", {}, "Unknown tool"),
    ],
)
def test_wrong_arguments_are_named(served: str, ada: Account, name: str, arguments: Json, said: str) -> None:
    call = refused(lambda tools: tools.call(name, **arguments))
    assert said in str(using(over_http(served, ada.token), call))


def test_every_tool_says_what_it_does_takes_and_returns(served: str, ada: Account) -> None:
    async def look(tools: Tools) -> Any:
        return await tools.client.list_tools()

    found = {one.name: one for one in using(over_http(served, ada.token), look).tools}
    assert len(found) == 11
    for tool in found.values():
        assert tool.description
        assert tool.output_schema["type"] == "object"
        for name, given in tool.input_schema["properties"].items():
            assert given.get("description") or "enum" in given, (tool.name, name)
        assert "client" not in tool.input_schema["properties"]
    assert found["act"].annotations.idempotent_hint
    assert not found["act"].annotations.read_only_hint
    assert found["wait"].annotations.read_only_hint


def test_rules_are_a_resource_and_a_match_a_prompt(served: str, ada: Account) -> None:
    async def read(tools: Tools) -> tuple[Any, Any, Any]:
        rules = await tools.client.read_resource("machi://rulesets/harbor/rules")
        with pytest.raises(Exception, match="ruleset_not_found"):
            await tools.client.read_resource("machi://rulesets/chess/rules")
        prompt = await tools.client.get_prompt("play_match", {"ruleset": "harbor"})
        return rules, prompt, await tools.call("get_rules", ruleset="harbor")

    rules, prompt, same = using(over_http(served, ada.token), read)
    assert rules.contents[0].text == same["text"]
    assert "match of harbor against greedy" in prompt.messages[0].content.text


def test_a_command_whose_answer_is_lost_is_carried_out_once(web: Served, ada: Account, bob: Account) -> None:
    """First between the server and the service, where the server repeats it; then before the server."""
    match_id = started(ada, bob)
    version = ada.client.state(match_id).version
    cuts = iter([0, 40])

    def length(asked: Asked) -> int | None:
        return next(cuts, None) if asked.method == "POST" else None

    async def play(tools: Tools) -> Json:
        return await tools.call("act", match_id=match_id, version=version, command=ROLL)

    with open_until_end(Cutter(web.port, length)) as cutter, http_server(cutter.url) as address:
        table = using(over_http(address, ada.token), play)
        assert len([one for one in cutter.asked if one.method == "POST"]) == 3
        call = {"name": "act", "arguments": {"match_id": match_id, "version": version, "command": ROLL}}
        port = int(address.rpartition(":")[2].partition("/")[0])
        with open_until_end(Cutter(port, lambda asked: 0)) as before, pytest.raises(httpx2.HTTPError):
            posted(f"{before.url}/mcp", ada.token, {**CALL, "params": call})
        assert using(over_http(address, ada.token), play)["state"] == table["state"]
    assert ada.client.state(match_id).version == table["state"]["version"]


class Holder(Cutter):
    """Stands before the service, and never answers a poll for events."""

    def __init__(self, port: int) -> None:
        self.polled = threading.Event()
        super().__init__(port, lambda asked: None)

    def serve(self, connection: socket.socket, asked: Asked) -> None:
        if "/events" not in asked.target:
            super().serve(connection, asked)
            return
        self.polled.set()
        connection.recv(1)  # until the other side leaves


@pytest.mark.long
def test_a_process_ends_with_its_caller_while_a_call_waits(web: Served, ada: Account, bob: Account) -> None:
    match_id = started(ada, bob)
    wait = {"name": "wait", "arguments": {"match_id": match_id, "version": 1, "seconds": 25}}
    with (
        open_until_end(Holder(web.port)) as holder,
        machi_process("mcp", "--url", holder.url, "--token", bob.token, stdin=subprocess.PIPE) as process,
    ):
        assert process.stdin is not None
        for line in (INITIALIZE, INITIALIZED, {**CALL, "params": wait}):
            process.stdin.write(json.dumps(line) + "\n")
            process.stdin.flush()
        assert holder.polled.wait(PROCESS_DEADLINE_S)
        process.stdin.close()
        assert process.wait(PROCESS_DEADLINE_S) == 0
        assert process.stderr is not None
        assert process.stderr.read() == "", "the process has waited until its poll failed, and said so"


def test_an_unreachable_service_is_an_error_of_the_tool(web: Served, ada: Account) -> None:
    with open_until_end(Cutter(web.port, lambda asked: None)) as between:

        async def play(tools: Tools) -> Refusal:
            between.close()
            with pytest.raises(Refusal) as refusal:
                await tools.call("list_rulesets")
            return refusal.value

        assert using(over_stdio(between.url, ada.token), play).code == "unreachable"


def test_the_command_says_what_is_missing(
    machi_run: Run, logged_in: Run, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert machi_run("mcp", "--token", "mk_wrong")[0] == 1
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, _, err = machi_run("mcp", "--http", "--port", port)
    assert (code, f"cannot listen on port {port}" in err) == (2, True)
    monkeypatch.setattr(machi.cli.mcp, "find_spec", lambda name: None)
    code, _, err = machi_run("mcp")
    assert (code, 'pip install "./client[mcp]"' in err) == (3, True)


def test_without_an_account_the_command_ends(machi_run: Run) -> None:
    code, _, err = machi_run("mcp")
    assert (code, "you are not logged in" in err) == (1, True)
