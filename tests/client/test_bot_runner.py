"""The runner of a bot, against the real service: matches, failures of the function, and bounds."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from machi import Build, Client, Command, Pass, Resign, Turn, account, me
from machi.bots import BotFailed, BotRunner
from tests.client.tables import NEAR_THE_END

Lines = list[tuple[str, Mapping[str, Any]]]


def building(turn: Turn) -> Command:
    """A landmark, if one can be built; landmarks stand last."""
    builds = [one for one in turn.commands if isinstance(one, Build)]
    return builds[-1] if builds else turn.commands[0]


def resign(turn: Turn) -> Command:
    return Resign(turn.seat)


def failing(turn: Turn) -> Command:
    raise LookupError("no idea")


def illegal(turn: Turn) -> Command:
    return Pass(turn.seat) if turn.state.phase == "roll" else building(turn)


def runner(client: Client, choose: Callable[[Turn], Command], **options: Any) -> tuple[BotRunner, Lines]:
    lines: Lines = []
    return BotRunner(client, choose, lambda event, members: lines.append((event, members)), **options), lines


def short_match(client: Client) -> str:
    return client.create_match("base", [me(), me()], position=NEAR_THE_END).match_id


def of(lines: Lines, event: str) -> list[Mapping[str, Any]]:
    return [members for name, members in lines if name == event]


def test_a_bot_makes_matches_and_plays_them_until_the_last_one(machi: Client) -> None:
    bot, lines = runner(
        machi, building, last_match=3, most_matches=2, new_match=lambda: machi.match(short_match(machi))
    )
    done = bot.run()
    made = [members["match_id"] for members in of(lines, "match_created")]
    ended = of(lines, "match_ended")
    assert (len(made), done.results) == (3, {"won": 3})
    assert sorted(members["match_id"] for members in ended) == sorted(made)
    said = {event.command_id for one in made for event in machi.history(one) if event.actor[:4] == "seat"}
    assert done.decisions == len(said) == len(of(lines, "decision"))
    assert lines[-1][0] == "stopped"
    assert lines[-1][1]["unfinished"] == []
    names = [name for name, _ in lines if name in ("match_created", "match_ended")]
    assert names[:3] == ["match_created", "match_created", "match_ended"]  # two at once, not three


def test_matches_that_were_begun_before_are_resumed(machi: Client) -> None:
    match_id = short_match(machi)
    bot, lines = runner(machi, building, last_match=1)
    bot.run()
    assert lines[0] == ("match_resumed", {"match_id": match_id})


@pytest.mark.parametrize("choose", [failing, illegal])
def test_a_bot_that_fails_stops_and_leaves_the_decision_open(
    machi: Client, choose: Callable[[Turn], Command]
) -> None:
    match = machi.create_match("base", [me(), me()], first_seat=0)
    bot, lines = runner(machi, choose)
    with pytest.raises(BotFailed, match=f"{match.match_id}, seat 0, version {match.version}: "):
        bot.run()
    assert machi.match(match.match_id).version == match.version
    (error,) = of(lines, "error")
    assert (error["match_id"], error["seat"], error["version"]) == (match.match_id, 0, match.version)
    assert error["error"].startswith(("LookupError: no idea", "IllegalCommand: Pass(seat=0) is none of"))
    assert "Traceback" in error["traceback"]
    assert of(lines, "stopped")[0]["unfinished"] == [match.match_id]


def test_a_bot_that_fails_may_give_up_the_seat(machi: Client) -> None:
    match = machi.create_match("base", [me(), me()], first_seat=0)
    bot, _ = runner(machi, failing, on_error="resign", last_match=1)
    assert bot.run().errors == 1
    assert machi.match(match.match_id).winner == 1


def test_a_bot_that_fails_may_play_anything_and_go_on(machi: Client) -> None:
    match_id = short_match(machi)
    bot, lines = runner(machi, illegal, on_error="random", last_match=1)
    done = bot.run()
    assert done.results == {"won": 1}
    assert 0 < done.errors == len(of(lines, "error")) < done.decisions
    assert machi.match(match_id).status == "finished"


def test_a_command_may_be_given_by_its_members(machi: Client) -> None:
    machi.create_match("base", [me(), me()], first_seat=0)
    bot, _ = runner(machi, lambda turn: {"type": "resign", "seat": turn.seat}, last_match=1)  # type: ignore[arg-type,return-value]
    assert bot.run().decisions == 1


def test_invitations_are_accepted_while_there_is_room(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    invited = account(ada.me().handle)
    for _ in range(2):
        bob.create_match("base", [me(), invited], first_seat=1)
    bot, lines = runner(ada, resign, most_matches=1, last_match=2)
    assert bot.run().results == {"lost": 2}
    happened = [name for name, _ in lines if name != "decision"]
    assert happened == ["invitation_accepted", "match_ended"] * 2 + ["stopped"]


def test_invitations_are_left_to_others_if_so_wished(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    bob.create_match("base", [me(), account(ada.me().handle)], first_seat=1)
    short_match(ada)
    bot, _ = runner(ada, building, accepts=False, last_match=1)
    bot.run()
    assert len(ada.invitations()) == 1


def play_a_round(client: Client, match_id: str) -> None:
    """From a roll of seat 0 to its next one."""
    legal = client.legal_commands(match_id)
    begin = legal.version
    while legal.version == begin or (legal.seat, legal.phase) != (0, "roll"):
        client.command(match_id, legal.commands[0])
        legal = client.legal_commands(match_id)


def test_a_decision_that_was_made_elsewhere_is_no_error(machi: Client) -> None:
    """Two processes may play for one account. What the slower one chose would be legal, a round later."""
    match = machi.create_match("base", [me(), me()], first_seat=0)
    asked: list[int] = []

    def slow(turn: Turn) -> Command:
        asked.append(turn.version)
        if len(asked) == 1:
            play_a_round(machi, match.match_id)
        return resign(turn) if len(asked) > 1 else building(turn)

    bot, lines = runner(machi, slow, last_match=1)
    done = bot.run()
    assert (done.late, done.decisions, done.errors) == (1, 1, 0)
    assert of(lines, "decision_late")[0]["version"] == asked[0]


def test_seeds_of_seats_are_given_by_the_bot(machi: Client) -> None:
    machi.create_match("base", [me(), me()], first_seat=0, seat_seeds=True)
    bot, _ = runner(machi, resign, last_match=1)
    assert bot.run().matches == 1
