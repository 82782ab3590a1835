"""A client that a public generator makes from `openapi.yaml` plays whole matches, and nothing else is used.

The players are in `generated_player` and `generated_tour`, which can be imported once the client is there.
"""

import importlib
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.stack import ROOT, Stack

pytestmark = pytest.mark.long

PACKAGE = "machi_koro_matches_client"
DOCUMENT = ROOT / "openapi.yaml"
GUIDE = ROOT / "docs" / "generated-clients.md"

UNREADABLE = {"application/yaml", "application/x-ndjson", "*/*"}
"""The generator omits answers in these media types, whatever is said of them."""


class Generated:
    """The package that was generated, importable."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = self._run(
            "openapi_python_client", "generate", "--path", str(DOCUMENT), "--meta", "none"
        )
        self.models: Any = importlib.import_module(f"{PACKAGE}.models")
        self.player: Any = importlib.import_module("tests.e2e.generated_player")
        self.tour: Any = importlib.import_module("tests.e2e.generated_tour")

    def _run(self, module: str, *arguments: str) -> str:
        # It formats its code with ruff, which is beside our Python.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return run([sys.executable, "-m", module, *arguments], self.folder, PATH=path)


def run(command: list[str], folder: Path, **environ: str) -> str:
    """What the command printed; it must have gone well."""
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environ}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    folder = tmp_path_factory.mktemp("generated")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield Generated(folder)


@pytest.fixture
def player(generated: Generated, shared_stack: Stack) -> Iterator[Any]:
    with signed_up(generated, shared_stack) as player:
        yield player


@contextmanager
def signed_up(generated: Generated, stack: Stack) -> Iterator[Any]:
    handle = f"gen-{random.randrange(16**8):08x}"
    with generated.player.signed_up(f"http://127.0.0.1:{stack.port}", handle) as player:
        stack.tokens.append(player.client.token)
        yield player


def test_the_generator_omits_only_what_is_neither_json_nor_text(generated: Generated) -> None:
    warnings = generated.output.count("WARNING")
    omitted = re.findall(r"Unsupported content_type (\S+)\)", generated.output)
    assert set(omitted) <= UNREADABLE, generated.output
    assert len(omitted) == warnings, generated.output


def test_the_types_of_the_client_fit_what_is_done_with_it(generated: Generated) -> None:
    strict = ["--strict", "--follow-imports=silent", f"--cache-dir={generated.folder / 'mypy'}"]
    modules = ["-m", "tests.e2e.generated_player", "-m", "tests.e2e.generated_tour"]
    run([sys.executable, "-m", "mypy", *strict, *modules], ROOT, MYPYPATH=str(generated.folder))


class Played:
    """A match that a player has played against built-in players to its end."""

    def __init__(self, player: Any, ruleset: Any, options: Any) -> None:
        self.player = player
        self.match_id = player.new_match(ruleset, options)
        self.match = player.play(self.match_id)
        self.events = [event for page in player.pages(self.match_id) for event in page.items]


@pytest.fixture(scope="module", params=["HARBOR", "MACHI_KORO_2"])
def played(request: pytest.FixtureRequest, generated: Generated, shared_stack: Stack) -> Iterator[Played]:
    models = generated.models
    markets = {"HARBOR": models.MarketKind.LIMITED, "MACHI_KORO_2": models.MarketKind.ROWS}
    options = models.NewMatchOptions(market=markets[request.param])
    with signed_up(generated, shared_stack) as player:
        yield Played(player, models.RulesetId[request.param], options)


def test_a_match_is_played_to_its_end(generated: Generated, played: Played) -> None:
    models, match = generated.models, played.match
    assert match.status is models.MatchStatus.FINISHED
    assert match.result.reason is models.EndReason.LANDMARKS
    kinds = [seat.kind for seat in match.seats]
    assert kinds == [models.SeatKind.ACCOUNT, *[models.SeatKind.STRATEGY] * len(generated.player.BOTS)]
    said = {type(posted.command) for posted in played.player.posted}
    assert {models.RollDiceCommand, models.BuildCommand} <= said


def test_every_event_is_of_the_class_of_its_type(generated: Generated, played: Played) -> None:
    assert [event.sequence for event in played.events] == [*range(1, played.match.version + 1)]
    for event in played.events:
        name = "".join(word.capitalize() for word in event.type_.split("_"))
        assert type(event) is getattr(generated.models, f"{name}Event")
        assert type(event.data) is getattr(generated.models, f"{name}Data")
    created, *_, finished, revealed = played.events
    assert finished.data.winner == played.match.winner
    assert isinstance(revealed, generated.models.DiceRevealedEvent)
    assert created.data.options.market == played.match.options.market.value


def test_what_the_commands_were_answered_is_what_the_events_say(played: Played) -> None:
    of_commands = [event for posted in played.player.posted for event in posted.answer.events]
    assert of_commands == [event for event in played.events if event.actor == "seat:0"]


def test_a_command_is_found_by_a_key_with_slashes(played: Played) -> None:
    for posted in (played.player.posted[0], played.player.posted[-1]):
        assert "/" in posted.key
        record = played.player.record(played.match_id, posted.key)
        assert (record.command_id, record.events) == (posted.answer.command_id, posted.answer.events)


def test_refusals_are_typed_problems(generated: Generated, player: Any) -> None:
    models, code = generated.models, generated.models.ProblemCode
    match_id = player.new_board(throws=[[3], [4]])
    two = models.RollDiceCommand(type_="roll_dice", dice=2)
    one = models.RollDiceCommand(type_="roll_dice", dice=1)
    done = models.PassCommand(type_="pass")
    assert player.refused(match_id, two, 422).code is code.TWO_DICE_NEED_STATION
    assert player.refused(match_id, done, 409).code is code.WRONG_PHASE
    before = player.match(match_id).version
    assert player.accepted(match_id, one, idempotency_key="first").version == before + 1
    assert player.refused(match_id, done, 422, idempotency_key="first").code is code.IDEMPOTENCY_KEY_REUSED
    stale = player.refused(match_id, done, 412, if_match=f'"{before}"')
    assert (stale.code, stale.expected, stale.current) == (code.STALE_VERSION, before, before + 1)
    assert isinstance(stale.events[0], models.DiceRolledEvent)
    unknown = player.refused(match_id, models.BuildCommand(type_="build", card="no_such_card"), 422)
    assert [(fault.pointer, fault.code) for fault in unknown.errors] == [("/card", code.UNKNOWN_CARD)]
    assert player.refused("mat_" + "0" * 26, done, 404).code is code.MATCH_NOT_FOUND


def test_a_command_sent_twice_is_answered_alike(generated: Generated, player: Any) -> None:
    match_id = player.new_board(throws=[[3]])
    command = generated.models.RollDiceCommand(type_="roll_dice", dice=1)
    first, second = [player.accepted(match_id, command, idempotency_key="a/b") for _ in range(2)]
    assert first == second


def test_every_other_operation_answers_as_its_types_say(
    generated: Generated, shared_stack: Stack, player: Any
) -> None:
    tour = generated.tour
    tour.see_the_service(player)
    tour.see_the_account(player)
    with signed_up(generated, shared_stack) as other:
        tour.meet(player, other)
        tour.add_seeds(player, other)
        tour.leave(other)


def test_a_match_that_is_over_is_shown_as_the_types_say(generated: Generated, played: Played) -> None:
    generated.tour.see_a_match(played.player, played.match_id)


def test_the_program_in_the_guide_plays_a_match(
    generated: Generated, shared_stack: Stack, tmp_path: Path
) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    program = program.replace("http://localhost:8000", f"http://127.0.0.1:{shared_stack.port}")
    printed = run([sys.executable, "-c", program], tmp_path, PYTHONPATH=str(generated.folder))
    assert re.fullmatch(r"seat [01] has won\n", printed)


def test_the_guide_names_the_version_of_the_generator_that_is_tested() -> None:
    assert f"openapi-python-client {version('openapi-python-client')}" in GUIDE.read_text()
