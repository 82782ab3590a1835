"""From the log into inboxes: who is notified of what, once, and only if somebody wants to know."""

from typing import Any

import msgspec
import pytest

from contract.notifications import TYPES, Notification
from domain.ladder import decide
from domain.ladder.events import STAND_IN, RoundFinished, SequentialTest
from domain.match.commands import AbortMatch, CreateMatch, Resign, SeatPlan
from domain.match.rulesets import CURRENT, resolve_options
from events import CommandResult
from events.notifications import inbox as inboxes
from events.store import keys
from events.store.outbox import NOTIFIER
from tests.receiver import Receiver
from tests.workers.kit import COMMITTED, Place
from tests.workers.ladder_kit import OWNER, Ladder
from tests.workers.notifications.kit import ADA, Office


def kinds(office: Office) -> list[str]:
    return [one["type"] for one in office.told()]


def commanded(place: Place, match_id: str, actor: str, command: Any) -> CommandResult:
    return place.matches.execute(match_id, command, actor)


def test_a_subscriber_is_told_of_its_turn_and_of_the_end(place: Place, office: Office) -> None:
    office.inbox.subscribe(ADA)
    notifier = office.notifier()
    created = place.seats("ada", "random")
    commanded(place, created.match_id, "seat:0", Resign(0))
    assert notifier.run("") is False
    assert kinds(office) == ["turn", "match_finished"]
    turn, finished = office.told()
    assert turn["data"] == {
        "match_id": created.match_id,
        "version": created.last,
        "match_url": f"/v1/matches/{created.match_id}",
    }
    assert (turn["sequence"], turn["account_id"]) == (1, ADA)
    assert finished["sequence"] == 2
    for one in office.inbox.after(ADA, 0, 10):
        msgspec.json.decode(one.document, type=Notification)


def test_an_account_that_does_not_subscribe_costs_nothing(place: Place, office: Office) -> None:
    notifier = office.notifier()
    place.seats("ada", "random")
    notifier.run("")
    assert not office.inbox.has_subscribers()
    assert office.told() == []
    assert not place.client.exists(keys.inbox_state(ADA))


def test_what_happens_after_the_subscription_is_told_even_if_the_notifier_is_late(
    place: Place, office: Office
) -> None:
    notifier = office.notifier()
    office.inbox.subscribe(ADA)
    place.seats("ada", "random")
    notifier.run("")
    assert kinds(office) == ["turn"]


def test_an_invitation_is_told_to_the_invited_account_only(place: Place, office: Office) -> None:
    for account in ("acc_bob", ADA):
        place.client.set(keys.account(account), b"{}")
        office.inbox.subscribe(account)
    notifier = office.notifier()
    invited(place, "acc_bob")
    notifier.run("")
    assert kinds(office) == []
    (one,) = office.inbox.after("acc_bob", 0, 10)
    assert msgspec.json.decode(one.document)["type"] == "invited"


def invited(place: Place, account_id: str) -> CommandResult:
    """An open match of Ada's with a seat that is reserved for the account."""
    plans = (SeatPlan("account", ADA, "ada"), SeatPlan("reserved", account_id, "bob"))
    options = resolve_options(CURRENT["base"], 2)
    return place.matches.create(CreateMatch("base@1", options, plans, COMMITTED, ADA, 0, None))


def test_all_accounts_with_a_seat_learn_of_an_aborted_match(place: Place, office: Office) -> None:
    office.inbox.subscribe(ADA)
    notifier = office.notifier()
    match_id = invited(place, "acc_bob").match_id
    commanded(place, match_id, f"account:{ADA}", AbortMatch())
    notifier.run("")
    assert kinds(office) == ["match_finished"]


