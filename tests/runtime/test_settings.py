"""The environment, checked once and in one place."""

import os
from importlib.metadata import version
from pathlib import Path

import pytest

from runtime.settings import Settings, SettingsError, from_env, settings_or_exit

REQUIRED = {
    "EVENTS_REDIS_URL": "redis://app:secret1@127.0.0.1:1/0",
    "QUEUE_REDIS_URL": "redis://app:secret2@127.0.0.1:2/0",
    "MASTER_KEYS": "k1:" + "5e" * 32,
    "SIGNING_KEYS": "s1:" + "51" * 32,
}


def test_what_is_not_given_has_a_default() -> None:
    settings = from_env(REQUIRED)
    assert settings == Settings(*REQUIRED.values())
    assert from_env(REQUIRED | {"PORT": "", "LOG_LEVEL": ""}) == settings


def test_what_is_given_counts() -> None:
    given = {"PORT": "9000", "HOST": "::1", "WEB_WORKERS": "3", "CACHE_MATCHES": "5"}
    settings = from_env(
        REQUIRED | given | {"AI_GRACE_S": "6", "LOG_LEVEL": "debug", "ADDRESS_UNFINISHED": "4"}
    )
    assert (settings.host, settings.port, settings.web_workers) == ("::1", 9000, 3)
    assert (settings.cache_matches, settings.ai_grace_s, settings.log_level) == (5, 6, "DEBUG")
    assert settings.address_unfinished == 4


def test_origins_that_may_write_or_show_tables_are_named_one_by_one() -> None:
    settings = from_env(REQUIRED)
    assert (settings.cors_origins, settings.embed_origins) == (frozenset(), frozenset())
    named = "https://play.example, http://[::1]:3000,"
    settings = from_env(REQUIRED | {"CORS_ORIGINS": named, "EMBED_ORIGINS": "https://blog.example"})
    assert settings.cors_origins == {"https://play.example", "http://[::1]:3000"}
    assert settings.embed_origins == {"https://blog.example"}


def test_a_pipe_gets_json_with_requests_and_text_has_none_unless_they_are_asked_for() -> None:
    piped, text = from_env(REQUIRED), from_env(REQUIRED | {"LOG_FORMAT": "text"})
    assert (piped.log_format, piped.log_requests) == ("json", True)
    assert (text.log_format, text.log_requests) == ("text", False)
    assert from_env(REQUIRED | {"LOG_FORMAT": "text", "LOG_REQUESTS": "yes"}).log_requests
    assert not from_env(REQUIRED | {"LOG_REQUESTS": "no"}).log_requests


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("STORE_FSYNC", "always everysec unchecked"),
        ("DURABILITY", "local replicated"),
        ("LOG_FORMAT", "json text"),
        ("LOG_REQUESTS", "yes no"),
    ],
)
def test_a_word_must_be_one_of_those_that_there_are(name: str, words: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} must be one of: {words}; not 'never'"):
        from_env(REQUIRED | {name: "never"})


@pytest.mark.parametrize(
    "url",
    [
        "http://:secret@host",
        "redis://:secret@host:port",
        "redis://:secret@host?passwort=typo",
        "redis+sentinel://:secret@host/group?passwort=typo",
        "redis+sentinel://:secret@host/group?sentinel_passwort=typo",
        "redis+sentinel://:secret@host",
        "redis+sentinel://:secret@host:port/group",
        "redis+sentinel://:secret@host,/group",
        "unix+sentinel://:secret@host/group",
    ],
)
def test_a_url_of_no_server_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(SettingsError, match="EVENTS_REDIS_URL: it must be redis://") as refused:
        from_env(REQUIRED | {"EVENTS_REDIS_URL": url})
    assert "secret" not in str(refused.value)


def test_only_the_event_store_may_be_named_by_sentinels() -> None:
    url = "rediss+sentinel://app:secret@[::1]:26380,other/group?sentinel_password=of-them"
    assert from_env(REQUIRED | {"EVENTS_REDIS_URL": url}).events_redis_url == url
    with pytest.raises(SettingsError, match="QUEUE_REDIS_URL: it must name one server"):
        from_env(REQUIRED | {"QUEUE_REDIS_URL": url})


def test_limits_and_high_water_marks_are_given() -> None:
    given = {
        "ACCOUNT_MATCHES": "3",
        "ADDRESS_MATCHES": "4",
        "HIGH_WATER_MEMORY": "0.5",
        "HIGH_WATER_TURNS": "6",
    }
    settings = from_env(REQUIRED | given)
    assert (settings.account_matches, settings.address_matches) == (3, 4)
    assert (settings.high_water_memory, settings.high_water_turns) == (0.5, 6)
    assert from_env(REQUIRED | {"HIGH_WATER_MEMORY": "1"}).high_water_memory == 1


def test_rates_are_requests_in_a_window() -> None:
    settings = from_env(REQUIRED | {"RATE_MOVES": "7 per 10 seconds", "TRUSTED_PROXIES": "1"})
    windows = {policy: (rate.amount, rate.get_expiry()) for policy, rate in settings.rates.items()}
    assert windows == {
        "moves": (7, 10),
        "matches": (3000, 3600),
        "creations": (6000, 3600),
        "accounts": (1000, 3600),
        "audits": (300, 60),
        "requests": (12000, 60),
        "anonymous": (6000, 60),
    }
    assert settings.trusted_proxies == 1
    assert from_env(REQUIRED | {"TRUSTED_PROXIES": "0"}).trusted_proxies == 0


