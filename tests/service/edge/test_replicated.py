"""With DURABILITY=replicated, what is acknowledged is on a replica, and no command is carried out twice."""

import pytest
import redis

from events.store import client as store_client
from events.store.client import connect_store
from events.store.durability import Requirements
from events.store.errors import StoreUnavailable
from events.store.keys import stream
from events.store.redis_store import RedisStore
from ops.servers import Server
from runtime.settings import Settings
from service.app import create_app
from tests.events.replica import running_pair
from tests.service.contract import Account
from tests.service.served import MASTER_KEYS, SIGNING_KEYS

SEATS = [{"kind": "me"}, {"kind": "strategy", "strategy": "greedy"}]
MATCH = {"ruleset": "base", "seats": SEATS, "first_seat": 0}


@pytest.mark.long
def test_a_command_that_no_replica_confirms_is_carried_out_once_when_it_is_sent_again(
    tmp_path_factory: pytest.TempPathFactory, queue_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_pair(tmp_path_factory) as pair:
        settings = Settings(
            pair.primary.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS, durability="replicated"
        )
        ada = Account(create_app(settings).test_client(), "ada")
        match = ada.post("/v1/matches", json=MATCH).json
        path = f"/v1/matches/{match['match_id']}/commands"
        roll = {"json": {"type": "roll_dice", "dice": 1}, "headers": {"Idempotency-Key": "first-roll"}}
        with pair.paused(), monkeypatch.context() as hurried:
            hurried.setattr(store_client, "REPLICA_WAIT_MS", 200)
            for _ in range(2):
                refused = ada.post(path, **roll)
                assert (refused.status_code, refused.json["code"]) == (503, "store_unavailable")
                assert refused.headers["Retry-After"]
        repeated = ada.post(path, **roll)
        assert (repeated.status_code, repeated.headers["Idempotency-Replayed"]) == (201, "true")
        assert repeated.json["events"][0]["type"] == "dice_rolled"
        with redis.Redis.from_url(pair.primary.admin_url) as primary:
            stored = primary.xrange(stream(match["match_id"]))
        assert pair.admin.xrange(stream(match["match_id"])) == stored
        assert len(stored) == 2


@pytest.mark.long
def test_nobody_is_shown_what_no_replica_has_confirmed(
    tmp_path_factory: pytest.TempPathFactory, queue_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_pair(tmp_path_factory) as pair:
        settings = Settings(
            pair.primary.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS, durability="replicated"
        )
        ada = Account(create_app(settings).test_client(), "ada")
        match = ada.post("/v1/matches", json=MATCH).json
        path = f"/v1/matches/{match['match_id']}"
        onlooker = create_app(settings).test_client()
        shown = onlooker.get(path).json["version"]
        roll = {"json": {"type": "roll_dice", "dice": 1}, "headers": {"Idempotency-Key": "first-roll"}}
        with pair.paused(), monkeypatch.context() as hurried:
            hurried.setattr(store_client, "REPLICA_WAIT_MS", 200)
            assert ada.post(f"{path}/commands", **roll).status_code == 503
            for of_the_match in (path, f"{path}/events", f"{path}/legal-commands"):
                refused = onlooker.get(of_the_match)
                assert (refused.status_code, refused.json["code"]) == (503, "store_unavailable")
        assert onlooker.get(path).json["version"] > shown


@pytest.mark.long
def test_what_the_next_server_no_longer_has_is_not_shown(
    tmp_path_factory: pytest.TempPathFactory, queue_server: Server
) -> None:
    """One server is read from and another confirms, because a replica has taken over in between."""

    class Replaced(RedisStore):
        def _send(self, call: tuple[object, ...]) -> object:
            found = super()._send(call)
            with redis.Redis.from_url(pair.primary.admin_url) as primary:
                primary.delete(stream(match_id))
            return found

    with running_pair(tmp_path_factory) as pair:
        settings = Settings(
            pair.primary.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS, durability="replicated"
        )
        ada = Account(create_app(settings).test_client(), "ada")
        match_id = ada.post("/v1/matches", json=MATCH).json["match_id"]
        client = connect_store(pair.primary.url, Requirements(is_replicated=True))
        with pytest.raises(StoreUnavailable, match="lost"):
            Replaced(client).read(match_id)
