"""Requests of those who check the service."""

from contract.audit import SigningKey
from machi.auditing import MatchHead, head_in
from machi.decoding import Page, decoded
from machi.requests.sending import Requests, match_path


class Auditing(Requests):
    """What an audit is made of."""

    def export(self, match_id: str) -> bytes:
        """Everything that an audit of the match needs, as lines of JSON; see docs/verifying.md."""
        return self._download(f"{match_path(match_id)}/export")

    def head(self, match_id: str) -> MatchHead:
        """How many events the match has, and the hash of the last; one small answer."""
        return head_in(self._transport.request("HEAD", match_path(match_id)).headers)

    def signing_keys(self) -> tuple[SigningKey, ...]:
        """The public keys that ends of matches were ever signed with."""
        return tuple(decoded(SigningKey, item) for item in self._items("/v1/signing-keys"))

    def checkpoints(self, after: int = 0, limit: int = 500) -> tuple[bytes, ...]:
        """Up to so many lines of the log of matches that ended, behind line `after`, as JSON; none at its
        end."""
        page = decoded(Page, self._get("/v1/checkpoints", {"after": after, "limit": limit}))
        return tuple(bytes(item) for item in page.items)
