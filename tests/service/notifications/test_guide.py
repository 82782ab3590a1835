"""The examples of docs/webhooks.md do what they say."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.receiver import Receiver
from tests.service.contract import Account
from tests.service.notifications.test_webhooks import WEBHOOKS, created
from tests.service.notified import Messenger

GUIDE = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text()
SECRET = "whsec_ZXhhbXBsZSAxIHNpZ25zIG5vdGhpbmcgICAgICAgICA="


def block(language: str, containing: str) -> str:
    """The code of the guide in that language that contains a text."""
    found = re.findall(rf"^```{language}\n(.*?)^```", GUIDE, flags=re.M | re.S)
    return str(next(one for one in found if containing in one))


@pytest.fixture
def sent(ada: Account, messenger: Messenger, receiver: Receiver) -> tuple[str, Any]:
    """The secret of a webhook, and a message to it."""
    webhook = created(ada, url=receiver.url)
    assert ada.post(f"{WEBHOOKS}/{webhook['webhook_id']}/tests").status_code == 202
    messenger.deliver()
    return webhook["secret"], receiver.received[0]


def test_the_receiver_in_python_takes_what_is_sent_and_nothing_else(
    sent: tuple[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    secret, message = sent
    names: dict[str, Any] = {"__name__": "guide"}
    exec(block("python", "standardwebhooks").replace(SECRET, secret), names)
    receiving: Flask = names["app"]
    headers = {name: text for name, text in message.headers.items() if name.startswith("webhook-")}
    client = receiving.test_client()
    assert client.post("/machi", data=message.body, headers=headers).status_code == 204
    assert capsys.readouterr().out.startswith("test {")
    assert client.post("/machi", data=message.body + b" ", headers=headers).status_code == 400


def test_the_signature_by_openssl_is_the_one_that_was_sent(sent: tuple[str, Any], tmp_path: Path) -> None:
    secret, message = sent
    (tmp_path / "body").write_bytes(message.body)
    lines = block("console", "openssl").splitlines()
    script = "\n".join([line.removeprefix("$ ") for line in lines])
    told = {
        "SECRET": secret,
        "WEBHOOK_ID": message.headers["webhook-id"],
        "WEBHOOK_TIMESTAMP": message.headers["webhook-timestamp"],
    }
    shown = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=os.environ | told, capture_output=True, text=True, check=True
    )
    assert f"v1,{shown.stdout.strip()}" == message.headers["webhook-signature"]


def test_the_webhook_that_is_shown_has_every_member_of_the_answer(ada: Account) -> None:
    shown = json.loads(block("json", "webhook_id"))
    wish = {"url": shown["url"], "types": shown["types"]}
    answer = ada.post(WEBHOOKS, wish).json
    assert [*shown] == [*answer]
    made = ("webhook_id", "created_at", "secret")
    assert {name: value for name, value in shown.items() if name not in made} == {
        name: value for name, value in answer.items() if name not in made
    }
