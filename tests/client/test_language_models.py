"""Language models as players: prompts, answers and endpoints; models are functions and scripted servers."""

import json
from collections.abc import Callable

import msgspec
import pytest

from domain.match import commands as cmd
from machi import Client, Match, OtherCommand, Turn, me
from machi.language_models import (
    Decision,
    Endpoint,
    LanguageModelPlayer,
    Model,
    ModelFailed,
    NoAnswer,
    Reply,
    Unreadable,
    move_in,
    prompt_of,
    rules_in_short,
)
from machi.language_models.player import MOST_FALLBACKS
from tests.client.scripted import Clock, Move, answer, cut, in_turn, serving, silence

BUILDS = (cmd.Build(0, "bakery"), cmd.Build(0, "cafe"), cmd.Pass(0))
CITY = {"coins": 3, "establishments": {"wheat_field": 1}, "landmarks": []}


def completion(text: str | None, **more: object) -> Move:
    """What an endpoint answers."""
    message = {"role": "assistant", "content": text}
    return answer(200, {"id": "x", "choices": [{"index": 0, "message": message}], **more})


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ('{"move": 2}', 1),
        ('{"move": "2"}', 1),
        ('Move {"move": 1} is bad, so:\n```json\n{"move": 3}\n```\nGood luck!', 2),
        ('{"type": "build", "card": "cafe"}', 1),
        ('I take {"type": "pass", "seat": 0}.', 2),
        ('<think>{"move": 1} or {"move": 3}?</think>\n{"move": 2}', 1),
        ('<think>The café costs 2.</think>\n{"move": 2, "why": "it is cheap"}', 1),
        ("Cheap is good.\n\n**2**", 1),
        ("My move is: 2.", 1),
        ("Answer: 3", 2),
        ('{broken json} and {"other": 1}\n#1', 0),
        ("x" * 100_000 + '{"move": 1}', 0),
    ],
)
def test_the_move_is_found_in_whatever_a_model_says(said: str, place: int) -> None:
    assert move_in(said, BUILDS) == place


@pytest.mark.parametrize(
    "said",
    [
        "",
        "I pass.",
        "There are 3 moves; 2 is best, I think",
        '{"move": 0}',
        '{"move": 4}',
        '{"move": -1}',
        '{"move": 1.5}',
        '{"move": true}',
        '{"move": null}',
        '{"move": "²"}',
        "9" * 5000,
        '{"type": "build", "card": "stadium"}',
        '{"type": "pass", "seat": 1}',
        '<think>{"move": 1}</think>',
        "{" * 50_000,
        "<think>" * 20_000,
    ],
)
def test_an_answer_without_a_legal_move_is_unreadable(said: str) -> None:
    with pytest.raises(Unreadable):
        move_in(said, BUILDS)


def test_a_command_of_a_newer_service_can_be_chosen() -> None:
    newer = OtherCommand({"type": "renovate", "seat": 0, "card": "cafe"})
    assert move_in('{"type": "renovate", "card": "cafe"}', (*BUILDS, newer)) == 3


def board(machi: Client, *throws: list[int], ruleset: str = "base", **position: object) -> Match:
    """A match of one account whose dice are scripted."""
    dice = {"mode": "scripted", "throws": throws}
    table = {"active_seat": 0, "phase": "roll", "players": [CITY, CITY], **position}
    return machi.create_match(ruleset, [me(), me()], dice=dice, position=table)


@pytest.fixture
def turn(machi: Client) -> Turn:
    """A turn with several legal commands: seat 0 may build."""
    match = board(machi, [1], [2])
    machi.command(match.match_id, cmd.RollDice(0, 1))
    (found,) = machi.turns()
    return found


