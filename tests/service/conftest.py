"""The app on real Redis servers, and clients whose every answer is checked against the document."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from ops.servers import Server
from runtime.settings import Settings, rates_from_env
from service.app import create_app
from service.context import EXTENSION, Services
from tests.receiver import LOCAL, Receiver, receiving
from tests.service.contract import Account, Contract, ContractClient
from tests.service.notified import Messenger
from tests.service.served import MASTER_KEYS, SIGNING_KEYS

ROOMY = rates_from_env(
    {
        "RATE_MOVES": "1000000/minute",
        "RATE_MATCHES": "1000000/hour",
        "RATE_CREATIONS": "1000000/hour",
        "RATE_ACCOUNTS": "1000000/hour",
        "RATE_AUDITS": "1000000/minute",
        "RATE_REQUESTS": "1000000/minute",
        "RATE_ANONYMOUS": "1000000/minute",
    }
)
"""All tests come from one address."""

TOKEN_TRUSTED_S = 0.02
"""A deletion waits for that long."""


@pytest.fixture(scope="session")
def served_app(events_server: Server, queue_server: Server) -> Iterator[Flask]:
    settings = Settings(events_server.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS, rates=ROOMY)
    app = create_app(settings, token_trusted_s=TOKEN_TRUSTED_S)
    app.test_client_class = ContractClient
    app.extensions["contract"] = Contract(app)
    app.extensions[EXTENSION].watcher.start()
    yield app
    app.extensions[EXTENSION].watcher.stop()


@pytest.fixture
def app(served_app: Flask, events_redis: redis.Redis, queue_redis: redis.Redis) -> Flask:
    """The app on emptied servers."""
    return served_app


@pytest.fixture
def restarted(app: Flask) -> Iterator[Callable[..., FlaskClient]]:
    """Clients of new apps on the same servers, with other settings where they are given."""
    old: Settings = app.extensions[EXTENSION].settings
    apps: list[Flask] = []

    def start(**changed: Any) -> FlaskClient:
        apps.append(new := create_app(replace(old, **changed), token_trusted_s=TOKEN_TRUSTED_S))
        new.extensions[EXTENSION].watcher.start()
        new.test_client_class = ContractClient
        new.extensions["contract"] = app.extensions["contract"]
        return new.test_client()

    yield start
    for one in apps:
        one.extensions[EXTENSION].watcher.stop()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def sign_up(client: FlaskClient) -> Callable[[str], Account]:
    return lambda handle: Account(client, handle)


@pytest.fixture
def ada(sign_up: Callable[[str], Account]) -> Account:
    return sign_up("ada")


@pytest.fixture
def bob(sign_up: Callable[[str], Account]) -> Account:
    return sign_up("bob")


@pytest.fixture
def admin(app: Flask, events_server: Server) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(events_server.admin_url) as admin:
        yield admin


@pytest.fixture
def messenger(app: Flask) -> Messenger:
    return Messenger(app)


@pytest.fixture
def receiver(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    services: Services = app.extensions[EXTENSION]
    own = replace(services.settings, webhook_http=LOCAL.allows_http, webhook_networks=LOCAL.networks)
    monkeypatch.setitem(app.extensions, EXTENSION, replace(services, settings=own))
    with receiving() as found:
        yield found
