"""Redis keys of accounts, tokens and idempotent requests (event store), and of unfinished matches (queue).

No other module spells one. Those in the event store share a hash tag, so that one script can write a whole
account.
"""

import hashlib
from typing import Final

from events.store.keys import ACCOUNTS_TAG as _TAG

HANDLES: Final = f"mk:{_TAG}:handles"
"""Hash: account ids by handle in lower case; those of deleted accounts too."""


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
    """Set: the ids of the ladders that an account has created or started to create."""
    return f"mk:{_TAG}:operated:{account_id}"


def answered(kind: str, digest: str) -> str:
    """String: the outcome of a request with an Idempotency-Key, as JSON.

    `digest` is the hex SHA-256 of the key's owner and the key, see `service.edge.idempotency`.
    """
    return f"mk:{_TAG}:answered:{kind}:{digest}"


def permits(kind: str, account_id: str) -> str:
    """Sorted set on the queue's Redis: the permits of an account, as match ids by creation time in ms."""
    return f"mk:{{places}}:{kind}:{account_id}"


def address_permits(kind: str, address: str) -> str:
    """The same for matches created from an address; the key hides the address."""
    return permits(kind, hashlib.sha256(address.encode()).hexdigest()[:32])
