"""The record of mutation runs: what came of the mutants of each function, see `tests/mutants.py`.

`domain/mutants.tsv` has one line for each function: its name, the hash of its source, and a letter for each
of its mutants, in their order. A function whose source is as it was is not run again. This leaves out what
else its mutants depend on: other functions, data of modules, and tests that were weakened or taken away. To
have a function run again, name it in ARGS, or delete its line.
"""

from collections.abc import Iterator, Set
from importlib.metadata import version
from pathlib import Path

from mutmut.mutation.data import SourceFileMutationData
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import walk_mutatable_files

RECORD = Path(__file__).parent / "domain" / "mutants.tsv"

_HEAD = f"function\tsource\toutcomes (mutmut {version('mutmut')})"
"""Another version may make other mutants, so that a record of it tells nothing."""

_CODES = {"k": 1, "t": 36, "s": 0, "n": 33, "p": 34, "-": None}
"""Killed, timed out, survived, no tests, of prose, not run: letters of the record and codes of mutmut."""

_BROKEN = 255
"""The exit code of a run that failed without a result; to mutmut it is a time-out."""

_LETTERS = {status_by_exit_code[code]: letter for letter, code in _CODES.items()}


def restore() -> None:
    """Tell mutmut what the record knows of functions that are as they were."""
    lines = RECORD.read_text().splitlines() if RECORD.exists() else []
    if not lines or lines[0] != _HEAD:
        return
    recorded = {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in lines[1:]}
    for data in _files():
        for function, source, mutants in _functions(data):
            letters = recorded.get((function, source), "")
            if len(letters) != len(mutants):
                continue
            for name, letter in zip(mutants, letters, strict=True):
                if data.exit_code_by_key[name] is None:
                    data.exit_code_by_key[name] = _CODES[letter]
        data.save()


def write() -> None:
    """Write down what mutmut knows."""
    lines = []
    for data in _files():
        for function, source, mutants in _functions(data):
            codes = [data.exit_code_by_key[name] for name in mutants]
            letters = "".join(map(_letter, codes))
            if letters.strip("-"):
                lines.append(f"{function}\t{source}\t{letters}\n")
    RECORD.write_text(f"{_HEAD}\n{''.join(sorted(lines))}")


def forget(names: Set[str]) -> None:
    """Have mutmut run these again."""
    for data in _files():
        data.exit_code_by_key.update(dict.fromkeys(data.exit_code_by_key.keys() & names))
        data.save()


def function_of(mutant: str) -> str:
    """The function that a mutant is of, as one would write it: `package.module.Class.method`."""
    module, _, function = mutant.rpartition("__mutmut_")[0].rpartition(".")
    return f"{module}.{function.removeprefix('x_').removeprefix('xǁ').replace('ǁ', '.')}"


def _letter(code: int | None) -> str:
    return "-" if code == _BROKEN else _LETTERS.get(status_by_exit_code[code], "-")


def _files() -> Iterator[SourceFileMutationData]:
    for path in walk_mutatable_files():
        data = SourceFileMutationData(path=path)
        data.load()
        yield data


def _functions(data: SourceFileMutationData) -> Iterator[tuple[str, str, list[str]]]:
    """Each function of a file, the hash of its source, and its mutants in their order."""
    mutants: dict[str, list[str]] = {}
    for name in data.exit_code_by_key:
        mutants.setdefault(name.rpartition("__mutmut_")[0], []).append(name)
    for function, names in mutants.items():
        names.sort(key=lambda name: int(name.rpartition("_")[2]))
        yield function_of(names[0]), data.hash_by_function_name[function.rpartition(".")[2]], names