def test_a_prompt_has_the_rules_the_table_and_every_legal_move_but_no_names(
    machi: Client, turn: Turn
) -> None:
    cards = machi.cards("base")
    prompt = prompt_of(rules_in_short(machi.ruleset("base"), cards), turn)
    assert all(f"- {card.id} = {card.name} (" in prompt and card.text in prompt for card in cards)
    assert "Turn 1. You are seat 0. To decide: build." in prompt
    assert "seat 0 (you): 4 coins; cards wheat_field 1; landmarks none." in prompt
    assert "On sale: wheat_field 6, ranch 6, " in prompt
    moves = prompt.partition("Your legal moves:\n")[2].splitlines()
    assert moves[:2] == ["1. pass", "2. build wheat_field"]
    assert moves[len(turn.commands) - 1] == f"{len(turn.commands)}. build train_station"
    assert machi.me().handle not in prompt


@pytest.mark.parametrize("ruleset", ["base", "harbor", "machi_koro_2"])
def test_the_rules_in_short_have_goal_start_and_prices_of_a_ruleset(machi: Client, ruleset: str) -> None:
    found, cards = machi.ruleset(ruleset), machi.cards(ruleset)
    text = rules_in_short(found, cards)
    assert f"Who first builds {found.goal.landmarks} landmarks" in text
    assert f"Each player starts with {found.start.coins} coins" in text
    assert ("building rounds" in text) == (found.start.building_rounds > 0)
    landmark = cards[-1]
    prices = "/".join(map(str, landmark.costs)) if landmark.costs else str(landmark.cost)
    (line,) = [line for line in text.splitlines() if line.startswith(f"- {landmark.id} = ")]
    assert f"costs {prices}" in line
    assert max(map(len, text.splitlines())) < 400


class Talker:
    """A model that says what it is told to, and keeps what it was asked."""

    def __init__(self, *says: str | Exception) -> None:
        self.says = list(says)
        self.asked: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, Exception):
            raise said
        return said


Decide = Callable[..., tuple[object, Decision]]


@pytest.fixture
def decide(machi: Client, turn: Turn) -> Decide:
    """Has a model decide the turn; the command, and the record."""

    def decided(model: Model, tries: int = 3) -> tuple[object, Decision]:
        records: list[Decision] = []
        command = LanguageModelPlayer(model, machi, tries=tries, on_decision=records.append)(turn)
        return command, records[0]

    return decided


def test_an_answer_that_cannot_be_used_is_asked_for_again_with_the_reason(decide: Decide, turn: Turn) -> None:
    model = Talker("Let me see.", '{"move": 99}', NoAnswer("no answer in time"), '{"move": 2}')
    command, record = decide(model, tries=4)
    assert command == turn.commands[1]
    first, *again = model.asked
    assert (record.prompt, record.is_fallback) == (first, False)
    count = len(turn.commands)
    assert again == [
        f"{first}\n\nYour answer named no move. Answer with a number from 1 to {count}.",
        f"{first}\n\nThere is no move '99'. Answer with a number from 1 to {count}.",
        first,
    ]
    problems = ["Your answer named no move.", "There is no move '99'.", "no answer in time", None]
    assert [one.problem for one in record.tries] == problems
    assert [one.answer for one in record.tries] == ["Let me see.", '{"move": 99}', None, '{"move": 2}']


def test_after_the_last_try_the_fallback_is_played(decide: Decide) -> None:
    model = Talker("no idea")
    command, record = decide(model)
    assert (command, record.is_fallback, len(model.asked)) == (cmd.Pass(0), True, 3)
    assert record.command == {"type": "pass", "seat": 0}


def test_a_record_can_be_read_from_its_line(decide: Decide, turn: Turn) -> None:
    def model(prompt: str) -> Reply:
        return Reply('{"move": 1}', 700, 6)

    record = decide(model)[1]
    line = msgspec.json.encode(record)
    assert msgspec.json.decode(line, type=Decision) == record
    assert (record.model, record.match_id, record.version) == ("model", turn.match_id, turn.version)
    assert (record.tries[0].prompt_tokens, record.tries[0].completion_tokens) == (700, 6)


def test_a_single_legal_command_is_played_without_the_model(machi: Client) -> None:
    board(machi, [1])
    (only,) = machi.turns()
    assert LanguageModelPlayer(Talker(AssertionError()), machi)(only) == cmd.RollDice(0, 1)


