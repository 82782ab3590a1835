"""What `machi` remembers, and who can read it."""

import os
from pathlib import Path

import pytest

from machi.cli.config import (
    DEFAULT_URL,
    Config,
    ConfigError,
    Login,
    config_path,
    read_config,
    with_login,
    without_login,
    write_config,
)

ADA = Login("ada", "mk_secret")


def test_the_file_is_where_xdg_wants_it() -> None:
    assert config_path({"XDG_CONFIG_HOME": "/c"}) == Path("/c/machi/services.json")
    assert config_path({"XDG_CONFIG_HOME": ""}) == Path.home() / ".config/machi/services.json"


def test_without_a_file_nothing_is_remembered(tmp_path: Path) -> None:
    assert read_config(tmp_path / "none") == Config(DEFAULT_URL, {})


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "services.json"
    config = with_login(Config(), "http://here", ADA)
    write_config(path, config)
    assert read_config(path) == config == Config("http://here", {"http://here": ADA})
    assert os.listdir(path.parent) == ["services.json"]


@pytest.mark.parametrize("before", [None, 0o644])
def test_nobody_else_can_read_the_file(before: int | None, tmp_path: Path) -> None:
    path = tmp_path / "machi" / "services.json"
    if before is not None:
        path.parent.mkdir()
        path.write_text("{}")
        path.chmod(before)
    mask = os.umask(0)
    try:
        write_config(path, Config("http://here", {"http://here": ADA}))
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o600
    assert before is not None or path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "content", [b"", b"{", b'{"services": {"http://x": {"handle": "mk_secret"}}}', b"\xff"]
)
def test_a_damaged_file_is_named_and_not_told(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "services.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as error:
        read_config(path)
    assert str(error.value) == f"cannot read {path}: it is damaged"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"cannot write .*file/services.json: "):
        write_config(tmp_path / "file" / "services.json", Config())


def test_a_login_is_the_service_to_use_until_the_logout() -> None:
    one = with_login(Config(), "http://one", ADA)
    two = with_login(one, "http://two", Login("bob", "mk_2"))
    assert (two.url, list(two.services)) == ("http://two", ["http://one", "http://two"])
    assert without_login(two, "http://two") == one
    assert without_login(two, "http://one").url == "http://two"
    assert without_login(one, "http://one") == Config(DEFAULT_URL, {})


def test_a_token_is_not_part_of_what_is_shown() -> None:
    assert "mk_secret" not in repr(Config("http://here", {"http://here": ADA}))
