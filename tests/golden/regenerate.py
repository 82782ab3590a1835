"""Write the golden files anew: `python -m tests.golden.regenerate`, `make golden`.

They are those of rules, card texts and matches as they are told, a playthrough of OpenSpiel, the test vectors
of `docs/`, what `machi_koro_rules` draws with, and the examples of `openapi.yaml`, which is written with
them. What changes is reviewed line by line before it is committed. The digest of a released ruleset and the
members of a recorded event are never overwritten: a change of those is a new version, or a new event, beside
the old one.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from ops.servers import running_server
from runtime.settings import Settings
from service.app import create_app
from service.context import EXTENSION
from service.openapi import examples as documented
from service.openapi.document import document
from tests.domain import narration_samples, perft
from tests.domain.golden_matches import FOLDER, RECIPES, record
from tests.domain.languages import test_narration, test_texts
from tests.domain.match import test_rules_chance, test_rules_golden
from tests.golden import checkpoint_vectors, dice_vectors, drawings, examples, vectors
from tests.machi_koro_rules.environments import test_openspiel
from tests.service.served import MASTER_KEYS, SIGNING_KEYS

DOCUMENT = Path(__file__).parents[2] / "openapi.yaml"


def main() -> None:
    for stale in {path for path in FOLDER.iterdir() if path.stem not in RECIPES}:
        stale.unlink()
    for name in RECIPES:
        (FOLDER / f"{name}.jsonl").write_bytes(record(name))
    perft.FILE.write_text(perft.text())
    test_texts.GOLDEN.write_text(test_texts.told())
    for name, text in test_narration.golden_texts().items():
        (narration_samples.FOLDER / f"{name}.txt").write_text(text)
    _write(test_rules_chance.GOLDEN, test_rules_chance.vectors())
    _write(dice_vectors.FILE, dice_vectors.dice())
    _write(checkpoint_vectors.FILE, checkpoint_vectors.vectors())
    _write(test_rules_golden.EVENTS, test_rules_golden.members() | _kept(test_rules_golden.EVENTS))
    _write(test_rules_golden.RULESETS, test_rules_golden.digests() | _kept(test_rules_golden.RULESETS))
    test_openspiel.GOLDEN.write_text(test_openspiel.recorded())
    _write(drawings.FILE, drawings.drawings())
    for name, content in vectors.files().items():
        (vectors.FOLDER / name).write_bytes(content)
    _record_examples()


def _kept(path: Path) -> dict[str, Any]:
    """What is recorded already. Members that were added to an event are written in by hand."""
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Any]) if path.exists() else {}


def _write(path: Path, content: object) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")


def _record_examples() -> None:
    """From the service on servers of its own; then the document, which shows them."""
    with (
        TemporaryDirectory() as folder,
        running_server("events", Path(folder) / "events") as events,
        running_server("queue", Path(folder) / "queue") as queue,
    ):
        app = create_app(Settings(events.url, queue.url, MASTER_KEYS, SIGNING_KEYS))
        documented.FILE.write_bytes(examples.recorded(app, events.admin_url))
        DOCUMENT.write_text(document(app))
        app.extensions[EXTENSION].watcher.stop()


if __name__ == "__main__":
    main()
