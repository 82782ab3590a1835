import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops import run
from ops.redis_conf import Role, free_port
from ops.run import ROOT, SettingError, child_environment, commands, own_keys, read_settings

PROCFILE = "events-redis: a\nqueue-redis: b\nweb: c --flag\n"

# Answers every request with 200.
WEB = """
import http.server, os, socket
class Ok(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
server = http.server.HTTPServer((os.environ["HOST"], 0), Ok)
server.socket = socket.socket(fileno=int(os.environ["LISTEN_FD"]))
server.serve_forever()
"""

SERVICE = ["web", "relay", "worker", "people-worker", "webhook-worker"]
"""What the runner starts besides the servers."""

# Writes to the events server when it is told to stop, which only works while Redis lives.
CLIENT = """
import os, redis, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
client = redis.Redis.from_url(os.environ["EVENTS_REDIS_URL"])
while True:
    try:
        print("client works", client.ping(), flush=True)
        break
    except redis.ConnectionError:
        time.sleep(0.05)
signal.sigwait([signal.SIGTERM])
print("last write", client.set("stopped", "yes"), flush=True)
"""


def test_defaults_fill_in_for_absent_and_empty_settings() -> None:
    settings = read_settings({"HOST": "", "PORT": ""})
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.var_dir == Path.cwd() / "var"
    assert settings.own_servers == ("events", "queue")


def test_a_given_url_means_no_server_of_our_own() -> None:
    assert read_settings({"EVENTS_REDIS_URL": "redis://elsewhere"}).own_servers == ("queue",)


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "8000.0", "²"])
def test_a_port_must_be_a_port(port: str) -> None:
    with pytest.raises(SettingError, match="PORT must be a number from 1 to 65535"):
        read_settings({"PORT": port})


@pytest.mark.parametrize("workers", ["0", "257", "-1", "many", "²"])
def test_workers_must_be_a_number_of_them(workers: str) -> None:
    with pytest.raises(SettingError, match="WORKERS must be a number from 1 to 256"):
        read_settings({"WORKERS": workers})


@pytest.mark.parametrize("wished", ["14", "86401", "-1", "long"])
def test_hung_processes_get_a_time_that_is_not_too_short(wished: str) -> None:
    with pytest.raises(SettingError, match="WATCHDOG_S must be a number from 15 to 86400"):
        read_settings({"WATCHDOG_S": wished})


@pytest.mark.parametrize("wished", ["false", "0", "No"])
def test_whether_the_rules_are_compiled_is_yes_or_no(wished: str) -> None:
    with pytest.raises(SettingError, match=f"COMPILE_RULES must be yes or no, not '{wished}'"):
        read_settings({"COMPILE_RULES": wished})


def test_a_program_gets_json_unless_something_else_is_asked_for() -> None:
    assert read_settings({}).log_format == "json"  # pytest is no terminal
    assert read_settings({"LOG_FORMAT": "text"}).log_format == "text"
    with pytest.raises(SettingError, match="LOG_FORMAT must be text or json, not 'xml'"):
        read_settings({"LOG_FORMAT": "xml"})


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
        ("localhost", "http://localhost:8000"),
    ],
)
def test_the_printed_url_is_one_that_a_client_can_use(host: str, url: str) -> None:
    assert read_settings({"HOST": host}).url == url


def test_children_get_addresses_keys_and_this_python(tmp_path: Path) -> None:
    settings = read_settings({"VAR_DIR": "/v", "LOG_FORMAT": "json"})
    environ = {"PATH": "/bin", "LANG": "C"}
    (tmp_path / "master.key").write_text("ab12\n")
    (tmp_path / "signing.key").write_text("cd34\n")
    urls: dict[Role, str] = {"events": "redis://e", "queue": "redis://q"}
    made = child_environment(environ, settings, urls, own_keys(environ, tmp_path))
    assert made == {
        "LANG": "C",
        "PATH": f"{Path(sys.executable).parent}:/bin",
        "HOST": "127.0.0.1",
        "PORT": "8000",
        "VAR_DIR": "/v",
        "EVENTS_REDIS_URL": "redis://e",
        "QUEUE_REDIS_URL": "redis://q",
        "MASTER_KEYS": "k1:ab12",
        "SIGNING_KEYS": "s1:cd34",
        "PYTHONUNBUFFERED": "1",
        "ARCHIVE_DIR": "/v/archive",
        "PROMETHEUS_MULTIPROC_DIR": str(settings.metrics_dir),
        "LOG_FORMAT": "json",
    }


