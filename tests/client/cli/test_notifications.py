"""`machi webhook` and `machi inbox`, and the methods of the client behind them."""

import json
from collections.abc import Callable

import pytest
from standardwebhooks import Webhook as Verifier

from machi import Client, NotFound, Notification, Refused, account, me
from ops.servers import Server
from runtime.settings import Settings
from service.app import create_app
from tests.client.commands import Run
from tests.service.notified import Messenger
from tests.service.served import MASTER_KEYS, SIGNING_KEYS

ADDRESS = "https://bot.example/machi"


@pytest.fixture
def messenger(url: str, events_server: Server, queue_server: Server) -> Messenger:
    return Messenger(create_app(Settings(events_server.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS)))


def created(logged_in: Run, *words: str) -> dict[str, str]:
    code, out, _ = logged_in("webhook", "create", ADDRESS, *words, "--json")
    assert code == 0
    return dict(json.loads(out))


def test_a_webhook_is_created_with_a_secret_and_listed_without_it(logged_in: Run) -> None:
    code, secret, _ = logged_in("webhook", "create", ADDRESS, "--type", "turn", "--type", "invited")
    Verifier(secret.splitlines()[-1])
    assert code == 0
    listed = logged_in("webhook", "list")[1]
    assert ADDRESS in listed
    assert "turn, invited" in " ".join(listed.split())
    assert "whsec" not in listed


def test_without_types_all_are_sent(logged_in: Run) -> None:
    assert created(logged_in)["types"] == ["turn", "match_finished", "invited", "ladder_round_finished"]


def test_a_webhook_is_changed_disabled_and_deleted(logged_in: Run, my_client: Client) -> None:
    id = created(logged_in)["webhook_id"]
    logged_in("webhook", "change", id, "--type", "turn", "--address", f"{ADDRESS}/2", "--disable")
    found = my_client.webhook(id)
    assert (found.url, found.types, found.enabled) == (f"{ADDRESS}/2", ("turn",), False)
    assert "no (owner)" in logged_in("webhook", "list")[1]
    with pytest.raises(Refused, match="webhook_disabled"):
        my_client.test_webhook(id)
    assert logged_in("webhook", "delete", id) == (0, "Deleted.\n", "")
    assert logged_in("webhook", "list") == (0, "You have no webhooks.\n", "")
    with pytest.raises(NotFound, match="webhook_not_found"):
        my_client.webhook(id)


def test_a_change_of_nothing_is_wrong_usage(logged_in: Run) -> None:
    code, _, err = logged_in("webhook", "change", created(logged_in)["webhook_id"])
    assert (code, "say what to change" in err) == (2, True)


def test_deliveries_are_listed_and_sent_again(logged_in: Run, my_client: Client) -> None:
    id = created(logged_in)["webhook_id"]
    assert logged_in("webhook", "deliveries", id) == (0, "Nothing was sent yet.\n", "")
    code, told, _ = logged_in("webhook", "test", id)
    (delivery,) = my_client.deliveries(id)
    assert (code, told) == (0, f"{delivery.delivery_id} is sent soon.\n")
    assert (delivery.status, delivery.notification.type) == ("pending", "test")
    assert my_client.delivery(id, delivery.delivery_id) == delivery
    assert "pending" in logged_in("webhook", "deliveries", id)[1]
    assert logged_in("webhook", "retry", id, delivery.delivery_id) == (0, told, "")


def test_a_new_secret_replaces_the_old_one(logged_in: Run) -> None:
    made = created(logged_in)
    code, out, _ = logged_in("webhook", "secret", made["webhook_id"])
    assert code == 0
    assert out.splitlines()[-1] not in ("", made["secret"])


def test_the_inbox_has_what_happens_after_its_first_use(
    logged_in: Run, my_client: Client, sign_up: Callable[[], Client], messenger: Messenger
) -> None:
    assert logged_in("inbox") == (0, "", "")
    host = sign_up()
    match = host.create_match("base", [me(), account(my_client.me().handle)])
    mine = my_client.create_match("base", [me(), me()], first_seat=0)
    messenger.notify()
    invited, turn = my_client.notifications()
    assert isinstance(invited, Notification)
    assert (invited.type, invited.data["match_id"]) == ("invited", match.match_id)
    assert (turn.type, turn.data["match_id"], turn.sequence) == ("turn", mine.match_id, 2)
    code, out, _ = logged_in("inbox", "--type", "turn", "--json")
    assert (code, out) == (0, f"{turn.raw.decode()}\n")
    assert f"/v1/matches/{mine.match_id}" in logged_in("inbox", "--after", "1")[1]


def test_who_is_not_logged_in_is_told_so(machi_run: Run) -> None:
    for words in (("inbox",), ("webhook", "list")):
        assert "machi login" in machi_run(*words)[2]
