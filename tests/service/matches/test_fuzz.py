"""Mutated commands: none brings the service down, and none is accepted that is not legal."""

import json
import random
from collections import Counter
from typing import Any

import pytest
from flask.testing import FlaskClient

from contract.problems import KINDS
from domain.match.commands import PLAY_COMMANDS
from tests.service.contract import Account

RULESETS = ("base", "harbor", "machi_koro_2")
LEAST_KINDS = 6
"""Of answers, so that it is not one and the same refusal all the time."""
MOST_TIMES = 10
"""As many commands are sent until so many kinds came up: dice are random, and some matches bring fewer."""
TYPES = [
    "roll_dice",
    "reroll_dice",
    "keep_dice",
    "add_two",
    "keep_total",
    "take_coins",
    "swap_establishments",
    "decline_swap",
    "give_establishment",
    "build",
    "pass",
    "resign",
    "expire_clock",
    "take_seat",
    "create_match",
    "abort_match",
]
MEMBERS = [
    "type",
    "seat",
    "dice",
    "card",
    "from_seat",
    "give",
    "with_seat",
    "take",
    "actor",
    "command_id",
    "version",
    "strategy",
    "__proto__",
]
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 3, -1, 1.0, 2.5, 1e300, 10**30, 2**31, 2**63, "", "0", "1", "wheat_field"),
    *(
        "town_hall",
        "WHEAT_FIELD",
        "wheat_field ",
        "\u0000",
        "é",
        "\ud7ff",
        "😀",
        "x" * 5000,
        [],
        {},
        [1],
        {"a": 1},
    ),
    *("roll_dice", "seat:0", "../../etc/passwd", "'; DROP TABLE matches; --", "<script>", "NaN"),
)


class Fuzz:
    """One match that goes on now and then, and mutated commands between."""

    def __init__(self, account: Account, ruleset: str, seed: int) -> None:
        self.account = account
        self.client = FlaskClient(account.client.application)
        self.ruleset = ruleset
        self.chance = random.Random(f"{ruleset} {seed}")
        cards = account.client.get(f"/v1/rulesets/{ruleset}/cards").json["items"]
        self.cards = [card["id"] for card in cards] + ["sawmill_of_oz"]
        self.match_id = self._new_match()
        self.answers: Counter[str] = Counter()

    def _new_match(self) -> str:
        seats = [{"kind": "me"}, {"kind": "me"}, {"kind": "me"}]
        return str(self.account.create(ruleset=self.ruleset, seats=seats)["match_id"])

    def get(self, path: str) -> Any:
        return self.client.get(f"/v1/matches/{self.match_id}/{path}", headers=self.account.authorization).json

    def mutated(self, legal: list[dict[str, Any]]) -> bytes:
        """A body near to a legal one, a legal one, or one that could be legal elsewhere."""
        if self.chance.random() < 0.3:
            return json.dumps(self.plausible()).encode()
        body: dict[str, Any] = dict(self.chance.choice(legal or [{"type": "pass", "seat": 0}]))
        for _ in range(self.chance.choice((0, 1, 1, 1, 2, 3))):
            self.chance.choice((self._retype, self._set, self._drop, self._change))(body)
        raw = json.dumps(body).encode()
        return self._scrambled(raw) if self.chance.random() < 0.2 else raw

    def plausible(self) -> dict[str, Any]:
        """A well-formed command of any type, of cards and seats of this game."""
        kind = self.chance.choice([*PLAY_COMMANDS])
        members = [name for name in PLAY_COMMANDS[kind].__struct_fields__ if name != "seat"]
        return {"type": kind} | {name: self._plausible_value(name) for name in members}

    def _plausible_value(self, name: str) -> Any:
        if name == "dice":
            return self.chance.choice((1, 2))
        return self.chance.randrange(4) if name.endswith("seat") else self.chance.choice(self.cards)

    def _retype(self, body: dict[str, Any]) -> None:
        body["type"] = self.chance.choice(TYPES)

    def _set(self, body: dict[str, Any]) -> None:
        body[self.chance.choice(MEMBERS)] = self.chance.choice(ODD)

    def _drop(self, body: dict[str, Any]) -> None:
        if body:
            del body[self.chance.choice(sorted(body))]

    def _change(self, body: dict[str, Any]) -> None:
        name = self.chance.choice(sorted(body) or ["seat"])
        value = body.get(name)
        body[name] = (
            value + self.chance.choice((-1, 1, 2)) if isinstance(value, int) else self.chance.choice(ODD)
        )

    def _scrambled(self, raw: bytes) -> bytes:
        at = self.chance.randrange(len(raw) + 1)
        byte = bytes([self.chance.randrange(256)])
        return self.chance.choice(
            (raw[:at], raw[:at] + byte + raw[at:], raw[:at] + byte + raw[at + 1 :], raw * 2)
        )

    def send(self) -> None:
        """Send one, and fail unless it is refused without a trace, or legal."""
        shown = self.get("legal-commands")
        if shown["seat"] is None:
            self.match_id = self._new_match()
            return
        raw = self.mutated(shown["commands"])
        path = f"/v1/matches/{self.match_id}/commands"
        headers = {**self.account.authorization, "Content-Type": "application/json"}
        answer = self.client.post(path, data=raw, headers=headers)
        self.answers[f"{answer.status_code} {answer.json.get('code', '')}"] += 1
        if answer.status_code == 201:
            assert self._is_legal(json.loads(raw), shown), f"accepted: {raw!r}"
        else:
            assert 400 <= answer.status_code < 500, f"{answer.status_code} for {raw!r}"
            assert KINDS[answer.json["code"]].status == answer.status_code
            assert self.get("legal-commands") == shown, f"refused, yet something changed: {raw!r}"

    def _is_legal(self, body: dict[str, Any], shown: dict[str, Any]) -> bool:
        if body["type"] == "resign":
            return True
        return {**body, "seat": body.get("seat", shown["seat"])} in shown["commands"]

    def go_on(self) -> None:
        """Do something legal, so that all phases come up."""
        commands = self.get("legal-commands")["commands"]
        if commands:
            path = f"/v1/matches/{self.match_id}/commands"
            sent = self.client.post(
                path, json=self.chance.choice(commands), headers=self.account.authorization
            )
            assert sent.status_code == 201


@pytest.mark.parametrize("commands", [200, pytest.param(700, marks=pytest.mark.long)])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_mutated_commands_are_refused_without_a_trace_or_legal(
    ada: Account, ruleset: str, commands: int
) -> None:
    fuzz = Fuzz(ada, ruleset, 1)
    sent = 0
    while sent < commands or (len(fuzz.answers) < LEAST_KINDS and sent < MOST_TIMES * commands):
        fuzz.send()
        if sent % 3 == 0:
            fuzz.go_on()
        sent += 1
    assert len(fuzz.answers) >= LEAST_KINDS, fuzz.answers
    assert fuzz.answers["201 "] > sent / 20
    events = fuzz.client.get(f"/v1/matches/{fuzz.match_id}/events?limit=500").json["items"]
    assert all(event["actor"].startswith(("seat:", "account:")) for event in events)
