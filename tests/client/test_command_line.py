"""The command `machi`, against the real service: what it prints, keeps and returns."""

import gzip
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from machi import Client, Match, Resign, me, open_seat
from machi.cli import run
from machi.cli.config import config_path, read_config
from machi.cli.matches import LANGUAGES
from machi.cli.translations import TRANSLATIONS
from machi.errors import ConnectionFailed
from ops.redis_conf import free_port
from ops.run import ROOT
from tests.client.scripted import Move, answer, cut, in_turn, problem, serving
from tests.client.test_translations import lines_of

Run = Callable[..., tuple[int, str, str]]

PROCESS_DEADLINE_S = 60.0

_numbers = count()


@pytest.fixture
def handle() -> str:
    return f"cli-{os.getpid()}-{next(_numbers)}"


@pytest.fixture
def machi_run(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs the command line with a config of its own; the exit code, what it printed, and the errors."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MACHI_URL", url)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("MACHI_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)

    def run_with(*words: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = run(words)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_with


@pytest.fixture
def logged_in(machi_run: Run, handle: str) -> Run:
    assert machi_run("login", handle)[0] == 0
    return machi_run


@pytest.fixture
def my_client(logged_in: Run, url: str) -> Iterator[Client]:
    """A client for the account that is logged in."""
    with Client(url, read_config(config_path()).services[url].token) as client:
        yield client


def finished(client: Client, tags: Sequence[str] = ()) -> Match:
    """A match of two seats of one account, given up at once."""
    match = client.create_match("base", [me(), me()], first_seat=0, tags=tags)
    client.command(match.match_id, Resign(0))
    return client.match(match.match_id)


# Accounts


def test_a_login_makes_an_account_and_keeps_its_token(machi_run: Run, handle: str, url: str) -> None:
    assert machi_run("login", handle) == (0, f"You are {handle} at {url}.\n", "")
    assert config_path().stat().st_mode & 0o777 == 0o600
    code, out, _ = machi_run("whoami")
    assert (code, out.splitlines()[0]) == (0, f"You are {handle} at {url}.")
    shown = json.loads(machi_run("whoami", "--json")[1])
    assert (shown["handle"], shown["url"]) == (handle, url)
    assert "mk_" not in str(shown)


def test_later_commands_go_to_the_service_of_the_last_login(
    logged_in: Run, handle: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MACHI_URL")
    assert logged_in("whoami")[1].splitlines()[0] == f"You are {handle} at {url}."


def test_a_second_login_at_one_service_is_refused(logged_in: Run, handle: str) -> None:
    code, out, err = logged_in("login", "other")
    assert (code, out) == (1, "")
    assert err.startswith(f"error: already logged in as {handle} at ")


def test_a_token_that_exists_can_be_kept(machi_run: Run, machi: Client, url: str) -> None:
    token = machi.create_token("cli", ["play"]).token
    code, out, _ = machi_run("--token", token, "login")
    assert (code, out) == (0, f"You are {machi.me().handle} at {url}.\n")
    assert machi_run("whoami")[0] == 0


def test_a_token_that_is_not_known_is_not_kept(machi_run: Run) -> None:
    code, out, err = machi_run("login", "--token", "mk_wrong")
    assert (code, out) == (1, "")
    assert re.fullmatch(r"error: .* \(token_invalid, request [0-9a-f]+\)\n", err)
    assert not config_path().exists()


def test_a_logout_ends_the_token_and_forgets_it(logged_in: Run, my_client: Client) -> None:
    assert logged_in("logout", "--yes")[0] == 0
    code, _, err = logged_in("whoami")
    assert (code, err[:31]) == (1, "error: you are not logged in at")
    assert read_config(config_path()).services == {}
    code, _, err = logged_in("logout", "--yes")
    assert (code, err) == (1, f"error: you are not logged in at {my_client.base_url}\n")


def test_a_logout_that_nobody_can_be_asked_about_does_nothing(logged_in: Run) -> None:
    code, _, err = logged_in("logout")
    assert (code, err) == (2, "error: cannot ask for confirmation without a terminal; confirm with --yes\n")
    assert logged_in("whoami")[0] == 0


ACCOUNT = {"account_id": "acc_1", "handle": "ada", "token": "mk_secret"}
TOKEN = {
    "token_id": "tok_1",
    "name": "first",
    "scopes": ["admin"],
    "created_at": "2026-11-20T15:14:45.069Z",
    "expires_at": "2027-11-20T15:14:45.069Z",
}
ME = {**ACCOUNT, "created_at": "2026-11-20T15:14:45.069Z", "seating": "allowed", "token": TOKEN}
TOO_LATE = problem(503, "store_unavailable", {"Retry-After": "3600"})


def test_a_login_without_an_answer_is_taken_up_again_under_its_key(machi_run: Run) -> None:
    with serving(in_turn(cut(), TOO_LATE, TOO_LATE, answer(201, ACCOUNT))) as server:
        here = ("--url", server.url)
        assert machi_run("login", "ada", *here)[0] == 3
        (pending,) = read_config(config_path()).pending
        assert config_path().stat().st_mode & 0o777 == 0o600
        assert machi_run("login", "bob", *here)[0] == 3
        assert machi_run("login", "ada", *here)[:2] == (0, f"You are ada at {server.url}.\n")
    keys = [asked.headers["idempotency-key"] for asked in server.asked]
    assert keys[0] == keys[1] == keys[3] == pending.key != keys[2]
    kept = read_config(config_path())
    assert kept.services[server.url].token == "mk_secret"
    assert [one.handle for one in kept.pending] == ["bob"]


@pytest.mark.parametrize(("moves", "is_kept"), [([], False), ([cut()], True)], ids=["at once", "after a cut"])
def test_a_refused_login_is_forgotten_unless_an_answer_was_lost(
    moves: list[Move], is_kept: bool, machi_run: Run
) -> None:
    with serving(in_turn(*moves, problem(409, "handle_taken"))) as server:
        assert machi_run("login", "ada", "--url", server.url)[0] == 1
    assert bool(read_config(config_path()).pending) == is_kept


@pytest.mark.parametrize("last", [problem(401, "token_invalid"), problem(404, "not_found")])
def test_a_logout_whose_answer_was_lost_is_done(last: Move, machi_run: Run) -> None:
    with serving(in_turn(answer(201, ACCOUNT), answer(200, ME), cut(), last)) as server:
        assert machi_run("login", "ada", "--url", server.url)[0] == 0
        code, out, err = machi_run("logout", "--yes", "--url", server.url)
    assert (code, out) == (0, f"Logged out of {server.url}.\n")
    assert "did not let the token end" not in err
    assert read_config(config_path()).services == {}


# Lists


def test_matches_are_listed_as_a_table_and_as_lines(logged_in: Run, my_client: Client) -> None:
    made = [finished(my_client).match_id for _ in range(3)]
    code, out, _ = logged_in("matches", "--mine")
    assert code == 0
    assert re.findall(r"mat_\w+", out) == made[::-1]
    assert max(map(len, out.splitlines())) <= 80
    lines = logged_in("matches", "--mine", "--json", "--limit", "2")[1].splitlines()
    assert [json.loads(line)["match_id"] for line in lines] == made[:0:-1]
    assert logged_in("matches", "--mine", "--status", "running") == (0, "No matches found.\n", "")


def test_a_list_for_programs_is_empty_where_there_is_nothing(logged_in: Run) -> None:
    assert logged_in("matches", "--mine", "--json") == (0, "", "")


# Watching and exporting


def test_a_match_is_watched_to_its_end(logged_in: Run, my_client: Client) -> None:
    match = finished(my_client)
    code, out, err = logged_in("watch", match.match_id)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == match.version + 1
    assert [int(line.split()[0]) for line in lines[:-1]] == list(range(1, match.version + 1))
    assert lines[-1].startswith(f"{match.seats[1].name} 1 has won (resignation)")


def test_events_are_watched_from_a_number_on_as_they_came(logged_in: Run, my_client: Client) -> None:
    match = finished(my_client)
    lines = logged_in("watch", match.match_id, "--from", "3", "--json")[1].splitlines()
    assert [line.encode() for line in lines] == [event.raw for event in my_client.history(match.match_id, 2)]


def test_a_match_is_told_in_the_language_asked_for(logged_in: Run, my_client: Client) -> None:
    match = finished(my_client)
    code, out, err = logged_in("log", match.match_id, "--lang", "it", "--from", "4")
    assert (code, err) == (0, "")
    numbers, texts = zip(*[(int(line[:5]), line[15:]) for line in out.splitlines()], strict=True)
    assert numbers == tuple(range(4, match.version + 1))
    assert (
        texts[-2] == f"{match.seats[1].name} (posto 1) vince: tutti gli avversari hanno lasciato la partita."
    )


def test_a_language_that_nobody_speaks_is_wrong_use(logged_in: Run, my_client: Client) -> None:
    match = finished(my_client)
    for command in ("log", "watch", "play"):
        assert logged_in(command, match.match_id, "--lang", "de")[0] == 2


def test_no_match_is_made_for_who_wants_another_language(logged_in: Run, my_client: Client) -> None:
    code, _, err = logged_in("play", "--lang", "de")
    assert (code, "'de' is not one of 'en', 'uk', 'ru', 'cs', 'it'" in err) == (2, True)
    assert not list(my_client.matches(player=my_client.me().account_id))


def test_a_match_that_was_made_is_named_where_something_goes_wrong(
    logged_in: Run, my_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise ConnectionFailed("nobody answers")

    monkeypatch.setattr(Client, "cards", away)
    code, _, err = logged_in("play")
    (match,) = my_client.matches(player=my_client.me().account_id)
    assert code == 3
    assert f"The match {match.match_id} is kept. To come back, run: machi play {match.match_id}\n" in err


@pytest.mark.parametrize("lang", [lang for lang in LANGUAGES if lang != "en"])
def test_a_match_is_played_and_watched_in_one_language(lang: str, logged_in: Run, my_client: Client) -> None:
    """No word of the English tables is left: neither in menus, prompts and headings nor in sentences."""
    match = my_client.create_match("base", [me(), me()], first_seat=0)
    translation, english = TRANSLATIONS[lang], TRANSLATIONS["en"]
    typed = f"\n?\n? xyz\n1\n\ntable\n99\nresign\n{translation.yes[0]}\n"
    code, out, err = logged_in("play", match.match_id, "--lang", lang, typed=typed)
    assert (code, err) == (0, "")
    assert "…" not in out
    for said in (
        translation.card,
        translation.colour,
        translation.price,
        translation.help.splitlines()[1].strip(),
    ):
        assert said in out
    assert translation.reasons["resignation"] in out.splitlines()[-1]
    sentences = [line.text for line in my_client.log(match.match_id, lang=lang) if line.type == "dice_rolled"]
    assert all(sentence[1:] in out for sentence in sentences)
    watched = logged_in("watch", match.match_id, "--lang", lang)[1].splitlines()
    assert [line[15:] for line in watched[:-1]] == [
        line.text for line in my_client.log(match.match_id, lang=lang)
    ]
    words = set(re.findall(r"[A-Za-z]{4,}", out + watched[-1]))
    ours = {word for line in lines_of(english) for word in re.findall(r"[A-Za-z]{4,}", line)}
    kept = {word for line in lines_of(translation) for word in re.findall(r"[A-Za-z]{4,}", line)}
    assert words & (ours - kept - {"machi", "base", match.seats[0].name or ""}) == set()


def test_a_match_is_exported_and_can_be_verified(logged_in: Run, my_client: Client, tmp_path: Path) -> None:
    match = finished(my_client)
    code, out, err = logged_in("export", match.match_id)
    name = f"{match.match_id}.ndjson"
    assert (code, out, err) == (0, "", f"{name}: 1 match, {match.version} events\n")
    lines = [json.loads(line) for line in (tmp_path / name).read_bytes().splitlines()]
    events = [json.loads(event.raw) for event in my_client.history(match.match_id)]
    assert [line["event"] for line in lines if line["kind"] == "event"] == events
    assert sorted(os.listdir(tmp_path)) == ["config", name]
    _, out, _ = logged_in("verify", name, "--verbose")
    assert {"  chain passed", "  decisions passed", "  dice passed"} <= set(out.splitlines())


def test_a_match_that_goes_on_is_exported_as_far_as_it_is(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()])
    _, _, err = logged_in("export", match.match_id, "-o", "so far")
    assert err == f"so far: 1 match, {match.version} events; the match is still running\n"


def test_matches_with_a_tag_are_exported_to_one_file_that_may_be_packed(
    logged_in: Run, my_client: Client, handle: str
) -> None:
    chosen = [finished(my_client, tags=[handle]).match_id for _ in range(3)]
    finished(my_client)
    my_client.create_match("base", [me(), me()], tags=[handle])
    code, _, err = logged_in("export", "--tag", handle, "-o", "cup.ndjson.gz")
    assert (code, err[:26]) == (0, "cup.ndjson.gz: 3 matches, ")
    lines = gzip.decompress(Path("cup.ndjson.gz").read_bytes()).splitlines()
    manifests = [json.loads(line) for line in lines if b'"kind":"manifest"' in line]
    assert [one["match_id"] for one in manifests] == chosen
    assert logged_in("export", "--all", "-o", "-")[1].count('"kind":"manifest"') >= 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name matches, or use --all or --tag"),
        (("mat_1", "--all"), "name matches, or use --all or --tag"),
        (("--all",), "-o is required for more than one match"),
        (("mat_1", "mat_2"), "-o is required for more than one match"),
    ],
)
def test_it_is_said_what_to_export_and_where(words: tuple[str, ...], message: str, machi_run: Run) -> None:
    assert machi_run("export", *words) == (2, "", f"error: {message}\n")


def test_a_file_is_overwritten_only_by_force(logged_in: Run, my_client: Client, tmp_path: Path) -> None:
    match = finished(my_client)
    file = tmp_path / "mine"
    file.write_text("dear")
    code, _, err = logged_in("export", match.match_id, "-o", "mine")
    assert (code, err) == (2, "error: mine already exists; --force overwrites it\n")
    assert file.read_text() == "dear"
    assert logged_in("export", match.match_id, "-o", "mine", "--force")[0] == 0
    assert len(file.read_text().splitlines()) > match.version


def test_a_match_that_is_not_there_leaves_no_file(logged_in: Run, tmp_path: Path) -> None:
    code, _, err = logged_in("export", "mat_00000000000000000000000000")
    assert code == 1
    assert "(match_not_found, request " in err
    assert os.listdir(tmp_path) == ["config"]


def test_a_place_that_cannot_be_written_is_told(logged_in: Run, my_client: Client) -> None:
    match = finished(my_client)
    code, _, err = logged_in("export", match.match_id, "-o", "none/file")
    assert (code, err) == (1, "error: cannot write none/file: No such file or directory\n")


# Playing


def test_a_match_is_played_with_choices_from_a_pipe(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()], first_seat=0)
    script = "\n? mine\nbake\n\ntable\n99\nresign\nn\nbakery\nresign\ny\n"
    code, out, err = logged_in("play", match.match_id, typed=script)
    assert (code, err) == (0, "")
    assert "Mine (9): " in out
    assert "'99' is not on the menu; ? shows help" in out
    types = [event.type for event in my_client.history(match.match_id)]
    assert types.count("dice_rolled") == 2
    assert types.count("establishment_built") == 2
    assert out.splitlines()[-1].endswith(f"has won (resignation), after 3 turns and {len(types)} events.")
    told = {line.text for line in my_client.log(match.match_id)}
    assert all(len(line) <= 80 for line in out.splitlines() if line.strip() not in told)


