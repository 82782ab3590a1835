"""docs/operations.md names every setting, every metric and every member of a line of the log."""

import ast
import json
import re
from dataclasses import MISSING, fields
from pathlib import Path

import yaml
from prometheus_client.registry import Collector

import service.operations.metrics
import workers.operations.metrics
from ops.servers import Server
from runtime.metrics import REGISTRY
from runtime.settings import RATES, Settings
from service.operations.gauges import Readings
from tests.service.served import MASTER_KEYS, SIGNING_KEYS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "operations.md").read_text()

COUNTED_BY = (service.operations.metrics, workers.operations.metrics)
"""Imported for the metrics that they register."""

NO_SETTINGS = {
    "DEBUG": "a level of the log",
    "INFO": "a level of the log",
    "WARNING": "a level of the log",
    "ERROR": "a level of the log",
    "MAKELEVEL": "from make",
    "WATCHDOG_USEC": "from the supervisor, as systemd tells it",
    "CC": "from the shell: the C compiler",
    "PYTHONPATH": "from the compilation of the rules to Python",
    "PATH": "from the shell; the runner puts its Python in front",
    "PYTHONUNBUFFERED": "from the runner to Python",
    "REDOCLY_SUPPRESS_UPDATE_NOTICE": "from the lint of the API document to redocly",
    "REDOCLY_TELEMETRY": "from the lint of the API document to redocly",
    "CHROME_PATH": "from the shell to Lighthouse: the browser",
    "RATE_": "the beginning of several names",
}
"""What has the form of a setting in the code and is none, by what it is."""


def section(title: str) -> str:
    """The text under a heading of the second level."""
    return re.split(r"^## ", TEXT.split(f"## {title}\n")[1], flags=re.M)[0]


def rows(title: str) -> list[list[str]]:
    """The cells of each row of the section's table, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def code_words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def settings_in(path: Path) -> set[str]:
    """The words of a source file that have the form of a setting."""
    if path.suffix == ".sh":
        return set(re.findall(r"\$\{([A-Z_]+)", path.read_text()))
    texts = {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)}
    return {text for text in texts if isinstance(text, str) and re.fullmatch(r"[A-Z][A-Z0-9_]+", text)}


def test_every_setting_stands_in_the_table_and_nothing_else() -> None:
    sources = [ROOT / "runtime" / "settings.py", *(ROOT / "ops").glob("*.py"), *(ROOT / "ops").glob("*.sh")]
    found = {name for path in sources for name in settings_in(path)}
    assert found >= NO_SETTINGS.keys()
    found |= {f"RATE_{policy.upper()}" for policy in RATES}
    assert sorted(row[0] for row in rows("Settings")) == sorted(
        f"`{name}`" for name in found - NO_SETTINGS.keys()
    )


def test_no_other_module_reads_a_setting() -> None:
    for package in ("domain", "events", "service", "workers"):
        readers = [
            path
            for path in (ROOT / package).rglob("*.py")
            if re.search(r"getenv|os\.environ(\[|\.(?!setdefault))", path.read_text())
        ]
        assert readers == []


def test_the_defaults_in_the_table_are_those_of_the_code() -> None:
    documented = {row[0].strip("`"): row[1] for row in rows("Settings")}
    for field in fields(Settings):
        if field.default not in (MISSING, None, "", frozenset()):  # the runner sets these
            is_flag = isinstance(field.default, bool)
            default = ("no", "yes")[field.default] if is_flag else field.default
            assert documented[field.name.upper()] == f"`{default}`"
    for policy, rate in RATES.items():
        assert documented[f"RATE_{policy.upper()}"] == f"`{rate}`"


def metrics_of(collector: Collector) -> dict[str, tuple[str, list[str]]]:
    """By name: type and labels."""
    found = {}
    for metric in collector.collect():
        name = metric.name + ("_total" if metric.type == "counter" else "")
        labels = getattr(metric, "_labelnames", None) or getattr(collector, "_labelnames", ())
        found[name] = (metric.type, list(labels))
    return found


def test_every_metric_stands_in_the_table_and_nothing_else(
    events_server: Server, queue_server: Server
) -> None:
    readings = Readings(Settings(events_server.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS))
    found = metrics_of(readings)
    for collector in REGISTRY._collector_to_names:
        found |= metrics_of(collector)
    documented = {row[0].strip("`"): (row[1], code_words(row[2])) for row in rows("Metrics")}
    assert documented == found


def test_the_rules_watch_metrics_that_there_are() -> None:
    text = (ROOT / "deploy" / "prometheus" / "rules.yaml").read_text()
    rules = yaml.safe_load(text)["groups"][0]["rules"]
    assert len(rules) == 7
    documented = {row[0].strip("`") for row in rows("Metrics")}
    watched = [set(re.findall(r"machi_\w+", rule["expr"])) for rule in rules]
    assert all(watched)
    assert set().union(*watched) <= documented


def test_the_example_of_a_line_shows_what_the_table_explains() -> None:
    [text] = re.findall(r"```json\n(.*?)```", section("The log"), re.S)
    explained = {name for row in rows("The log") for name in code_words(row[0])}
    only_sometimes = {"cut", "error", "traceback"}
    assert {*json.loads(text)} == explained - only_sometimes | {"event", "level", "time"}
