"""The command `machi`, against the real service: what it prints, keeps and returns."""

import json
import re
from pathlib import Path

import pytest

from machi import Client, NotAllowed, me
from machi.cli.config import config_path, read_config
from machi.cli.options import LANGUAGES
from machi.cli.translations import TRANSLATIONS
from machi.errors import ConnectionFailed
from tests.client.cli.test_translations import lines_of
from tests.client.commands import Run, finished
from tests.client.scripted import Move, answer, cut, in_turn, problem, serving

# Accounts


def test_a_login_makes_an_account_and_keeps_its_token(machi_run: Run, handle: str, url: str) -> None:
    assert machi_run("login", handle) == (0, f"You are {handle} at {url}.\n", "")
    assert config_path().stat().st_mode & 0o777 == 0o600
    code, out, _ = machi_run("whoami")
    assert (code, out.splitlines()[0]) == (0, f"You are {handle} at {url}.")
    shown = json.loads(machi_run("whoami", "--json")[1])
    assert (shown["handle"], shown["token"]["name"]) == (handle, "first")
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


def test_an_account_is_deleted_by_its_handle_alone_and_forgotten(logged_in: Run, my_client: Client) -> None:
    handle = my_client.me().handle
    code, _, err = logged_in("delete-account", handle)
    assert (code, err) == (2, "error: cannot ask for confirmation without a terminal; confirm with --yes\n")
    code, _, err = logged_in("delete-account", "another", "--yes")
    assert (code, "invalid_parameter" in err) == (1, True)
    code, out, _ = logged_in("delete-account", handle, "--yes")
    assert (code, out) == (0, f"The account {handle} is deleted.\n")
    assert read_config(config_path()).services == {}
    with pytest.raises(NotAllowed):
        my_client.me()


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
    assert f"The match is kept. To come back, run: machi play {match.match_id}\n" in err


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


def test_the_guides_verify_files_and_never_the_id_of_a_match() -> None:
    guides = Path(__file__).parents[3]
    texts = [path.read_text() for path in (guides / "README.md", *sorted((guides / "docs").glob("*.md")))]
    named = re.findall(r"machi verify ((?:MATCH_ID|\$MATCH)\S*)", "".join(texts))
    assert len(named) > 3
    assert all(name.endswith(".ndjson") for name in named), named
