"""Everything that can be asked of a match, in the imperative. A command that is refused changes nothing."""

from typing import Final, TypeAlias

from msgspec import Struct

from domain.match.events import BranchStarted, Clock, Dice, Options, Origin, Position


class SeatPlan(Struct, frozen=True, gc=False):
    """Who is to sit on a seat when the match is made."""

    kind: str
    """`open`, `reserved` for an account, `account` or `strategy`."""
    id: str = ""
    name: str = ""
    version: str = ""
    seed: str = ""


class CreateMatch(Struct, frozen=True, gc=False):
    rules_version: str
    options: Options
    seats: tuple[SeatPlan, ...]
    dice: Dice
    creator: str
    first_seat: int | None = None
    clock: Clock | None = None
    position: Position | None = None
    visibility: str = "public"
    tags: tuple[str, ...] = ()
    origin: Origin | None = None
    """Where a branch comes from; `domain.match.branches` makes the command for one."""
    branch: BranchStarted | None = None
    """How a branch begins; with an origin only, and every seat taken."""


class TakeSeat(Struct, frozen=True, gc=False):
    seat: int
    kind: str
    id: str
    name: str
    version: str = ""
    seed: str = ""


class EndReservation(Struct, frozen=True, gc=False):
    """The invited account declines, or the creator of the match takes the invitation back."""

    seat: int
    account: str
    """The id of the account that wants it."""


class CommitSeatSeed(Struct, frozen=True, gc=False):
    seat: int
    commitment: str


class OpenSeatSeed(Struct, frozen=True, gc=False):
    seat: int
    seed: str


class ExpireSeatSeeds(Struct, frozen=True, gc=False):
    """The time for the commitments, or for the seeds, that are due is over."""


class AbortMatch(Struct, frozen=True, gc=False):
    reason: str = "creator"


class ExpireClock(Struct, frozen=True, gc=False):
    """The seat to act let its clock run out."""

    seat: int
    strategy: str = ""
    """Who takes the seat over where the clock's policy is `strategy`."""
    strategy_version: str = ""


class ChangeController(Struct, frozen=True, gc=False):
    seat: int
    kind: str
    id: str
    name: str
    version: str = ""


class RollDice(Struct, frozen=True, gc=False, tag="roll_dice", tag_field="type"):
    seat: int
    dice: int


class RerollDice(Struct, frozen=True, gc=False, tag="reroll_dice", tag_field="type"):
    seat: int


class KeepDice(Struct, frozen=True, gc=False, tag="keep_dice", tag_field="type"):
    seat: int


class AddTwo(Struct, frozen=True, gc=False, tag="add_two", tag_field="type"):
    seat: int


class KeepTotal(Struct, frozen=True, gc=False, tag="keep_total", tag_field="type"):
    seat: int


class TakeCoins(Struct, frozen=True, gc=False, tag="take_coins", tag_field="type"):
    seat: int
    from_seat: int


class SwapEstablishments(Struct, frozen=True, gc=False, tag="swap_establishments", tag_field="type"):
    seat: int
    give: str
    with_seat: int
    take: str


class DeclineSwap(Struct, frozen=True, gc=False, tag="decline_swap", tag_field="type"):
    seat: int


class GiveEstablishment(Struct, frozen=True, gc=False, tag="give_establishment", tag_field="type"):
    seat: int
    card: str


class Build(Struct, frozen=True, gc=False, tag="build", tag_field="type"):
    seat: int
    card: str


class Pass(Struct, frozen=True, gc=False, tag="pass", tag_field="type"):
    seat: int


class Resign(Struct, frozen=True, gc=False, tag="resign", tag_field="type"):
    seat: int


NonBuildCommand: TypeAlias = (
    RollDice
    | RerollDice
    | KeepDice
    | AddTwo
    | KeepTotal
    | TakeCoins
    | SwapEstablishments
    | DeclineSwap
    | GiveEstablishment
    | Pass
    | Resign
)
"""What a seat may say during a match beside building: no card is drawn for it."""

PlayCommand: TypeAlias = NonBuildCommand | Build
"""What a seat may say during a match."""

Command: TypeAlias = (
    CreateMatch
    | TakeSeat
    | EndReservation
    | CommitSeatSeed
    | OpenSeatSeed
    | ExpireSeatSeeds
    | AbortMatch
    | ExpireClock
    | ChangeController
    | PlayCommand
)

PLAY_COMMANDS: Final[dict[str, type]] = {str(cls.__struct_config__.tag): cls for cls in PlayCommand.__args__}
"""Every command of a seat by its `type` in requests."""
