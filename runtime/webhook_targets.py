"""Where webhooks may point: which URLs, and which addresses behind their names.

A webhook makes the service send requests to addresses that strangers choose. So it must reach nothing that
only this machine or its network reaches: an address has to be a public one, or in a network that the operator
has named.
"""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

Network: TypeAlias = IPv4Network | IPv6Network

LONGEST_URL: Final = 1000
_LONGEST_NAME: Final = 253
_LABEL: Final = r"(?!-)[a-z0-9_-]{1,63}(?<!-)"
# Some resolvers read a number at the end as an address.
_NAME: Final = re.compile(rf"(?:{_LABEL}\.)*(?!(?:[0-9]+|0x[0-9a-f]*)\.?\Z){_LABEL}\.?", re.ASCII)
_TEXT: Final = re.compile(r"[!-~]+", re.ASCII)
_PORTS: Final = {"https": 443, "http": 80}
_FIRST_FREE_PORT: Final = 1024
"""Ports below it belong to other services than web servers, but for their own."""

_UNSAFE_4: Final = tuple(map(IPv4Network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")))
"""Special, though not for every version of Python: protocol assignments, among them the metadata of a cloud;
relays of 6to4; the internal service of another cloud."""
_GLOBAL_6: Final = IPv6Network("2000::/3")
"""The only public part of IPv6. Outside are all forms that contain an IPv4 address, but for the next two."""
_UNSAFE_6: Final = tuple(map(IPv6Network, ("2001::/23", "2002::/16", "2001:db8::/32", "3fff::/20")))
"""Special uses, such as Teredo; 6to4; examples."""


class TargetRefused(ValueError):
    """A URL or an address that no webhook may have; the message says why, for its owner."""


class TargetRules(NamedTuple):
    """What the operator allows beyond public addresses over TLS."""

    allows_http: bool = False
    networks: frozenset[Network] = frozenset()


class Target(NamedTuple):
    """A URL of a webhook, taken apart."""

    scheme: str
    host: str
    """A name, or an address without brackets."""
    port: int
    path: str
    """With the query."""

    @property
    def authority(self) -> str:
        """The host as the header `Host` has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def target_of(url: str, rules: TargetRules) -> Target:
    """The parts of a URL that a webhook may have; its name is not looked up.

    Raises:
        TargetRefused.
    """
    if len(url) > LONGEST_URL or not _TEXT.fullmatch(url):
        raise TargetRefused(f"must have at most {LONGEST_URL} visible ASCII characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise TargetRefused("must be a URL") from None
    if parts.scheme not in (("https", "http") if rules.allows_http else ("https",)):
        raise TargetRefused("must begin with https://")
    if "@" in parts.netloc or "#" in url or "\\" in url:
        raise TargetRefused("must have neither a user nor a fragment, and no backslash")
    host = (parts.hostname or "").lower()
    if not _is_host(host, rules):
        raise TargetRefused("must name a public host, in ASCII")
    port = _PORTS[parts.scheme] if port is None else port
    if port not in _PORTS.values() and port < _FIRST_FREE_PORT:
        raise TargetRefused(f"must have the port 443, 80, or one from {_FIRST_FREE_PORT}")
    path = parts.path or "/"
    return Target(parts.scheme, host, port, f"{path}?{parts.query}" if parts.query else path)


def _is_host(host: str, rules: TargetRules) -> bool:
    try:
        require_allowed(host, rules)
    except TargetRefused:
        raise
    except ValueError:
        # Only a network of the operator has hosts without a domain.
        is_public = "." in host.rstrip(".") or bool(rules.networks)
        return is_public and len(host) <= _LONGEST_NAME and _NAME.fullmatch(host) is not None
    return True


def require_allowed(address: str, rules: TargetRules) -> None:
    """Refuse an address that requests must not go to.

    Raises:
        TargetRefused.
        ValueError: it is not an address.
    """
    found = ip_address(address)
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    is_public = _is_public_4(found) if isinstance(found, IPv4Address) else _is_public_6(found)
    if not is_public and not any(found in network for network in rules.networks):
        raise TargetRefused("must not lead to a private or otherwise special address")


def _is_public_4(address: IPv4Address) -> bool:
    return (
        address.is_global
        and not (address.is_multicast or address.is_reserved)
        and not any(address in network for network in _UNSAFE_4)
    )


def _is_public_6(address: IPv6Address) -> bool:
    return (
        address in _GLOBAL_6
        and address.is_global
        and address.scope_id is None
        and not any(address in network for network in _UNSAFE_6)
    )


def networks_in(text: str) -> frozenset[Network]:
    """The networks of a list such as `10.0.0.0/8,fd00::/8`.

    Raises:
        ValueError: one of them is not a network.
    """
    return frozenset([ip_network(one.strip()) for one in text.split(",") if one.strip()])
