"""The library against the real service."""

import json
import random
import threading
from collections.abc import Callable
from itertools import islice

import pytest

from machi import (
    Build,
    Client,
    Clock,
    Match,
    NotAllowed,
    NotFound,
    Origin,
    Pass,
    Refused,
    Resign,
    RollDice,
    StaleVersion,
    me,
    open_seat,
    strategy,
)
from machi.event_data import REGISTRY, BranchStarted, DiceRolled, MatchCreated
from tests.client.scripted import QUICK, Asked, Cutter, open_until_end
from tests.service.served import Served


def board(machi: Client, *throws: tuple[int, ...]) -> Match:
    """A match in which one account holds both seats."""
    dice = {"mode": "scripted", "throws": throws} if throws else None
    return machi.create_match("base", [me(), me()], dice=dice, first_seat=0)


def test_an_account_knows_itself_and_its_tokens(machi: Client, url: str) -> None:
    account = machi.me()
    made = machi.create_token("bot", ["play"], None)
    assert [token.name for token in machi.tokens()] == ["first", "bot"]
    assert account.token.token_id == machi.tokens()[0].token_id
    with Client(url, made.token) as bot:
        assert bot.me().handle == account.handle
        with pytest.raises(NotAllowed, match="scope_missing"):
            bot.create_token("more", ["admin"])
        machi.delete_token(made.token_id)
        assert [token.name for token in machi.tokens()] == ["first"]


