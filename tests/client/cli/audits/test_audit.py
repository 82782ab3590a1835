"""`machi audit`: a service that is honest, and services that are not."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from domain.audit.checkpoints import NO_HASH, Checkpoint
from machi import Client, Resign, me
from machi.cli import run
from machi.cli.audits import log
from tests.client.scripted import Asked, Listener, Move, answer, problem, serving
from tests.golden.exports import (
    KEY_ID,
    PUBLIC_KEY,
    Played,
    branch_of,
    checkpoint_of,
    last_of_command,
    lines_of,
    matches,
    sealed,
    seed_of,
    written,
)

Run = Callable[..., tuple[int, str, str]]

KEY = {"key_id": KEY_ID, "algorithm": "Ed25519", "public_key": PUBLIC_KEY, "is_current": True}


class Service:
    """What a service tells auditors, from matches that were played; a test may have it lie."""

    def __init__(self, count: int) -> None:
        self.matches = {one.match_id: one for one in matches(count, most=40, resigns=True)}
        self.log: list[Checkpoint] = []
        self.keys = [KEY]
        self.edits: list[tuple[bytes, bytes]] = []
        """Replacements in the JSON of the keys and of the log."""
        for played in self.matches.values():
            self.append(played)

    def append(self, played: Played) -> None:
        before = self.log[-1].hash if self.log else NO_HASH
        self.log.append(checkpoint_of(played, len(self.log) + 1, before))

    def write_anew(self) -> None:
        """Sign all lines again, so that the log holds together."""
        listed, self.log = [line.match_id for line in self.log], []
        for match_id in listed:
            self.append(self.matches[str(match_id)])

    def __call__(self, asked: Asked) -> Move:
        url = urlsplit(asked.target)
        match url.path.split("/")[2:]:
            case ["strategies"]:
                return answer(200, {"items": []})
            case ["signing-keys"]:
                return self._edited({"items": self.keys})
            case ["checkpoints"]:
                return self._page(**{name: int(value[0]) for name, value in parse_qs(url.query).items()})
            case ["matches", match_id]:
                return self._head(match_id)
            case ["matches", match_id, "export"]:
                return self._export(match_id)
        return problem(404, "not_found")

    def _page(self, after: int, limit: int) -> Move:
        if after > len(self.log):
            return problem(400, "cursor_ahead", max_number=len(self.log))
        return self._edited({"items": msgspec.to_builtins(self.log[after : after + limit]), "next": None})

    def _edited(self, body: dict[str, Any]) -> Move:
        text = json.dumps(body).encode()
        for old, new in self.edits:
            text = text.replace(old, new)
        return answer(200, text)

    def _head(self, match_id: str) -> Move:
        played = self.matches.get(match_id)
        if played is None:
            return problem(404, "match_not_found")
        head = f'v={len(played.events)}; h="{played.head_hash}"'
        return Move(answer(200, {}, {"Match-Head": head}).sent[0].partition(b"\r\n\r\n")[0] + b"\r\n\r\n")

    def _export(self, match_id: str) -> Move:
        played = self.matches.get(match_id)
        if played is None:
            return problem(404, "match_not_found")
        (line,) = [one for one in self.log if one.match_id == match_id]
        return answer(200, written(lines_of(played, line)), kind="application/x-ndjson")


@pytest.fixture
def audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `machi audit` on a server; the exit code, what it printed, and the errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("MACHI_URL", raising=False)
    monkeypatch.delenv("MACHI_TOKEN", raising=False)

    def audited(server: Listener, *words: str) -> tuple[int, str, str]:
        code = run(["--url", server.url, "audit", *words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return audited


def state() -> dict[str, Any]:
    (file,) = Path("state/machi").iterdir()
    members: dict[str, Any] = json.loads(file.read_text())
    return members


def test_an_honest_service_is_audited_and_the_next_run_goes_on_from_there(audit: Run) -> None:
    service = Service(3)
    with serving(service) as server:
        code, out, err = audit(server)
        assert (code, out[:24]) == (0, "3 matches: 3 unchanged, ")
        assert err == f"The key {KEY_ID!r} (9631 d4b0 71a0 acbd) is new, and trusted from now on.\n"
        assert (state()["number"], state()["hash"]) == (3, service.log[-1].hash)
        for played in list(matches(5, most=40, resigns=True))[3:]:
            service.matches[played.match_id] = played
            service.append(played)
        code, out, err = audit(server)
        assert (code, out[:24], err) == (0, "2 matches: 2 unchanged, ", "")
        assert audit(server)[1].startswith("0 matches: 0 unchanged, 0 failed, 0 incomplete")


@pytest.mark.parametrize("words", [(), ("--full",)], ids=["heads", "full"])
def test_a_match_that_is_deleted_after_an_audit_is_found_again(words: tuple[str, ...], audit: Run) -> None:
    service = Service(3)
    match_id, played = list(service.matches.items())[1]
    with serving(service) as server:
        assert audit(server, *words)[0] == 0
        del service.matches[match_id]
        assert audit(server, *words)[1].startswith("0 matches")
        code, out, _ = audit(server, "--again", *words)
        assert code == 1
        assert out.startswith(f"line 2: {match_id} failed: log: ")
        assert out.splitlines()[-1].startswith("3 matches: 2 ")
        assert audit(server, *words)[0] == 1
        service.matches[match_id] = played
        assert audit(server, "--again", *words)[0] == audit(server, *words)[0] == 0
        assert state()["number"] == 3


def test_a_full_audit_verifies_each_match(audit: Run) -> None:
    service = Service(3)
    with serving(service) as server:
        code, out, _ = audit(server, "--full", "--verbose")
    assert (code, out.splitlines()[-1][:23]) == (0, "3 matches: 3 verified, ")
    assert out.splitlines().count("  decisions passed") == out.splitlines().count("  log passed") == 3


def test_the_log_is_read_page_by_page(audit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "PAGE", 2)
    with serving(Service(5)) as server:
        assert audit(server)[0] == 0
        pages = [asked.target for asked in server.asked if "checkpoints" in asked.target]
    assert [parse_qs(urlsplit(page).query)["after"][0] for page in pages] == ["0", "2", "4", "5"]


@pytest.mark.parametrize("words", [(), ("--full",)], ids=["heads", "full"])
def test_a_match_that_is_gone_is_named_until_it_is_back(words: tuple[str, ...], audit: Run) -> None:
    service = Service(3)
    match_id, played = list(service.matches.items())[1]
    del service.matches[match_id]
    gone = f"line 2: {match_id} failed: log: the log lists this match, but the service no longer has it"
    with serving(service) as server:
        for _ in range(2):
            code, out, _ = audit(server, *words)
            assert (code, out.splitlines()[0]) == (1, gone)
        service.matches[match_id] = played
        assert audit(server, *words)[0] == 0
        assert audit(server, *words)[1].startswith("0 matches")


def test_a_match_that_was_changed_after_its_end_is_found_by_its_head(audit: Run) -> None:
    service = Service(2)
    match_id = service.log[0].match_id
    service.matches[str(match_id)] = next(matches(1, "harbor", most=40, resigns=True))
    with serving(service) as server:
        code, out, _ = audit(server)
    assert code == 1
    assert out.startswith(f"line 1: {match_id} failed: log: the log has v={service.log[0].version}; h=")


@pytest.mark.parametrize("words", [(), ("--full",)], ids=["heads", "full"])
def test_a_match_whose_record_is_damaged_fails(words: tuple[str, ...], audit: Run) -> None:
    service = Service(2)
    broken = str(service.log[0].match_id)

    def serve(asked: Asked) -> Move:
        return problem(500, "stream_corrupt") if broken in asked.target else service(asked)

    with serving(serve) as server:
        code, out, _ = audit(server, *words)
    assert code == 1
    assert out.startswith(f"line 1: {broken} failed: log: the service cannot export this match: ")


def test_a_full_audit_fetches_the_origin_of_a_branch(audit: Run) -> None:
    service = Service(1)
    (origin,) = service.matches.values()
    branch = branch_of(origin, last_of_command(origin, 20), seed_of("base 0"), Random(5), f"mat_{9:026}")
    service.matches[branch.match_id] = branch
    service.append(branch)
    with serving(service) as server:
        code, out, _ = audit(server, "--full", "--verbose")
    assert (code, out.splitlines().count("  origin passed")) == (0, 1)


def test_an_export_of_another_match_is_found(audit: Run) -> None:
    service = Service(2)
    one, two = service.matches
    service.matches[one] = service.matches[two]
    with serving(service) as server:
        code, out, _ = audit(server, "--full")
    assert code == 1
    assert out.splitlines()[0].startswith(f"line 1: {two} failed")


def test_a_match_that_breaks_the_rules_is_found_by_a_full_audit_alone(audit: Run) -> None:
    service = Service(1)
    (played,) = service.matches.values()
    events = [msgspec.structs.replace(event, actor="service") for event in played.events]
    service.matches[played.match_id] = played._replace(events=(*events[:-1], played.events[-1]))
    with serving(service) as server:
        assert audit(server, "--state", "a")[0] == 0
        assert audit(server, "--state", "b", "--full")[0] == 1


def test_a_log_that_was_written_anew_is_found(audit: Run) -> None:
    service = Service(3)
    with serving(service) as server:
        assert audit(server)[0] == 0
        before = state()
        service.log = service.log[1:]
        service.write_anew()
        code, out, _ = audit(server)
        assert code == 1
        assert out.startswith("line 3: failed: log: the log was truncated: this line was there before and is")
        service.log = service.log[:1]
        assert "the log was truncated" in audit(server)[1]
        service.log = [service.log[0]] * 3
        service.write_anew()
        code, out, _ = audit(server)
        assert code == 1
        assert out.startswith("line 3: failed: log: the log was rewritten: this line was different")
        assert state() == before


LIES: list[tuple[str, Callable[[Service], None], str]] = [
    (
        "a line left out",
        lambda service: service.log.pop(1),
        "line 2: failed: log: line 3 is in its place",
    ),
    (
        "a line that does not follow",
        lambda service: service.log.__setitem__(1, checkpoint_of(list(service.matches.values())[1], 2)),
        "line 2: failed: log: it does not name the hash of the line before",
    ),
    (
        "a changed line",
        lambda service: service.log.__setitem__(2, msgspec.structs.replace(service.log[2], version=9)),
        "line 3: failed: log: the hash of line 3 does not match",
    ),
    (
        "a line that is not signed",
        lambda service: service.log.__setitem__(2, msgspec.structs.replace(service.log[2], signature="")),
        "line 3: failed: log: line 3 is not signed by a trusted key",
    ),
    (
        "a line with a member twice",
        lambda service: service.edits.append((b'"number": 2', b'"number": 9, "number": 2')),
        "line 2: failed: log: not a checkpoint: an object has the member 'number' twice",
    ),
    (
        "a line with a fraction",
        lambda service: service.edits.append((b'"number": 2', b'"number": 2.0')),
        "line 2: failed: log: not a checkpoint: the number 2.0 is not whole",
    ),
]


@pytest.mark.parametrize(("lie", "message"), [case[1:] for case in LIES], ids=[case[0] for case in LIES])
def test_a_log_that_does_not_hold_together_is_found(
    lie: Callable[[Service], None], message: str, audit: Run
) -> None:
    service = Service(4)
    lie(service)
    with serving(service) as server:
        code, out, _ = audit(server)
    assert code == 1
    assert out.startswith(message)
    assert state()["number"] == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"key_id": "vectors", "alg', b'"key_id": "another", "key_id": "vectors", "alg'),
        (b'{"items": [{"key_id"', b'{"items": [], "items": [{"key_id"'),
        (b'{"items": [{"type"', b'{"items": [], "items": [{"type"'),
    ],
    ids=["in a key", "in the list of keys", "in a page of the log"],
)
def test_an_answer_with_a_member_twice_is_refused(old: bytes, new: bytes, audit: Run) -> None:
    service = Service(2)
    service.edits.append((old, new))
    with serving(service) as server:
        code, out, err = audit(server)
    assert (code, out) == (3, "")
    assert "twice" in err


def test_a_key_that_is_another_than_before_is_not_trusted(audit: Run) -> None:
    service = Service(1)
    with serving(service) as server:
        assert audit(server)[0] == 0
        service.keys = [{**KEY, "public_key": "A" * 43 + "="}]
        code, out, _ = audit(server)
        assert (code, out.splitlines()[0]) == (
            1,
            f"signing keys: failed: log: the key {KEY_ID!r} has changed",
        )


def test_a_key_that_replaces_another_is_told_and_the_old_one_stays_trusted(audit: Run) -> None:
    service = Service(2)
    with serving(service) as server:
        service.keys = [{**KEY, "key_id": "k2"}, KEY]
        last = service.log.pop()
        assert audit(server)[0] == 0
        service.keys = service.keys[:1]
        service.log.append(last)
        code, _, err = audit(server)
    assert (code, err) == (0, "")
    assert sorted(state()["keys"]) == ["k2", KEY_ID]


def test_private_matches_are_checked_as_lines_alone(audit: Run) -> None:
    service = Service(1)
    with serving(service) as server:
        service.log[0] = sealed(msgspec.structs.replace(service.log[0], match_id=None))
        assert audit(server)[1].startswith("0 matches: 0 unchanged, 0 failed")
    assert state()["number"] == 1


def test_a_service_without_a_log_ends_with_3(audit: Run) -> None:
    with serving(lambda asked: problem(404, "not_found")) as server:
        code, out, err = audit(server)
    assert (code, out) == (3, "")
    assert err.startswith("error: it is not_found")


def test_a_state_of_another_service_is_not_used(audit: Run) -> None:
    with serving(Service(1)) as one, serving(Service(1)) as two:
        assert audit(one, "--state", "s")[0] == 0
        code, _, err = audit(two, "--state", "s")
    assert (code, err) == (3, f"error: s belongs to the service at {one.url}, not {two.url}\n")


def test_a_damaged_state_is_told(audit: Run) -> None:
    Path("s").write_text("{")
    with serving(Service(1)) as server:
        assert audit(server, "--state", "s") == (3, "", "error: cannot read s: it is damaged\n")


def test_programs_get_an_object_for_each_match(audit: Run) -> None:
    with serving(Service(2)) as server:
        found = [json.loads(line) for line in audit(server, "--json")[1].splitlines()]
    assert [(one["file"], one["verdict"]) for one in found] == [
        ("line 1", "unchanged"),
        ("line 2", "unchanged"),
    ]


@pytest.mark.long
def test_the_real_service_is_audited_and_each_match_verified(
    machi: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    state = str(tmp_path / "state")
    for _ in range(2):
        match = machi.create_match("base", [me(), me()])
        machi.command(match.match_id, Resign(0))
    for words in (["--full", "--state", state], ["--state", f"{state}.heads"]):
        code = run(["--url", machi.base_url, "audit", *words])
        printed = capsys.readouterr()
        assert (code, printed.out.splitlines()[:-1]) == (0, [])
        assert int(printed.out.split()[0]) >= 2
