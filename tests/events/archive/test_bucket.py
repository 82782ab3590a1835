"""Archived matches in a bucket of an object store that speaks S3."""

from collections.abc import Iterator
from io import StringIO

import pytest
import redis
from moto.server import ThreadedMotoServer

from events import Matches, RedisStore
from events.archive.__main__ import main
from events.archive.files import file_name
from events.archive.places import Missing, Objects
from events.checkpoints.notary import Notary
from events.store import keys
from events.store.errors import StoreUnavailable, StreamCorrupt
from events.store.keys import now_ms
from ops.servers import Server
from runtime.settings import Bucket, SettingsError, archive_dir
from tests.events.ended import ended_match
from tests.events.example_matches import SEEDS, SIGNING_KEYS

BUCKET = Bucket("matches", "of/machi-koro")


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def objects(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> Objects:
    """The bucket, empty, and the settings of its clients."""
    for name, value in {
        "AWS_ENDPOINT_URL_S3": s3_server,
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    made = Objects(BUCKET)
    made._client.create_bucket(Bucket=BUCKET.name)
    for one in made._client.list_objects_v2(Bucket=BUCKET.name).get("Contents", []):
        made._client.delete_object(Bucket=BUCKET.name, Key=one["Key"])
    return made


@pytest.fixture
def environ(events_server: Server) -> dict[str, str]:
    return {"EVENTS_REDIS_URL": events_server.admin_url, "ARCHIVE_DIR": str(BUCKET)}


def run(environ: dict[str, str], *arguments: str) -> tuple[int, list[str]]:
    output = StringIO()
    code = main(arguments, environ, output, now=lambda: now_ms() + 1)
    return code, output.getvalue().splitlines()


def test_matches_move_to_a_bucket_and_are_read_from_there_and_put_back(
    client: redis.Redis, admin: redis.Redis, environ: dict[str, str], objects: Objects
) -> None:
    store = RedisStore(client, BUCKET)
    matches = Matches(store, SEEDS, notary=Notary(store, SIGNING_KEYS))
    ids = [ended_match(matches, 2) for _ in range(3)]
    entries = {match_id: store.read(match_id) for match_id in ids}
    code, (told,) = run(environ, "--older-than", "0s")
    assert (code, told.partition(",")[0]) == (0, "3 matches archived")
    assert not admin.exists(*[keys.match(match_id) for match_id in ids])
    assert {match_id: RedisStore(client, BUCKET).read(match_id) for match_id in ids} == entries
    found = objects._client.list_objects_v2(Bucket=BUCKET.name)["Contents"]
    assert sorted(one["Key"] for one in found) == sorted(f"{BUCKET.prefix}/{file_name(one)}" for one in ids)
    assert run(environ, "--restore", ids[0])[0] == 0
    assert admin.exists(keys.match(ids[0]))
    assert run(environ, "--older-than", "0s")[0] == 0, "the object that is there is used again"


def test_what_is_there_is_never_changed(objects: Objects) -> None:
    objects.keep("0A/one", b"first")
    objects.keep("0A/one", b"second")
    assert objects.read("0A/one") == b"first"
    with pytest.raises(Missing):
        objects.read("0A/none")
    with pytest.raises(ValueError, match="no file of the archive"):
        objects.read("../one")


@pytest.mark.long
def test_a_match_whose_object_is_gone_is_damaged_and_one_that_cannot_be_read_is_not(
    client: redis.Redis, environ: dict[str, str], objects: Objects, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RedisStore(client, BUCKET)
    match_id = ended_match(Matches(store, SEEDS, notary=Notary(store, SIGNING_KEYS)), 2)
    assert run(environ, "--older-than", "0s")[0] == 0
    objects._client.delete_object(Bucket=BUCKET.name, Key=f"{BUCKET.prefix}/{file_name(match_id)}")
    with pytest.raises(StreamCorrupt, match="its archive file: No such object"):
        RedisStore(client, BUCKET).read(match_id)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
    with pytest.raises(StoreUnavailable, match="the object store does not answer"):
        RedisStore(client, BUCKET).read(match_id)


def test_a_bucket_that_is_not_there_is_told_and_nothing_is_moved(
    client: redis.Redis, admin: redis.Redis, environ: dict[str, str], objects: Objects
) -> None:
    store = RedisStore(client)
    match_id = ended_match(Matches(store, SEEDS, notary=Notary(store, SIGNING_KEYS)), 2)
    code, lines = run({**environ, "ARCHIVE_DIR": "s3://another-bucket"}, "--older-than", "0s")
    assert code == 3
    assert "the object store says 404" in lines[-1]
    assert admin.exists(keys.match(match_id))


@pytest.mark.parametrize(
    ("text", "bucket"),
    [
        ("s3://matches", Bucket("matches", "")),
        ("s3://matches/", Bucket("matches", "")),
        ("s3://matches/a/b/", Bucket("matches", "a/b")),
    ],
)
def test_a_setting_names_a_bucket(text: str, bucket: Bucket) -> None:
    assert archive_dir({"ARCHIVE_DIR": text}) == bucket


@pytest.mark.parametrize("text", ["s3://", "s3://A", "http://matches/a", "s3://matches/a b"])
def test_a_setting_that_names_none_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="ARCHIVE_DIR must be a directory or s3://bucket/prefix"):
        archive_dir({"ARCHIVE_DIR": text})
