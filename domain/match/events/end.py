"""What may happen on anybody's turn, and the end."""

from domain.match.events.members import Recorded


class ClockExpired(Recorded, frozen=True, array_like=True, tag="clock_expired"):
    """The seat did not answer in time; what follows is what the match's clock provides for."""

    seat: int
    policy: str
    """`default_command`, `strategy` or `forfeit`."""


class ControllerChanged(Recorded, frozen=True, array_like=True, tag="controller_changed"):
    """Somebody else plays the seat from now on."""

    seat: int
    kind: str
    id: str
    name: str
    version: str = ""


class SeatResigned(Recorded, frozen=True, array_like=True, tag="seat_resigned"):
    """The seat plays no more; its city stays and does nothing."""

    seat: int
    reason: str
    """`command` or `clock`."""


class MatchFinished(Recorded, frozen=True, array_like=True, tag="match_finished"):
    """A seat has won."""

    winner: int
    reason: str
    """`landmarks` or `resignation`."""


class MatchAborted(Recorded, frozen=True, array_like=True, tag="match_aborted"):
    """The match was called off; nobody has won."""

    reason: str
    """`creator`, `turn_limit`, `dice_tape_exhausted`, `dice_tape_mismatch` or `seat_seed_withheld`."""


class DiceRevealed(Recorded, frozen=True, array_like=True, tag="dice_revealed"):
    """The last event of a match with committed dice: the seed to recompute them all."""

    key_id: str
    seed: str
    """The match seed in hex; its SHA-256 is the commitment."""
