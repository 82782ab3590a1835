"""Events that may happen on any turn, and the end of a match."""

from domain.match.events.members import EventBase


class ClockExpired(EventBase, frozen=True, array_like=True, tag="clock_expired"):
    """The seat missed the deadline of a decision; the policy of the match's clock applies."""

    seat: int
    policy: str
    """`default_command`, `strategy` or `forfeit`."""


class BankChanged(EventBase, frozen=True, array_like=True, tag="bank_changed"):
    """A seat used time of its bank, or got some at the end of its turn; the last event of a command."""

    seat: int
    spent_ms: int
    """What the decision took beyond the time that each decision has, without outages of the service."""
    added_ms: int
    left_ms: int
    """What is in the bank afterwards."""


class ControllerChanged(EventBase, frozen=True, array_like=True, tag="controller_changed"):
    """Another player took over the seat."""

    seat: int
    kind: str
    id: str
    name: str
    version: str = ""


class SeatResigned(EventBase, frozen=True, array_like=True, tag="seat_resigned"):
    """The seat left the match; its city remains without effect."""

    seat: int
    reason: str
    """`command` or `clock`."""


class MatchFinished(EventBase, frozen=True, array_like=True, tag="match_finished"):
    """A seat won the match."""

    winner: int
    reason: str
    """`landmarks` or `resignation`."""


class MatchAborted(EventBase, frozen=True, array_like=True, tag="match_aborted"):
    """The match was aborted; nobody won."""

    reason: str
    """`creator`, `turn_limit`, `dice_tape_exhausted`, `dice_tape_mismatch` or `seat_seed_withheld`."""


class DiceRevealed(EventBase, frozen=True, array_like=True, tag="dice_revealed"):
    """The last event of a match with committed dice: the seed from which all dice can be recomputed."""

    key_id: str
    seed: str
    """The match seed in hex; its SHA-256 is the commitment."""