@pytest.mark.long
def test_the_log_has_a_line_for_each_event_however_many_pages_it_takes(machi: Client) -> None:
    match_id = board(machi).match_id
    for i in range(240):
        machi.command(match_id, Pass(i // 2 % 2) if i % 2 else RollDice(i // 2 % 2, 1))
    told = list(machi.log(match_id, after=2))
    events = list(machi.history(match_id, 2))
    assert len(told) > 500
    assert [(line.sequence, line.type, line.time) for line in told] == [
        (event.sequence, event.type, event.time) for event in events
    ]
    name = machi.me().handle
    (last,) = machi.log(match_id, told[-1].sequence - 1, lang="cs")
    assert last.text.endswith(f": hraje {name} (místo 0).")


def test_the_catalogue_is_typed(machi: Client) -> None:
    rulesets = {ruleset.id: ruleset for ruleset in machi.rulesets()}
    assert rulesets["harbor"] == machi.ruleset("harbor")
    assert (rulesets["base"].goal.landmarks, rulesets["base"].players.max) == (4, 5)
    cards = {card.id: card for card in machi.cards("machi_koro_2", lang="en")}
    assert (cards["bakery"].activation, cards["bakery"].cost, cards["bakery"].colour) == ((2, 3), 1, "green")
    assert cards["launch_pad"].costs == (45, 38, 25)
    assert {one.type for one in machi.event_types()} == set(REGISTRY)
    assert "greedy" in [strategy.name for strategy in machi.strategies()]
    with pytest.raises(NotFound, match="not_found"):
        machi.ruleset("../me")


def test_a_match_is_made_joined_listed_and_called_off(sign_up: Callable[[], Client]) -> None:
    ada, bob = sign_up(), sign_up()
    made = ada.create_match(
        "harbor",
        [me(seed="a-word"), open_seat(), strategy("random")],
        options={"market": "limited"},
        clock=Clock(60_000, "forfeit"),
        tags=["friday"],
    )
    assert (made.status, made.options.market, made.clock) == ("open", "limited", Clock(60_000, "forfeit"))
    joined = bob.join(made.match_id, seed="another")
    assert (joined.seat, joined.match.status) == (1, "running")
    assert joined.match.seats_of(bob.me().account_id) == (1,)
    assert [one.match_id for one in ada.matches(player=bob.me().handle)] == [made.match_id]
    assert json.loads(made.raw)["match_id"] == made.match_id
    with pytest.raises(Refused, match="match_full"):
        bob.join(made.match_id)
    assert ada.abort(made.match_id).is_over
    assert ada.match(made.match_id).result == ada.state(made.match_id).result


def test_a_branch_goes_on_from_a_match_that_is_over(machi: Client) -> None:
    match = board(machi, (1,), (2,))
    machi.command(match.match_id, Resign(seat=1))
    branch = machi.branch(match.match_id, 1, "same", visibility="private")
    head = machi.event(match.match_id, match.version)
    assert branch.origin == Origin(match.match_id, match.version, head.hash, "same")
    assert (branch.visibility, branch.status, match.origin) == ("private", "running", None)
    again = machi.branch(match.match_id, 2, "scripted", throws=[[6]], seats=[me(), strategy("greedy")])
    assert (again.dice.throws, again.seats[1].strategy) == (((6,),), "greedy")
    begun = next(
        event.data for event in machi.history(branch.match_id) if isinstance(event.data, BranchStarted)
    )
    assert begun.coins == (3, 3)


def test_lists_go_on_from_page_to_page(machi: Client) -> None:
    made = [board(machi).match_id for _ in range(5)]
    me_id = machi.me().account_id
    assert [one.match_id for one in machi.matches(player=me_id, page_size=2)] == made[::-1]
    assert [one.match_id for one in islice(machi.matches(player=me_id, page_size=2), 3)] == made[:1:-1]


def test_commands_are_typed_both_ways(machi: Client) -> None:
    match = board(machi, (1,), (2,))
    legal = machi.legal_commands(match.match_id)
    assert legal.commands == (RollDice(0, 1),)
    answer = machi.command(match.match_id, legal.commands[0], embed=("state", "legal_commands"))
    rolled = answer.events[0]
    assert (rolled.type, rolled.data) == ("dice_rolled", DiceRolled("roll", (1,), 1))
    assert (answer.next.seat, answer.next.phase) == (0, "build")
    assert answer.state == machi.state(match.match_id)
    assert answer.legal_commands == machi.legal_commands(match.match_id)
    assert Build(0, "bakery") in answer.legal_commands.commands
    assert machi.validate(match.match_id, Build(0, "bakery")).version == answer.version
    unbuildable = machi.legal_commands(match.match_id, explain=True).unbuildable
    assert ("mine", "insufficient_coins") in [(one.card, one.code) for one in unbuildable]
    machi.command(match.match_id, {"type": "pass"})
    machi.command(match.match_id, Resign(seat=1))
    assert machi.match(match.match_id).winner == 0


def test_a_command_is_found_by_its_key(machi: Client) -> None:
    match = board(machi)
    said = machi.command(match.match_id, RollDice(0, 1), key="a/../b?c=%#")
    found = machi.find_command(match.match_id, "a/../b?c=%#")
    assert (found.command_id, found.events) == (said.command_id, said.events)
    assert (found.first_sequence, found.last_sequence) == (said.events[0].sequence, said.version)
    with pytest.raises(NotFound, match="command_not_found"):
        machi.find_command(match.match_id, "..")


def test_a_command_said_twice_under_one_key_is_carried_out_once(machi: Client) -> None:
    match = board(machi)
    first = machi.command(match.match_id, RollDice(0, 1), key="roll")
    second = machi.command(match.match_id, RollDice(0, 1), key="roll", if_match=1)
    assert (first.replayed, second.replayed) == (False, True)
    assert first.events == second.events
    with pytest.raises(Refused, match="idempotency_key_reused"):
        machi.command(match.match_id, Pass(0), key="roll")


def test_a_command_for_an_old_version_is_told_what_was_missed(machi: Client) -> None:
    match = board(machi)
    rolled = machi.command(match.match_id, RollDice(0, 1), if_match=match.version)
    with pytest.raises(StaleVersion) as stale:
        machi.command(match.match_id, RollDice(0, 1), if_match=match.version)
    assert (stale.value.expected, stale.value.current) == (match.version, rolled.version)
    assert stale.value.events == rolled.events


def test_events_come_in_pages_that_can_wait(machi: Client) -> None:
    match = board(machi)
    page = machi.events(match.match_id, limit=2)
    assert ([event.sequence for event in page.items], page.next) == ([1, 2], 2)
    created = page.items[0]
    assert isinstance(created.data, MatchCreated)
    assert created == machi.event(match.match_id, 1)
    assert json.loads(created.raw)["hash"] == created.hash
    timer = threading.Timer(0.2, machi.command, (match.match_id, RollDice(0, 1)))
    timer.start()
    waited = machi.events(match.match_id, match.version, types=["dice_rolled"], wait=30)
    timer.join()
    assert [event.type for event in waited.items] == ["dice_rolled"]


def test_no_command_is_doubled_or_lost_when_answers_are(machi: Client, web: Served) -> None:
    """Half of all answers are cut somewhere, many before their first byte."""
    dice = random.Random(1)

    def length(asked: Asked) -> int | None:
        return dice.choice([None, None, 0, dice.randrange(1500)])

    said: list[str] = []
    token = machi.create_token("cut", ["play", "match:create"]).token
    with open_until_end(Cutter(web.port, length)) as cutter:
        with Client(f"http://127.0.0.1:{cutter.port}", token, retries=QUICK) as cut:
            match = board(machi)
            for _ in range(60):
                (turn,) = cut.turns()
                answer = cut.command(turn.match_id, dice.choice(turn.commands), if_match=turn.version)
                said.append(answer.command_id)
                assert answer.version == turn.version + len(answer.events)
        asked = [one for one in cutter.asked if one.method == "POST"]
    assert len(asked) > 70
    assert len({one.headers["idempotency-key"] for one in asked}) == len(set(said)) == 60
    events = machi.events(match.match_id, match.version, limit=500).items
    assert list(dict.fromkeys(event.command_id for event in events)) == said


@pytest.mark.long
def test_a_follower_whose_stream_is_cut_sees_every_event_once(machi: Client, web: Served) -> None:
    """The match is played while it is followed, and each connection breaks behind some bytes."""
    dice = random.Random(2)
    match = board(machi)
    seen: list[bytes] = []

    def follow(port: int) -> None:
        with Client(f"http://127.0.0.1:{port}", retries=QUICK) as follower:
            seen.extend(event.raw for event in follower.follow(match.match_id))

    with open_until_end(Cutter(web.port, lambda _: dice.randrange(200, 6000))) as cutter:
        thread = threading.Thread(target=follow, args=(cutter.port,), daemon=True)
        thread.start()
        machi.play(lambda turn: turn.commands[-1])
        thread.join(60)
        assert not thread.is_alive()
    assert seen == [event.raw for event in machi.history(match.match_id)]
    assert len(cutter.asked) > 20