def test_pointers_that_are_read_twice_notify_once(place: Place, office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    first = office.notifier()
    place.seats("ada", "random")
    before = place.outbox.checkpoint(NOTIFIER)
    first.run("")
    place.outbox.save_checkpoint(NOTIFIER, before)
    again = office.notifier()
    place.seats("ada", "random")
    again.run("")
    assert [one["sequence"] for one in office.told()] == [1, 2]
    assert len(office.deliveries.page(webhook.webhook_id)) == 2


def test_the_position_is_saved_and_taken_up_again(place: Place, office: Office) -> None:
    office.inbox.subscribe(ADA)
    first = office.notifier()
    place.seats("ada", "random")
    first.run("")
    first.run("")
    assert place.outbox.checkpoint(NOTIFIER) == place.outbox.read_log("0-0")[0].id
    place.seats("ada", "random")
    second = office.notifier()
    second.run("")
    assert len(office.told()) == 2


def test_a_notifier_of_an_old_store_begins_at_the_end_of_its_log(place: Place, office: Office) -> None:
    office.inbox.subscribe(ADA)
    place.seats("ada", "random")
    notifier = office.notifier()
    notifier.run("")
    assert office.told() == []


def test_a_page_of_the_relay_is_shared(place: Place, office: Office) -> None:
    office.inbox.subscribe(ADA)
    notifier = office.notifier()
    place.seats("ada", "random")
    pointers = place.outbox.read_log("0-0")
    notifier.share_page("0-0", pointers)
    assert kinds(office) == ["turn"]
    assert notifier.run(pointers[-1].id) is False


def test_webhooks_get_the_types_that_they_ask_for(place: Place, office: Office, receiver: Receiver) -> None:
    wanted, other = office.webhook(receiver.url, ["turn"]), office.webhook(receiver.url, ["invited"])
    notifier = office.notifier()
    match_id = place.seats("ada", "random").match_id
    commanded(place, match_id, "seat:0", Resign(0))
    notifier.run("")
    office.deliver()
    assert [one.delivery.type for one in office.deliveries.page(wanted.webhook_id)] == ["turn"]
    assert office.deliveries.page(other.webhook_id) == []
    (one,) = receiver.received
    assert one.body == office.inbox.after(ADA, 0, 1)[0].document


def test_a_disabled_webhook_collects_nothing(place: Place, office: Office, receiver: Receiver) -> None:
    webhook = office.webhook(receiver.url)
    office.webhooks.change(webhook.webhook_id, {"enabled": 0})
    notifier = office.notifier()
    place.seats("ada", "random")
    notifier.run("")
    assert office.deliveries.page(webhook.webhook_id) == []
    assert kinds(office) == ["turn"]


def test_an_inbox_keeps_the_last_notifications(
    place: Place, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inboxes, "KEPT", 2)
    office.inbox.subscribe(ADA)
    notifier = office.notifier()
    for _ in range(3):
        place.seats("ada", "random")
    notifier.run("")
    assert [one["sequence"] for one in office.told()] == [2, 3]
    assert office.inbox.last(ADA) == 3


def test_a_subscription_ends_if_nobody_reads(
    place: Place, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inboxes, "SUBSCRIBED_MS", -1)
    office.inbox.subscribe(ADA)
    notifier = office.notifier()
    place.seats("ada", "random")
    notifier.run("")
    assert office.told() == []
    office.inbox.end_subscriptions()
    assert not office.inbox.has_subscribers()


def test_a_deleted_account_is_not_notified(place: Place, office: Office) -> None:
    office.inbox.subscribe(ADA)
    notifier = office.notifier()
    place.seats("ada", "random")
    place.client.delete(keys.account(ADA))
    notifier.run("")
    assert office.told() == []
    assert not place.client.exists(keys.inbox_state(ADA))


def test_the_types_of_webhooks_are_those_of_inboxes() -> None:
    assert TYPES == ("turn", "match_finished", "invited", "ladder_round_finished")


def test_a_finished_round_is_told_to_the_owner_and_to_the_owners_of_its_bots(
    place: Place, office: Office
) -> None:
    accounts = (OWNER, "acc_bot", "acc_other")
    for account in accounts:
        place.client.set(keys.account(account), b"{}")
        office.inbox.subscribe(account)
    ladder = Ladder(place)
    ladder.enter("random")
    ladder.enter_bots("bot", "other")
    notifier = office.notifier()
    ladder.open((0, 1))
    ladder.do(lambda state: decide.stop_round(state, 1, "command"))
    notifier.run("")
    assert [office.inbox.last(account) for account in accounts] == [0, 0, 0], "a stopped round is not over"
    ladder.do(lambda state: [RoundFinished(1)])
    notifier.run("")
    assert [office.inbox.last(account) for account in accounts] == [1, 1, 0]
    (one,) = office.inbox.after(OWNER, 0, 10)
    told = msgspec.json.decode(one.document)
    msgspec.json.decode(one.document, type=Notification)
    assert (told["type"], told["data"]["ladder_id"], told["data"]["round"]) == (
        "ladder_round_finished",
        ladder.id,
        1,
    )
    assert told["data"]["round_url"] == f"/v1/jobs/{ladder.round().job}"


def test_a_bot_that_no_table_of_a_round_seats_is_not_told_of_its_end(place: Place, office: Office) -> None:
    """At the others' tables are stand-ins, which are no entry."""
    accounts = (OWNER, "acc_late")
    for account in accounts:
        place.client.set(keys.account(account), b"{}")
        office.inbox.subscribe(account)
    ladder = Ladder(place, seats=4)
    ladder.enter("greedy", "random")
    ladder.enter_bots("late")
    notifier = office.notifier()
    ladder.open((0, 1, STAND_IN, STAND_IN), purpose="test", test=SequentialTest(0, 1, 0, 50, 5, 5, 1))
    ladder.do(lambda state: [RoundFinished(1, "undecided")])
    notifier.run("")
    assert [office.inbox.last(account) for account in accounts] == [1, 0]