def test_given_urls_and_keys_are_passed_on(tmp_path: Path) -> None:
    keys = {"MASTER_KEYS": "k2:cd", "SIGNING_KEYS": "s2:ef"}
    given = {"EVENTS_REDIS_URL": "redis://e", "QUEUE_REDIS_URL": "redis://q", **keys, "ARCHIVE_DIR": "/a"}
    made = child_environment(given, read_settings(given), {}, own_keys(given, tmp_path))
    assert {name: made[name] for name in given} == given


def test_urls_and_keys_in_files_are_left_to_the_processes(tmp_path: Path) -> None:
    names = ("EVENTS_REDIS_URL", "QUEUE_REDIS_URL", "MASTER_KEYS", "SIGNING_KEYS")
    environ = {f"{name}_FILE": f"/run/secrets/{name}" for name in names}
    settings = read_settings(environ)
    assert settings.own_servers == ()
    prepared = child_environment(environ, settings, {}, own_keys(environ, tmp_path))
    assert environ.items() <= prepared.items()
    assert not prepared.keys() & {*names}


def test_redis_servers_that_run_elsewhere_are_not_started() -> None:
    assert commands(PROCFILE, ("events", "queue")) == {
        "events-redis": "a",
        "queue-redis": "b",
        "web": "c --flag",
    }
    assert commands(PROCFILE, ("queue",)) == {"queue-redis": "b", "web": "c --flag"}
    assert commands(PROCFILE, ()) == {"web": "c --flag"}


def test_the_procfile_names_what_the_runner_leaves_out() -> None:
    assert list(commands((ROOT / "Procfile").read_text(), ())) == SERVICE


def test_as_many_workers_are_started_as_are_wanted() -> None:
    found = commands((ROOT / "Procfile").read_text(), (), workers=3)

    assert list(found) == [*SERVICE, "worker-2", "worker-3"]
    assert found["worker-3"] == found["worker"]


def test_matches_are_archived_only_if_that_is_wanted() -> None:
    procfile = (ROOT / "Procfile").read_text()
    assert "archiver" not in commands(procfile, ())
    assert commands(procfile, (), archives=True)["archiver"] == "python -m events.archive --every 6h"


def test_only_the_archiver_may_remove_streams(tmp_path: Path) -> None:
    given = {"QUEUE_REDIS_URL": "redis://q", "VAR_DIR": str(tmp_path)}
    everybody, archiver = run._prepare(read_settings(given), given)
    assert everybody["EVENTS_REDIS_URL"].startswith("redis://app:")
    assert list(archiver) == ["ARCHIVE_REDIS_URL"]
    assert archiver["ARCHIVE_REDIS_URL"].startswith("redis://admin:")
    elsewhere = given | {"EVENTS_REDIS_URL": "redis://e"}
    assert run._prepare(read_settings(elsewhere), elsewhere)[1] == {}


def test_whoever_asks_for_help_gets_it_and_nothing_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VAR_DIR", str(tmp_path / "var"))
    with pytest.raises(SystemExit) as ended:
        run.main(["--help"])

    assert ended.value.code == 0
    assert "python -m ops.run" in capsys.readouterr().out
    assert not (tmp_path / "var").exists()


def test_keys_are_made_once_and_private(tmp_path: Path) -> None:
    given = {"EVENTS_REDIS_URL": "redis://e", "QUEUE_REDIS_URL": "redis://q", "VAR_DIR": str(tmp_path)}
    first, second = [run._prepare(read_settings(given), given)[0] for _ in range(2)]
    made = [re.fullmatch(r"[ks]1:([0-9a-f]{64})", first[name]) for name in ("MASTER_KEYS", "SIGNING_KEYS")]
    assert len({found[1] for found in made if found}) == 2
    assert first == second
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("master.key", "signing.key")] == [0o600] * 2


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def _run_command(procfile: Path, var_dir: Path, port: int) -> tuple[list[str], dict[str, str]]:
    unset = {**dict.fromkeys(run.URL_NAMES.values(), ""), "MASTER_KEYS": "", "SIGNING_KEYS": ""}
    environ = {**os.environ, **unset, "PORT": str(port), "VAR_DIR": str(var_dir), "PYTHONPATH": str(ROOT)}
    environ["COMPILE_RULES"] = "no"
    return [sys.executable, "-m", "ops.run", str(procfile)], environ


FORMAT = "import os, time; print(os.environ['LOG_FORMAT'], flush=True); time.sleep(1000)"


