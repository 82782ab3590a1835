"""What stands in events beside names and numbers, and the form that all events share."""

from msgspec import UNSET, Struct, UnsetType, field


class Options(Struct, frozen=True, gc=False):
    """The options of a match, resolved: nothing is left to a default that could change."""

    box: str = ""
    """`four_player`, `five_player`, or empty where the ruleset has one box."""
    market: str = "open"
    """`open`, `limited` or `rows`."""
    max_copies: int | None = None
    """The beginners' limit on equal establishments in one city; None for no limit."""
    card_costs: dict[str, int] = field(default_factory=dict)
    """Prices that differ from the catalogue, by card id."""


class Clock(Struct, frozen=True, gc=False):
    """How long a seat may think, and what happens when it does not answer."""

    decision_ms: int
    on_timeout: str
    """`default_command`, `strategy` or `forfeit`."""


class SeatSeeds(Struct, frozen=True, gc=False):
    """How accounts add seeds to the dice: each commits to one, and opens it when all have committed."""

    within_ms: int
    """How long the match waits, after its last event, for the commitments and seeds that are due: 1,000 to
    86,400,000 ms."""


class Dice(Struct, frozen=True, gc=False):
    """Where the dice of a match come from."""

    mode: str
    """`committed` (a secret seed, revealed at the end) or `scripted` (an analysis board)."""
    key_id: str = ""
    commitment: str = ""
    """`sha-256:` and the hex digest of the match seed. With scripted dice the seed is for draws alone."""
    throws: tuple[tuple[int, ...], ...] = ()
    """The tape of scripted dice, used up in order."""
    seed_of: str = ""
    """The match whose seed it is, where it is not the match's own: a branch with the same dice."""
    seat_seeds: SeatSeeds | UnsetType = UNSET
    """Only in matches whose seats commit to seeds; the others are recorded without it."""
    round_of: str | UnsetType = UNSET
    """`<ladder id>|<round>|<moment of its value in ms>`: the match seed follows from the seed of that round.
    Only in rounds of ladders with a public value; the others are recorded without it."""


class Origin(Struct, frozen=True, gc=False):
    """Where a branch comes from."""

    match_id: str
    version: int
    """The branch goes on from the state after that event, the last one of its command."""
    head_hash: str
    """`sha-256:` and the hex digest: the hash of that event."""
    dice: str
    """`same` (the origin's seed, or what was left of its tape), `fresh` or `scripted`."""


class PositionPlayer(Struct, frozen=True, gc=False):
    """One city of a given table."""

    coins: int
    establishments: dict[str, int]
    landmarks: tuple[str, ...]


class PositionRow(Struct, frozen=True, gc=False):
    """One row of a given market: what lies face up and what is still to be drawn."""

    name: str
    face_up: dict[str, int]
    deck: tuple[str, ...] | None = None
    """From the top. None: the cards left in the box, drawn by the match's dice."""


class Position(Struct, frozen=True, gc=False):
    """A given table to start from."""

    active_seat: int
    phase: str
    """`roll`, `build` or `setup`."""
    players: tuple[PositionPlayer, ...]
    rows: tuple[PositionRow, ...] | None = None
    """None: the whole box less what the cities hold."""


class Recorded(Struct, frozen=True, array_like=True, gc=False):
    """The form that all events share."""
