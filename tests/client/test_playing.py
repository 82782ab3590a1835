"""The loop of a remote bot, against the real service."""

import random
import threading
from collections.abc import Callable, Iterator

import pytest

from machi import Client, Command, ListedMatch, Pass, Refused, Resign, RollDice, Turn, me, open_seat
from tests.client.tables import NEAR_THE_END


def at_random(turn: Turn) -> Command:
    return random.choice(turn.commands)


def never(turn: Turn) -> Command:
    raise AssertionError("there is nothing to choose")


def test_two_bots_play_their_matches_to_the_end(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    matches = [
        ada.create_match("base", [me(), open_seat()], position=NEAR_THE_END).match_id for _ in range(2)
    ]
    for match_id in matches:
        bob.join(match_id)
    made: list[int] = []
    other = threading.Thread(target=lambda: made.append(bob.play(at_random)), daemon=True)
    other.start()
    made.append(ada.play(at_random))
    other.join(60)
    assert not other.is_alive()
    assert all(ada.match(match_id).status == "finished" for match_id in matches)
    said = [event for match_id in matches for event in ada.history(match_id) if event.actor[:4] == "seat"]
    assert sum(made) == len({event.command_id for event in said})


def test_without_a_match_there_is_nothing_to_play(machi: Client) -> None:
    assert machi.play(never) == 0


def test_a_match_that_waits_for_others_is_waited_for(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    match = ada.create_match("base", [me(), open_seat()], first_seat=0)
    timer = threading.Timer(0.5, bob.join, (match.match_id,))
    timer.start()
    assert ada.play(lambda turn: Resign(turn.seat)) == 1
    timer.join()
    assert ada.match(match.match_id).winner == 1


def test_a_match_that_begins_between_two_requests_is_played(
    sign_up: Callable[[], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It moves from one list to the other while the bot looks whether anything is left to play."""
    ada, bob = sign_up(), sign_up()
    match = ada.create_match("base", [me(), open_seat()], first_seat=0)
    list_matches = ada.matches
    asked: list[str | None] = []

    def listed(*, status: str | None = None, player: str | None = None) -> Iterator[ListedMatch]:
        found = [*list_matches(status=status, player=player)]
        asked.append(status)
        if len(asked) == 2:  # the first was for seeds that are due
            bob.join(match.match_id)
        return iter(found)

    monkeypatch.setattr(ada, "matches", listed)
    assert ada.play(lambda turn: Resign(turn.seat)) == 1
    assert ada.match(match.match_id).status == "finished"


def test_a_seat_that_was_resigned_is_not_waited_for(sign_up: Callable[[], Client]) -> None:
    ada, bob, eve = sign_up(), sign_up(), sign_up()
    match = ada.create_match("base", [me(), open_seat(), open_seat()], first_seat=0)
    bob.join(match.match_id)
    eve.join(match.match_id)
    assert ada.play(lambda turn: Resign(turn.seat)) == 1
    assert ada.match(match.match_id).status == "running"


def test_who_is_told_to_stop_stops(machi: Client) -> None:
    machi.create_match("base", [me(), me()])
    seen: list[Turn] = []

    def choose(turn: Turn) -> Command:
        seen.append(turn)
        return at_random(turn)

    assert machi.play(choose, stop=lambda: len(seen) >= 5) == 5
    assert machi.play(never, stop=lambda: True) == 0


def test_a_bot_that_goes_on_for_ever_takes_up_new_matches(machi: Client) -> None:
    stopped = threading.Event()

    def choose(turn: Turn) -> Command:
        stopped.set()
        return turn.commands[0]

    timer = threading.Timer(0.3, machi.create_match, ("base", [me(), me()]))
    timer.start()
    assert machi.play(choose, stop=stopped.is_set, forever=True) == 1
    timer.join()


def test_a_decision_that_somebody_else_has_made_is_let_go(machi: Client) -> None:
    """Two programs speak for one account; the slower one learns that the match has moved."""
    match = machi.create_match("base", [me(), me()])
    chosen: list[int] = []

    def choose(turn: Turn) -> Command:
        chosen.append(turn.version)
        if len(chosen) == 1:
            machi.command(match.match_id, turn.commands[0])
        return turn.commands[0]

    assert machi.play(choose, stop=lambda: len(chosen) == 3) == 2
    assert chosen == sorted(set(chosen))


@pytest.mark.parametrize("command", [Pass, lambda seat: RollDice(seat, 2), lambda seat: {"type": "dance"}])
def test_a_bot_that_breaks_the_rules_is_told_so(machi: Client, command: Callable[[int], Command]) -> None:
    machi.create_match("base", [me(), me()])
    with pytest.raises(Refused, match=r"wrong_phase|two_dice_need_station|validation_failed"):
        machi.play(lambda turn: command(turn.seat))