def test_a_terminal_gets_text_and_so_do_the_processes(tmp_path: Path) -> None:
    (tmp_path / "format.py").write_text(FORMAT)
    (tmp_path / "Procfile").write_text("job: python format.py\n")
    command, environ = _run_command(tmp_path / "Procfile", tmp_path / "var", free_port())
    environ |= {"EVENTS_REDIS_URL": "redis://e", "QUEUE_REDIS_URL": "redis://q", "LOG_FORMAT": ""}
    screen, program_side = pty.openpty()
    with subprocess.Popen(command, env=environ, stdout=program_side) as runner:
        seen = ""
        while "job          | text" not in seen:
            assert select.select([screen], [], [], 60)[0], seen
            seen += os.read(screen, 65_536).decode()
        runner.terminate()
        assert runner.wait(60) == 0
    assert re.match(r"run          \| \d\d:\d\d:\d\d job started \(pid \d+\)\r\n", seen)
    os.close(screen)
    os.close(program_side)


def test_a_taken_port_is_refused_in_one_line(taken_port: int, tmp_path: Path) -> None:
    command, environ = _run_command(ROOT / "Procfile", tmp_path / "var", taken_port)
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 1
    assert ended.stderr == f"error: port {taken_port} on 127.0.0.1 is taken; choose another with PORT=...\n"
    assert not (tmp_path / "var").exists()


@pytest.mark.parametrize("name", ["WORKERS", "WATCHDOG_S", "PORT"])
def test_a_wrong_setting_ends_the_run_with_the_code_after_which_systemd_does_not_restart_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VAR_DIR", str(tmp_path / "var"))
    monkeypatch.setenv(name, "many")
    monkeypatch.delenv("MAKELEVEL", raising=False)
    unit = (ROOT / "deploy" / "systemd" / "machi-koro.service").read_text()

    code = run.main([])

    assert f"\nRestartPreventExitStatus={code}\n" in unit
    assert capsys.readouterr().err.startswith(f"error: {name} must be a number from ")


def _write_procfile(directory: Path) -> Path:
    commands = [line for line in (ROOT / "Procfile").read_text().splitlines() if "-redis:" in line]
    for name, code in (("web", WEB), ("client", CLIENT)):
        (directory / f"{name}.py").write_text(code)
        commands.append(f"{name}: python {name}.py")
    (directory / "Procfile").write_text("\n".join(commands))
    return directory / "Procfile"


def test_a_var_dir_that_is_a_file_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(SettingError, match=re.escape(f"cannot use VAR_DIR={path}: File exists")):
        run.run(ROOT / "Procfile", {"PORT": str(free_port()), "VAR_DIR": str(path), "COMPILE_RULES": "no"})


def test_counts_are_kept_in_memory_where_the_system_has_a_place_for_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "SHARED_MEMORY", tmp_path)
    one, other = [read_settings({"VAR_DIR": var_dir}).metrics_dir for var_dir in ("/one", "/other")]
    assert one.parent == other.parent == tmp_path
    assert one != other


def test_a_run_begins_to_count_at_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "SHARED_MEMORY", tmp_path / "none")
    counts = tmp_path / "metrics" / "counter_1.db"
    counts.parent.mkdir()
    counts.write_text("from the run before")
    kept = tmp_path / "master.key"
    kept.write_text("ab12")
    given = {"EVENTS_REDIS_URL": "redis://e", "QUEUE_REDIS_URL": "redis://q", "VAR_DIR": str(tmp_path)}
    prepared, _ = run._prepare(read_settings(given), given)
    assert prepared["PROMETHEUS_MULTIPROC_DIR"] == str(counts.parent)
    assert not counts.exists()
    assert kept.exists()


def test_a_host_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=re.escape("cannot listen at HOST=nonsense.invalid PORT=8000")):
        run.run(ROOT / "Procfile", {"HOST": "nonsense.invalid", "VAR_DIR": str(tmp_path)})


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_the_service_starts_and_stops_redis_last(signal_number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    procfile = _write_procfile(tmp_path / "a b")
    port = free_port()
    command, environ = _run_command(procfile, tmp_path / "a b" / "var", port)
    output = subprocess.PIPE
    with subprocess.Popen(command, env=environ, stdout=output, stderr=subprocess.STDOUT, text=True) as runner:
        assert runner.stdout
        lines: list[str] = []
        awaited = {f"ready: http://127.0.0.1:{port}", "client works True"}
        while not all(any(text in line for line in lines) for text in awaited):
            lines.append(next(runner.stdout).rstrip())
        runner.send_signal(signal_number)
        lines += [line.rstrip() for line in runner.stdout]
        assert runner.wait(60) == 0
    printed = "\n".join(lines)
    assert "last write True" in printed
    assert "Traceback" not in printed
    secrets = re.findall(
        r"_password\": \"([^\"]+)", (tmp_path / "a b/var/redis/events/server.json").read_text()
    )
    secrets += [(tmp_path / "a b/var" / name).read_text().strip() for name in ("master.key", "signing.key")]
    assert len(secrets) == 4
    assert not any(secret in printed for secret in secrets)
