"""What the URL of an event store means for its connections."""

import socketserver
import threading

import pytest
import redis
from redis.sentinel import SentinelManagedSSLConnection

from runtime.connection import SENTINEL_PORT, connect_blocking, pool

NAMED = (
    "app:one%2Ftwo@[::1]:26380,other/group/3?ssl_ca_certs=ca.pem&sentinel_username=asker&sentinel_password=x"
)


def test_a_url_of_sentinels_has_their_addresses_the_group_and_the_options_of_a_server() -> None:
    made = pool(f"rediss+sentinel://{NAMED}", 5)
    assert made.connection_class is SentinelManagedSSLConnection
    assert made.service_name == "group"
    options = made.connection_kwargs
    assert (options["username"], options["password"], options["db"]) == ("app", "one/two", 3)
    assert options["ssl_ca_certs"] == "ca.pem"
    assert not [name for name in options if name.startswith("sentinel_")]


def test_sentinels_have_a_user_of_their_own_and_the_encryption_of_the_servers() -> None:
    asked = [
        one.connection_pool.connection_kwargs
        for one in pool(f"rediss+sentinel://{NAMED}", 5).sentinel_manager.sentinels
    ]
    assert [(one["host"], one["port"]) for one in asked] == [("::1", 26380), ("other", SENTINEL_PORT)]
    assert {(one["username"], one["password"], one["ssl_ca_certs"]) for one in asked} == {
        ("asker", "x", "ca.pem")
    }


def test_each_sentinel_is_asked_once() -> None:
    asked: list[object] = []
    with socketserver.TCPServer(("127.0.0.1", 0), lambda *arguments: asked.append(arguments)) as silent:
        thread = threading.Thread(target=silent.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        host = "{}:{}".format(*silent.server_address)
        with pytest.raises(redis.ConnectionError, match="no Sentinel names a primary of 'group'"):
            connect_blocking(f"redis+sentinel://{host},{host}/group").ping()
        silent.shutdown()
        thread.join()
    assert len(asked) == 2
