"""The settings, read from environment variables; docs/operations.md lists them."""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple, NoReturn, TypeVar

from limits import RateLimitItem, parse_many

from runtime.connection import check_url, check_url_of_server
from runtime.key_lists import master_keys, signing_seeds
from runtime.webhook_targets import Network, networks_in

Policy = Literal["moves", "matches", "creations", "accounts", "audits", "requests", "anonymous"]
"""The quotas. A request counts against at most one of them, a new match against two."""

LogFormat = Literal["json", "text"]
StoreFsync = Literal["always", "everysec", "unchecked"]
"""The durability required of the event store: `always` syncs each write to disk before the answer, `everysec`
once per second. With `unchecked` the service does not check, for a store whose settings it cannot read."""
Durability = Literal["local", "replicated"]
"""Where a write to the event store must be before it is acknowledged: on its disk, or on a replica, too."""
_Word = TypeVar("_Word", bound=str)

RATES: Final[Mapping[Policy, str]] = {
    "moves": "12000/minute",
    "matches": "3000/hour",
    "creations": "6000/hour",
    "accounts": "1000/hour",
    "audits": "300/minute",
    "requests": "12000/minute",
    "anonymous": "6000/minute",
}
"""The default of each quota; the variable RATE_ and its name in capitals overrides it."""

_SHARE: Final = re.compile(r"[01](\.[0-9]{1,9})?|\.[0-9]{1,9}", re.ASCII)

LARGEST_QUOTA: Final = 1_000_000_000
LONGEST_WINDOW_S: Final = 86_400

_ORIGIN: Final = re.compile(
    r"https?://([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?", re.ASCII
)
_DEFAULT_PORT: Final = re.compile(r"http://.*:80|https://.*:443")
"""An origin with its default port; browsers send it without one."""

_BUCKET: Final = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([\w./-]*?)/?)?", re.ASCII)
_AGE: Final = re.compile(r"(\d{1,6})([smhdw])", re.ASCII)
MOST_PARTITIONS: Final = 256
_UNITS_S: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


class SettingsError(Exception):
    """A setting is missing or invalid; the message is one line for the operator."""


class Bucket(NamedTuple):
    """A bucket of an object store that speaks S3, and what all names in it begin with."""

    name: str
    prefix: str

    def __str__(self) -> str:
        return f"s3://{self.name}/{self.prefix}".rstrip("/")


