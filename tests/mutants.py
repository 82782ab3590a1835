"""`make mutants`: mutation testing of the rules, and what it has found.

A mutant is the rules with one small change. `domain/equivalent_mutants.toml` lists those that no test can
tell from the rules, each with the reason. Names of mutants are numbers that move with the code, so the list
names the function, the line, and what it becomes. Changes of prose, as the detail of a refusal, are left out.
"""

import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import walk_mutatable_files

LISTED = Path(__file__).parent / "domain" / "equivalent_mutants.toml"

UNKILLED = ("survived", "no tests", "suspicious", "segfault")


class Mutant(NamedTuple):
    """A change of one function."""

    function: str
    was: str
    becomes: str


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
    module, _, function = name.rpartition("__mutmut_")[0].rpartition(".")
    function = function.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
    return Mutant(f"{module}.{function}", " ".join(gone), " ".join(new))


def is_of_prose(found: Mutant) -> bool:
    """Whether the change is in a text with blanks: what names or codes anything has none.

    A refusal without a detail of its own has the words of its code for one.
    """
    was, becomes = (_STRING.sub(_without_prose, line) for line in (found.was, found.becomes))
    return _NO_DETAIL.sub(r"\1", becomes) in (was, _DETAIL.sub(r"\1", was))


def _without_prose(string: re.Match[str]) -> str:
    return '""' if " " in string[0] else string[0]


_STRING = re.compile(r'f?"[^"]*"')
_DETAIL = re.compile(r'(RuleViolation\("?\w+"?), (?:""|detail)')
_NO_DETAIL = re.compile(r'(RuleViolation\("?\w+"?), (?:None)?(?=[,)])')


def main(chosen: list[str]) -> int:
    """Run the mutants of these names, with `*`, or all that have not been run yet. Then tell what is known.

    `none` runs none. The result is 1 if a mutant has lived without a reason.
    """
    if chosen != ["none"]:
        subprocess.run([sys.executable, "-m", "mutmut", "run", *chosen], check=True)
    return told()


def told() -> int:
    """Print the counts by module and the mutants that lived; 1 if any of these has no reason."""
    known = listed()
    met: set[Mutant] = set()
    counts: dict[str, Counter[str]] = {}
    unexplained = 0
    for name, status, path in results():
        if status in UNKILLED:
            found = mutant(name, path)
            met.add(found)
            if is_of_prose(found):
                status = "of prose"
            elif found in known:
                status = "equivalent"
            else:
                unexplained += 1
                print(f"{name}: {status}\n  - {found.was}\n  + {found.becomes}")
        counts.setdefault(str(path), Counter())[status] += 1
    for module, of_module in sorted(counts.items()):
        print(f"{module}: {_told(of_module)}")
    print(f"all: {_told(sum(counts.values(), Counter()))}")
    for gone in known.keys() - met:
        print(f"listed, but not met: {gone}")
    return int(unexplained > 0)


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {status}" for status, count in counts.most_common())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
