"""The fold of events into the state: arithmetic on recorded facts, without any rule.

Applying a recorded event never fails.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec.structs import replace

from domain.match import events as ev
from domain.match.events import Event
from domain.match.rules import rules_for
from domain.match.state import ABORTED, FINISHED, RUNNING, MatchState


def evolve(state: MatchState | None, event: Event) -> MatchState:
    """The state after the event; the given state is unchanged. None means no match yet.

    Raises:
        ValueError: as `begin`.
    """
    return begin(event) if state is None else fold(state.copy(), (event,))


def begin(event: Event) -> MatchState:
    """The state after the first event of a match.

    Raises:
        ValueError: the event creates no match.
    """
    if not isinstance(event, ev.MatchCreated):
        raise ValueError(f"{ev.type_name(event)} creates no match")
    return MatchState(event, rules_for(event.rules_version, event.options, event.seats))


def fold(state: MatchState | None, events: Iterable[Event]) -> MatchState:
    """Apply the events to the given state and return it. None means no match yet.

    Raises:
        ValueError: there is no match yet, and the first event is missing or creates none.
    """
    for event in events:
        if state is None:
            state = begin(event)
        else:
            apply(state, event)
    if state is None:
        raise ValueError("no event creates a match")
    return state


def apply(state: MatchState, event: Event) -> None:
    """Apply one event to the given state."""
    APPLY[type(event)](state, event)
    state.version += 1


def _seat_taken(state: MatchState, event: ev.SeatTaken) -> None:
    state.controllers[event.seat] = event
    _end_reservation(state, event.seat)
    _note_account(state, event.kind, event.id)


def _seat_reserved(state: MatchState, event: ev.SeatReserved) -> None:
    state.reservations = {**state.reservations, event.seat: event}


def _reservation_ended(state: MatchState, event: ev.ReservationEnded) -> None:
    _end_reservation(state, event.seat)


def _end_reservation(state: MatchState, seat: int) -> None:
    state.reservations = {kept: one for kept, one in state.reservations.items() if kept != seat}


def _note_account(state: MatchState, kind: str, id: str) -> None:
    if kind == "account":
        state.accounts = state.accounts | {id}


def _seat_seed_committed(state: MatchState, event: ev.SeatSeedCommitted) -> None:
    state.seed_commitments = {**state.seed_commitments, event.seat: event.commitment}


def _seat_seed_forgone(state: MatchState, event: ev.SeatSeedForgone) -> None:
    state.seed_commitments = {**state.seed_commitments, event.seat: ""}


def _seat_seed_opened(state: MatchState, event: ev.SeatSeedOpened) -> None:
    held = state.controllers[event.seat]
    state.controllers[event.seat] = replace(held, seed=event.seed) if held else None


def _match_started(state: MatchState, event: ev.MatchStarted) -> None:
    _lay_table(state, event)
    state.resigned = [False] * state.rules.seats
    state.seat_turns = [0] * state.rules.seats
    state.draws = [0] * len(state.rules.rows)


def _lay_table(state: MatchState, event: ev.MatchStarted | ev.BranchStarted) -> None:
    rules = state.rules
    state.status = RUNNING
    state.first_seat = event.first_seat
    state.coins = list(event.coins)
    state.cities = [[city.get(id, 0) for id in rules.ids] for city in event.cities]
    state.landmarks = [sum(city[rules.establishments :]) for city in state.cities]
    state.supply = [event.supply.get(id, 0) for id in rules.ids]
    state.decks = [event.decks.get(id, 0) for id in rules.ids]
    state.deck_orders = {row: list(order) for row, order in event.deck_orders.items()}
    state.closed = [[0] * rules.size for _ in state.coins] if rules.renovates else []
    state.invested = [0] * len(state.coins) if rules.invests >= 0 else []


def _tokens_placed(state: MatchState, event: ev.TokensPlaced) -> None:
    state.closed = [[city.get(id, 0) for id in state.rules.ids] for city in event.closed]
    state.invested = list(event.invested)


def _branch_started(state: MatchState, event: ev.BranchStarted) -> None:
    _lay_table(state, event)
    state.resigned = [seat in event.resigned for seat in range(state.rules.seats)]
    state.seat_turns = list(event.seat_turns)
    state.draws = [event.draws.get(row.name, 0) for row in state.rules.rows]
    state.turn = event.turn
    state.round = event.round
    state.active = event.seat
    state.phase = event.phase
    state.extra_turn = event.extra
    state.dice = event.values
    state.total = event.total
    state.added = event.added
    state.rerolled = event.rerolled
    state.received = event.received
    state.extra_turn_due = event.extra_turn_due
    state.pending_card = event.card
    state.pending_copies = event.copies


def _turn_started(state: MatchState, event: ev.TurnStarted) -> None:
    state.turn = event.turn
    state.round = event.round
    state.active = event.seat
    state.phase = event.phase
    state.extra_turn = event.extra
    state.seat_turns[event.seat] += 1
    state.dice = ()
    state.total = 0
    state.added = 0
    state.rerolled = False
    state.received = 0
    state.extra_turn_due = False
    _close_choice(state)


def _dice_rolled(state: MatchState, event: ev.DiceRolled) -> None:
    state.throws += 1
    if event.purpose == "boats":
        return
    state.dice = event.values
    state.total = event.total
    state.rerolled = event.purpose == "reroll"
    _choice_made(state)


def _choice_requested(state: MatchState, event: ev.ChoiceRequested) -> None:
    state.phase = event.phase
    state.pending_card = event.card
    state.pending_copies = event.copies


def _choice_lapsed(state: MatchState, event: ev.ChoiceLapsed) -> None:
    _choice_made(state)


def _choice_made(state: MatchState) -> None:
    """Continue with building, unless the next event requests another choice."""
    state.phase = "build"
    _close_choice(state)


def _close_choice(state: MatchState) -> None:
    state.pending_card = ""
    state.pending_copies = 0


def _dice_kept(state: MatchState, event: ev.DiceKept) -> None:
    _choice_made(state)


def _two_added(state: MatchState, event: ev.TwoAdded) -> None:
    state.added = event.total - state.total
    state.total = event.total
    _choice_made(state)


def _income_received(state: MatchState, event: ev.IncomeReceived) -> None:
    seat = event.seat
    state.coins[seat] += event.coins
    if seat == state.active:
        state.received += event.coins


def _payment_made(state: MatchState, event: ev.PaymentMade) -> None:
    paid = event.paid
    state.coins[event.from_seat] -= paid
    state.coins[event.to_seat] += paid
    if event.to_seat == state.active:
        state.received += paid


def _fee_paid(state: MatchState, event: ev.FeePaid) -> None:
    state.coins[event.seat] -= event.paid


def _target_chosen(state: MatchState, event: ev.TargetChosen) -> None:
    _choice_made(state)


def _establishments_swapped(state: MatchState, event: ev.EstablishmentsSwapped) -> None:
    index = state.rules.index
    _move(state, index[event.give], event.seat, event.with_seat)
    _move(state, index[event.take], event.with_seat, event.seat)
    _choice_made(state)


def _swap_declined(state: MatchState, event: ev.SwapDeclined) -> None:
    _choice_made(state)


def _establishment_given(state: MatchState, event: ev.EstablishmentGiven) -> None:
    _move(state, state.rules.index[event.card], event.seat, event.to_seat)
    _choice_made(state)


def _move(state: MatchState, card: int, giver: int, taker: int) -> None:
    state.cities[giver][card] -= 1
    state.cities[taker][card] += 1


def _landmark_demolished(state: MatchState, event: ev.LandmarkDemolished) -> None:
    state.cities[event.seat][state.rules.index[event.landmark]] -= 1
    state.landmarks[event.seat] -= 1
    _choice_made(state)


def _establishments_closed(state: MatchState, event: ev.EstablishmentsClosed) -> None:
    card = state.rules.index[event.establishment]
    for seat, copies in enumerate(event.copies):
        state.closed[seat][card] += copies
    _choice_made(state)


def _establishments_reopened(state: MatchState, event: ev.EstablishmentsReopened) -> None:
    state.closed[event.seat][state.rules.index[event.card]] -= event.copies


def _renovation_moved(state: MatchState, event: ev.RenovationMoved) -> None:
    card = state.rules.index[event.card]
    state.closed[event.from_seat][card] -= 1
    state.closed[event.to_seat][card] += 1


def _coin_invested(state: MatchState, event: ev.CoinInvested) -> None:
    state.coins[event.seat] -= event.coins
    state.invested[event.seat] += event.coins
    _choice_made(state)


def _investment_declined(state: MatchState, event: ev.InvestmentDeclined) -> None:
    _choice_made(state)


def _coins_levelled(state: MatchState, event: ev.CoinsLevelled) -> None:
    state.coins = list(event.coins)


def _help_received(state: MatchState, event: ev.HelpReceived) -> None:
    state.coins[event.seat] += event.coins


def _establishment_built(state: MatchState, event: ev.EstablishmentBuilt) -> None:
    card = state.rules.index[event.card]
    state.coins[event.seat] -= event.price
    state.cities[event.seat][card] += 1
    state.supply[card] -= 1


def _landmark_built(state: MatchState, event: ev.LandmarkBuilt) -> None:
    card = state.rules.index[event.card]
    state.coins[event.seat] -= event.price
    state.cities[event.seat][card] += 1
    state.landmarks[event.seat] += 1
    if state.supply[card] > 0:
        state.supply[card] -= 1


def _nothing(state: MatchState, event: Event) -> None:
    """Ignore an event that no member of the state depends on."""


def _market_refilled(state: MatchState, event: ev.MarketRefilled) -> None:
    rules = state.rules
    order = state.deck_orders.get(event.row)
    for id in event.cards:
        card = rules.index[id]
        state.decks[card] -= 1
        state.supply[card] += 1
        state.draws[rules.row_of[card]] += 1
        if order:
            order.pop(0)


def _extra_turn_granted(state: MatchState, event: ev.ExtraTurnGranted) -> None:
    state.extra_turn_due = True


def _bank_changed(state: MatchState, event: ev.BankChanged) -> None:
    state.banks[event.seat] = event.left_ms


def _controller_changed(state: MatchState, event: ev.ControllerChanged) -> None:
    held = state.controllers[event.seat]
    seed = held.seed if held else ""
    state.controllers[event.seat] = ev.SeatTaken(
        event.seat, event.kind, event.id, event.name, event.version, seed
    )
    _note_account(state, event.kind, event.id)


def _seat_resigned(state: MatchState, event: ev.SeatResigned) -> None:
    state.resigned[event.seat] = True


def _match_finished(state: MatchState, event: ev.MatchFinished) -> None:
    state.winner = event.winner
    _close(state, FINISHED, event.reason)


def _match_aborted(state: MatchState, event: ev.MatchAborted) -> None:
    _close(state, ABORTED, event.reason)


def _close(state: MatchState, status: str, reason: str) -> None:
    state.status = status
    state.phase = ""
    state.result = reason
    state.reservations = {}
    _close_choice(state)


APPLY: Final[dict[type, Callable[[MatchState, Any], None]]] = {
    ev.SeatTaken: _seat_taken,
    ev.SeatReserved: _seat_reserved,
    ev.ReservationEnded: _reservation_ended,
    ev.SeatSeedCommitted: _seat_seed_committed,
    ev.SeatSeedForgone: _seat_seed_forgone,
    ev.SeatSeedOpened: _seat_seed_opened,
    ev.SeatSeedWithheld: _nothing,
    ev.MatchStarted: _match_started,
    ev.BranchStarted: _branch_started,
    ev.TokensPlaced: _tokens_placed,
    ev.TurnStarted: _turn_started,
    ev.DiceRolled: _dice_rolled,
    ev.ChoiceRequested: _choice_requested,
    ev.ChoiceLapsed: _choice_lapsed,
    ev.DiceKept: _dice_kept,
    ev.TwoAdded: _two_added,
    ev.EstablishmentsReopened: _establishments_reopened,
    ev.IncomeReceived: _income_received,
    ev.FeePaid: _fee_paid,
    ev.PaymentMade: _payment_made,
    ev.TargetChosen: _target_chosen,
    ev.EstablishmentsSwapped: _establishments_swapped,
    ev.SwapDeclined: _swap_declined,
    ev.EstablishmentGiven: _establishment_given,
    ev.RenovationMoved: _renovation_moved,
    ev.LandmarkDemolished: _landmark_demolished,
    ev.EstablishmentsClosed: _establishments_closed,
    ev.CoinsLevelled: _coins_levelled,
    ev.HelpReceived: _help_received,
    ev.EstablishmentBuilt: _establishment_built,
    ev.LandmarkBuilt: _landmark_built,
    ev.BuildPassed: _nothing,
    ev.CoinInvested: _coin_invested,
    ev.InvestmentDeclined: _investment_declined,
    ev.MarketRefilled: _market_refilled,
    ev.ExtraTurnGranted: _extra_turn_granted,
    ev.TurnEnded: _nothing,
    ev.ClockExpired: _nothing,
    ev.BankChanged: _bank_changed,
    ev.ControllerChanged: _controller_changed,
    ev.SeatResigned: _seat_resigned,
    ev.MatchFinished: _match_finished,
    ev.MatchAborted: _match_aborted,
    ev.DiceRevealed: _nothing,
}
"""How to apply each event type except `MatchCreated`; a test checks that none is missing."""