@dataclass(frozen=True, slots=True)
class Settings:
    """The validated settings. The `repr` shows no passwords and no keys."""

    events_redis_url: str = field(repr=False)
    """EVENTS_REDIS_URL: the event store or its Sentinels; append-only, `appendfsync always`, `noeviction`."""
    queue_redis_url: str = field(repr=False)
    """QUEUE_REDIS_URL: the job queue; its data may be lost."""
    master_keys: str = field(repr=False)
    """MASTER_KEYS: `key_id:hex[,key_id:hex…]`; new matches use the first. Never remove one that is in use."""
    signing_keys: str = field(repr=False)
    """SIGNING_KEYS: `key_id:hex[,key_id:hex…]`; the first signs checkpoints, the others are published."""
    host: str = "127.0.0.1"
    """HOST: the address that the service listens on."""
    port: int = 8000
    """PORT: the port that the service listens on."""
    web_workers: int = 2
    """WEB_WORKERS: number of web processes."""
    web_streams: int = 1000
    """WEB_STREAMS: concurrent event streams per web process."""
    account_streams: int = 50
    """ACCOUNT_STREAMS: concurrent event streams per account, or per address without a token."""
    account_matches: int = 200
    """ACCOUNT_MATCHES: unfinished matches per account, of those created within a day."""
    address_matches: int = 500
    """ADDRESS_MATCHES: the same for all accounts of one address together."""
    high_water_memory: float = 0.8
    """HIGH_WATER_MEMORY: share of the event store's memory, 0 to 1, at which nothing new begins."""
    high_water_turns: int = 5000
    """HIGH_WATER_TURNS: the number of waiting turns at which no match is created."""
    address_unfinished: int = 50
    """ADDRESS_UNFINISHED: connections per address and web process whose request is incomplete."""
    cors_origins: frozenset[str] = frozenset()
    """CORS_ORIGINS: `https://host[:port][,…]`; scripts from these origins may also write."""
    embed_origins: frozenset[str] = frozenset()
    """EMBED_ORIGINS: the same form; sites that may show tables in frames."""
    cache_matches: int = 2000
    """CACHE_MATCHES: size of each process's cache of match states."""
    archive_dir: Path | Bucket | None = None
    """ARCHIVE_DIR: the directory or the bucket of archived matches; None without an archive."""
    ai_grace_s: int = 10
    """AI_GRACE_S: seconds after which an unplayed turn of a built-in player is dispatched again."""
    log_level: str = "INFO"
    """LOG_LEVEL: DEBUG, INFO, WARNING or ERROR."""
    trusted_proxies: int = 0
    """TRUSTED_PROXIES: number of proxies in front of the service that append to X-Forwarded-For."""
    log_format: LogFormat = "json"
    """LOG_FORMAT: json, or text for a terminal."""
    log_requests: bool = True
    """LOG_REQUESTS: yes or no; with no, only server errors are logged."""
    notify_socket: str = ""
    """NOTIFY_SOCKET: the socket on which the supervisor of this process receives its notifications."""
    traces: str = ""
    """OTEL_EXPORTER_OTLP_ENDPOINT: where OpenTelemetry traces go; empty without traces."""
    listen_fd: str = ""
    """LISTEN_FD: the descriptor of the listening socket that the supervisor hands over, if it does."""
    store_fsync: StoreFsync = "always"
    """STORE_FSYNC: always, everysec or unchecked; the durability required of the event store."""
    durability: Durability = "local"
    """DURABILITY: local or replicated; where a write must be before it is acknowledged."""
    partitions: int = 1
    """PARTITIONS: into how many partitions the event store is divided; fixed when the store is created."""
    webhook_http: bool = False
    """WEBHOOK_HTTP: yes or no; with yes, webhooks may have http URLs."""
    webhook_networks: frozenset[Network] = frozenset()
    """WEBHOOK_NETWORKS: `10.0.0.0/8,…`; private networks that webhooks may be in."""
    rates: Mapping[Policy, RateLimitItem] = field(default_factory=lambda: rates_from_env({}))
    """RATE_MOVES and so on: requests per window, counted over all web processes."""


def from_env(environ: Mapping[str, str]) -> Settings:
    """The settings with their defaults; an empty value counts as missing.

    Raises:
        SettingsError: a required setting is missing, or one is invalid.
    """
    events_redis_url, ai_grace_s = store_from_env(environ)
    usual_format: LogFormat = "text" if sys.stdout.isatty() else "json"
    log_format = _one_of(environ, "LOG_FORMAT", usual_format, ("json", "text"))
    return Settings(
        events_redis_url=events_redis_url,
        queue_redis_url=_checked(environ, "QUEUE_REDIS_URL", check_url_of_server),
        master_keys=_checked(environ, "MASTER_KEYS", master_keys),
        signing_keys=_checked(environ, "SIGNING_KEYS", signing_seeds),
        host=environ.get("HOST") or "127.0.0.1",
        port=_number(environ, "PORT", 8000),
        web_workers=_number(environ, "WEB_WORKERS", 2),
        web_streams=_number(environ, "WEB_STREAMS", 1000),
        account_streams=_number(environ, "ACCOUNT_STREAMS", 50),
        account_matches=_number(environ, "ACCOUNT_MATCHES", 200),
        address_matches=_number(environ, "ADDRESS_MATCHES", 500),
        high_water_memory=_share(environ, "HIGH_WATER_MEMORY", 0.8),
        high_water_turns=_number(environ, "HIGH_WATER_TURNS", 5000),
        address_unfinished=_number(environ, "ADDRESS_UNFINISHED", 50),
        cors_origins=_origins(environ, "CORS_ORIGINS"),
        embed_origins=_origins(environ, "EMBED_ORIGINS"),
        cache_matches=_number(environ, "CACHE_MATCHES", 2000),
        archive_dir=archive_dir(environ),
        ai_grace_s=ai_grace_s,
        log_level=_log_level(environ),
        trusted_proxies=_number(environ, "TRUSTED_PROXIES", 0, least=0),
        log_format=log_format,
        log_requests=_is_yes(environ, "LOG_REQUESTS", log_format == "json"),
        notify_socket=notify_socket(environ),
        traces=_traces(environ),
        listen_fd=environ.get("LISTEN_FD") or "",
        store_fsync=_one_of(environ, "STORE_FSYNC", "always", ("always", "everysec", "unchecked")),
        partitions=partitions(environ),
        durability=_one_of(environ, "DURABILITY", "local", ("local", "replicated")),
        webhook_http=_is_yes(environ, "WEBHOOK_HTTP", False),
        webhook_networks=_networks(environ),
        rates=rates_from_env(environ),
    )


