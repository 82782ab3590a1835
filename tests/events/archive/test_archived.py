"""A match that is over answers the same, wherever its entries are: in memory, on a stream or in a file."""

from collections.abc import Callable
from pathlib import Path

import pytest
import redis

from domain import RuleViolation
from domain.match.commands import AbortMatch, Resign, RollDice
from events import CommandReused, Loaded, Matches, MemoryStore, RedisStore, StaleVersion, StreamCorrupt
from events.archive.places import Directory
from events.archive.reader import Archive
from events.archive.transfer import archive, restore
from events.matches.lists import list_matches
from events.store import keys
from events.store.errors import MatchNotFound
from events.store.records import FINGERPRINT_SIZE, Append, Conflict, Corrupt, Duplicate, Entry, Reused, Store
from tests.events.ended import CREATION, Ended, archived_match, ended_match, file_of
from tests.events.example_matches import SEEDS, append, creation, entry, finished_match, plain
from tests.events.redis_streams import calls

DECISIONS = 60
"""More than come back with a conflict."""


@pytest.fixture
def store(client: redis.Redis, tmp_path: Path) -> RedisStore:
    """A store with an archive."""
    return RedisStore(client, tmp_path)


@pytest.fixture
def matches(store: RedisStore) -> Matches:
    return Matches(store, SEEDS)


@pytest.fixture(params=["memory", "stream", "file"])
def ended(request: pytest.FixtureRequest, matches: Matches, admin: redis.Redis, tmp_path: Path) -> Ended:
    if request.param == "file":
        return archived_match(matches, admin, tmp_path, DECISIONS)
    match_id = ended_match(matches, DECISIONS)
    entries = matches.store.read(match_id)
    if request.param == "stream":
        return Ended(matches.store, match_id, entries)
    memory = MemoryStore()
    memory.append(Append(match_id, 0, bytes(32), tuple(entries)))
    return Ended(memory, match_id, entries)


def after(entries: list[Entry], version: int) -> list[Entry]:
    return [one for one in entries if one.last > version]


def commands(ended: Ended) -> dict[str, Entry]:
    return {one.command[FINGERPRINT_SIZE:].decode(): one for one in ended.entries if one.command}


def appending(ended: Ended, expected: int, *entries: Entry, head_hash: bytes | None = None) -> Append:
    known = {one.last: one.hash for one in ended.entries}
    before = head_hash or known.get(expected, bytes(32))
    return Append(ended.match_id, expected, before, entries or (entry(expected + 1),))


def test_entries_are_read_from_any_version_on(ended: Ended) -> None:
    for version in range(ended.version + 2):
        expected = after(ended.entries, version)
        assert ended.store.read(ended.match_id, version) == expected
        assert ended.store.read(ended.match_id, version, 2) == expected[:2]


def test_the_entry_at_a_version_is_the_last_that_ends_by_then(ended: Ended) -> None:
    for version in range(ended.version + 2):
        expected = [one for one in ended.entries if one.last <= version]
        assert ended.store.entry_at(ended.match_id, version) == (expected[-1] if expected else None)


def test_several_matches_are_read_at_once(ended: Ended) -> None:
    ended.store.append(append(0))
    wanted = [("mat_1", 0), (ended.match_id, 5), ("mat_2", 0), (ended.match_id, ended.version)]
    expected = [[entry(1)], after(ended.entries, 5), [], []]
    assert ended.store.read_many(wanted) == expected


def test_commands_are_found_by_their_ids(ended: Ended) -> None:
    assert len(commands(ended)) > DECISIONS // 2
    for command_id, one in commands(ended).items():
        assert ended.store.find_command(ended.match_id, command_id) == one
    for command_id in ("", "other", "key0", CREATION + "s"):
        assert ended.store.find_command(ended.match_id, command_id) is None


def test_a_repeated_command_gets_its_versions_again(ended: Ended) -> None:
    first = 1
    for one in ended.entries:
        if one.command:
            for expected in (0, first - 1, ended.version, 10_000):
                assert ended.store.append(appending(ended, expected, one)) == Duplicate(first, one.last)
        first = one.last + 1
    assert ended.store.read(ended.match_id) == ended.entries