def test_who_leaves_can_come_back(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()], first_seat=0)
    code, out, _ = logged_in("play", match.match_id, typed="1\nq\n")
    assert code == 0
    assert out.endswith(f"You have left; the match is kept. To come back, run: machi play {match.match_id}\n")
    code, out, _ = logged_in("play", match.match_id, typed="")
    assert "throws one die: " in out
    assert "The dice show " in out
    assert my_client.state(match.match_id).phase == "build"


def test_a_match_plays_itself_to_the_end(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("machi_koro_2", [me(), me()])
    code, out, _ = logged_in("play", match.match_id, "--auto")
    assert code == 0
    assert "has won (landmarks)" in out.splitlines()[-1]
    assert my_client.match(match.match_id).status == "finished"


def test_who_plays_gives_the_seeds_of_the_own_seats(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()], seat_seeds=True)
    assert match.status == "open"
    code, out, _ = logged_in("play", match.match_id, "--auto")
    assert code == 0
    assert "commits to a seed for the dice" in out
    seeds = my_client.match(match.match_id).seat_seeds
    assert seeds is not None
    assert [seat.status for seat in seeds.seats] == ["opened", "opened"]


def test_a_new_match_can_ask_every_account_for_a_seed(logged_in: Run, my_client: Client, handle: str) -> None:
    with machi_process("play", "--against", "open", "--seat-seeds") as player:
        assert player.stdout
        player.stdout.readline()
    (listed,) = my_client.matches(player=handle)
    seeds = my_client.match(listed.match_id).seat_seeds
    assert seeds is not None
    assert (seeds.within_ms, seeds.step) == (60_000, None)