def settings_or_exit() -> Settings:
    """The settings of this process.

    Raises:
        SystemExit: they are invalid. One line is printed for the operator, and the exit code EX_CONFIG tells
            the supervisor that a restart would not help.
    """
    try:
        return from_env(os.environ)
    except SettingsError as error:
        refuse(error)


def refuse(error: SettingsError) -> NoReturn:
    """Print the error and end this process, as `settings_or_exit` does."""
    print(f"error: {error}", file=sys.stderr)
    raise SystemExit(os.EX_CONFIG) from None


def metrics_dir(environ: Mapping[str, str]) -> Path | None:
    """PROMETHEUS_MULTIPROC_DIR: the directory of the shared metrics; None if it is not set."""
    text = environ.get("PROMETHEUS_MULTIPROC_DIR")
    return Path(text).absolute() if text else None


def archive_dir(environ: Mapping[str, str]) -> Path | Bucket | None:
    """ARCHIVE_DIR: the directory, or the bucket as `s3://bucket/prefix`, of archived matches; None if it is
    not set.

    Raises:
        SettingsError: as `from_env`.
    """
    text = environ.get("ARCHIVE_DIR")
    if not text:
        return None
    if "://" not in text:
        return Path(text).absolute()
    found = _BUCKET.fullmatch(text)
    if found is None:
        raise SettingsError(f"ARCHIVE_DIR must be a directory or s3://bucket/prefix, not {text!r}")
    return Bucket(found[1], found[2] or "")


def age_s(text: str) -> int:
    """The seconds of an age such as `30d`; the units are s, m, h, d and w.

    Raises:
        ValueError.
    """
    found = _AGE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not an age such as 30d")
    return int(found[1]) * _UNITS_S[found[2]]


def archive_after_s(environ: Mapping[str, str]) -> int:
    """ARCHIVE_AFTER: the age in seconds from which on finished matches are archived.

    Raises:
        SettingsError: as `from_env`.
    """
    return age_s(_checked(environ, "ARCHIVE_AFTER", age_s))


def _traces(environ: Mapping[str, str]) -> str:
    found = environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or ""
    if found:
        from importlib import metadata  # takes long to import, and few need it

        try:
            metadata.version("opentelemetry-instrumentation-flask")
        except metadata.PackageNotFoundError as error:
            raise SettingsError(
                "OTEL_EXPORTER_OTLP_ENDPOINT needs requirements-tracing.lock, which make run then installs"
            ) from error
    return found


def _networks(environ: Mapping[str, str]) -> frozenset[Network]:
    try:
        return networks_in(environ.get("WEBHOOK_NETWORKS") or "")
    except ValueError as error:
        raise SettingsError(f"WEBHOOK_NETWORKS must be networks such as 10.0.0.0/8: {error}") from None


def notify_socket(environ: Mapping[str, str]) -> str:
    """NOTIFY_SOCKET: where the supervisor of this process listens; empty without one."""
    return environ.get("NOTIFY_SOCKET") or ""


def archiver_url(environ: Mapping[str, str]) -> str:
    """ARCHIVE_REDIS_URL: the event store, as a user that may remove streams; by default EVENTS_REDIS_URL.

    Raises:
        SettingsError: as `from_env`.
    """
    name = "ARCHIVE_REDIS_URL"
    if environ.get(name) or environ.get(f"{name}_FILE"):
        return _checked(environ, name, check_url)
    return _checked(environ, "EVENTS_REDIS_URL", check_url)


