"""The lines of a ladder's results: what was played, who entered, and how each match ended.

Whole numbers only, so that there is one text of every line.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final, TypeAlias, cast

from msgspec import Meta, Struct

from domain.canonical import canonical, parsed_as
from domain.ladder.config import LadderConfig

Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Signed: TypeAlias = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]


NOBODY: Final = ""
"""In place of an entry: the seat of a stand-in, which takes no part."""


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    """What lines and their parts share."""


class StrategyPlayer(_Line, frozen=True, tag_field="kind", tag="strategy"):
    """A built-in player, in one version."""

    name: str
    version: str


class BotPlayer(_Line, frozen=True, tag_field="kind", tag="bot"):
    """A remote bot, in one version."""

    handle: str
    account: str
    version: str


Player: TypeAlias = StrategyPlayer | BotPlayer


class LadderLine(_Line, frozen=True, tag_field="kind", tag="ladder"):
    """Which season of which ladder it is."""

    ladder: str
    name: str
    season: Count
    config: LadderConfig
    digest: str
    """`sha-256:` and the digest of the canonical configuration."""


class EntryLine(_Line, frozen=True, tag_field="kind", tag="entry"):
    """Who plays under an entry."""

    entry: str
    player: Player
    name: str
    owner: str


class MatchLuck(_Line, frozen=True):
    """The luck of each seat, of mean zero given what was decided."""

    coins: tuple[Signed, ...]
    """Relative coin luck in thousandths of a coin."""
    wins: tuple[Signed, ...] | None
    """The control variate in millionths of a win; None without a value function."""


class ResultLine(_Line, frozen=True, tag_field="kind", tag="result"):
    """One match that is over."""

    ladder: str
    season: Count
    round: Count
    block: Count
    rotation: Count
    """The base order is shifted by as many seats."""
    match_id: str
    seats: tuple[str, ...]
    """Entries, by seat; `NOBODY` for a stand-in in a test."""
    winner: Count
    """The seat that won."""
    turns: Count
    version: Count
    head: str
    """The hash of the match's last event."""
    timeouts: tuple[Count, ...]
    errors: tuple[Count, ...]
    luck: MatchLuck | None


Line: TypeAlias = LadderLine | EntryLine | ResultLine


def rotated(base: Sequence[str], rotation: int) -> tuple[str, ...]:
    """Who sits where when the base order is shifted: seat s has whom the base has at s + rotation."""
    return (*base[rotation:], *base[:rotation])


def write(lines: Iterable[Line]) -> bytes:
    """The lines as canonical JSON, each with a line feed."""
    return b"".join([canonical(line) + b"\n" for line in lines])


def parse(text: bytes | str) -> Line:
    """The line that the text is.

    Raises:
        ValueError: it is none; the message says why.
    """
    return cast(Line, parsed_as(text, cast(Any, Line)))
