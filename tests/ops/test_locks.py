import re

import pytest

from ops.run import ROOT

LOCKS = ("requirements.lock", "requirements-tracing.lock", "requirements-dev.lock", "requirements-build.lock")


def _pins(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^(\S+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE))


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-tracing.lock"])
def test_tests_run_with_the_versions_that_serve(lock: str) -> None:
    assert _pins(lock).items() <= _pins("requirements-dev.lock").items()


def test_the_rules_are_compiled_by_the_compiler_that_the_tests_use() -> None:
    build, tests = _pins("requirements-build.lock"), _pins("requirements-dev.lock")
    assert {
        name: version for name, version in build.items() if name in tests and tests[name] != version
    } == {}
    assert build["mypy"] == tests["mypy"]


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_name_no_registry_and_no_path(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert not re.findall(r"\w+://|(?m:^\s*--(?!hash=).*)|(?<=\s)/\w.*", text)


@pytest.mark.parametrize(
    "name", ["requirements", "requirements-tracing", "requirements-dev", "requirements-build"]
)
def test_every_dependency_is_explained(name: str) -> None:
    wanted = [line for line in (ROOT / f"{name}.in").read_text().splitlines() if line[:1].isalnum()]
    explained = re.findall(r"^\| (\S+) \| \S", (ROOT / "docs/dependencies.md").read_text(), re.MULTILINE)
    assert wanted
    assert set(wanted) <= set(explained)
