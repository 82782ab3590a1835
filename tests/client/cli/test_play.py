"""`machi play`, against the real service."""

import pytest

from contract.matches import Clock
from machi import Client, me, open_seat
from tests.client.commands import Run, machi_process
from tests.client.tables import NEAR_THE_END

BANK = ("--bank", "300", "--increment", "5")


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
    assert "rolls one die: " in out
    assert "The dice show " in out
    assert my_client.state(match.match_id).phase == "build"


def test_a_match_plays_itself_to_the_end(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("machi_koro_2", [me(), me()])
    code, out, _ = logged_in("play", match.match_id, "--auto")
    assert code == 0
    assert "has won (landmarks)" in out.splitlines()[-1]
    assert my_client.match(match.match_id).status == "finished"


def test_who_plays_gives_the_seeds_of_the_own_seats(logged_in: Run, my_client: Client) -> None:
    match = my_client.create_match("base", [me(), me()], seat_seeds=True, position=NEAR_THE_END)
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
    options = ("--ruleset", "harbor", "--market", "limited", "--max-copies", "2", "--clock", "60", *BANK)
    with machi_process("play", *options, *words) as player:
        assert player.stdout
        output = player.stdout.readline()
    (listed,) = my_client.matches(player=handle)
    match = my_client.match(listed.match_id)
    assert [seat.name for seat in match.seats] == [handle if name == "me" else name for name in seats]
    assert (match.ruleset, match.options.market, match.options.max_copies) == ("harbor", "limited", 2)
    assert match.clock is not None
    assert match.clock == Clock(60_000, "default_command", bank_ms=300_000, increment_ms=5_000)
    assert output.startswith(f"harbor, match {match.match_id}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seat", "2"), "with --against greedy, --seat is 0 to 1"),
        (("--join",), "--join needs a MATCH_ID"),
        (("--bank", "60"), "--bank and --increment need --clock"),
        (("--increment", "5"), "--bank and --increment need --clock"),
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
