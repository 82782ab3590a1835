"""The package in `client-ts/` is built and used as people use it, with Node against the running service.

Node is optional: without it, without npm, or without the packages of `client-ts/package-lock.json`, the tests
are skipped and say so. The packages are kept beside those of Python, for the next run.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.lint import CLIENT, client_workshop
from ops.node import NodeUnavailable
from ops.servers import Server
from tests.e2e.stack import DEADLINE_S, Stack
from tests.e2e.test_generated_client import run
from tests.service.served import Served, environment, gunicorn

pytestmark = pytest.mark.long

MOST_BYTES = 10_000
README_BOT = re.compile(r"^```js\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the package and its tests, compiled."""
    try:
        folder = client_workshop(tmp_path_factory.mktemp("client-ts"))
    except NodeUnavailable as error:
        pytest.skip(f"the client in TypeScript is not tested: {error}")
    run(["npm", "run", "--silent", "build"], folder)
    run(["node_modules/.bin/tsc", "--project", "test"], folder)
    return folder


@pytest.fixture(scope="module")
def limited(
    events_server: Server, queue_server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A service without workers that executes two commands a second."""
    environ = environment(events_server, queue_server, RATE_MOVES="2/second")
    with gunicorn(tmp_path_factory.mktemp("limited") / "log", **environ) as served:
        yield served


@pytest.mark.parametrize("name", sorted(path.stem for path in (CLIENT / "test").glob("*.test.ts")))
def test_the_tests_of_the_client_pass(name: str, built: Path, shared_stack: Stack, limited: Served) -> None:
    addresses = {
        "MACHI_URL": f"http://127.0.0.1:{shared_stack.port}",
        "MACHI_LIMITED_URL": f"http://127.0.0.1:{limited.port}",
    }
    command = ["node", "--test", f"--test-timeout={1000 * DEADLINE_S:.0f}", f"build/{name}.js"]
    printed = run(command, built, **addresses)
    assert re.search(r"^# fail 0$", printed, re.MULTILINE), printed
    assert re.search(r"^# skipped 0$", printed, re.MULTILINE), printed


def test_the_bot_of_the_guide_plays_a_match(built: Path, shared_stack: Stack) -> None:
    (code,) = README_BOT.findall((CLIENT / "README.md").read_text())
    assert len(code.splitlines()) <= 20
    (built / "bot.js").write_text(code)
    printed = run(["node", "bot.js", f"http://127.0.0.1:{shared_stack.port}"], built)
    assert re.fullmatch(r"seat [01] has won\n", printed)


def test_everything_that_a_page_loads_is_small(built: Path) -> None:
    assert 0 < int(run(["npm", "run", "--silent", "size"], built)) < MOST_BYTES


def test_the_package_holds_what_was_built_and_nothing_else(built: Path) -> None:
    packed = json.loads(run(["npm", "pack", "--dry-run", "--json", "--ignore-scripts"], built))
    (files,) = [[file["path"] for file in package["files"]] for package in packed]
    modules = ("client", "errors", "index", "retries", "schema", "streams")
    compiled = [f"dist/{name}.{kind}" for name in modules for kind in ("d.ts", "js")]
    assert sorted(files) == sorted(["LICENSE", "NOTICE", "README.md", "package.json", *compiled])
