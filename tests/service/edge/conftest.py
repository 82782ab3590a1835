"""Apps with few permits."""

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from ops.servers import Server
from runtime.settings import Settings, rates_from_env
from service.app import create_app
from service.context import EXTENSION
from tests.service.conftest import ROOMY
from tests.service.contract import ContractClient
from tests.service.quota_headers import Clock, Limited
from tests.service.served import MASTER_KEYS, SIGNING_KEYS


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limited(app: Flask, events_server: Server, queue_server: Server, clock: Clock) -> Iterator[Limited]:
    """Makes a client of a new app with these quotas; `moves="3/minute"` and so on."""
    apps: list[Flask] = []

    def make(
        trusted_proxies: int = 0,
        events_url: str = events_server.url,
        queue_url: str = queue_server.url,
        **rates: str,
    ) -> FlaskClient:
        chosen = rates_from_env({f"RATE_{policy.upper()}": rate for policy, rate in rates.items()})
        chosen = {policy: chosen[policy] if policy in rates else ROOMY[policy] for policy in chosen}
        settings = Settings(
            events_url, queue_url, MASTER_KEYS, SIGNING_KEYS, trusted_proxies=trusted_proxies, rates=chosen
        )
        apps.append(made := create_app(settings, clock=clock))
        made.test_client_class = ContractClient
        made.extensions["contract"] = app.extensions["contract"]
        return made.test_client()

    yield make
    for one in apps:
        one.extensions[EXTENSION].watcher.stop()