def test_others_can_join(logged_in: Run, my_client: Client, machi: Client, handle: str) -> None:
    match = machi.create_match("base", [me(), open_seat()], first_seat=1)
    code, out, _ = logged_in("play", match.match_id)
    assert code == 1
    code, out, _ = logged_in("play", "--join", match.match_id, typed="resign\ny\n")
    assert code == 0
    assert f"{handle} takes seat 1" in out
    assert machi.match(match.match_id).winner == 0


@pytest.mark.parametrize(
    ("words", "seats"),
    [
        (("--against", "greedy,random", "--seat", "1"), ["greedy", "me", "random"]),
        (("--against", "greedy, open"), ["me", "greedy", None]),
    ],
)
def test_a_new_match_has_the_seats_that_were_wished(
    words: tuple[str, ...], seats: list[str | None], logged_in: Run, my_client: Client, handle: str
) -> None:
    options = ("--ruleset", "harbor", "--market", "limited", "--max-copies", "2", "--clock", "60")
    with machi_process("play", *options, *words) as player:
        assert player.stdout
        output = player.stdout.readline()
    (listed,) = my_client.matches(player=handle)
    match = my_client.match(listed.match_id)
    assert [seat.name for seat in match.seats] == [handle if name == "me" else name for name in seats]
    assert (match.ruleset, match.options.market, match.options.max_copies) == ("harbor", "limited", 2)
    assert match.clock is not None
    assert match.clock.decision_ms == 60_000
    assert output.startswith(f"harbor, match {match.match_id}")


