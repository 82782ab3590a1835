"""All rules of the game: from a state and a command to events or a refusal.

`decide` is pure. `advance` also applies the events to a state that the caller owns. `advance_turn` is for
simulations of running matches.
"""

from collections.abc import Callable
from typing import Any, Final, overload

from domain.errors import RuleViolation
from domain.match import commands as cmd
from domain.match.chance import Chance, PlayChance, Throws
from domain.match.commands import Command, NonBuildCommand, PlayCommand
from domain.match.decide.building import build, pass_turn
from domain.match.decide.clocks import change_bank, change_controller, expire_clock, timed_seat
from domain.match.decide.draft import DraftWith
from domain.match.decide.lobby import abort_match, create, end_reservation, refuse_creation, take_seat
from domain.match.decide.seat_seeds import commit_seat_seed, expire_seat_seeds, open_seat_seed
from domain.match.decide.turns import (
    add_two,
    decline_investment,
    decline_swap,
    demolish,
    give_establishment,
    invest_coin,
    keep_dice,
    keep_total,
    move_establishment,
    renovate,
    reroll_dice,
    resign,
    reveal_seed,
    roll_dice,
    swap_establishments,
    take_coins,
)
from domain.match.events import Event
from domain.match.state import MatchState, is_over

__all__ = ["HANDLERS", "advance", "advance_turn", "create", "decide"]


def decide(
    state: MatchState | None, command: Command, chance: Chance, taken_ms: int = 0
) -> tuple[Event, ...]:
    """The events that the command causes; the state is unchanged. None means no match yet.

    `taken_ms` is the time since the last event of the match without outages of the service, in ms, at least
    0. Only matches with banks of time need it.

    Raises:
        RuleViolation: the command is refused.
    """
    if state is None:
        if not isinstance(command, cmd.CreateMatch):
            raise RuleViolation("match_not_started", "the match has not been created")
        return tuple(create(command, chance)[1])
    return tuple(advance(state.copy(), command, chance, taken_ms))


def advance(state: MatchState, command: Command, chance: Chance, taken_ms: int = 0) -> list[Event]:
    """As `decide`, but the events are applied to the given state.

    Raises:
        RuleViolation: the command is refused. The state is unchanged, unless scripted dice ran out during the
            effects of a turn; use `decide` with scripted dice.
    """
    draft = DraftWith(state, chance)
    timed, turn = timed_seat(state) if state.banks else None, state.turn
    HANDLERS[type(command)](draft, command)
    if is_over(state):
        reveal_seed(draft)
    elif timed is not None:
        change_bank(draft, timed, taken_ms, isinstance(command, cmd.ExpireClock), turn)
    return draft.events


@overload
def advance_turn(state: MatchState, command: NonBuildCommand, chance: Throws) -> list[Event]: ...


@overload
def advance_turn(state: MatchState, command: PlayCommand, chance: PlayChance) -> list[Event]: ...


def advance_turn(state: MatchState, command: PlayCommand, chance: Any) -> list[Event]:
    """As `advance`, for commands of seats, with only the chance that they need; reveals no seed.

    Raises:
        RuleViolation: as `advance`.
    """
    draft = DraftWith(state, chance)
    HANDLERS[type(command)](draft, command)
    return draft.events


HANDLERS: Final[dict[type, Callable[[DraftWith[Chance], Any], None]]] = {
    cmd.CreateMatch: refuse_creation,
    cmd.TakeSeat: take_seat,
    cmd.EndReservation: end_reservation,
    cmd.CommitSeatSeed: commit_seat_seed,
    cmd.OpenSeatSeed: open_seat_seed,
    cmd.ExpireSeatSeeds: expire_seat_seeds,
    cmd.AbortMatch: abort_match,
    cmd.ExpireClock: expire_clock,
    cmd.ChangeController: change_controller,
    cmd.RollDice: roll_dice,
    cmd.RerollDice: reroll_dice,
    cmd.KeepDice: keep_dice,
    cmd.AddTwo: add_two,
    cmd.KeepTotal: keep_total,
    cmd.TakeCoins: take_coins,
    cmd.SwapEstablishments: swap_establishments,
    cmd.DeclineSwap: decline_swap,
    cmd.GiveEstablishment: give_establishment,
    cmd.Demolish: demolish,
    cmd.MoveEstablishment: move_establishment,
    cmd.Renovate: renovate,
    cmd.InvestCoin: invest_coin,
    cmd.DeclineInvestment: decline_investment,
    cmd.Build: build,
    cmd.Pass: pass_turn,
    cmd.Resign: resign,
}
"""The rules of each command type; a test checks that none is missing."""
