"""The service's signing keys, and the check of signatures: Ed25519 (RFC 8032), signatures in base64."""

import base64
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from runtime.key_lists import signing_seeds


class SigningKeys:
    """The private keys; the first one signs, the others are only published."""

    def __init__(self, signing_keys: str) -> None:
        """Read `key_id:hex[,key_id:hex…]`, with the seeds in hex.

        Raises:
            ValueError: the text is malformed, a seed does not have 32 bytes, or an id or a seed is repeated.
                The message contains no key.
        """
        seeds = signing_seeds(signing_keys)
        keys = {key_id: Ed25519PrivateKey.from_private_bytes(seed) for key_id, seed in seeds.items()}
        self.current: Final = next(iter(keys))
        """The id of the key that signs."""
        self.public_keys: Final = {
            key_id: key.public_key().public_bytes_raw() for key_id, key in keys.items()
        }
        """The 32 bytes of each public key, by key id."""
        self._current: Final = keys[self.current]

    def __repr__(self) -> str:
        return f"<SigningKeys {', '.join(self.public_keys)}>"

    def sign(self, message: bytes) -> bytes:
        """The signature with the current key: 64 bytes, always the same for the same message."""
        return self._current.sign(message)


def base64_text(raw: bytes) -> str:
    """A signature or a public key in the form of the API."""
    return base64.b64encode(raw).decode()


def is_signed(public_key: bytes, message: bytes, signature: str) -> bool:
    """Whether the signature, in base64, is by that key; False if either is malformed."""
    try:
        raw = base64.b64decode(signature, validate=True)
        Ed25519PublicKey.from_public_bytes(public_key).verify(raw, message)
    except (InvalidSignature, ValueError):
        return False
    # The last letter has unused bits: of the texts that decode to a signature, only one is accepted.
    return base64_text(raw) == signature