def test_after_the_deadline_the_model_is_not_asked_again(machi: Client, turn: Turn) -> None:
    model = Talker("no idea")
    late = msgspec.structs.replace(turn, deadline=machi.me().token.created_at)
    assert LanguageModelPlayer(model, machi)(late) == cmd.Pass(0)
    assert len(model.asked) == 1


def test_a_model_that_never_answers_counts_as_broken(machi: Client, turn: Turn) -> None:
    player = LanguageModelPlayer(Talker("no idea"), machi, tries=1)
    for _ in range(MOST_FALLBACKS - 1):
        player(turn)
    with pytest.raises(ModelFailed, match="Talker has given no usable answer for 20 decisions in a row"):
        player(turn)


def test_an_endpoint_is_asked_as_openai_is_and_its_tokens_are_counted() -> None:
    said = completion("Hello", usage={"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4})
    with serving(in_turn(said)) as server:
        ask = Endpoint(f"{server.url}/v1", "small", "secret", max_tokens=9, temperature=0.0)
        assert ask("Hi") == Reply("Hello", 3, 1)
        ask.close()
    (asked,) = server.asked
    assert (asked.method, asked.target) == ("POST", "/v1/chat/completions")
    assert asked.headers["authorization"] == "Bearer secret"
    assert json.loads(asked.body) == {
        "model": "small",
        "max_tokens": 9,
        "temperature": 0.0,
        "messages": [{"role": "user", "content": "Hi"}],
    }
    assert "secret" not in repr(ask)


@pytest.mark.parametrize(
    "refusal",
    [answer(429, {"error": {}}, {"Retry-After": "7"}), answer(503, b"<html>"), cut()],
    ids=["429", "503", "cut"],
)
def test_an_endpoint_that_is_busy_is_asked_again_after_the_pause_it_wants(
    refusal: Move, clock: Clock
) -> None:
    with serving(in_turn(refusal, completion("later"))) as server:
        assert Endpoint(server.url, "small")("Hi").text == "later"
    assert len(server.asked) == 2
    is_asked_to_wait = any(b"Retry-After" in part for part in refusal.sent)
    assert (clock.slept_s >= 7) == is_asked_to_wait


@pytest.mark.parametrize(
    "move",
    [
        silence(),
        answer(500, {"error": {"message": "out of memory"}}),
        answer(200, b"no json"),
        answer(200, {"choices": []}),
        answer(200, {"choices": [{"text": "old kind"}]}),
        completion(None),
        completion(""),
    ],
    ids=["silent", "500", "garbage", "no choice", "other shape", "null", "empty"],
)
def test_an_endpoint_without_an_answer_may_be_asked_again(move: Move) -> None:
    with serving(in_turn(move)) as server, pytest.raises(NoAnswer):
        Endpoint(server.url, "small", timeout=0.3 if move.hold else 60.0)("Hi")


@pytest.mark.parametrize("status", [301, 400, 401, 404])
def test_an_endpoint_that_refuses_a_request_ends_the_play(status: int) -> None:
    said = answer(status, {"error": {"message": "wrong key: secret"}})
    with serving(in_turn(said)) as server, pytest.raises(ModelFailed) as failed:
        Endpoint(server.url, "small", "secret")("Hi")
    assert str(status) in str(failed.value)
    assert "secret" not in str(failed.value)


def test_an_endpoint_where_nothing_listens_for_the_time_of_an_answer_ends_the_play(clock: Clock) -> None:
    with serving(in_turn(cut())) as server:
        url = server.url
    with pytest.raises(ModelFailed, match="cannot be reached"):
        Endpoint(url, "small", "secret", timeout=60.0)("Hi")
    assert 50 < clock.slept_s <= 60


@pytest.mark.parametrize("url", ["127.0.0.1:1", "ftp://x", "http://user:secret@x"])
def test_a_wrong_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="base URL"):
        Endpoint(url, "small")
