"""The structs within events, and the base of all events."""

from typing import Final

from msgspec import UNSET, Struct, UnsetType, field


class Options(Struct, frozen=True, gc=False):
    """The options of a match, with all defaults filled in, since defaults can change."""

    box: str = ""
    """`four_player`, `five_player`, or empty if the ruleset has only one box."""
    market: str = "open"
    """`open`, `limited` or `rows`."""
    max_copies: int | None = None
    """The beginners' limit on copies of an establishment; None for no limit."""
    card_costs: dict[str, int] = field(default_factory=dict)
    """Prices that differ from the catalogue, by card id."""
    commentary: bool | UnsetType = UNSET
    """Only present, and then true, if everybody may see the chances of winning while the match is running."""
    rated: bool | UnsetType = UNSET
    """Only present, and then true, if the result counts for the ratings of the players."""


MOST_BANKED_MS: Final = 86_400_000
"""The most time in a bank: a day. Increments fill it no further, so a decision ends within two days."""


class Clock(Struct, frozen=True, gc=False, omit_defaults=True):
    """The time limit for decisions, and the consequence of missing it."""

    decision_ms: int
    on_timeout: str
    """`default_command`, `strategy` or `forfeit`."""
    bank_ms: int = 0
    """What each seat has beyond that, for the whole match; not recorded if it is 0."""
    increment_ms: int = 0
    """What its bank gets when a turn of the seat ends; not recorded if it is 0."""

    @property
    def has_banks(self) -> bool:
        """Whether seats have banks of time, even if they begin empty."""
        return self.bank_ms > 0 or self.increment_ms > 0


class SeatSeeds(Struct, frozen=True, gc=False):
    """The seeds that accounts add to the dice: first all commit, then all open."""

    within_ms: int
    """The time that the match waits, after its last event, for due commitments and seeds: 1,000 to
    86,400,000 ms."""


class Dice(Struct, frozen=True, gc=False):
    """The source of a match's dice."""

    mode: str
    """`committed` (a secret seed, revealed at the end) or `scripted` (an analysis board)."""
    key_id: str = ""
    commitment: str = ""
    """`sha-256:` and the hex digest of the match seed. With scripted dice, only draws use the seed."""
    throws: tuple[tuple[int, ...], ...] = ()
    """The scripted rolls, in order."""
    seed_of: str = ""
    """The match that owns the seed; empty except for a branch with the same dice."""
    seat_seeds: SeatSeeds | UnsetType = UNSET
    """Only present if the seats of the match commit to seeds."""
    round_of: str | UnsetType = UNSET
    """`<ladder id>|<round>|<time of its value in ms>`: the match seed derives from the seed of that round.
    Only present in rounds of ladders with a public value."""


class Origin(Struct, frozen=True, gc=False):
    """The origin of a branch."""

    match_id: str
    version: int
    """The branch begins with the state after this event, the last one of its command."""
    head_hash: str
    """The hash of that event: `sha-256:` and the hex digest."""
    dice: str
    """`same` (the origin's seed, or the rest of its scripted rolls), `fresh` or `scripted`."""


class PositionPlayer(Struct, frozen=True, gc=False):
    """The coins and the city of a player in a given position."""

    coins: int
    establishments: dict[str, int]
    landmarks: tuple[str, ...]
    closed: dict[str, int] | UnsetType = UNSET
    """Of the establishments, those that are closed for renovation. Only present if any is."""
    invested: int | UnsetType = UNSET
    """The coins on the card that the seat invests in. Only present if there are any."""


class PositionRow(Struct, frozen=True, gc=False):
    """A row of a given market: the face-up cards and the deck."""

    name: str
    face_up: dict[str, int]
    deck: tuple[str, ...] | None = None
    """From the top. None: the cards left in the box, drawn at random."""


class Position(Struct, frozen=True, gc=False):
    """A given position to start from."""

    active_seat: int
    phase: str
    """`roll`, `build` or `setup`."""
    players: tuple[PositionPlayer, ...]
    rows: tuple[PositionRow, ...] | None = None
    """None: the whole box, without the cards in the cities."""


class EventBase(Struct, frozen=True, array_like=True, gc=False):
    """The form that all events share."""
