"""What the URL of an event store means for its connections."""

from redis.sentinel import SentinelManagedSSLConnection

from runtime.connection import SENTINEL_PORT, pool

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
