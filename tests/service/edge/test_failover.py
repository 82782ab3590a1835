"""When Sentinels replace the primary of the event store, the service goes on and has all it acknowledged."""

import os
import signal
from contextlib import suppress
from typing import Any

import pytest
import redis

from events.store.keys import stream
from ops.servers import Server
from runtime.settings import Settings
from service.app import create_app
from tests.events.sentinels import running_group
from tests.service.contract import Account
from tests.service.served import MASTER_KEYS, SIGNING_KEYS
from tests.workers.kit import wait_until

MATCH = {"ruleset": "base", "seats": [{"kind": "me"}, {"kind": "me"}], "first_seat": 0}
COMMANDS = 20
NOTHING: list[Any] = []


@pytest.mark.long
@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
def test_commands_go_on_after_a_failover_and_every_acknowledged_one_is_there_once(
    fault: signal.Signals, tmp_path_factory: pytest.TempPathFactory, queue_server: Server
) -> None:
    with running_group(tmp_path_factory) as group:
        primary, *replicas = group.servers
        settings = Settings(group.url, queue_server.url, MASTER_KEYS, SIGNING_KEYS, durability="replicated")
        ada = Account(create_app(settings).test_client(), "ada")
        match_id = ada.post("/v1/matches", json=MATCH).json["match_id"]
        acknowledged: list[dict[str, Any]] = []

        def is_acknowledged() -> bool:
            body = {"type": "pass"} if number % 2 else {"type": "roll_dice", "dice": 1}
            key = {"Idempotency-Key": f"command-{number}"}
            answer = ada.post(f"/v1/matches/{match_id}/commands", json=body, headers=key)
            if answer.status_code == 201:
                acknowledged.extend(answer.json["events"])
            else:
                refused.append(answer.json["code"])
            return answer.status_code == 201

        refused: list[str] = []
        for number in range(COMMANDS):
            if number == COMMANDS // 2:
                os.kill(primary.pid or 0, fault)
            wait_until(is_acknowledged)
        assert set(refused) == {"store_unavailable"}
        first = acknowledged[0]["sequence"]
        stored = ada.get(f"/v1/matches/{match_id}/events?after={first - 1}&limit=500").json["items"]
        assert stored == acknowledged
        if fault == signal.SIGSTOP:
            os.kill(primary.pid or 0, signal.SIGCONT)
            wait_until(lambda: _entries(primary, match_id) == _entries(replicas[0], match_id) != NOTHING)
        for server in replicas:
            server.kill()
        assert ada.get(f"/v1/matches/{match_id}/events?after=1").json["code"] == "store_unavailable"


def _entries(server: Server, match_id: str) -> Any:
    """Those on a server; none while it becomes a replica, and closes its connections."""
    with suppress(redis.ConnectionError), redis.Redis.from_url(server.admin_url) as admin:
        return admin.xrange(stream(match_id))
    return NOTHING
