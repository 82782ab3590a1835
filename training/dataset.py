"""`python -m training.dataset FOLDER`: a frozen data set, a thousand matches of each ruleset.

Each ruleset is a ladder of built-in players, with the tables of `machi export` and the results that `machi
ladder rate` reads; docs/data.md describes them. It needs no service. The same seed and the same versions give
the same bytes, whatever the number of processes; `manifest.json` has the versions and all digests.
"""

import argparse
import hashlib
import importlib.metadata
import platform
import sys
import time
from pathlib import Path
from typing import Any, Final

import msgspec

from domain.ladder.results import lines, write
from domain.match.rulesets import CURRENT, digest
from machi.cli.audits.verification import processes_at_most
from machi.tabular import SCHEMA_VERSION, Header, TableFolder, UnusableFolder
from players import PLAYERS, weight_files
from runtime.strategies import STRATEGIES, VALUE_FUNCTIONS
from training.frozen_ladder import LadderPlan, blocks, finished, opened

PUBLISHED: Final = Path(__file__).with_suffix(".json")
"""The manifest of the data set that the defaults make."""
MANIFEST: Final = "manifest.json"
RESULTS: Final = "ladder.ndjson"
DEFAULT_PLAYERS: Final = (
    "random",
    "landmark_first",
    "furniture",
    "fruit_market",
    "bakery",
    "cheese",
    "convenience_rush",
    "greedy",
    "expected_value",
    "learned",
)
"""From weak to strong, without those that need seconds for a match."""
_PACKAGES: Final = {"csv": ("msgspec", "numpy"), "parquet": ("msgspec", "numpy", "pyarrow")}
"""By format: what the bytes may depend on."""
_TELL_EVERY_S: Final = 5.0


def make(folder: Path, plans: list[LadderPlan], form: str, processes: int) -> dict[str, Any]:
    """Play the ladders, write their tables and results below the folder, and return the manifest.

    Raises:
        UnusableFolder: a folder is not empty, or cannot be written.
        RuleViolation: a plan is not one of a ladder.
        ImportError: for Parquet, pyarrow is not installed.
    """
    for plan in plans:
        _make_ladder(folder / plan.ruleset, plan, form, processes)
    found = manifest_of(folder, plans, form)
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    return found


def _make_ladder(folder: Path, plan: LadderPlan, form: str, processes: int) -> None:
    ladder = opened(plan)
    begun = told_at = time.monotonic()
    with TableFolder(folder, Header(format=form)) as tables:
        for block in blocks(plan, ladder, processes):
            ladder = finished(ladder, block)
            for match_id, rows in block.matches:
                tables.add(match_id, rows)
            now, done = time.monotonic(), block.number * plan.seats
            if now - told_at > _TELL_EVERY_S or done == plan.matches:
                told_at = now
                _tell(f"{plan.ruleset}: {done:,} of {plan.matches:,} matches, {now - begun:.0f} s")
    (folder / RESULTS).write_bytes(write(lines(ladder.id, ladder.state, 1)))


def manifest_of(folder: Path, plans: list[LadderPlan], form: str) -> dict[str, Any]:
    """What the data set was made of, and the digests of its files."""
    names = sorted({name for plan in plans for name in plan.players})
    files = [folder / plan.ruleset for plan in plans]
    return {
        "schema_version": SCHEMA_VERSION,
        "format": form,
        "ladders": plans,
        "rules": {plan.ruleset: digest(CURRENT[plan.ruleset]) for plan in plans},
        "players": {name: STRATEGIES[name].version for name in names},
        "weights": {plan.ruleset: weight_files.digest(plan.ruleset) for plan in plans},
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in _PACKAGES[form]},
        },
        "files": {
            path.relative_to(folder).as_posix(): {
                "bytes": path.stat().st_size,
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }
            for own in files
            for path in sorted(own.rglob("*"))
            if path.is_file()
        },
    }


def differences(found: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The members in which two manifests differ, and the files."""
    one, two = [msgspec.json.decode(msgspec.json.encode(manifest)) for manifest in (found, other)]
    members = sorted({*one, *two} - {"files"})
    files = sorted({*one["files"], *two["files"]})
    return [name for name in members if one.get(name) != two.get(name)] + [
        name for name in files if one["files"].get(name) != two["files"].get(name)
    ]


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m training.dataset", description=__doc__)
    found.add_argument("folder", type=Path, help="new or empty folder")
    found.add_argument("--matches", type=int, default=1000, help="matches of each ruleset (default: 1000)")
    found.add_argument("--ruleset", action="append", choices=list(VALUE_FUNCTIONS), help="default: all")
    found.add_argument("--seats", type=int, default=4, choices=range(2, 6), help="default: 4")
    found.add_argument("--seed", type=int, default=1, help="default: 1")
    found.add_argument("--player", action="append", choices=list(PLAYERS), help="default: all quick ones")
    found.add_argument("--format", choices=list(_PACKAGES), default="parquet", help="default: parquet")
    found.add_argument("--processes", type=int, default=processes_at_most(), help="default: one per core")
    return found


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit code."""
    parser = _parser()
    args = parser.parse_args(arguments)
    if args.matches < args.seats or args.matches % args.seats:
        parser.error(
            f"--matches must be a multiple of {args.seats}: each table is played once from each seat"
        )
    if args.processes < 1:
        parser.error("--processes must be at least 1")
    players = tuple(args.player or DEFAULT_PLAYERS)
    if len(players) < args.seats or len({*players}) < len(players):
        parser.error(f"a ladder for {args.seats} needs as many different players")
    if (args.folder / MANIFEST).exists():
        parser.error(f"{args.folder} has a data set")
    plans = [
        LadderPlan(ruleset, args.seats, args.matches, args.seed, players)
        for ruleset in args.ruleset or VALUE_FUNCTIONS
    ]
    try:
        found = make(args.folder, plans, args.format, args.processes)
    except UnusableFolder as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        _tell(f"stopped; remove {args.folder} before you begin again")
        return 130
    _tell(f"{args.folder / MANIFEST}: {len(found['files'])} files")
    odd = differences(found, msgspec.json.decode(PUBLISHED.read_bytes()))
    if not {"ladders", "format"} & {*odd}:
        same = "identical to the published data set"
        _tell(f"differs from the published data set in {', '.join(odd)}" if odd else same)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
