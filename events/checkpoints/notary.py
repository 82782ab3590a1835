"""The notary: signs a line for each match that ended, and knows the lines and keys there are.

What a line says is laid down in `domain.audit.checkpoints`. Only the log is needed to read it: the streams of
the matches may be gone.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from domain.audit.checkpoints import Checkpoint, digest_of_match, message_of
from domain.canonical import parsed_as, sha256
from domain.match.envelope import hash_text
from domain.match.state import is_over
from events.checkpoints.lines import Added, Answer, Behind, Head, KeyTaken, Line, Lines, Signer
from events.checkpoints.signing import SigningKeys, base64_text, is_signed
from events.matches.entries import Loaded
from events.store.chain import rfc3339
from events.store.errors import LogCorrupt, SigningKeyReused, StoreUnavailable
from events.store.records import Corrupt

_TRIES: Final = 50
"""As often may others be faster."""


class Notary:
    """The log of all matches that ended; safe to share among threads."""

    def __init__(self, lines: Lines, signing_keys: SigningKeys) -> None:
        self._lines = lines
        self._signing_keys = signing_keys
        self._signer = Signer(signing_keys.current, signing_keys.public_keys[signing_keys.current])
        self._head = Head()
        """The last line as this process saw it; the log may be ahead of it."""
        self._known_keys: dict[str, bytes] = {}

    @property
    def current_key(self) -> str:
        """The id of the key that signs now."""
        return self._signer.key_id

    def note(self, matches: Iterable[Loaded]) -> int:
        """Sign a line for each of the matches that is over and has none yet; how many were added.

        Raises:
            SigningKeyReused, LogCorrupt: no line can be added before an operator has put that right.
            StoreUnavailable: the lines may have been added.
        """
        left = {match.match_id: match for match in matches if is_over(match.state)}
        for _ in range(_TRIES):
            if not left:
                return 0
            head = self._head
            lines = self._signed(head, left.values())
            answer = self._lines.add(head, self._signer, lines)
            if isinstance(answer, Added):
                self._head = Head(head.number + len(lines), lines[-1].hash)
                return len(lines)
            behind = self._behind(answer)
            self._head = behind.head
            has_line = dict(zip(left, behind.numbers, strict=True))
            left = {match_id: match for match_id, match in left.items() if not has_line[match_id]}
        raise StoreUnavailable(f"others were faster with the log of checkpoints {_TRIES} times")

    def _behind(self, answer: Answer) -> Behind:
        if isinstance(answer, Behind):
            return answer
        if isinstance(answer, KeyTaken):
            raise SigningKeyReused(self._signer.key_id)
        assert isinstance(answer, Corrupt)
        raise LogCorrupt(answer.detail)

    def _signed(self, head: Head, matches: Iterable[Loaded]) -> list[Line]:
        """The lines behind the head."""
        lines = []
        for match in matches:
            message = message_of(_unsigned(match, head, self._signer.key_id))
            head = Head(head.number + 1, sha256(message))
            lines.append(Line(match.match_id, message, head.hash, self._signing_keys.sign(message)))
        return lines

    def of_match(self, match_id: str) -> Checkpoint | None:
        """The line of a match; None if it has none, as long as it is not over.

        Raises:
            LogCorrupt, StoreUnavailable.
        """
        (number,) = self._lines.numbers([match_id])
        return self.line(number)

    def line(self, number: int) -> Checkpoint | None:
        """The line of that number, from 1.

        Raises:
            LogCorrupt, StoreUnavailable.
        """
        found = self.lines(number - 1, 1) if number >= 1 else []
        return found[0] if found else None

    def lines(self, after: int, limit: int) -> list[Checkpoint]:
        """The lines behind the number `after`, at most `limit`.

        Raises:
            LogCorrupt: a line is not what was written; neither hash nor signature is checked.
            StoreUnavailable.
        """
        return [
            checkpoint_in(number, line)
            for number, line in enumerate(self._lines.read(after, limit), after + 1)
        ]

    def last_number(self) -> int:
        """The number of the last line; 0 if there is none.

        Raises:
            StoreUnavailable.
        """
        return self._lines.last()

    def without_line(self, match_ids: Sequence[str]) -> list[str]:
        """Those of the matches that have no line.

        Raises:
            StoreUnavailable.
        """
        numbers = self._lines.numbers(match_ids)
        return [match_id for match_id, number in zip(match_ids, numbers, strict=True) if not number]

    def public_keys(self) -> dict[str, bytes]:
        """The 32 bytes of every public key that ever signed a line, or is in the settings, by key id; the
        current one first.

        Raises:
            StoreUnavailable.
        """
        return {**self._signing_keys.public_keys, **self._lines.published()}

    def check_keys(self) -> None:
        """Refuse a key of the settings whose id stands for another one.

        Raises:
            SigningKeyReused, StoreUnavailable.
        """
        published = self._lines.published()
        for key_id, public_key in self._signing_keys.public_keys.items():
            if published.get(key_id, public_key) != public_key:
                raise SigningKeyReused(key_id)

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


def checkpoint_in(number: int, line: Line) -> Checkpoint:
    """The checkpoint that a line of that number holds.

    Raises:
        LogCorrupt: it is not what was written; neither hash nor signature is checked.
    """
    try:
        signed = parsed_as(line.message, Checkpoint)
    except ValueError:
        raise LogCorrupt(f"line {number} is not as it was written") from None
    return replace(signed, hash=line.hash, signature=base64_text(line.signature))
