"""The legal commands of the seat to act: exactly those that `decide` accepts, from the same conditions.

`resign` is always possible for a seat in play and is not listed.
"""

from collections.abc import Callable
from typing import Final

from domain.match import commands as cmd
from domain.match.commands import PlayCommand
from domain.match.decide.building import price, refusal
from domain.match.decide.draft import opponents
from domain.match.decide.exchanges import demolitions, gifts, renovations, trades
from domain.match.decide.turns import may_roll_two
from domain.match.state import RUNNING, MatchState


def legal_commands(state: MatchState) -> list[PlayCommand]:
    """All commands that the seat to act may give, except `resign`; empty unless the match is running."""
    if state.status != RUNNING:
        return []
    return _BY_PHASE[state.phase](state, state.active)


def _roll(state: MatchState, seat: int) -> list[PlayCommand]:
    if may_roll_two(state, state.rules):
        return [cmd.RollDice(seat, 1), cmd.RollDice(seat, 2)]
    return [cmd.RollDice(seat, 1)]


def _reroll(state: MatchState, seat: int) -> list[PlayCommand]:
    return [cmd.RerollDice(seat), cmd.KeepDice(seat)]


def _add_two(state: MatchState, seat: int) -> list[PlayCommand]:
    return [cmd.AddTwo(seat), cmd.KeepTotal(seat)]


def _take_coins(state: MatchState, seat: int) -> list[PlayCommand]:
    return [cmd.TakeCoins(seat, other) for other in opponents(state)]


def _swap(state: MatchState, seat: int) -> list[PlayCommand]:
    ids = state.rules.ids
    found: list[PlayCommand] = [cmd.DeclineSwap(seat)]
    found += [
        cmd.SwapEstablishments(seat, ids[give], other, ids[take]) for give, other, take in trades(state)
    ]
    return found


def _give(state: MatchState, seat: int) -> list[PlayCommand]:
    rules = state.rules
    city = state.cities[seat]
    return [
        cmd.GiveEstablishment(seat, rules.ids[card]) for card in range(rules.establishments) if city[card]
    ]


def _demolish(state: MatchState, seat: int) -> list[PlayCommand]:
    return [cmd.Demolish(seat, state.rules.ids[card]) for card in demolitions(state)]


def _move(state: MatchState, seat: int) -> list[PlayCommand]:
    ids = state.rules.ids
    return [cmd.MoveEstablishment(seat, ids[card], to_seat) for card, to_seat in gifts(state)]


def _renovate(state: MatchState, seat: int) -> list[PlayCommand]:
    return [cmd.Renovate(seat, state.rules.ids[card]) for card in renovations(state)]


def _invest(state: MatchState, seat: int) -> list[PlayCommand]:
    return [cmd.InvestCoin(seat), cmd.DeclineInvestment(seat)]


def _build(state: MatchState, seat: int) -> list[PlayCommand]:
    rules = state.rules
    ids = rules.ids
    coins = state.coins[seat]
    lowest = rules.lowest_prices
    found: list[PlayCommand] = [cmd.Pass(seat)]
    # In most turns most cards are too expensive, which the lowest price shows without a call.
    found += [
        cmd.Build(seat, ids[card])
        for card in rules.offers
        if lowest[card] <= coins and not refusal(state, seat, card)
    ]
    return found


_BY_PHASE: Final[dict[str, Callable[[MatchState, int], list[PlayCommand]]]] = {
    "setup": _build,
    "roll": _roll,
    "reroll": _reroll,
    "add_two": _add_two,
    "take_coins": _take_coins,
    "swap": _swap,
    "give": _give,
    "demolish": _demolish,
    "move": _move,
    "renovate": _renovate,
    "invest": _invest,
    "build": _build,
}


def unbuildable(state: MatchState) -> list[tuple[str, int, str]]:
    """The cards that the seat to act cannot build now: id, price and code of the first reason."""
    if state.status != RUNNING:
        return []
    rules = state.rules
    found = []
    for card in rules.offers:
        reason = refusal(state, state.active, card)
        if reason:
            found.append((rules.ids[card], price(state, state.active, card), reason))
    return found
