"""Write the golden files of rules and card texts anew: `python -m tests.golden.regenerate`, `make golden`.

What changes is reviewed line by line before it is committed. The digest of a released ruleset and the
members of a recorded event are never overwritten: a change of those is a new version, or a new event, beside
the old one.
"""

from pathlib import Path
from typing import Any

import msgspec

from tests.domain import perft, test_rules_chance, test_rules_golden, test_texts
from tests.domain.golden_matches import FOLDER, RECIPES, record


def main() -> None:
    for stale in {path for path in FOLDER.iterdir() if path.stem not in RECIPES}:
        stale.unlink()
    for name in RECIPES:
        (FOLDER / f"{name}.jsonl").write_bytes(record(name))
    perft.FILE.write_text(perft.text())
    test_texts.GOLDEN.write_text(test_texts.told())
    _write(test_rules_chance.GOLDEN, test_rules_chance.vectors())
    _write(test_rules_golden.EVENTS, test_rules_golden.members() | _kept(test_rules_golden.EVENTS))
    _write(test_rules_golden.RULESETS, test_rules_golden.digests() | _kept(test_rules_golden.RULESETS))


def _kept(path: Path) -> dict[str, Any]:
    """What is recorded already. Members that were added to an event are written in by hand."""
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Any]) if path.exists() else {}


def _write(path: Path, content: object) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")


if __name__ == "__main__":
    main()