def store_from_env(environ: Mapping[str, str]) -> tuple[str, int]:
    """EVENTS_REDIS_URL and AI_GRACE_S, for commands that need no other settings.

    Raises:
        SettingsError: as `from_env`.
    """
    return _checked(environ, "EVENTS_REDIS_URL", check_url), _number(environ, "AI_GRACE_S", 10)


def partitions(environ: Mapping[str, str]) -> int:
    """PARTITIONS: into how many partitions the event store is divided.

    Raises:
        SettingsError: as `from_env`.
    """
    found = _number(environ, "PARTITIONS", 1)
    if found > MOST_PARTITIONS:
        raise SettingsError(f"PARTITIONS must be a number from 1 to {MOST_PARTITIONS}, not {found}")
    return found


def rates_from_env(environ: Mapping[str, str]) -> dict[Policy, RateLimitItem]:
    """All rates, with their defaults.

    Raises:
        SettingsError: as `from_env`.
    """
    return {policy: _rate(environ, f"RATE_{policy.upper()}", RATES[policy]) for policy in RATES}


def _rate(environ: Mapping[str, str], name: str, default: str) -> RateLimitItem:
    text = environ.get(name) or default
    try:
        (rate,) = parse_many(text)
    except ValueError:
        raise SettingsError(f"{name} must be one rate such as {default}, not {text!r}") from None
    if not (1 <= rate.amount <= LARGEST_QUOTA and rate.get_expiry() <= LONGEST_WINDOW_S):
        raise SettingsError(f"{name} must be 1 to {LARGEST_QUOTA} in a day or less, not {text!r}")
    return rate


def _required(environ: Mapping[str, str], name: str) -> str:
    """The setting, or what the file that NAME_FILE names contains: secrets often come as files."""
    value, path = environ.get(name), environ.get(f"{name}_FILE")
    if value and path:
        raise SettingsError(f"{name} and {name}_FILE are both set")
    if path:
        try:
            value = Path(path).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise SettingsError(f"{name}_FILE cannot be read: {reason}") from None
    if not value:
        raise SettingsError(f"{name} is not set")
    return value


def _checked(environ: Mapping[str, str], name: str, check: Callable[[str], object]) -> str:
    """`check` raises ValueError for an invalid text, with a message that shows no secret."""
    text = _required(environ, name)
    try:
        check(text)
    except ValueError as error:
        raise SettingsError(f"{name}: {error}") from None
    return text


def _number(environ: Mapping[str, str], name: str, default: int, least: int = 1) -> int:
    text = environ.get(name)
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and int(text) >= least):
        raise SettingsError(f"{name} must be a {'positive ' if least else ''}number, not {text!r}")
    return int(text)


def _is_yes(environ: Mapping[str, str], name: str, default: bool) -> bool:
    return _one_of(environ, name, "yes" if default else "no", ("yes", "no")) == "yes"


def _one_of(environ: Mapping[str, str], name: str, default: _Word, words: Sequence[_Word]) -> _Word:
    text = environ.get(name) or default
    for word in words:
        if word == text:
            return word
    raise SettingsError(f"{name} must be one of: {' '.join(words)}; not {text!r}")


def _share(environ: Mapping[str, str], name: str, default: float) -> float:
    text = environ.get(name)
    if not text:
        return default
    if not (_SHARE.fullmatch(text) and 0 < float(text) <= 1):
        raise SettingsError(
            f"{name} must be a share such as {default}, more than 0 and at most 1, not {text!r}"
        )
    return float(text)


def _origins(environ: Mapping[str, str], name: str) -> frozenset[str]:
    found = frozenset([origin.strip() for origin in (environ.get(name) or "").split(",")]) - {""}
    for origin in sorted(found):
        if not _ORIGIN.fullmatch(origin) or _DEFAULT_PORT.fullmatch(origin):
            example = "https://play.example or http://localhost:3000"
            raise SettingsError(f"{name} must be origins as browsers send them, {example}, not {origin!r}")
    return found


def _log_level(environ: Mapping[str, str]) -> str:
    level = environ.get("LOG_LEVEL") or "INFO"
    if level.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise SettingsError(f"LOG_LEVEL must be DEBUG, INFO, WARNING or ERROR, not {level!r}")
    return level.upper()
