"""A bot that asks a language model: a function that `Client.play` and `machi bot run` call for each turn."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from msgspec import Struct

from machi.client import Client
from machi.commands import Command, members_of
from machi.language_models.answer import Unreadable, move_in
from machi.language_models.endpoint import ModelFailed, NoAnswer, Reply
from machi.language_models.prompt import prompt_of
from machi.language_models.rules import rules_in_short
from machi.table import Turn

Model = Callable[[str], str | Reply]
"""A language model: a function from a prompt to an answer."""

MOST_FALLBACKS: Final = 20
"""After so many decisions in a row without a usable answer, the model counts as broken."""

_QUIET: Final = ("keep_dice", "keep_total", "decline_swap", "pass")
"""Commands that change as little as possible."""


class Try(Struct, frozen=True, kw_only=True):
    """One request to the model, and what came of it."""

    answer: str | None
    """None if the model gave none."""
    problem: str | None
    """Why the answer cannot be used; None if it was."""
    latency_ms: int
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Decision(Struct, frozen=True, kw_only=True):
    """The record of a decision."""

    time: datetime
    match_id: str
    version: int
    seat: int
    phase: str | None
    model: str
    prompt: str
    tries: tuple[Try, ...]
    command: dict[str, Any]
    """The command that was chosen; the service may have got another one first."""
    is_fallback: bool
    """No answer could be used."""


class LanguageModelPlayer:
    """Chooses the commands that a model answers with.

    A turn with a single legal command is played without the model. An answer that is missing, unreadable or
    illegal is asked for again, `tries` times in all, but not after the deadline of the decision. Then a
    fallback is played: keep the dice, keep the total, decline the swap, pass, or else the first command.
    """

    def __init__(
        self,
        model: Model,
        client: Client,
        *,
        name: str = "",
        tries: int = 3,
        on_decision: Callable[[Decision], None] = lambda decision: None,
    ) -> None:
        """`client` reads the rules and needs no token. `name` is that of the model in the records; by default
        its attribute `model`, or its own name.
        """
        if tries < 1:
            raise ValueError("a model is asked at least once")
        self._model = model
        own_name = getattr(model, "model", "") or getattr(model, "__name__", type(model).__name__)
        self._name = name or str(own_name)
        self._tries = tries
        self._on_decision = on_decision
        self._rules_of = cache(lambda name: rules_in_short(client.ruleset(name), client.cards(name, "en")))
        self._fallbacks = 0

    def __call__(self, turn: Turn) -> Command:
        """One of the commands of the turn.

        Raises:
            ModelFailed: the model refuses requests, or has answered nothing usable for 20 decisions.
        """
        if len(turn.commands) == 1:
            return turn.commands[0]
        prompt = prompt_of(self._rules_of(turn.state.ruleset), turn)
        tries: list[Try] = []
        chosen, complaint = None, ""
        while chosen is None and len(tries) < self._tries and not (tries and _is_late(turn)):
            chosen, complaint = self._ask(prompt + complaint, turn.commands, tries)
        command = _fallback(turn.commands) if chosen is None else chosen
        self._on_decision(
            Decision(
                time=datetime.now(UTC),
                match_id=turn.match_id,
                version=turn.version,
                seat=turn.seat,
                phase=turn.legal_commands.phase,
                model=self._name,
                prompt=prompt,
                tries=tuple(tries),
                command=members_of(command),
                is_fallback=chosen is None,
            )
        )
        self._fallbacks = self._fallbacks + 1 if chosen is None else 0
        if self._fallbacks < MOST_FALLBACKS:
            return command
        raise ModelFailed(f"{self._name} has given no usable answer for {MOST_FALLBACKS} decisions in a row")

    def _ask(self, prompt: str, commands: Sequence[Command], tries: list[Try]) -> tuple[Command | None, str]:
        """The command that the model answers with, or None and what to tell the model. Adds to `tries`."""
        start = time.monotonic()
        reply, chosen, problem, complaint = Reply(""), None, None, ""
        try:
            answered = self._model(prompt)
            reply = Reply(answered) if isinstance(answered, str) else answered
            chosen = commands[move_in(reply.text, commands)]
        except (NoAnswer, Unreadable) as error:
            problem = str(error)
            if isinstance(error, Unreadable):
                complaint = f"\n\n{problem} Answer with a number from 1 to {len(commands)}."
        tries.append(
            Try(
                answer=reply.text or None,
                problem=problem,
                latency_ms=round((time.monotonic() - start) * 1000),
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
            )
        )
        return chosen, complaint


def _fallback(commands: Sequence[Command]) -> Command:
    return next((one for one in commands if one.type in _QUIET), commands[0])


def _is_late(turn: Turn) -> bool:
    return turn.deadline is not None and datetime.now(UTC) >= turn.deadline
