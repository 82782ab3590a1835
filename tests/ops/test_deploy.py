"""What is in deploy/ is valid, and says the same as the Procfile, the settings and the metrics."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from ops import cluster, compose
from ops.run import commands
from ops.servers import ROOT
from runtime.connection import check_url, check_url_of_server
from runtime.settings import from_env

DEPLOY = ROOT / "deploy"
COMPOSE = DEPLOY / "compose" / "compose.yaml"
KUBERNETES = DEPLOY / "kubernetes" / "machi-koro.yaml"
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
OWN_IMAGE = "machi-koro"


def tool(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")


def assert_no_fault(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def services() -> dict[str, Any]:
    return dict(yaml.safe_load(COMPOSE.read_text())["services"])


def resources() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(KUBERNETES.read_text()))


def containers(node: Any) -> Iterator[dict[str, Any]]:
    """All containers of our image in a resource."""
    if isinstance(node, dict):
        for one in node.get("containers", []):
            if one["image"].partition(":")[0] == OWN_IMAGE:
                yield one
        for below in node.values():
            yield from containers(below)


def test_compose_is_as_its_specification_has_it() -> None:
    schema = ("--builtin-schema", "vendor.compose-spec")
    assert_no_fault(sys.executable, "-m", "check_jsonschema", *schema, str(COMPOSE))


@pytest.mark.parametrize("resource", resources(), ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_the_resources_of_kubernetes_are_as_their_schemas_have_them(resource: dict[str, Any]) -> None:
    kubernetes_validate.validate(resource, "1.33", strict=True)


@tool("hadolint")
def test_the_dockerfile_is_good() -> None:
    assert_no_fault("hadolint", str(ROOT / "Dockerfile"))


@pytest.mark.long
def test_the_image_has_all_that_its_processes_load(tmp_path: Path) -> None:
    left_out = (ROOT / ".dockerignore").read_text().split()

    def ignored(folder: str, names: list[str]) -> set[str]:
        inside = Path(folder).relative_to(ROOT)
        anywhere = [pattern.removeprefix("**/") for pattern in left_out if pattern.startswith("**/")]
        return {
            name
            for name in names
            if (inside / name).as_posix() in left_out or any(fnmatch(name, pattern) for pattern in anywhere)
        }

    shutil.copytree(ROOT, tmp_path / "app", ignore=ignored)
    modules = "service.app, workers.relay, workers.jobs, events.archive.__main__, events.move, ops.cluster"
    done = subprocess.run(
        [sys.executable, "-c", f"import {modules}"],
        cwd=tmp_path / "app",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@tool("promtool")
def test_prometheus_takes_its_configuration_and_the_alerts() -> None:
    assert_no_fault("promtool", "check", "config", str(DEPLOY / "prometheus" / "prometheus.yaml"))


@tool("nginx")
def test_nginx_takes_its_configuration(tmp_path: Path) -> None:
    text = (DEPLOY / "compose" / "nginx.conf").read_text()
    conf = tmp_path / "nginx.conf"
    conf.write_text(f"pid {tmp_path}/pid;\n" + re.sub(r"web-\d", "127.0.0.1", text))
    assert_no_fault("nginx", "-t", "-q", "-c", str(conf), "-p", str(tmp_path), "-e", "stderr")


def test_every_command_is_one_of_the_procfile() -> None:
    known = {*commands((ROOT / "Procfile").read_text(), (), archives=True).values()}
    composed = {
        " ".join(one["command"])
        for name, one in services().items()
        if one["image"] == OWN_IMAGE and "command" in one and name != "join"
    }
    assert composed <= known
    kubernetes = {" ".join(one["command"]) for resource in resources() for one in containers(resource)}
    assert kubernetes - {"python -m events.archive --older-than 30d"} <= known


def test_every_setting_is_one_that_the_service_knows() -> None:
    settings = {*re.findall(r"^\| `([A-Z][A-Z0-9_]+)` \|", OPERATIONS, re.M)}
    settings |= {f"{name}_FILE" for name in settings}
    composed = {name for one in services().values() for name in one.get("environment", {})}
    mapped = {name for one in resources() if one["kind"] == "ConfigMap" for name in one["data"]}
    assert composed | mapped <= settings


def test_the_dashboard_shows_metrics_that_there_are() -> None:
    known = {*re.findall(r"^\| `(machi_\w+)` \|", OPERATIONS, re.M)}
    used = {*re.findall(r"machi_\w+", (DEPLOY / "grafana" / "dashboard.json").read_text())}
    assert {re.sub(r"_bucket$", "", one) for one in used} <= known


def test_the_secrets_are_those_that_the_containers_read(tmp_path: Path) -> None:
    assert compose.main(tmp_path / "secrets") == 0
    written = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    assert {*written} == {*yaml.safe_load(COMPOSE.read_text())["secrets"]}
    assert compose.main(tmp_path / "secrets") == 0
    assert {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()} == written
    check_url(written["events_url"].strip())
    check_url_of_server(written["queue_url"].strip())
    hosts = [member.host for member in cluster.members_of(written["events_admin_url"].strip())]
    assert hosts == [f"events-{number}" for number in range(1, 7)]
    files = {"EVENTS_REDIS_URL": "events_url", "QUEUE_REDIS_URL": "queue_url"}
    files |= {name: name.lower() for name in ("MASTER_KEYS", "SIGNING_KEYS")}
    from_env({f"{name}_FILE": str(tmp_path / "secrets" / file) for name, file in files.items()})
