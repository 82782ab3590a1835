"""The commands to a match. A refused command changes nothing."""

from typing import Final, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from domain.match.events import BranchStarted, Clock, Dice, Options, Origin, Position, TokensPlaced


class SeatPlan(Struct, frozen=True, gc=False):
    """The occupant of a seat when the match is created."""

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
    """The origin of a branch; `domain.match.branches` creates the command for one."""
    branch: BranchStarted | None = None
    """The state with which a branch begins; only with an origin, and with every seat taken."""
    tokens: TokensPlaced | UnsetType = UNSET
    """What lies on the cards of a branch; only present if anything does."""


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
    """The id of the account that asks for it."""


class CommitSeatSeed(Struct, frozen=True, gc=False):
    seat: int
    commitment: str


class OpenSeatSeed(Struct, frozen=True, gc=False):
    seat: int
    seed: str


class ExpireSeatSeeds(Struct, frozen=True, gc=False):
    """The time limit of the commitments or seeds that are due has passed."""


class AbortMatch(Struct, frozen=True, gc=False):
    reason: str = "creator"


class ExpireClock(Struct, frozen=True, gc=False):
    """The clock of the seat to act has expired."""

    seat: int
    strategy: str = ""
    """The strategy that takes over the seat if the clock's policy is `strategy`."""
    strategy_version: str = ""


class ChangeController(Struct, frozen=True, gc=False):
    seat: int
    kind: str
    id: str
    name: str
    version: str = ""


class _SeatCommand(Struct, frozen=True, gc=False, tag_field="type"):
    """The base of the commands of seats."""

    seat: int

    @property
    def type(self) -> str:
        """Its name in the API."""
        return str(self.__struct_config__.tag)


class RollDice(_SeatCommand, frozen=True, gc=False, tag="roll_dice"):
    """Roll one or two dice."""

    dice: int


class RerollDice(_SeatCommand, frozen=True, gc=False, tag="reroll_dice"):
    """Roll the same dice again."""


class KeepDice(_SeatCommand, frozen=True, gc=False, tag="keep_dice"):
    """Leave the dice as they lie."""


class AddTwo(_SeatCommand, frozen=True, gc=False, tag="add_two"):
    """Add 2 to the roll."""


class KeepTotal(_SeatCommand, frozen=True, gc=False, tag="keep_total"):
    """Add nothing to the roll."""


class TakeCoins(_SeatCommand, frozen=True, gc=False, tag="take_coins"):
    """Name the opponent who pays."""

    from_seat: int


class SwapEstablishments(_SeatCommand, frozen=True, gc=False, tag="swap_establishments"):
    """Trade one establishment for one of an opponent."""

    give: str
    with_seat: int
    take: str


class DeclineSwap(_SeatCommand, frozen=True, gc=False, tag="decline_swap"):
    """Trade nothing."""


class GiveEstablishment(_SeatCommand, frozen=True, gc=False, tag="give_establishment"):
    """Give an establishment to the previous seat."""

    card: str


class Demolish(_SeatCommand, frozen=True, gc=False, tag="demolish"):
    """Turn back one of the seat's landmarks."""

    card: str


class MoveEstablishment(_SeatCommand, frozen=True, gc=False, tag="move_establishment"):
    """Give an establishment to an opponent."""

    card: str
    to_seat: int


class Renovate(_SeatCommand, frozen=True, gc=False, tag="renovate"):
    """Name the establishment that closes for renovation, in all cities."""

    card: str


class InvestCoin(_SeatCommand, frozen=True, gc=False, tag="invest_coin"):
    """Put a coin on the card that asks for it; it ends the turn."""


class DeclineInvestment(_SeatCommand, frozen=True, gc=False, tag="decline_investment"):
    """Put nothing on the card that asks for a coin; it ends the turn."""


class Build(_SeatCommand, frozen=True, gc=False, tag="build"):
    """Build one card; it ends the turn."""

    card: str


class Pass(_SeatCommand, frozen=True, gc=False, tag="pass"):
    """Build nothing; it ends the turn."""


class Resign(_SeatCommand, frozen=True, gc=False, tag="resign"):
    """Leave the match; never among the legal commands that are listed, and always possible."""


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
    | Demolish
    | MoveEstablishment
    | Renovate
    | InvestCoin
    | DeclineInvestment
    | Pass
    | Resign
)
"""The commands of a seat in a running match except `Build`: they never refill the market."""

PlayCommand: TypeAlias = NonBuildCommand | Build
"""The commands of a seat in a running match."""

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
