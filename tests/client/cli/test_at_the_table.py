"""`machi state`, `turns`, `luck`, `cards`, `rematch`, and private matches, against the real service."""

import json
import re
from collections.abc import Callable

import pytest

from machi import Client, Resign, account, me
from machi.cli.board import STYLES
from machi.cli.options import LANGUAGES, user_language
from machi.cli.translations import TRANSLATIONS
from tests.client.commands import Run, finished, machi_process
from tests.client.tables import NEAR_THE_END


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_table_is_shown_in_the_language_asked_for(lang: str, logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()], first_seat=0, position=NEAR_THE_END)
    code, out, err = logged_in("state", match.match_id, "--lang", lang)
    says = TRANSLATIONS[lang]
    assert (code, err) == (0, "")
    assert says.title.format(ruleset="base", match=match.match_id) in out
    assert re.search(r"  > cli-\d+-", out.splitlines()[1])
    assert "200" in next(line for line in out.splitlines() if says.coins in line)
    for card in my_client.cards("base", lang):
        assert card.name in out
    assert all(says.colours[colour] in out for colour in STYLES if colour != "orange")


def test_the_market_shows_what_is_left_and_what_it_costs(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("machi_koro_2", [me(), me()], first_seat=0)
    out = logged_in("state", match.match_id)[1]
    cards = {card.id: card for card in my_client.cards("machi_koro_2")}
    for card, left in my_client.state(match.match_id).market.for_sale.items():
        line = next(line for line in out.splitlines() if f" {cards[card].name} " in line)
        assert int(line.split()[-1]) == left


def test_a_past_table_is_shown_as_it_was(logged_in: Run, my_client: Client) -> None:
    match = finished(my_client)
    now, before = logged_in("state", match.match_id)[1], logged_in("state", match.match_id, "--at", "4")[1]
    assert "has won (resignation)" in now.splitlines()[-1]
    assert before.splitlines()[-1].endswith("and event 4.")
    assert logged_in("state", match.match_id, "--at", "400")[0] == 1


def test_turns_are_listed_with_what_they_are_about(logged_in: Run, my_client: Client) -> None:
    assert logged_in("turns") == (0, "You have no decision to make.\n", "")
    match = my_client.create_match("base", [me(), me()], first_seat=0)
    assert logged_in("turns")[1] == f"{match.match_id}  seat 0, base, turn 1, roll: 1 command\n"


def test_turns_are_waited_for(logged_in: Run, my_client: Client) -> None:
    with machi_process("turns", "--wait", "--json") as waiting:
        match = my_client.create_match("base", [me(), me()], first_seat=0)
        out, err = waiting.communicate()
    assert (waiting.returncode, json.loads(out)["match_id"], err) == (0, match.match_id, "")


def test_luck_is_shown_by_seat_and_by_roll(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()], first_seat=0)
    my_client.play(lambda turn: turn.commands[-1], stop=lambda: my_client.match(match.match_id).turn > 3)
    _, out, _ = logged_in("luck", match.match_id, "--rolls")
    totals, rolls = out.split("\n\n")
    for line, seat in zip(totals.splitlines()[2:], my_client.luck(match.match_id).totals, strict=True):
        numbers = [float(text) for text in line.split()[-4:]]
        assert numbers[1] == pytest.approx(seat.decimals.luck, abs=0.01)
        assert numbers[3] == pytest.approx(numbers[0] + numbers[1] - numbers[2], abs=0.02)
    assert [int(line.split()[0]) for line in rolls.splitlines()[2:]] == [
        event.sequence for event in my_client.history(match.match_id) if event.type == "dice_rolled"
    ]


@pytest.mark.parametrize(
    ("environ", "lang"),
    [
        ({}, "en"),
        ({"LANG": "cs_CZ.UTF-8"}, "cs"),
        ({"LANG": "cs_CZ.UTF-8", "LC_ALL": "uk_UA"}, "uk"),
        ({"LANG": "it", "LC_MESSAGES": ""}, "it"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE"}, "en"),
        ({"LANG": "csb_PL"}, "en"),
    ],
)
def test_the_language_is_that_of_the_locale_where_we_speak_it(environ: dict[str, str], lang: str) -> None:
    assert user_language(environ) == lang


def test_cards_are_explained_in_the_users_language(machi_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("MACHI_LANG", "it")
    out = machi_run("cards", "harbor")[1]
    cards = [json.loads(line) for line in machi_run("cards", "harbor", "--json")[1].splitlines()]
    assert {card["language"] for card in cards} == {"it"}
    for card in cards:
        (line,) = [line for line in out.splitlines() if f" {card['name']} " in line]
        assert line.rstrip().endswith(card["text"])
    assert machi_run("cards", "chess")[0] == 2


def test_a_private_match_is_joined_with_the_code_that_its_maker_sees(
    logged_in: Run, my_client: Client, sign_up: Callable[[], Client]
) -> None:
    with machi_process("play", "--against", "open", "--private") as maker:
        assert maker.stdout
        line = next(line for line in maker.stdout if "--join" in line)
    options = re.search(r"machi play --join --code (\S+) (mat_\w+)", line)
    assert options
    code, match_id = options.groups()
    other = sign_up()
    assert my_client.match(match_id).visibility == "private"
    assert other.join(match_id, code=code).seat == 1
    assert logged_in("play", match_id, "--private")[0] == 2


def test_a_rematch_has_the_rules_and_players_of_the_match(
    logged_in: Run, my_client: Client, sign_up: Callable[[], Client]
) -> None:
    other = sign_up()
    before = my_client.create_match(
        "harbor", [account(other.me().handle), me()], options={"market": "limited"}, visibility="private"
    )
    other.accept(before.match_id)
    my_client.command(before.match_id, Resign(1))
    with machi_process("rematch", before.match_id) as player:
        assert player.stdout
        line = next(iter(player.stdout))
        next(line for line in player.stdout if "--join" in line)
    (match_id,) = re.findall(r"mat_\w+", line)
    again = my_client.match(match_id)
    assert match_id != before.match_id
    assert (again.ruleset, again.options, again.visibility) == (before.ruleset, before.options, "private")
    assert (again.seats[0].invited, again.seats[1].name) == (other.me().handle, my_client.me().handle)
    assert again.dice.commitment != before.dice.commitment


def test_only_who_has_played_a_match_has_it_again(
    logged_in: Run, my_client: Client, sign_up: Callable[[], Client]
) -> None:
    match = finished(sign_up())
    code, _, err = logged_in("rematch", match.match_id)
    assert (code, err) == (1, f"error: you had no seat in {match.match_id}\n")
    board = my_client.create_match("base", [me(), me()], position=NEAR_THE_END)
    assert "did not start as in the rule book" in logged_in("rematch", board.match_id)[2]