# What is started with `&` ignores SIGINT, and so do its children: the tests may have been started so.
INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from machi.cli import main; main()"
)


@contextmanager
def machi_process(*words: str) -> Iterator[subprocess.Popen[str]]:
    """`machi` in a process that Ctrl-C reaches; it is killed in the end, and when its time is up."""
    pipe, none = subprocess.PIPE, subprocess.DEVNULL
    argv = [sys.executable, "-c", INTERRUPTIBLE, *words]
    with subprocess.Popen(argv, env=_environ(), stdin=none, stdout=pipe, stderr=pipe, text=True) as process:
        timer = threading.Timer(PROCESS_DEADLINE_S, process.kill)
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()
            process.kill()


def _environ() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seat", "2"), "with --against greedy, --seat is 0 to 1"),
        (("--join",), "--join needs a MATCH_ID"),
        (("mat_1", "--market", "open"), "--market applies only to new matches"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(words: tuple[str, ...], message: str, logged_in: Run) -> None:
    assert logged_in("play", *words) == (2, "", f"error: {message}\n")


def test_without_an_account_there_is_no_play(machi_run: Run, url: str) -> None:
    assert machi_run("play") == (
        1,
        "",
        f"error: you are not logged in at {url}; `machi login HANDLE` creates an account\n",
    )


# How it ends


def test_what_the_service_refuses_is_told_in_one_line_with_its_code(logged_in: Run) -> None:
    code, out, err = logged_in("play", "--against", "dragon")
    assert (code, out) == (1, "")
    assert re.fullmatch(
        r"error: /seats/1/strategy: must be one of: .* \(validation_failed, request [0-9a-f]+\)\n", err
    )


def test_a_service_that_cannot_be_reached_ends_with_3(machi_run: Run) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    code, out, err = machi_run("matches", "--url", url)
    assert (code, out) == (3, "")
    assert re.fullmatch(rf"error: no response from {url}: .*refused\n", err)


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_service_that_is_not_able_to_answer_ends_with_3(status: int, machi_run: Run) -> None:
    with serving(in_turn(problem(status, "too_busy", {"Retry-After": "3600"}))) as server:
        assert machi_run("matches", "--url", server.url)[0] == 3


def test_what_is_not_the_service_ends_with_3(machi_run: Run) -> None:
    with serving(in_turn(answer(200, b"<html>", kind="text/html"))) as server:
        assert machi_run("matches", "--url", server.url)[0] == 3


@pytest.mark.parametrize(
    "words",
    [("dance",), ("matches", "--limit", "0"), ("matches", "--status", "odd"), ("play", "--seat", "x")],
)
def test_wrong_usage_ends_with_2(words: tuple[str, ...], machi_run: Run) -> None:
    code, out, err = machi_run(*words)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: machi")


@pytest.mark.parametrize("url", ["localhost:8000", "http://ada:secret@localhost"])
def test_an_address_that_is_none_ends_with_2(url: str, machi_run: Run) -> None:
    code, _, err = machi_run("whoami", "--url", url)
    assert (code, err.count("\n")) == (2, 1)
    assert "secret" not in err


def test_what_stands_on_the_command_line_wins_over_the_environment(
    machi_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MACHI_URL", "http://environment")
    for words in (("--url", "http://typed", "whoami"), ("whoami", "--url", "http://typed")):
        assert "you are not logged in at http://typed;" in machi_run(*words)[2]


def test_nothing_that_comes_from_elsewhere_moves_the_cursor(machi_run: Run) -> None:
    sneaky = problem(422, "odd", detail="red\x1b[31m\x07\nblack")
    with serving(in_turn(sneaky)) as server:
        _, _, err = machi_run("matches", "--url", server.url)
    assert err == "error: red [31m  black (odd, request req-1)\n"


def test_the_version_and_the_helps_are_told(machi_run: Run) -> None:
    assert machi_run("--version") == (0, "machi, version 0.1.0\n", "")
    assert "Exit codes: 0 success, 1 refused" in machi_run("--help")[1]
    for command in ("play", "watch", "matches", "export", "login"):
        assert "Examples:" in machi_run(command, "-h")[1]


@pytest.mark.parametrize(("shell", "at"), [("bash", "1"), ("zsh", "1"), ("fish", "wa")])
def test_shells_complete_the_names_of_commands(shell: str, at: str) -> None:
    environ = {
        **_environ(),
        "_MACHI_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "machi wa",
        "COMP_CWORD": at,
    }
    words = [sys.executable, "-c", "from machi.cli import main; main()"]
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert "watch" in done.stdout


def test_a_reader_that_has_enough_is_no_error(logged_in: Run, my_client: Client) -> None:
    match = finished(my_client)
    shell = f"{shlex.quote(sys.executable)} -m machi export {match.match_id} -o - | head -c 10"
    done = subprocess.run(shell, shell=True, env=_environ(), capture_output=True, timeout=60, check=False)
    assert (len(done.stdout), done.stderr) == (10, b"")


def test_ctrl_c_ends_with_130(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()])
    with machi_process("watch", match.match_id) as watcher:
        assert watcher.stdout
        assert watcher.stderr
        for _ in range(match.version):
            assert watcher.stdout.readline()
        watcher.send_signal(signal.SIGINT)
        assert watcher.wait(PROCESS_DEADLINE_S) == 130
        assert watcher.stderr.read().strip() == ""
