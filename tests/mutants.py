"""`make mutants`: mutation testing of `domain/`, and what it has found.

A mutant is the code with one small change. `tests/domain/equivalent_mutants.toml` lists those that no test
can tell from the code, each with the reason. Names of mutants are numbers that move with the code, so the
list names the function, the line, and what it becomes. Changes of prose are left out, see `mutants_prose`.
What came of each mutant is recorded beside the list, see `mutants_record`.
"""

import gc
import os
import signal
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import mutmut.__main__
import pytest
from _pytest.config import _prepareconfig
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.mutation.trampoline import get_mutant_under_test
from mutmut.runners.harness import BadTestExecutionCommandsException, PytestRunner
from mutmut.state import state
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import (
    change_cwd,
    copy_also_copy_files,
    copy_src_dir,
    setup_source_paths,
    walk_mutatable_files,
)
from mutmut.workers.isolation import ForkServerRunner

from tests import mutants_record as record
from tests.mutants_direct import DirectCalls, FirstCalls
from tests.mutants_prose import Mutant, is_of_prose

HERE = Path.cwd()

KILLS = Path("mutants/kills.txt")
"""On each line: a function of which a mutant was killed, and the test that killed it."""

IMPORTED = Path("mutants/imported.txt")
"""On each line: a function that is called while the modules are imported."""

STATS = Path("mutants/mutmut-stats.json")
"""Which tests reach which function, as mutmut has found."""

TIMED_OUT = 36
SKIPPED = 34
"""Exit codes, as mutmut reads them."""

_SLACK, _SLACK_OF_IMPORTS = 4, 60
"""Seconds that a test, and tests with the import of all modules, may take beyond three times the usual."""

LISTED = Path(__file__).parent / "domain" / "equivalent_mutants.toml"

UNKILLED = ("survived", "no tests", "suspicious", "segfault")


def listed() -> dict[Mutant, str]:
    """Those that no test can tell from the rules, with the reasons."""
    return {
        Mutant(function, change["was"], change["becomes"]): group["reason"]
        for group in tomllib.loads(LISTED.read_text()).get("group", [])
        for function, changes in group["changes"].items()
        for change in changes
    }


def results() -> Iterator[tuple[str, str, Path]]:
    """The name of every mutant, what came of it, and the file it is of."""
    for path in walk_mutatable_files():
        data = SourceFileMutationData(path=path)
        data.load()
        for name, code in data.exit_code_by_key.items():
            yield name, status_by_exit_code[code], path


