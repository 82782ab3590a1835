"""Which URLs webhooks may have, and which addresses requests may go to."""

from ipaddress import ip_network

import pytest

from runtime.webhook_targets import (
    TargetRefused,
    TargetRules,
    networks_in,
    require_allowed,
    target_of,
)

PUBLIC_ONLY = TargetRules()
HTTP = TargetRules(allows_http=True)


@pytest.mark.parametrize(
    ("url", "host", "port", "path", "authority"),
    [
        ("https://bot.example/machi?key=1", "bot.example", 443, "/machi?key=1", "bot.example"),
        ("https://bot.xn--p1a2/", "bot.xn--p1a2", 443, "/", "bot.xn--p1a2"),
        ("https://Bot.Example:8443", "bot.example", 8443, "/", "bot.example:8443"),
        ("https://[2606:4700::1111]/", "2606:4700::1111", 443, "/", "[2606:4700::1111]"),
        ("https://bot_1.a-b.xn--bcher-kva.example./", "bot_1.a-b.xn--bcher-kva.example.", 443, "/", None),
        ("https://8.8.8.8:443/x", "8.8.8.8", 443, "/x", "8.8.8.8"),
    ],
)
def test_a_public_https_url_is_taken_apart(
    url: str, host: str, port: int, path: str, authority: str | None
) -> None:
    target = target_of(url, PUBLIC_ONLY)
    assert (target.host, target.port, target.path, target.authority) == (host, port, path, authority or host)


@pytest.mark.parametrize(
    "url",
    [
        "http://bot.example/",
        "ftp://bot.example/",
        "bot.example",
        "https://",
        "https:///path",
        "https://user:secret@bot.example/",
        "https://bot.example/#part",
        "https://bot.example\\@other.example/",
        "https://bot.example:25/",
        "https://bot.example:0/",
        "https://bot.example:99999/",
        "https://bot.example:x/",
        "https://bücher.example/",
        "https://bot.example/a b",
        "https://bot.example/\r\nHost: other",
        "https://[::1",
        "https://[fe80::1%25eth0]/",
        "https://" + "a" * 1000,
        "https://a..b.example/",
        "https://.example/",
        "https://-a.example/",
        "https://a-.example/",
        f"https://{'a' * 64}.example/",
        "https://" + "a." * 125 + "example/",
        "https://localhost/",
        "https://localhost./",
        "https://2130706433/",
        "https://127.1/",
        "https://127.0x7f/",
        "https://127.0x/",
        "https://my-very-long-host-name-for-webhooks,example.com/",
        "https://" + "a" * 900 + "!/",
        "https://" + "a." * 450 + "!/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data",
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(TargetRefused):
        target_of(url, PUBLIC_ONLY)


def test_http_is_for_operators_who_allow_it() -> None:
    assert target_of("http://bot.example/", HTTP).port == 80


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_public_addresses_are_allowed(address: str) -> None:
    require_allowed(address, PUBLIC_ONLY)


@pytest.mark.parametrize(
    "address",
    [
        *(
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.8.9.1",
            "169.254.169.254",
        ),
        *("172.16.0.1", "172.31.255.255", "192.0.0.192", "192.168.1.1", "192.0.2.1", "192.88.99.1"),
        *("198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1"),
        *("255.255.255.255", "168.63.129.16"),
        *("::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1"),
        *("64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "fc00::1"),
        *("fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1"),
    ],
)
def test_private_and_special_addresses_are_refused(address: str) -> None:
    with pytest.raises(TargetRefused):
        require_allowed(address, PUBLIC_ONLY)


def test_a_network_that_the_operator_names_is_allowed() -> None:
    rules = TargetRules(networks=networks_in("10.0.0.0/8,fd00::/8"))
    assert target_of("https://bot:8443/", rules).host == "bot"
    require_allowed("10.1.2.3", rules)
    require_allowed("::ffff:10.1.2.3", rules)
    require_allowed("fd00::1", rules)
    with pytest.raises(TargetRefused):
        require_allowed("192.168.1.1", rules)


def test_networks_are_read_from_a_list() -> None:
    assert networks_in("") == frozenset()
    assert networks_in("10.0.0.0/8, fd00::/8") == {ip_network("10.0.0.0/8"), ip_network("fd00::/8")}


@pytest.mark.parametrize("text", ["10.0.0.1/8", "home", "10.0.0.0/8;fd00::/8"])
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"network|host bits"):
        networks_in(text)