def test_a_command_id_with_another_command_is_refused(ended: Ended) -> None:
    other = entry(ended.version + 1, CREATION)
    assert ended.store.append(appending(ended, ended.version, other)) == Reused()


def test_an_append_behind_the_head_gets_what_it_missed(ended: Ended) -> None:
    for expected in (0, ended.entries[-2].last, 3):
        missed = tuple(after(ended.entries, expected)[:50])
        assert ended.store.append(appending(ended, expected)) == Conflict(ended.version, missed)
    assert ended.store.read(ended.match_id) == ended.entries


def test_an_append_ahead_of_the_head_or_to_another_history_adds_nothing(ended: Ended) -> None:
    nothing = Conflict(ended.version, ())
    assert ended.store.append(appending(ended, ended.version + 3)) == nothing
    assert ended.store.append(appending(ended, ended.version, head_hash=b"x" * 32)) == nothing


def test_appends_to_several_matches_stand_each_by_itself(ended: Ended) -> None:
    again = appending(ended, 0, ended.entries[0])
    replies = ended.store.append_many([append(0), again, appending(ended, ended.version + 1), append(1)])
    assert replies[1:3] == [Duplicate(1, ended.entries[0].last), Conflict(ended.version, ())]
    assert [one.last for one in ended.store.read("mat_1")] == [1, 2]


