"""A match of a person against built-in players, over HTTP alone, and everything that can be checked of it."""

import json
import random
from typing import Any

import msgspec
import pytest

from domain import fold
from domain.match.events import REGISTRY, Event
from service.matches.presentation import present_state
from tests.e2e.api import Api, Json, strategy
from tests.e2e.audit import Luck, assert_chained
from tests.e2e.stack import Stack
from tests.marks import long_unless

BOTS = [strategy("random"), strategy("landmark_first"), strategy("greedy")]


class Played:
    """A match that is over, and what was seen of it on the way."""

    def __init__(self, stack: Stack, market: str) -> None:
        self.market = market
        self.stack = stack
        self.api = Api(stack)
        me = {"kind": "me", "seed": "word-of-mine"}
        self.match_id = self.api.create([me, *BOTS], options={"market": market})
        self.path = f"/v1/matches/{self.match_id}"
        self.states: list[Json] = []
        """The state at each decision, and the last one."""
        self.decisions = 0
        self._play()
        self.seen_on_the_way = b"\n".join(self.api.seen)
        self.states.append(self.api.get(f"{self.path}/state"))
        self.events: list[Json] = [json.loads(event) for event in self.api.log(self.match_id)]

    def _play(self) -> None:
        dice = random.Random(3)
        while (turn := self._next_turn()) is not None:
            self.states.append(turn["state"])
            self.decisions += 1
            self.api.sure(
                "POST",
                f"{self.path}/commands",
                dice.choice(turn["legal_commands"]["commands"]),
                Idempotency_Key=f"decision-{self.decisions}",
                If_Match=f'"{turn["version"]}"',
            )

    def _next_turn(self) -> Json | None:
        """The next decision of the person, None when the match is over."""
        while not (items := self.api.get("/v1/me/turns?wait=1")["items"]):
            self.api.seen.pop()
            if self.api.get(self.path)["status"] == "finished":
                return None
        return dict(items[0])

    def of(self, name: str) -> list[Json]:
        """The data of the events of a type."""
        return [event["data"] for event in self.events if event["type"] == name]


@pytest.fixture(scope="module", params=long_unless(["open"], ["open", "limited"]))
def played(request: pytest.FixtureRequest, shared_stack: Stack) -> Played:
    return Played(shared_stack, request.param)


def test_a_match_against_three_bots_ends_with_a_winner(played: Played) -> None:
    match = played.api.get(played.path)

    assert (match["status"], match["result"]) == ("finished", {"reason": "landmarks"})
    assert [seat["kind"] for seat in match["seats"]] == ["account", "strategy", "strategy", "strategy"]
    assert played.of("match_finished") == [{"winner": match["winner"], "reason": "landmarks"}]
    assert played.decisions > 20


def test_the_log_folds_to_every_state_that_was_shown(played: Played) -> None:
    state, done = None, 0
    for shown in played.states:
        state = fold(state, [decoded(event) for event in played.events[done : shown["version"]]])
        done = shown["version"]
        assert as_json(present_state(played.match_id, state, None)) == shown
    assert done == len(played.events)


def decoded(event: Json) -> Event:
    """The event of the domain, from its members by name: none more and none less."""
    members = REGISTRY[event["type"]].__struct_fields__
    assert set(event["data"]) == set(members)
    values: list[Any] = [event["type"], *[event["data"][name] for name in members]]
    event_of_the_domain: Event = msgspec.convert(values, Event)
    return event_of_the_domain


def as_json(shape: Json) -> Json:
    return dict(json.loads(msgspec.json.encode(shape)))


def test_the_hash_chain_recomputes(played: Played) -> None:
    assert_chained(played.events)
    receipt = played.api.sure("GET", played.path).headers["Match-Head"]
    assert receipt == f'v={len(played.events)}; h="{played.events[-1]["hash"]}"'


def test_dice_and_draws_recompute_from_the_seed_that_was_committed_to(played: Played) -> None:
    cards = played.api.get("/v1/rulesets/harbor/cards")["items"]
    luck = Luck(played.events, [card["id"] for card in cards])

    assert played.of("match_created")[0]["dice"]["commitment"] == luck.commitment
    assert played.of("match_started")[0]["first_seat"] == luck.first_seat()
    assert [rolled["values"] for rolled in played.of("dice_rolled")] == luck.throws()
    drawn = [card for refilled in played.of("market_refilled") for card in refilled["cards"]]
    assert drawn == luck.draws("market")
    assert bool(drawn) == (played.market == "limited")


def test_every_command_can_be_found_by_its_key(played: Played) -> None:
    mine = [event for event in played.events if event["actor"] == "seat:0"]
    found = [
        event
        for number in range(1, played.decisions + 1)
        for event in played.api.get(f"{played.path}/commands/decision-{number}")["events"]
    ]

    assert found == mine


def test_no_answer_tells_the_seed_or_a_key_before_the_end(played: Played) -> None:
    (revealed,) = played.of("dice_revealed")
    tokens = played.stack.tokens
    secrets = [revealed["seed"], *[one for one in played.stack.secrets() if one not in tokens]]

    assert not [secret for secret in secrets if secret.encode() in played.seen_on_the_way]
