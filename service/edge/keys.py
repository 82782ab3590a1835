"""Every key of accounts, tokens and requests under an Idempotency-Key in the event store, and of matches by
who made them on the queue's Redis; no other module spells one.

Those of the event store share a hash tag of their own, so that one script may write an account whole.
"""

import hashlib
from typing import Final

_TAG: Final = "{acc}"

HANDLES: Final = f"mk:{_TAG}:handles"
"""Hash: the account that has a handle, by the handle in lower case."""


def account(account_id: str) -> str:
    """String: an account, as JSON."""
    return f"mk:{_TAG}:account:{account_id}"


def token(digest: str) -> str:
    """String: a token without its secret, as JSON, by the hex SHA-256 of the secret."""
    return f"mk:{_TAG}:token:{digest}"


def tokens(account_id: str) -> str:
    """Hash: the digests of an account's tokens, by token id."""
    return f"mk:{_TAG}:tokens:{account_id}"


def listed(account_id: str, name: str) -> str:
    """Set: the account ids on a list of an account, `allowed` or `blocked`."""
    return f"mk:{_TAG}:{name}:{account_id}"


def ladders(account_id: str) -> str:
    """Set: the ids of the ladders that an account has made, or begun to make."""
    return f"mk:{_TAG}:operated:{account_id}"


def answered(kind: str, digest: str) -> str:
    """String: what came of a request under an Idempotency-Key, as JSON, by the hex SHA-256 that
    `service.edge.idempotency` makes of whose key it is and the key. Kinds have namespaces of their own."""
    return f"mk:{_TAG}:answered:{kind}:{digest}"


def places(kind: str, account_id: str) -> str:
    """Sorted set on the queue's Redis: matches of a kind that the account made, by the time in ms."""
    return f"mk:{{places}}:{kind}:{account_id}"


def places_at(kind: str, address: str) -> str:
    """The same of matches that were made from an address; which one it is, the key does not show."""
    return places(kind, hashlib.sha256(address.encode()).hexdigest()[:32])
