"""`machi llm`: let a language model play."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click
import msgspec

from machi.cli.options import ruleset_or_base
from machi.cli.play import seats_against
from machi.cli.session import Session, Unusable, WrongUse, service_options, session_of
from machi.client import Client
from machi.language_models import Decision, Endpoint, LanguageModelPlayer
from machi.matches import Match, NewSeat


@click.command(
    epilog="""\b
Examples:
  machi llm --endpoint http://127.0.0.1:11434/v1 --model qwen3 --against greedy
  machi llm --endpoint https://llm.example/v1 --model big --key-env LLM_KEY \\
      --matches 10 --records decisions.ndjson
  machi llm --endpoint http://127.0.0.1:11434/v1 --model qwen3 --forever
"""
)
@click.option(
    "--endpoint",
    metavar="URL",
    required=True,
    help="Base URL of the OpenAI-compatible API; often ends in /v1.",
)
@click.option("--model", metavar="NAME", required=True, help="Name of the model at the endpoint.")
@click.option("--key-env", metavar="VARIABLE", help="Environment variable with the key of the endpoint.")
@click.option(
    "--key-file", type=click.Path(path_type=Path), metavar="FILE", help="File with the key of the endpoint."
)
@click.option("--against", metavar="WHO,...", default="greedy", show_default=True, help="As in machi play.")
@ruleset_or_base()
@click.option(
    "--matches", type=click.IntRange(1, 100), default=1, show_default=True, help="Number of matches to play."
)
@click.option(
    "--forever", is_flag=True, help="Create no matches; play all that come, such as those of a ladder."
)
@click.option(
    "--records", type=click.Path(path_type=Path), metavar="FILE", help="Append each decision here, as a line."
)
@click.option(
    "--tries", type=click.IntRange(1, 10), default=3, show_default=True, help="Requests per decision."
)
@click.option(
    "--timeout",
    type=click.FloatRange(1, 3600),
    default=60.0,
    show_default=True,
    help="Seconds to wait for an answer of the model.",
)
@click.option("--max-tokens", type=click.IntRange(1), metavar="N", help="Length limit of an answer.")
@click.option("--temperature", type=click.FloatRange(0, 2), metavar="T", help="Randomness of the model.")
@service_options
@session_of
def llm(
    session: Session,
    /,
    endpoint: str,
    model: str,
    key_env: str | None,
    key_file: Path | None,
    against: str,
    ruleset: str,
    matches: int,
    forever: bool,
    records: Path | None,
    tries: int,
    timeout: float,
    max_tokens: int | None,
    temperature: float | None,
) -> None:
    """Let a language model play, through an OpenAI-compatible endpoint.

    Plays new matches against built-in players, one after the other, and with them all other matches of your
    account. With --forever it waits for matches, as a bot of a ladder does. With --json it prints each new
    match when it is over, and at the end the sums over all decisions.
    """
    key = _key(key_env, key_file)
    try:
        asked = Endpoint(
            endpoint, model, key, timeout=timeout, max_tokens=max_tokens, temperature=temperature
        )
    except ValueError as error:
        raise WrongUse(str(error)) from None
    session.require_account()
    tally = _Tally()
    with session.patient_client() as client, _records(records) as file:

        def keep(decision: Decision) -> None:
            tally.add(decision)
            if file is not None:
                file.write(msgspec.json.encode(decision) + b"\n")
                file.flush()

        player = LanguageModelPlayer(asked, client, tries=tries, on_decision=keep)
        try:
            if forever:
                client.play(player, forever=True)
            else:
                seats = seats_against(against, 0)
                wins = [_played(session, client, player, ruleset, seats) for _ in range(matches)]
                session.say(f"{model} won {sum(wins)} of {matches} matches.")
        finally:
            asked.close()
            session.show(tally, lambda sums: session.say(str(sums)))


class _Tally(msgspec.Struct):
    """Sums over all decisions."""

    decisions: int = 0
    fallbacks: int = 0
    requests: int = 0
    tokens: int = 0
    latency_ms: int = 0

    def add(self, decision: Decision) -> None:
        self.decisions += 1
        self.fallbacks += decision.is_fallback
        for one in decision.tries:
            self.requests += 1
            self.tokens += (one.prompt_tokens or 0) + (one.completion_tokens or 0)
            self.latency_ms += one.latency_ms

    def __str__(self) -> str:
        mean_ms = self.latency_ms // max(self.requests, 1)
        return (
            f"{self.decisions} decisions, {self.fallbacks} of them fallbacks; {self.requests} requests, "
            f"{self.tokens} tokens, {mean_ms} ms on average."
        )


def _played(
    session: Session, client: Client, player: LanguageModelPlayer, ruleset: str, seats: Sequence[NewSeat]
) -> bool:
    """Play a new match, and say whether seat 0 has won it."""
    match_id = client.create_match(ruleset, seats).match_id
    client.play(player)
    match = client.match(match_id)
    session.show(match, lambda ended: session.say(_result(ended)))
    return match.winner == 0


def _result(match: Match) -> str:
    winner = "nobody" if match.winner is None else match.seats[match.winner].name
    return f"{match.match_id}: {winner} won after {match.turn} turns."


def _key(variable: str | None, file: Path | None) -> str | None:
    """The key of the endpoint; None if none is named."""
    if variable and file:
        raise WrongUse("--key-env and --key-file exclude each other")
    if variable:
        if not os.environ.get(variable):
            raise WrongUse(f"the environment variable {variable} is not set")
        return os.environ[variable]
    if file is None:
        return None
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(
            f"cannot read {file}: {getattr(error, 'strerror', None) or 'it is not text'}"
        ) from None


@contextmanager
def _records(path: Path | None) -> Iterator[BinaryIO | None]:
    if path is None:
        yield None
        return
    try:
        file = path.open("ab")
    except OSError as error:
        raise Unusable(f"cannot write {path}: {error.strerror}") from None
    with file:
        yield file
