"""Language models against the whole service: what docs/language-models.md shows works as it shows it."""

import json
import random
import re
from pathlib import Path

import msgspec
import pytest

from machi import Client
from machi.cli import run
from machi.language_models import Decision
from ops.run import ROOT
from tests.client.commands import Run, machi_process
from tests.client.mcp_callers import Json, Tools, http_server, over_http, over_stdio, using
from tests.client.scripted import Asked, Move, Script, answer, serving, silence
from tests.e2e.stack import Stack
from tests.e2e.test_bot import blocks, printed
from tests.marks import long_unless

DOCUMENT = "language-models.md"
NUMBER = re.compile(r"^(\d+)\. ", re.MULTILINE)


def commands(*, after: str) -> list[list[str]]:
    """The words of the commands in the first block of a terminal after a heading of the document."""
    text = (ROOT / "docs" / DOCUMENT).read_text().partition(after)[2]
    found = re.search(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    lines = found[1].splitlines()
    return [re.findall(r"'[^']*'|\"[^\"]*\"|\S+", line.removeprefix("$ ")) for line in lines]


def unquoted(words: list[str], **instead: str) -> list[str]:
    """The words that the shell would pass on, with others in place of some."""
    plain = [word.strip("'\"") for word in words]
    return [instead.get(word, word) for word in plain]


@pytest.fixture(scope="module")
def url(shared_stack: Stack) -> str:
    return f"http://127.0.0.1:{shared_stack.port}"


@pytest.fixture
def handle() -> str:
    return f"llm-{random.randrange(16**8):08x}"


@pytest.fixture
def token(url: str, handle: str, shared_stack: Stack) -> str:
    with Client(url) as client:
        found = client.sign_up(handle).token
    shared_stack.tokens.append(found)
    return found


@pytest.fixture
def machi_run(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs the command line in a folder of its own, and in that of its settings which is named."""
    monkeypatch.setenv("MACHI_URL", url)
    monkeypatch.chdir(tmp_path)

    def run_as(who: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / who))
        code = run(words)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_as


def last_move(asked: Asked) -> str:
    """The answer of a model that takes the last legal move."""
    prompt = json.loads(asked.body)["messages"][0]["content"]
    return f'The last one. {{"move": {NUMBER.findall(prompt)[-1]}}}'


def says(text: str) -> Move:
    usage = {"prompt_tokens": 900, "completion_tokens": 7, "total_tokens": 907}
    return answer(200, {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage})


def in_bad_shape() -> Script:
    """A model that first fails in all ways there are, and then takes the last legal move."""
    bad: list[Move] = [
        answer(429, {"error": {"message": "slow down"}}, {"Retry-After": "0"}),
        says("Let me think about it..."),
        says('{"move": 999}'),
        silence(),
        answer(200, b"\xff\xfe not JSON"),
        answer(500, {"error": {"message": "overloaded"}}),
        says(""),
    ]
    return lambda asked: bad.pop(0) if bad else says(last_move(asked))


async def played(tools: Tools) -> tuple[Json, list[str]]:
    """A whole match against a built-in player, building wherever possible: its end, and what was told."""
    await tools.call("get_rules", ruleset="base")
    table = await tools.call("create_match", ruleset="base", opponents=["greedy"])
    told = list(table["happened"])
    while not table["is_over"]:
        known = {"match_id": table["state"]["match_id"], "version": table["state"]["version"]}
        if table["is_your_turn"]:
            table = await tools.call("act", **known, command=table["legal_commands"][-1])
        else:
            table = await tools.call("wait", **known)
        told += table["happened"]
    return table, told


@pytest.mark.parametrize("way", long_unless(["stdio"], ["stdio", "http"]))
def test_a_whole_match_is_played_with_the_tools(url: str, handle: str, token: str, way: str) -> None:
    if way == "stdio":
        table, told = using(over_stdio(url, token), played)
    else:
        with http_server(url) as address:
            table, told = using(over_http(address, token), played)
    with Client(url) as client:
        match = client.match(table["state"]["match_id"])
        assert [line.text for line in client.log(match.match_id)] == told
    assert match.result is not None
    assert (match.status, match.result.reason) == ("finished", "landmarks")
    assert (match.winner, match.seats[0].name) == (table["state"]["winner"], handle)


@pytest.mark.long
def test_a_model_that_fails_in_every_way_plays_a_legal_match(
    url: str, token: str, machi_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_KEY", "sk-hidden")
    with serving(in_bad_shape()) as model:
        words = (
            "--endpoint",
            f"{model.url}/v1",
            "--model",
            "tiny",
            "--key-env",
            "LLM_KEY",
            "--timeout",
            "10",
        )
        code, out, err = machi_run(
            "me", "llm", *words, "--records", "all.ndjson", "--against", "random", "--token", token
        )
    assert (code, err) == (0, "")
    lines = (tmp_path / "all.ndjson").read_bytes().splitlines()
    records = [msgspec.json.decode(line, type=Decision) for line in lines]
    problems = [one.problem for record in records for one in record.tries if one.problem]
    assert problems == [
        "Your answer named no move.",
        "There is no move '999'.",
        "no answer in time",
        "the answer is no chat completion",
        "the endpoint answered 500",
        "the answer has no text",
    ]
    assert [record.is_fallback for record in records[:3]] == [True, True, False]
    match_id, winner = re.match(r"(mat_\w+): (\S+) won after", out).groups()  # type: ignore[union-attr]
    with Client(url) as client:
        match = client.match(match_id)
        mine = [one for one in client.history(match_id) if one.actor == "seat:0"]
    assert (match.status, match.seats[match.winner or 0].name) == ("finished", winner)
    versions = {one.sequence for one in mine}
    assert all(record.version + 1 in versions for record in records)
    requests = sum(len(record.tries) for record in records)
    assert f"{len(records)} decisions, 2 of them fallbacks; {requests} requests, " in out
    assert len(model.asked) == requests + 1  # the one that was told to slow down was sent again
    assert {asked.headers["authorization"] for asked in model.asked} == {"Bearer sk-hidden"}
    assert "sk-hidden" not in out + (tmp_path / "all.ndjson").read_text()


def test_an_endpoint_that_refuses_ends_the_command_and_the_match_can_be_continued(
    token: str, machi_run: Run
) -> None:
    wrong = answer(401, {"error": {"message": "Incorrect API key"}})
    with serving(lambda asked: wrong) as model:
        words = ("llm", "--endpoint", model.url, "--model", "tiny", "--token", token)
        code, out, err = machi_run("me", *words)
        _, lines, _ = machi_run("me", *words, "--json")
    assert (code, "refused the request" in err, "401" in err) == (1, True, True)
    assert "0 decisions" in out
    assert msgspec.json.decode(lines.splitlines()[-1])["decisions"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--endpoint", "localhost:1"], "begins with http://"),
        (["--endpoint", "http://x", "--key-env", "NO_SUCH_KEY"], "NO_SUCH_KEY is not set"),
        (["--endpoint", "http://x", "--key-file", "missing"], "cannot read missing"),
        (["--endpoint", "http://x", "--key-file", "a", "--key-env", "PATH"], "exclude each other"),
        (["--endpoint", "http://x", "--records", "no/such/folder"], "cannot write no/such/folder"),
        (["--endpoint", "http://x", "--against", "nobody"], "must be one of"),
    ],
)
def test_wrong_options_are_refused_in_a_line(token: str, machi_run: Run, words: list[str], said: str) -> None:
    code, _, err = machi_run("me", "llm", "--model", "tiny", "--token", token, *words)
    assert code in (1, 2, 3)
    assert said in err
    assert "Traceback" not in err


@pytest.mark.long
def test_the_loop_of_a_player_works_as_it_is_told(
    url: str, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MACHI_URL", url)
    monkeypatch.setenv("MACHI_TOKEN", token)
    code = blocks(DOCUMENT)[0].replace('"MACHI_TOKEN")', '"MACHI_TOKEN", "PYTHONPATH")')
    (line,) = printed(tmp_path / "loop.py", code, [])
    assert re.fullmatch(r"seat [01] has won", line)


@pytest.mark.long
def test_any_function_can_be_a_model_as_it_is_told(url: str, tmp_path: Path) -> None:
    *chosen, line = printed(tmp_path / "model.py", blocks(DOCUMENT)[1], [url])
    assert re.fullmatch(r"seat [01] has won", line)
    assert any("'build'" in one for one in chosen)


@pytest.mark.long
def test_the_command_of_the_document_plays(token: str, machi_run: Run, tmp_path: Path) -> None:
    ((_, *words),) = commands(after="## A language model as a bot")
    with serving(lambda asked: says(last_move(asked))) as model:
        given = unquoted(words, **{"http://127.0.0.1:11434/v1": model.url})
        code, out, _ = machi_run("me", *given, "--token", token)
    assert (code, "of 1 matches" in out) == (0, True)
    assert (tmp_path / "decisions.ndjson").exists()


@pytest.mark.long
def test_the_ladder_of_models_is_rated_as_it_is_told(
    machi_run: Run, tmp_path: Path, handle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With three blocks instead of thirty, and names that nobody has yet."""
    login, create, enter = commands(after="### A ladder of models")
    _, sign_up, join, play = commands(after="For each model, log in")
    start, show = commands(after="Then, as `ladder-host`")
    names = {"operator": f"{handle}-o", "small": f"{handle}-s"}
    assert machi_run("operator", *unquoted(login[1:], **names))[0] == 0
    ladder = {"LADDER": machi_run("operator", *unquoted(create[1:]))[1].strip()}
    assert machi_run("operator", *unquoted(enter[1:], **ladder))[0] == 0
    assert machi_run("small", *unquoted(sign_up[1:], **names))[0] == 0
    assert machi_run("small", *unquoted(join[1:], **ladder))[0] == 0
    with serving(lambda asked: says(last_move(asked))) as model:
        words = unquoted(play[1:], **{"http://127.0.0.1:11434/v1": model.url})
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "small"))
        with machi_process(*words):
            assert machi_run("operator", *unquoted(start[1:], **ladder, **{"30": "3"}))[0] == 0
    code, out, _ = machi_run("operator", *unquoted(show[1:], **ladder))
    assert code == 0
    assert all(name in out for name in (names["small"], "greedy", "random"))
    records = (tmp_path / "small.ndjson").read_bytes().splitlines()
    assert {msgspec.json.decode(line, type=Decision).model for line in records} == {"small"}
