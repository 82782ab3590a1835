"""An app that allows webhooks on this machine, what notifies and delivers for it, and a receiver."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask

from service.context import EXTENSION, Services
from tests.receiver import LOCAL, Receiver, receiving
from tests.service.notified import Messenger


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
