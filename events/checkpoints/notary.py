"""The notary: signs a line of the checkpoint log for each match that ended, and reads the lines and keys.

`domain.audit.checkpoints` specifies the content of a line. Reading the log does not need the streams of the
matches.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from domain.audit.checkpoints import Checkpoint, Head, digest_of_match, message_of
from domain.canonical import hash_text, sha256
from domain.match.state import is_over
from events.checkpoints.lines import checkpoint_in, corrupt_as_log_error, head_at, read_lines, signed_line
from events.checkpoints.signatures import SigningKeys, is_signed
from events.matches.entries import Loaded
from events.store import keys
from events.store.chain import rfc3339
from events.store.errors import LogCorrupt, SigningKeyReused, StoreUnavailable
from events.store.records import Append, Appended, Binding, Conflict, Corrupt, Entry, Reused, Store

_TRIES: Final = 50
"""The most tries of an append, since other processes may append first."""


class Notary:
    """Signs finished matches in the checkpoint log, and reads it; safe to share among threads."""

    def __init__(self, store: Store, signing_keys: SigningKeys) -> None:
        self._store = store
        self._signing_keys = signing_keys
        self._head = Head()
        """The last line as this process saw it; the log may be ahead of it."""
        self._known_keys: dict[str, bytes] = {}

    @property
    def current_key(self) -> str:
        """The id of the key for new signatures."""
        return self._signing_keys.current

    def sign(self, matches: Iterable[Loaded]) -> int:
        """Append a signed line for each match that is over and has none yet, and return the number of lines.

        Raises:
            SigningKeyReused, LogCorrupt: no line can be added until an operator has fixed it.
            StoreUnavailable: the lines may have been added.
        """
        left = {match.match_id: match for match in matches if is_over(match.state)}
        for _ in range(_TRIES):
            if not left:
                return 0
            append = self._signed(self._head, left.values())
            with corrupt_as_log_error():
                reply = self._store.append(append)
            if isinstance(reply, Appended):
                self._head = head_at(append.entries[-1])
                return len(left)
            if isinstance(reply, Reused):
                raise SigningKeyReused(self.current_key)
            if isinstance(reply, Corrupt):
                raise LogCorrupt(reply.detail)
            if isinstance(reply, Conflict):
                self._head = self._head_after(reply)
            else:
                left = {match_id: left[match_id] for match_id in self.without_line([*left])}
        raise StoreUnavailable(f"other appends to the checkpoint log came first {_TRIES} times")

    def _head_after(self, conflict: Conflict) -> Head:
        """The head of the log, from the reply if that has it."""
        if conflict.entries and conflict.entries[-1].last == conflict.current:
            return head_at(conflict.entries[-1])
        with corrupt_as_log_error():
            return head_at(self._store.entry_at(keys.CHECKPOINT_STREAM, conflict.current))

    def _signed(self, head: Head, matches: Iterable[Loaded]) -> Append:
        """The append of a line for each match after the head."""
        lines: list[Entry] = []
        before = head
        for match in matches:
            message = message_of(_unsigned(match, before, self.current_key))
            before = Head(before.number + 1, sha256(message))
            lines.append(signed_line(before, match.match_id, message, self._signing_keys.sign(message)))
        public_key = self._signing_keys.public_keys[self.current_key]
        return Append(
            keys.CHECKPOINT_STREAM,
            head.number,
            head.hash.encode(),
            tuple(lines),
            bindings=(Binding(keys.PUBLISHED_KEYS, self.current_key, public_key),),
        )

    def of_match(self, match_id: str) -> Checkpoint | None:
        """The line of a match; None if it has none, because it is not over.

        Raises:
            LogCorrupt, StoreUnavailable.
        """
        with corrupt_as_log_error():
            found = self._store.find_command(keys.CHECKPOINT_STREAM, match_id)
        return checkpoint_in(found) if found else None

    def line(self, number: int) -> Checkpoint | None:
        """The line with that number, from 1; None if the log is shorter.

        Raises:
            LogCorrupt, StoreUnavailable.
        """
        found = self.lines(number - 1, 1) if number >= 1 else []
        return found[0] if found else None

    def lines(self, after: int, limit: int) -> list[Checkpoint]:
        """The lines after the number `after`, at most `limit`.

        Raises:
            LogCorrupt: a line is malformed; neither hash nor signature is checked.
            StoreUnavailable.
        """
        return [checkpoint_in(one) for one in read_lines(self._store, after, limit)]

    def last_number(self) -> int:
        """The number of the last line; 0 if there is none.

        Raises:
            StoreUnavailable.
        """
        return self._store.count_entries(keys.CHECKPOINT_STREAM)

    def without_line(self, match_ids: Sequence[str]) -> list[str]:
        """The matches that have no line.

        Raises:
            StoreUnavailable.
        """
        numbers = self._store.fields(keys.LINES, match_ids)
        return [match_id for match_id, number in zip(match_ids, numbers, strict=True) if not number]

    def public_keys(self) -> dict[str, bytes]:
        """The 32 bytes of every public key that has signed a line or is in the settings, by key id; the
        current one first.

        Raises:
            StoreUnavailable.
        """
        return {**self._signing_keys.public_keys, **self._published()}

    def check_keys(self) -> None:
        """Refuse a key in the settings whose id already stands for another key.

        Raises:
            SigningKeyReused, StoreUnavailable.
        """
        published = self._published()
        for key_id, public_key in self._signing_keys.public_keys.items():
            if published.get(key_id, public_key) != public_key:
                raise SigningKeyReused(key_id)

    def _published(self) -> dict[str, bytes]:
        """The public keys that have signed a line."""
        found = self._store.all_fields(keys.PUBLISHED_KEYS)
        return {key_id.decode(): public_key for key_id, public_key in sorted(found.items())}

    def is_good(self, key_id: str, message: bytes, signature: str) -> bool:
        """Whether the signature, in base64, is by the service's key of that id.

        Raises:
            StoreUnavailable.
        """
        if key_id not in self._known_keys:
            self._known_keys = self.public_keys()
        return key_id in self._known_keys and is_signed(self._known_keys[key_id], message, signature)


def _unsigned(match: Loaded, head: Head, key_id: str) -> Checkpoint:
    created = match.state.created
    is_public = created.visibility == "public"
    return Checkpoint(
        number=head.number + 1,
        match_id=match.match_id if is_public else None,
        match_digest=digest_of_match(match.match_id),
        rules_version=match.state.created.rules_version,
        status=match.state.status,
        version=match.version,
        head_hash=hash_text(match.head_hash),
        time=rfc3339(match.last_at_ms),
        key_id=key_id,
        previous_hash=head.hash,
    )