def test_what_would_fit_the_end_of_an_archived_match_adds_nothing(
    matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    ended = archived_match(matches, admin, tmp_path)
    before = _everything(admin)
    assert ended.store.append(appending(ended, ended.version)) == Conflict(ended.version, ())
    assert _everything(admin) == before


def _everything(admin: redis.Redis) -> dict[bytes, object]:
    return {key: admin.dump(key) for key in admin.scan_iter()}


def test_lists_and_summaries_stay_in_redis(
    store: RedisStore, matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    matches.create(creation("ao"))
    before = list_matches(store), list_matches(store, status="finished"), list_matches(store, player="acc_1")
    assert [len(page.items) for page in before] == [2, 1, 1]
    archive(admin, Directory(tmp_path), match_id)
    after = list_matches(store), list_matches(store, status="finished"), list_matches(store, player="acc_1")
    assert after == before
    assert store.by_score(keys.turns("acc_0"), None, 9) == []


def test_a_match_in_redis_is_read_without_a_look_at_the_archive(
    store: RedisStore, matches: Matches, admin: redis.Redis
) -> None:
    match_id = ended_match(matches)
    version = matches.load(match_id).version
    with calls(admin) as counted:
        store.read(match_id)
        store.read_many([(match_id, 0), (match_id, 3)])
        store.entry_at(match_id, version)
        store.find_command(match_id, CREATION)
        matches.load(match_id)
    assert counted["hmget"] == 1  # the command
    assert not counted.get("multi")


def test_reading_on_in_an_archived_match_opens_its_file_once(
    matches: Matches, admin: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = archived_match(matches, admin, tmp_path)
    opened = counting(monkeypatch)
    for version in range(ended.version):
        ended.store.read(ended.match_id, version, 1)
    assert len(opened) == 1


def counting(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read from now on."""
    opened: list[str] = []
    read = Directory.read

    def counted(place: Directory, name: str) -> bytes:
        opened.append(name)
        return read(place, name)

    monkeypatch.setattr(Directory, "read", counted)
    return opened


def test_the_cache_of_files_is_bounded(
    matches: Matches, admin: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = [archived_match(matches, admin, tmp_path) for _ in range(3)]
    sizes = [sum(len(one.events) for one in each.entries) for each in ended]
    tombstones = {each.match_id: admin.hget(keys.ARCHIVED, each.match_id) or b"" for each in ended}
    reading = Archive(tmp_path, cached_bytes=sum(sizes) - 1)
    opened = counting(monkeypatch)
    for each in (*ended, ended[2], ended[1], ended[0], ended[1]):
        assert [*reading.match(each.match_id, tombstones[each.match_id]).entries] == each.entries
    assert [Path(name).name.split(".")[0] for name in opened] == [
        each.match_id for each in (*ended, ended[0])
    ]
    small = Archive(tmp_path, cached_bytes=10)
    assert [*small.match(ended[0].match_id, tombstones[ended[0].match_id]).entries] == ended[0].entries


def test_a_repeated_command_of_an_archived_match_gets_its_answer(
    store: RedisStore, matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = ended_match(matches)
    seat = matches.load(match_id).state.active
    first = matches.execute(match_id, Resign(seat), f"seat:{seat}", "resign")
    archive(admin, Directory(tmp_path), match_id)
    for asked in (matches, Matches(store, SEEDS)):
        again = asked.execute(match_id, Resign(seat), f"seat:{seat}", "resign")
        assert again.replayed
        assert (again.command_id, plain(again.events), again.state) == (
            first.command_id,
            plain(first.events),
            first.state,
        )
        with pytest.raises(CommandReused):
            asked.execute(match_id, RollDice(seat, 1), f"seat:{seat}", "resign")


@pytest.mark.parametrize("key", [None, "new"])
def test_a_new_command_to_an_archived_match_is_refused_as_the_match_is_over(
    store: RedisStore, matches: Matches, admin: redis.Redis, tmp_path: Path, key: str | None
) -> None:
    match_id = archived_match(matches, admin, tmp_path).match_id
    for asked in (matches, Matches(store, SEEDS)):
        with pytest.raises(RuleViolation) as refused:
            asked.execute(match_id, RollDice(0, 1), "seat:0", key)
        assert refused.value.code == "match_finished"


def test_who_remembers_a_match_from_before_its_end_is_brought_up_to_date(
    store: RedisStore, matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    """A process that has seen a match a while ago, which others have played on and archived since."""
    behind = Matches(store, SEEDS)
    match_id = matches.create(creation(), CREATION).match_id
    known = behind.load(match_id)
    matches.execute(match_id, Resign(0), "seat:0", "resign")
    archive(admin, Directory(tmp_path), match_id)
    with pytest.raises(RuleViolation, match="finished"):
        behind.execute(match_id, RollDice(0, 1), "seat:0", "roll")
    assert known.version < behind.load(match_id).version


def test_a_repeated_creation_makes_no_twin_of_an_archived_match(
    store: RedisStore, matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    ended = archived_match(matches, admin, tmp_path)
    before = _everything(admin)
    again = Matches(store, SEEDS).create(creation(), CREATION, ended.match_id)
    assert again.replayed
    assert (again.last, again.head_hash) == (ended.entries[0].last, ended.entries[0].hash)
    with pytest.raises(CommandReused):
        matches.create(creation("ao"), CREATION, ended.match_id)
    with pytest.raises(StaleVersion):
        matches.create(creation(), "other", ended.match_id)
    assert _everything(admin) == before


@pytest.mark.parametrize("status", ["finished", "aborted"])
def test_everything_about_the_past_is_told_as_before(
    store: RedisStore, matches: Matches, admin: redis.Redis, tmp_path: Path, status: str
) -> None:
    if status == "finished":
        match_id = finished_match(matches).match_id
    else:
        match_id = matches.create(creation()).match_id
        matches.execute(match_id, AbortMatch(), "account:acc_0", "abort")
    before = _past(matches, match_id)
    archive(admin, Directory(tmp_path), match_id)
    assert _past(matches, match_id) == before
    assert _past(Matches(store, SEEDS), match_id) == before


def _past(matches: Matches, match_id: str) -> list[object]:
    loaded = matches.load(match_id)
    events = matches.history.events(match_id, 0, 10_000)
    found = [matches.history.find_command(match_id, event.command_id) for event in events[::9]]
    return [
        events,
        [matches.history.events(match_id, version, 3) for version in range(0, loaded.version, 7)],
        [matches.history.state_at(match_id, version) for version in range(1, loaded.version, 19)],
        [(one.command_id, one.events, one.state) for one in found if one],
        (loaded.state, loaded.head_hash, loaded.created_at_ms, loaded.last_at_ms),
    ]


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def _flipped(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:99] + bytes([data[99] ^ 4]) + data[100:])


def _no_gzip(path: Path) -> None:
    path.write_bytes(b"{}\n")


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _huge(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(1 << 40)


DAMAGES = [Path.unlink, _truncated, _flipped, _no_gzip, _directory, _huge]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_missing_or_damaged_file_is_a_corrupt_match_and_no_wrong_answer(
    store: RedisStore, matches: Matches, admin: redis.Redis, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    ended = archived_match(matches, admin, tmp_path)
    damage(file_of(tmp_path, ended.match_id))
    fresh = RedisStore(store._client, tmp_path)
    for ask in (
        lambda: fresh.read(ended.match_id),
        lambda: fresh.read_many([(ended.match_id, 0)]),
        lambda: fresh.entry_at(ended.match_id, 5),
        lambda: fresh.find_command(ended.match_id, CREATION),
        lambda: Matches(fresh, SEEDS).load(ended.match_id),
        lambda: Matches(fresh, SEEDS).create(creation(), CREATION, ended.match_id),
        lambda: Matches(fresh, SEEDS).execute(ended.match_id, RollDice(0, 1), "seat:0"),
    ):
        with pytest.raises(StreamCorrupt, match=ended.match_id) as caught:
            ask()
        assert str(tmp_path) not in str(caught.value), "for whom it is not"
    replies = fresh.append_many([append(0), appending(ended, 0)])
    assert isinstance(replies[1], Corrupt)
    assert [one.last for one in fresh.read("mat_1")] == [1]


def test_a_damaged_file_keeps_no_other_match_from_being_loaded(
    store: RedisStore, matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    damaged, sound = [archived_match(matches, admin, tmp_path).match_id for _ in range(2)]
    running = matches.create(creation()).match_id
    file_of(tmp_path, damaged).unlink()
    fresh = Matches(RedisStore(store._client, tmp_path), SEEDS)
    first, second, third, fourth = fresh.load_many([running, damaged, sound, "mat_none"])
    assert isinstance(first, Loaded)
    assert isinstance(second, StreamCorrupt)
    assert isinstance(third, Loaded)
    assert isinstance(fourth, MatchNotFound)


def test_a_process_that_was_not_told_of_the_archive_says_so(
    client: redis.Redis, matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    match_id = archived_match(matches, admin, tmp_path).match_id
    with pytest.raises(StreamCorrupt, match=f"{match_id}.*ARCHIVE_DIR is not set"):
        RedisStore(client).read(match_id)


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "", "7A/../../x"])
def test_a_tombstone_points_to_nothing_outside_of_the_archive(
    client: redis.Redis, tmp_path: Path, name: str
) -> None:
    (tmp_path / "secret").write_text("secret")
    tombstone = f'{{"file":"{name}","version":1,"head_hash":"","sha256":""}}'
    client.hset(keys.ARCHIVED, "mat_1", tombstone)
    with pytest.raises(StreamCorrupt, match="names no file of the archive"):
        RedisStore(client, tmp_path / "archive").read("mat_1")


def test_whoever_reads_while_a_match_moves_to_and_fro_sees_all_of_it(
    store: RedisStore, matches: Matches, admin: redis.Redis, tmp_path: Path
) -> None:
    """Between the two questions of one read, the match is put back: the second is asked at one moment."""
    ended = archived_match(matches, admin, tmp_path)

    class Moving(redis.Redis):
        def execute_command(self, *args: object, **options: object) -> object:
            reply = super().execute_command(*args, **options)
            if not reply:
                restore(admin, Archive(tmp_path), ended.match_id)
            return reply

    with Moving(connection_pool=store._client.connection_pool) as client:
        moving: Store = RedisStore(client, tmp_path)
        for ask, expected in (
            (lambda: moving.read(ended.match_id), ended.entries),
            (lambda: moving.entry_at(ended.match_id, ended.version), ended.entries[-1]),
            (lambda: moving.find_command(ended.match_id, CREATION), ended.entries[0]),
        ):
            assert ask() == expected
            assert not admin.hlen(keys.ARCHIVED)
            archive(admin, Directory(tmp_path), ended.match_id)