def test_the_archive_is_where_it_is_said_to_be() -> None:
    assert from_env(REQUIRED | {"ARCHIVE_DIR": "/srv/archive"}).archive_dir == Path("/srv/archive")
    assert from_env(REQUIRED | {"ARCHIVE_DIR": "here"}).archive_dir == Path.cwd() / "here"
    assert from_env(REQUIRED | {"ARCHIVE_DIR": ""}).archive_dir is None


def test_traces_need_what_is_installed_only_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    given = REQUIRED | {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}
    assert from_env(given).traces == "http://localhost:4318"
    monkeypatch.setattr("importlib.metadata.version", lambda name: version(f"no-{name}"))
    assert from_env(REQUIRED).traces == ""
    with pytest.raises(SettingsError, match="requirements-tracing"):
        from_env(given)


def test_no_secret_is_printed() -> None:
    shown = repr(from_env(REQUIRED))
    assert "secret" not in shown
    assert "5e" * 32 not in shown
    assert "51" * 32 not in shown


@pytest.mark.parametrize("name", sorted(REQUIRED))
def test_what_must_be_given_is_missed_by_name(name: str) -> None:
    with pytest.raises(SettingsError, match=name):
        from_env(REQUIRED | {name: ""})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "http"),
        ("PORT", "-1"),
        ("ADDRESS_UNFINISHED", "0"),
        ("AI_GRACE_S", "1.5"),
        ("LOG_LEVEL", "LOUD"),
        ("TRUSTED_PROXIES", "-1"),
        ("ACCOUNT_MATCHES", "0"),
        ("ADDRESS_MATCHES", "many"),
        ("HIGH_WATER_MEMORY", "0"),
        ("HIGH_WATER_MEMORY", "80"),
        ("HIGH_WATER_MEMORY", "-0.5"),
        ("HIGH_WATER_MEMORY", "nan"),
        ("HIGH_WATER_MEMORY", "1e-1"),
        ("HIGH_WATER_TURNS", "0"),
        ("CORS_ORIGINS", "*"),
        ("CORS_ORIGINS", "null"),
        ("CORS_ORIGINS", "play.example"),
        ("CORS_ORIGINS", "https://play.example/"),
        ("CORS_ORIGINS", "https://play.example/game"),
        ("CORS_ORIGINS", "https://*.example"),
        ("CORS_ORIGINS", "https://ada@play.example"),
        ("CORS_ORIGINS", "https://Play.example"),
        ("CORS_ORIGINS", "https://play.example:443"),
        ("CORS_ORIGINS", "ftp://play.example"),
        ("CORS_ORIGINS", "https://one.example https://two.example"),
        ("EMBED_ORIGINS", "*"),
        ("EMBED_ORIGINS", "https://blog.example; script-src *"),
        ("RATE_MOVES", "fast"),
        ("RATE_MATCHES", "5/fortnight"),
        ("RATE_ACCOUNTS", "0/minute"),
        ("RATE_REQUESTS", "5/second;100/minute"),
        ("RATE_ANONYMOUS", "5/month"),
        ("RATE_ANONYMOUS", "9999999999/minute"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        from_env(REQUIRED | {name: value})


@pytest.mark.parametrize("name", ["MASTER_KEYS", "SIGNING_KEYS"])
@pytest.mark.parametrize("keys", ["zz", "k1:zz", "k1:", "k1:5e", ","])
def test_keys_that_are_none_are_refused_without_being_shown(keys: str, name: str) -> None:
    with pytest.raises(SettingsError, match=name) as refused:
        from_env(REQUIRED | {name: keys + "secret"})
    assert "secret" not in str(refused.value)


def test_a_wrong_setting_ends_the_process_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (REQUIRED | {"PORT": "http"}).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        settings_or_exit()
    assert ended.value.code == os.EX_CONFIG
    assert capsys.readouterr().err == "error: PORT must be a positive number, not 'http'\n"


@pytest.mark.parametrize("name", REQUIRED)
def test_a_secret_may_come_as_a_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text(f"{REQUIRED[name]}\n")
    others = {other: value for other, value in REQUIRED.items() if other != name}
    assert from_env(others | {f"{name}_FILE": str(path)}) == from_env(REQUIRED)
    with pytest.raises(SettingsError, match=f"{name} and {name}_FILE are both set"):
        from_env(REQUIRED | {f"{name}_FILE": str(path)})
    path.write_text(" \n")
    with pytest.raises(SettingsError, match=f"{name} is not set"):
        from_env(others | {f"{name}_FILE": str(path)})
    path.write_bytes(b"\xff")
    with pytest.raises(SettingsError, match=f"{name}_FILE cannot be read: it is not UTF-8 text"):
        from_env(others | {f"{name}_FILE": str(path)})
    path.unlink()
    with pytest.raises(SettingsError, match=f"{name}_FILE cannot be read: No such file or directory"):
        from_env(others | {f"{name}_FILE": str(path)})