def mutant(name: str, path: Path) -> Mutant:
    """What a mutant changes."""
    lines = get_diff_for_mutant(name, path=path).splitlines()
    gone = [line[1:].strip() for line in lines if line.startswith("-") and not line.startswith("---")]
    new = [line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")]
    return Mutant(record.function_of(name), " ".join(gone), " ".join(new))


class CollectedTests(PytestRunner):
    """Tests that are collected once. For each mutant, a fork runs those that reach it: first those that have
    killed other mutants of the function, then the fastest.

    Collecting the tests again would take longer than most mutants live.
    """

    def __init__(self, chosen: list[str]) -> None:
        super().__init__()
        self.chosen = chosen

    def execute_pytest(self, params: list[str], **kwargs: Any) -> int:
        return super().execute_pytest(params, plugins=[*kwargs.pop("plugins", ()), Watch()], **kwargs)

    def warm_up(self) -> None:
        """Collect the tests, in the process that is forked."""
        # What fails is not shown, so its explanation would be wasted: it takes longer than the tests.
        options = ["--rootdir=.", "--capture=no", "--assert=plain", "--tb=native", _no_simpler_examples()]
        self.watch = Watch()
        with change_cwd("mutants"):
            config = _prepareconfig(
                [*options, *self._pytest_args_regular_run([]), *self._pytest_add_cli_args], [self.watch]
            )
            config._do_configure()
            self.session = pytest.Session.from_config(config)
            config.hook.pytest_sessionstart(session=self.session)
            self.session.perform_collect()
        self.direct_calls = DirectCalls()
        gc.freeze()  # or each fork copies the memory of all that was collected

    def run_tests(self, *, mutant_name: str | None, tests: Iterable[str]) -> int:
        if mutant_name is None:
            return self._run_without_mutant(tests)
        found = mutant(mutant_name, _file_of(mutant_name))
        if is_of_prose(found):
            return SKIPPED
        self.session.items = _chosen(self.session.items, found.function, set(tests))
        self.watch.mutated = found.function
        self.direct_calls.but(found.function)
        _forget_rules()
        with change_cwd("mutants"), suppress(self.session.Failed):
            self.session.config.hook.pytest_runtestloop(session=self.session)
        if self.session.testsfailed:
            return 1
        return self._run_anew(found.function) if _is_imported(mutant_name) and found not in listed() else 0

    def _run_without_mutant(self, tests: Iterable[str]) -> int:
        """Run the tests of the chosen subjects: of the code as it is, or of functions that fail at once."""
        if get_mutant_under_test() == "fail":
            return super().run_tests(mutant_name=None, tests=tests)
        self.warm_up()
        own = tuple([start for name in self.chosen for start in _own_tests(name)]) or ("",)
        self.session.items = [item for item in self.session.items if item.nodeid.startswith(own)]
        with change_cwd("mutants"), suppress(self.session.Failed):
            self.session.config.hook.pytest_runtestloop(session=self.session)
        return int(self.session.testsfailed > 0)

    def _run_anew(self, function: str) -> int:
        """Run the tests of the function's own subject after all modules were imported with the mutant."""
        here = str(Path("mutants").resolve())
        for name, module in [*sys.modules.items()]:
            if (getattr(module, "__file__", None) or "").startswith(here):
                del sys.modules[name]
        own = _own_tests(function)
        existing = [path for path in own if Path(path).exists()]
        usual = [seconds for test, seconds in state().duration_by_test.items() if test.startswith(own)]
        _limit(_SLACK_OF_IMPORTS + 3 * sum(usual))
        # Assertions are plain, or modules that are imported already would be warned of, and thus fail.
        options = ["--assert=plain", _no_simpler_examples(), *self._pytest_args_regular_run(existing)]
        watch = Watch()
        watch.mutated, watch.is_anew = function, True
        try:
            with change_cwd("mutants"):
                return int(super().execute_pytest(options, plugins=[watch]) != 0)
        except BadTestExecutionCommandsException:  # the helpers of the tests cannot even be imported
            return 1


def _chosen(items: list[pytest.Item], function: str, reaching: Set[str]) -> list[pytest.Item]:
    """The tests of the function's own subject among those that reach it, in the order to run them."""
    own = _own_tests(function)
    chosen = [item for item in items if item.nodeid in reaching and item.nodeid.startswith(own)]
    kills = Counter(test for killed, test in _kills() if killed == function)
    seconds = state().duration_by_test
    return sorted(chosen, key=lambda item: (-kills[item.nodeid], seconds.get(item.nodeid, 0)))


def _no_simpler_examples() -> str:
    """The option to take the first example that fails as it is: a simpler one would say nothing more."""
    # Not before: where pytest rewrites assertions, it warns of what is imported already, and thus fails.
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "mutants",
        phases=[Phase.explicit, Phase.generate],
        report_multiple_bugs=False,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    return "--hypothesis-profile=mutants"


class Watch:
    """Notes what kills mutants, and which functions each test calls. Outside of forks it has each test make
    its rules anew, to see which tests do.

    In a fork it also stops a test that does not end, after some time of the processor: a busy machine does
    not matter.
    """

    first_calls: FirstCalls | None = None
    mutated = ""
    """The function that is mutated, in a fork."""
    is_anew = False
    """Whether the tests were collected with the mutant."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if get_mutant_under_test() == "stats":
            with Path(IMPORTED.name).open("a") as imported:
                imported.writelines(f"{function}\n" for function in sorted(state()._stats))
            self.first_calls = FirstCalls()
        if self.is_anew:
            DirectCalls().but(self.mutated)
            session.items = _chosen(session.items, self.mutated, {item.nodeid for item in session.items})

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if not self.mutated:
            _forget_rules()
            if self.first_calls:
                self.first_calls.renew()
        elif not self.is_anew:
            _limit(_SLACK + 3 * state().duration_by_test[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.mutated:
            with (HERE / KILLS).open("a") as kills:
                kills.write(f"{self.mutated} {report.nodeid}\n")


def _limit(seconds: float) -> None:
    """End this process if what follows takes the processor longer."""
    signal.signal(signal.SIGPROF, lambda *_: os._exit(TIMED_OUT))
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _forget_rules() -> None:
    """Those that were made before a mutant acted lack it.

    Within a fork this happens once: tests compare rules by identity with some that earlier tests have kept.
    """
    sys.modules["domain.match.rules"]._rules.cache_clear()


def _own_tests(function: str) -> tuple[str, str]:
    """The folder and the file where the tests of a function's subject may be."""
    subject = function.split(".")[1]
    return f"tests/domain/{subject}/", f"tests/domain/test_{subject}.py"


def _is_imported(name: str) -> bool:
    """Whether the function of a mutant is called while the modules are imported."""
    return name.rpartition("__mutmut_")[0] in _imported()


@cache
def _imported() -> Set[str]:
    return frozenset((HERE / IMPORTED).read_text().split())


def _file_of(name: str) -> Path:
    """The file that a mutant is of."""
    file = sys.modules[name.rpartition(".")[0]].__file__
    assert file is not None
    return Path(file).relative_to(Path("mutants").resolve())


def _kills() -> Iterator[tuple[str, str]]:
    """Functions of killed mutants, with the tests that killed them."""
    kills = HERE / KILLS
    for line in kills.read_text().splitlines() if kills.exists() else ():
        function, _, test = line.partition(" ")
        yield function, test


def main(chosen: list[str]) -> int:
    """Run the mutants of these names, with `*`, or all that are not recorded or have lived without a reason.
    Then tell what is known.

    `none` runs none. The result is 1 if a mutant has lived without a reason.
    """
    make()
    record.restore()
    if chosen == ["none"]:
        return told()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run(chosen)
    except KeyboardInterrupt:
        print("stopped")
    finally:
        record.write()
    return told()


def make() -> None:
    """Write the mutants of what has changed."""
    Path("mutants").mkdir(exist_ok=True)
    with mutmut.__main__.CatchOutput():
        copy_src_dir()
        copy_also_copy_files()
        setup_source_paths()
        mutmut.__main__.create_mutants(os.cpu_count() or 1)


def run(chosen: list[str]) -> None:
    """Run the mutants of these names, or all that are not recorded or have lived without a reason."""
    if not chosen:
        waiting = (*UNKILLED, "not checked")
        record.forget({name for name, _, status, _ in outcomes() if status in waiting})
    if STATS.exists() and any(
        path.stat().st_mtime > STATS.stat().st_mtime for path in walk_mutatable_files()
    ):
        STATS.unlink()  # or what is new would have no tests
    collect = mutmut.__main__.collect_or_load_stats
    mutmut.__main__.collect_or_load_stats = lambda runner, **_: collect(runner)  # and forget nothing else
    mutmut.__main__.get_mutant_runner = lambda children: ForkServerRunner(
        children, CollectedTests, {"chosen": chosen}
    )
    estimated = mutmut.__main__.estimated_worst_case_time
    mutmut.__main__.estimated_worst_case_time = lambda name: estimated(name) + 1000 * _is_imported(name)
    mutmut.__main__._run(chosen, None)


def outcomes() -> Iterator[tuple[str, Path, str, Mutant | None]]:
    """The name of every mutant, the file it is of, what came of it, and what it changes if it lived."""
    known = listed()
    for name, status, path in results():
        found = mutant(name, path) if status in UNKILLED or status == "skipped" else None
        if found and is_of_prose(found):
            status = "of prose"
        elif status == "skipped":
            status = "not checked"
        elif found in known:
            status = "equivalent"
        yield name, path, status, found


def told() -> int:
    """Print the counts by module and the mutants that lived; 1 if any of these has no reason."""
    unmet = set(listed())
    counts: dict[str, Counter[str]] = {}
    for name, path, status, found in outcomes():
        counts.setdefault(str(path), Counter())[status] += 1
        if status == "not checked":
            unmet -= {listed for listed in unmet if listed.function == record.function_of(name)}
        elif found:
            unmet.discard(found)
            if status in UNKILLED:
                print(f"{name}: {status}\n  - {found.was}\n  + {found.becomes}")
    for module, of_module in sorted(counts.items()):
        print(f"{module}: {_told(of_module)}")
    total = sum(counts.values(), Counter())
    print(f"all: {_told(total)}")
    for gone in unmet:
        print(f"listed, but not met: {gone}")
    return int(any(total[status] for status in UNKILLED))


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {status}" for status, count in counts.most_common())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
