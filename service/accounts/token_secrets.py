"""The secrets of tokens, of which only the SHA-256 is stored.

Most are random and shown once. One that is made under an Idempotency-Key is derived, so that a repetition can
be shown it again: from a salt, which is stored; a master key, which is not in the store; and the
Idempotency-Key, which is stored nowhere. Who lacks one of the three does not get it back.
"""

import base64
import hashlib
import hmac
import secrets

from msgspec import Struct

from events.matches.seeds import Seeds


class Origin(Struct, frozen=True):
    """What is stored of where a derived secret comes from."""

    master_key_id: str
    salt: str
    """16 random bytes in hex."""


def digest_of(secret: str) -> str:
    """Under what a token is kept."""
    return hashlib.sha256(secret.encode()).hexdigest()


def random_secret() -> str:
    """A token as the client holds it: `mk_` and 256 random bits."""
    return _written(secrets.token_bytes(32))


def new_origin(seeds: Seeds) -> Origin:
    return Origin(seeds.newest, secrets.token_hex(16))


def derived_secret(seeds: Seeds, origin: Origin, idempotency_key: str) -> str:
    """The secret of that origin, in the form of the random ones.

    Raises:
        LookupError: its master key is gone.
    """
    key = seeds.secret_for(origin.master_key_id, "tokens")
    return _written(hmac.digest(key, bytes.fromhex(origin.salt) + idempotency_key.encode(), "sha256"))


def _written(bits: bytes) -> str:
    return "mk_" + base64.urlsafe_b64encode(bits).rstrip(b"=").decode()
